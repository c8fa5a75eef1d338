import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot_common.spatial import (
    cell_index,
    cell_of,
    grid_of_circles,
    grid_of_points,
    grid_of_segments,
    grid_shape,
)

X0, Y0, CELL, NX, NY = -1.0, 2.0, 0.7, 9, 6


def distances_to_segments(point, segments):
    start, along = segments[:, :2], segments[:, 2:] - segments[:, :2]
    length2 = np.maximum((along * along).sum(1), 1e-300)
    part = np.clip(((point - start) * along).sum(1) / length2, 0, 1)
    return np.hypot(*(point - start - part[:, None] * along).T)


def listed(grid, x, y):
    k = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    return grid.items[grid.starts[k]:grid.starts[k + 1]]


def places(rng, n):
    """Points in, around and far outside of the grid."""
    near = rng.uniform((-3, 0), (8, 9), (n, 2))
    near[::10] *= 100
    return near


def test_points_are_in_their_cell_once_in_increasing_order():
    points = places(np.random.default_rng(1), 500)
    grid = grid_of_points(points, CELL, X0, Y0, NX, NY)
    assert sorted(grid.items) == list(range(500))
    for i, (x, y) in enumerate(points):
        items = listed(grid, x, y)
        assert i in items
        assert (np.diff(items) > 0).all()


@pytest.mark.parametrize('margin', [0.0, 0.3, 5.0])
def test_one_cell_lists_all_segments_within_the_margin(margin):
    rng = np.random.default_rng(2)
    segments = np.hstack([places(rng, 60), places(rng, 60)])
    segments[:5, 2:] = segments[:5, :2]  # without length
    segments[5:15, 3] = segments[5:15, 1]  # level
    segments[15:25, 2] = segments[15:25, 0]  # upright
    grid = grid_of_segments(segments, margin, CELL, X0, Y0, NX, NY)
    for x, y in places(rng, 1500):
        items = listed(grid, x, y)
        near = np.flatnonzero(distances_to_segments(np.array([x, y]), segments) <= margin)
        assert set(near) <= set(items)
        assert (np.diff(items) > 0).all()


@pytest.mark.parametrize('margin', [0.0, 0.3, 5.0])
def test_one_cell_lists_all_discs_within_the_margin(margin):
    rng = np.random.default_rng(3)
    circles = np.column_stack([places(rng, 40), rng.uniform(0, 3, 40)])
    grid = grid_of_circles(circles, margin, CELL, X0, Y0, NX, NY)
    for x, y in places(rng, 1500):
        items = listed(grid, x, y)
        near = np.flatnonzero(np.hypot(*(circles[:, :2] - (x, y)).T) - circles[:, 2] <= margin)
        assert set(near) <= set(items)
        assert (np.diff(items) > 0).all()


def test_lists_are_not_much_longer_than_needed():
    diagonal = np.array([[X0, Y0, X0 + 6 * CELL, Y0 + 6 * CELL]])
    grid = grid_of_segments(diagonal, 0.0, CELL, X0, Y0, 6, 6)
    assert grid.items.size <= 6 + 2 * 5 + 2  # the diagonal cells and their neighbours, not 36


def test_empty_grids_list_nothing():
    assert grid_of_points(np.empty((0, 2)), CELL, X0, Y0, NX, NY).items.size == 0
    assert grid_of_segments(np.empty((0, 4)), 1.0, CELL, X0, Y0, NX, NY).starts[-1] == 0
    assert grid_of_circles(np.empty((0, 3)), 1.0, CELL, X0, Y0, NX, NY).starts[-1] == 0


@pytest.mark.parametrize(('value', 'column'), [
    (-math.inf, 0), (X0 - 1e-9, 0), (X0, 0), (X0 + 1.5 * CELL, 1), (X0 + 100, NX - 1),
    (math.inf, NX - 1), (math.nan, 0)])
def test_nothing_is_outside(value, column):
    assert cell_index(value, X0, CELL, NX) == column


@given(st.floats(0, 1e4), st.floats(0, 1e4), st.floats(1e-3, 1e3), st.integers(1, 600))
@settings(max_examples=100)
def test_a_shape_covers_its_box_within_the_limit(width, height, cell, limit):
    widened, nx, ny = grid_shape(0.0, 0.0, width, height, cell, limit)
    assert 1 <= nx <= limit
    assert 1 <= ny <= limit
    assert widened >= cell
    assert nx * widened >= width * (1 - 1e-12)
    assert ny * widened >= height * (1 - 1e-12)

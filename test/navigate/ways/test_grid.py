import math
import time

import numpy as np
import pytest

from navigate.parameters import REACH, SIDE
from navigate.ways.grid import (
    HALF_DIAGONAL,
    Grid,
    distance_at,
    is_free_line,
    is_marked,
    make_grid,
    mark,
    shifted,
    unmark,
)

CELL = 0.25
HALF = SIDE * CELL / 2  # m


def empty(origin=-HALF):
    return make_grid(origin, origin, CELL)


def test_distances_are_those_to_the_nearest_point():
    grid, rng = empty(), np.random.default_rng(1)
    points = rng.uniform(-4, 4, (20, 2))
    kept = []
    for x, y in points:
        if not is_marked(grid, x, y):
            mark(grid, x, y)
            kept.append((x, y))
    for x, y in rng.uniform(-5, 5, (400, 2)):
        centre = (math.floor(x / CELL) + 0.5) * CELL, (math.floor(y / CELL) + 0.5) * CELL
        nearest = min(math.dist(centre, point) for point in kept)
        far = REACH * CELL
        # Beyond a square of REACH cells nothing is written.
        if nearest < far - CELL:
            assert distance_at(grid, x, y) == pytest.approx(nearest, abs=1e-5)
        else:
            assert far - CELL - 1e-5 <= distance_at(grid, x, y) <= far


def test_a_point_marks_its_cell():
    grid = empty()
    assert not is_marked(grid, 1.01, 2.24)
    mark(grid, 1.01, 2.24)
    assert is_marked(grid, 1.2, 2.01)  # the same cell
    assert not is_marked(grid, 1.3, 2.24)
    assert distance_at(grid, 1.01, 2.24) <= HALF_DIAGONAL * CELL


def test_nothing_is_outside():
    grid = empty()
    for x, y in ((1e6, 0.0), (0.0, -1e6), (-1e300, 1e300)):
        mark_free = is_marked(grid, x, y)
        assert mark_free  # so that nobody tries
        assert distance_at(grid, x, y) == REACH * CELL
    assert not grid.nearness.any()


def test_lines_see_walls():
    grid = empty()
    for y in np.arange(-2.0, 2.0, 0.1):
        mark(grid, 3.0, y)
    assert not is_free_line(grid, 0.0, 0.0, 6.0, 0.0, 0.5, 0.3)
    assert is_free_line(grid, 0.0, 0.0, 2.0, 0.0, 0.5, 0.3)
    assert is_free_line(grid, 0.0, 3.0, 6.0, 3.0, 0.5, 0.3)
    assert is_free_line(grid, 2.8, 0.0, 2.0, 0.0, 0.5, 0.6)  # what is left behind does not count
    assert is_free_line(grid, 3.0, 0.0, 3.0, 0.0, 0.5, 0.3)  # no line


def test_a_window_that_moves_keeps_what_it_holds():
    grid = empty()
    mark(grid, HALF - 12.0, -3.1)
    mark(grid, 12.0 - HALF, 3.1)
    before = distance_at(grid, HALF - 11.7, -3.1)
    origin = shifted(grid, 0.75 * HALF, 0.0)
    moved = Grid(grid.nearness, grid.evidence, grid.hits, *origin, CELL)
    # No farther than needed, so that as much as possible is kept: here half of a half.
    assert origin == (-HALF + 0.5 * HALF, -HALF)
    assert distance_at(moved, HALF - 11.7, -3.1) == before
    assert distance_at(moved, 12.0 - HALF, 3.1) == REACH * CELL  # beyond the window now
    assert np.count_nonzero(grid.evidence > 0) == 1


def test_an_obstacle_that_is_forgotten_leaves_the_distances_to_the_others():
    grid, other, rng = empty(), empty(), np.random.default_rng(3)
    points = rng.uniform(-2, 2, (12, 2))
    for x, y in points:
        mark(grid, x, y)
    for x, y in points[1:]:
        mark(other, x, y)
    rows = [math.floor((v + HALF) / CELL) for v in points[0]]
    unmark(grid, rows[1], rows[0])
    assert (grid.nearness == other.nearness).all()
    assert not is_marked(grid, *points[0])


@pytest.mark.parametrize('far', [1e9, 1e15, 1e160])
def test_a_line_to_a_place_beyond_all_maps_ends_with_the_window(far):
    grid = empty()
    is_free_line(grid, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0)  # loads the machine code
    begin = time.process_time()
    assert is_free_line(grid, 0.0, 0.0, far, 0.1 * far, 0.5, 0.0)
    assert is_free_line(grid, 0.0, 0.0, -far, 0.0, 0.5, 0.25)
    assert time.process_time() - begin < 5.0
    mark(grid, 20.0, 2.0)
    assert not is_free_line(grid, 0.0, 0.0, far, 0.1 * far, 0.5, 0.0)

"""What a map says: outlines become cells, wherever the window is."""

import numpy as np
import pytest

from navigate.parameters import REACH, SIDE
from navigate.ways.grid import Grid, distance_at, is_marked, make_grid
from navigate.ways.known import Known, mark_known, nothing_known
from navigate.ways.occupancy import clear

CELL = 0.1
HALF = SIDE / 2 * CELL


def marked(segments=(), circles=()):
    grid = make_grid(-HALF, -HALF, CELL)
    mark_known(grid, Known(np.array(segments, float).reshape(-1, 4),
                           np.array(circles, float).reshape(-1, 3)))
    return grid


def test_every_point_of_a_line_is_an_obstacle():
    grid = marked([(-3.0, -1.0, 4.0, 2.5)])
    for t in np.linspace(0.0, 1.0, 300):
        assert distance_at(grid, -3.0 + 7.0 * t, -1.0 + 3.5 * t) < CELL
    assert distance_at(grid, 0.5, 1.3) == pytest.approx(0.5 / np.hypot(1.0, 0.5), abs=CELL)
    assert not is_marked(grid, 4.2, 2.6)


def test_every_point_of_a_circle_is_an_obstacle_and_its_middle_is_not():
    grid = marked(circles=[(1.0, -2.0, 1.5)])
    for angle in np.linspace(0.0, 2.0 * np.pi, 300):
        assert distance_at(grid, 1.0 + 1.5 * np.cos(angle), -2.0 + 1.5 * np.sin(angle)) < CELL
    assert distance_at(grid, 1.0, -2.0) == REACH * CELL


@pytest.mark.parametrize('far', [1e3, 1e9])
def test_only_what_is_in_the_window_is_marked_of_a_line_however_long(far):
    grid = marked([(-far, 0.05, far, 0.05), (far / 2, far / 2, far, far), (-1.0, far, 1.0, far),
                   (-1e308, 1e307, 1e308, -1e307)][:3 + (far > 1e6)])
    assert is_marked(grid, -HALF + 0.05, 0.05)
    assert is_marked(grid, HALF - 0.05, 0.05)
    assert np.count_nonzero(grid.evidence) in (SIDE, SIDE + 1)  # the last one is rounding


def test_a_huge_circle_costs_no_memory_and_is_a_line_here():
    grid = marked(circles=[(0.0, -1e6, 1e6)])
    assert is_marked(grid, 0.03, -0.001) or is_marked(grid, 0.03, 0.001)


def test_nothing_known_is_nothing_marked():
    grid = make_grid(0.0, 0.0, CELL)
    mark_known(grid, nothing_known())
    assert not grid.evidence.any()


def test_what_the_laser_saw_stays_and_what_has_gone_is_forgotten_by_beams():
    grid = marked([(2.03, -1.0, 2.03, 1.0)])
    before = grid.hits.copy()
    mark_known(grid, Known(np.array([[2.08, -1.0, 2.08, 1.0]]), np.empty((0, 3))))
    assert np.array_equal(grid.hits, before)
    for _ in range(9):
        clear(grid, 0.03, 0.05, 1.0, 0.0, 4.0, 1)
    assert not is_marked(grid, 2.03, 0.05)
    mark_known(Grid(*grid), Known(np.array([[2.03, -1.0, 2.03, 1.0]]), np.empty((0, 3))))
    assert is_marked(grid, 2.03, 0.05)  # when the window moves, as far as is known

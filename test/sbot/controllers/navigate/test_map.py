import math
import time

import numpy as np
import pytest

from sbot.controllers.navigate.map import (
    Grid,
    Known,
    _unmark,
    add_hit,
    clear,
    column_of,
    distance_at,
    is_free_line,
    is_marked,
    make_grid,
    mark,
    mark_known,
    row_of,
    shifted,
)
from sbot.controllers.navigate.parameters import BANNED, LEAST, MOST, NEUTRAL, REACH, SIDE

GRID_CELL = 0.25
GRID_HALF = SIDE * GRID_CELL / 2  # m


def empty(origin=-GRID_HALF):
    return make_grid(origin, origin, GRID_CELL)


def test_distances_are_those_to_the_nearest_point():
    grid, rng = empty(), np.random.default_rng(1)
    points = rng.uniform(-4, 4, (20, 2))
    kept = []
    for x, y in points:
        if not is_marked(grid, x, y):
            mark(grid, x, y)
            kept.append((x, y))
    for x, y in rng.uniform(-5, 5, (400, 2)):
        centre = ((math.floor(x / GRID_CELL) + 0.5) * GRID_CELL,
                  (math.floor(y / GRID_CELL) + 0.5) * GRID_CELL)
        nearest = min(math.dist(centre, point) for point in kept)
        far = REACH * GRID_CELL
        # Beyond a square of REACH cells nothing is written.
        if nearest < far - GRID_CELL:
            assert distance_at(grid, x, y) == pytest.approx(nearest, abs=1e-5)
        else:
            assert far - GRID_CELL - 1e-5 <= distance_at(grid, x, y) <= far


def test_nothing_is_outside():
    grid = empty()
    for x, y in ((1e6, 0.0), (0.0, -1e6), (-1e300, 1e300)):
        mark_free = is_marked(grid, x, y)
        assert mark_free  # so that nobody tries
        assert distance_at(grid, x, y) == REACH * GRID_CELL
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
    mark(grid, GRID_HALF - 12.0, -3.1)
    mark(grid, 12.0 - GRID_HALF, 3.1)
    before = distance_at(grid, GRID_HALF - 11.7, -3.1)
    origin = shifted(grid, 0.75 * GRID_HALF, 0.0)
    moved = Grid(grid.nearness, grid.evidence, grid.hits, *origin, GRID_CELL)
    assert origin == (-GRID_HALF + 0.75 * GRID_HALF, -GRID_HALF)
    assert distance_at(moved, GRID_HALF - 11.7, -3.1) == before
    assert distance_at(moved, 12.0 - GRID_HALF, 3.1) == REACH * GRID_CELL  # beyond the window now
    assert np.count_nonzero(grid.evidence > 0) == 1


def test_an_obstacle_that_is_forgotten_leaves_the_distances_to_the_others():
    grid, other, rng = empty(), empty(), np.random.default_rng(3)
    points = rng.uniform(-2, 2, (12, 2))
    for x, y in points:
        mark(grid, x, y)
    for x, y in points[1:]:
        mark(other, x, y)
    rows = [math.floor((v + GRID_HALF) / GRID_CELL) for v in points[0]]
    _unmark(grid, rows[1], rows[0])
    assert (grid.nearness == other.nearness).all()
    assert not is_marked(grid, *points[0])


@pytest.mark.parametrize('far', [1e9, 1e15])
def test_a_line_to_a_place_beyond_all_maps_ends_with_the_window(far):
    grid = empty()
    is_free_line(grid, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0)  # loads the machine code
    begin = time.process_time()
    assert is_free_line(grid, 0.0, 0.0, far, 0.1 * far, 0.5, 0.0)
    assert is_free_line(grid, 0.0, 0.0, -far, 0.0, 0.5, 0.25)
    assert time.process_time() - begin < 5.0
    mark(grid, 20.0, 2.0)
    assert not is_free_line(grid, 0.0, 0.0, far, 0.1 * far, 0.5, 0.0)


OCCUPANCY_CELL = 0.1


def occupancy_empty():
    return make_grid(-43.2, -43.2, OCCUPANCY_CELL)


def test_what_is_seen_once_where_nothing_was_known_is_an_obstacle():
    grid = occupancy_empty()
    assert add_hit(grid, 2.03, 0.01)
    assert not add_hit(grid, 2.03, 0.01)  # nothing new
    assert is_marked(grid, 2.03, 0.01)
    assert not add_hit(grid, 1e6, 0.0)  # beyond the window


def test_what_moved_away_is_forgotten():
    grid = occupancy_empty()
    for _ in range(20):
        add_hit(grid, 2.03, 0.05)
    for beams in range(1, MOST + 1):
        clear(grid, 0.03, 0.05, 1.0, 0.0, 4.0, 1)
        assert is_marked(grid, 2.03, 0.05) == (beams < MOST)
    assert distance_at(grid, 2.03, 0.05) == REACH * OCCUPANCY_CELL


def test_a_turn_forgets_no_more_than_its_budget():
    grid = occupancy_empty()
    for x in (1.03, 2.03):
        add_hit(grid, x, 0.05)
    assert [clear(grid, 0.03, 0.05, 1.0, 0.0, 4.0, 1) for _ in range(4)] == [1, 1, 0, 0]
    assert is_marked(grid, 1.03, 0.05) + is_marked(grid, 2.03, 0.05) == 0


def test_a_place_known_as_free_needs_more_than_one_hit():
    grid = occupancy_empty()
    for _ in range(20):
        clear(grid, 0.03, 0.05, 1.0, 0.0, 4.0, 1)
    assert grid.evidence.min() == LEAST + NEUTRAL
    assert [add_hit(grid, 2.03, 0.05) for _ in range(3)] == [False, True, False]


def test_noise_does_not_build_up_before_a_wall():
    grid, rng = occupancy_empty(), np.random.default_rng(1)
    for _ in range(300):
        ends = 3.05 + rng.normal(0.0, 0.1)
        clear(grid, 0.03, 0.05, 1.0, 0.0, ends, 1)
        add_hit(grid, 0.03 + ends, 0.05)
        # Three deviations before the wall nothing stays for long.
    assert not any(is_marked(grid, x, 0.05) for x in np.arange(0.1, 2.75, 0.1))
    assert is_marked(grid, 3.08, 0.05)


def test_what_is_banned_stays():
    grid = occupancy_empty()
    row, column = 432, 452
    grid.evidence[row, column] = BANNED
    for _ in range(200):
        clear(grid, 0.03, 0.05, 1.0, 0.0, 4.0, 1)
    assert grid.evidence[row, column] == BANNED


@pytest.mark.parametrize('hits', [0, 1, 2])
def test_a_cell_that_beams_told_of_is_never_unseen_again(hits):
    grid, (row, column) = (occupancy_empty(), (row_of(occupancy_empty(), 0.05),
                                               column_of(occupancy_empty(), 1.05)))
    assert grid.evidence[row, column] == 0
    for _ in range(hits):
        add_hit(grid, 1.05, 0.05)
    for _ in range(12):
        clear(grid, 0.05, 0.05, 1.0, 0.0, 4.0, 1)
        assert grid.evidence[row, column] != 0
    for _ in range(4):
        add_hit(grid, 1.05, 0.05)
        assert grid.evidence[row, column] != 0


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

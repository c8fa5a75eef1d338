"""What beams say about cells: noise cannot build up, and what moves away is forgotten."""

import numpy as np
import pytest

from navigate.parameters import BANNED, LEAST, MOST, NEUTRAL, REACH
from navigate.ways.grid import column_of, distance_at, is_marked, make_grid, row_of
from navigate.ways.occupancy import add_hit, clear

CELL = 0.1


def empty():
    return make_grid(-43.2, -43.2, CELL)


def test_what_is_seen_once_where_nothing_was_known_is_an_obstacle():
    grid = empty()
    assert add_hit(grid, 2.03, 0.01)
    assert not add_hit(grid, 2.03, 0.01)  # nothing new
    assert is_marked(grid, 2.03, 0.01)
    assert not add_hit(grid, 1e6, 0.0)  # beyond the window


def test_what_moved_away_is_forgotten():
    grid = empty()
    for _ in range(20):
        add_hit(grid, 2.03, 0.05)
    for beams in range(1, MOST + 1):
        clear(grid, 0.03, 0.05, 1.0, 0.0, 4.0, 1)
        assert is_marked(grid, 2.03, 0.05) == (beams < MOST)
    assert distance_at(grid, 2.03, 0.05) == REACH * CELL


def test_a_turn_forgets_no_more_than_its_budget():
    grid = empty()
    for x in (1.03, 2.03):
        add_hit(grid, x, 0.05)
    budgets = [clear(grid, 0.03, 0.05, 1.0, 0.0, 4.0, 1) for _ in range(4)]
    assert budgets == [1, 1, 0, 0]
    assert is_marked(grid, 1.03, 0.05) + is_marked(grid, 2.03, 0.05) == 0


def test_a_place_known_as_free_needs_more_than_one_hit():
    grid = empty()
    for _ in range(20):
        clear(grid, 0.03, 0.05, 1.0, 0.0, 4.0, 1)
    assert grid.evidence.min() == LEAST + NEUTRAL
    assert [add_hit(grid, 2.03, 0.05) for _ in range(3)] == [False, True, False]


def test_noise_does_not_build_up_before_a_wall():
    grid, rng = empty(), np.random.default_rng(1)
    for _ in range(300):
        ends = 3.05 + rng.normal(0.0, 0.1)
        clear(grid, 0.03, 0.05, 1.0, 0.0, ends, 1)
        add_hit(grid, 0.03 + ends, 0.05)
        # Three deviations before the wall nothing stays for long.
    assert not any(is_marked(grid, x, 0.05) for x in np.arange(0.1, 2.75, 0.1))
    assert is_marked(grid, 3.08, 0.05)


def test_what_is_banned_stays():
    grid = empty()
    row, column = 432, 452
    grid.evidence[row, column] = BANNED
    for _ in range(200):
        clear(grid, 0.03, 0.05, 1.0, 0.0, 4.0, 1)
    assert grid.evidence[row, column] == BANNED


@pytest.mark.parametrize('hits', [0, 1, 2])
def test_a_cell_that_beams_told_of_is_never_unseen_again(hits):
    grid, (row, column) = empty(), (row_of(empty(), 0.05), column_of(empty(), 1.05))
    assert grid.evidence[row, column] == 0
    for _ in range(hits):
        add_hit(grid, 1.05, 0.05)
    for _ in range(12):
        clear(grid, 0.05, 0.05, 1.0, 0.0, 4.0, 1)
        assert grid.evidence[row, column] != 0
    for _ in range(4):
        add_hit(grid, 1.05, 0.05)
        assert grid.evidence[row, column] != 0

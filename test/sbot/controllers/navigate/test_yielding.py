"""Who goes first through a passage from (0, 0) to (4, 0)."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import make_grid, mark
from sbot.controllers.navigate.parameters import CLEAR_TIME, YIELD_TIME, Parameters, resolved
from sbot.controllers.navigate.passages import Passage, has_lanes
from sbot.controllers.navigate.yielding import (
    FREE,
    KEEPS_ON,
    NO_YIELD,
    PASSES,
    WAITS,
    _is_taken,
    _spot_beside,
    negotiated,
)

P = resolved(Parameters())
EAST = Passage(Place(0.0, 0.0, 1.0, 0.0), 4.0)
WEST = Passage(Place(4.0, 0.0, -1.0, 0.0), 4.0)


def taken(passage, me, robots, mode=FREE, time=0.0, since=0.0, moves=1.0):
    """``robots``: x, y (m), and 1 or -1 for whether one faces east or west."""
    robots = np.array(robots, float)
    headings = np.column_stack([robots[:, 2], np.zeros(len(robots)), np.full(len(robots), moves)])
    places = robots[:, :2].copy()
    return _is_taken(P, passage, me, places, places, headings, mode, time, since)


def test_who_is_in_it_goes_first():
    inside, before = (2.0, 0.0, -1), (-1.0, 0.0, 1)
    assert taken(EAST, 0, [before, inside]) == (True, True)
    assert taken(WEST, 1, [before, inside]) == (False, False)
    assert taken(EAST, 0, [before, (2.0, 0.0, 1)]) == (False, False)  # the same way


def test_who_waits_lets_out_who_comes_but_not_for_one_that_has_arrived_there():
    robots = [(-3.0, 1.5, 1), (-0.5, 0.0, -1)]
    assert taken(EAST, 0, robots, WAITS)[0]
    assert not taken(EAST, 0, robots, WAITS, moves=0.0)[0]


def test_who_has_stood_for_long_takes_no_passage():
    places = np.array([(-2.0, 0.0), (1.0, 0.0)])
    headings = np.array([(1.0, 0.0, 1.0), (-1.0, 0.0, 0.0)])
    parked = np.array([(-2.0, 0.0), (math.nan, 0.0)])

    def found(mobile):
        return _is_taken(P, EAST, 0, places, mobile, headings, WAITS, 9.0, 0.0)
    assert found(places) == (True, True)
    assert found(parked) == (False, False)


def test_before_it_who_is_nearer_goes_first():
    assert taken(EAST, 0, [(-1.0, 0.0, 1), (4.6, 0.0, -1)])[0]
    assert not taken(WEST, 1, [(-1.0, 0.0, 1), (4.6, 0.0, -1)])[0]


@pytest.mark.parametrize('x', [-1.0, -1.5])
def test_of_two_as_near_the_lower_number_goes_first(x):
    robots = [(x, 0.0, 1), (4.0 - x, 0.0, -1)]
    assert taken(EAST, 0, robots)[0] != taken(WEST, 1, robots)[0]
    assert taken(WEST, 1, robots)[0]


def test_of_those_that_meet_in_it_the_lowest_number_goes_on():
    robots = [(3.6, 0.0, -1), (2.0, 0.0, 1), (2.8, 0.0, -1)]
    assert taken(EAST, 1, robots)[0]
    assert not taken(WEST, 0, robots)[0]
    robots[0] = (9.0, 5.0, -1)
    assert not taken(EAST, 1, robots)[0]
    assert taken(WEST, 2, robots)[0]


def test_patience_ends_and_that_of_the_lowest_first():
    robots = [(4.6, 0.0, -1), (4.6, 1.0, -1), (-1.0, 0.0, 1)]
    assert taken(EAST, 2, robots, WAITS, 1.5 * YIELD_TIME)[0]
    assert not taken(EAST, 2, robots, WAITS, 3.5 * YIELD_TIME)[0]
    assert not taken(EAST, 2, robots, KEEPS_ON, 0.5 * YIELD_TIME)[0]


def test_it_waits_beside_the_mouth_until_the_passage_is_free_for_a_while():
    grid, state = make_grid(-43.2, -43.2, P.cell_m), NO_YIELD
    others = np.array([[-1.0, 0.0], [2.0, 0.0]])
    headings = np.array([[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]])
    state = negotiated(P, grid, state, 0, True, EAST, others, others, headings, 0.0)
    assert state.mode == WAITS
    assert state.spot_x < -2 * P.robot_radius_m
    assert abs(state.spot_y) > 3 * P.robot_radius_m
    others[1] = -3.0, 0.0  # has come out
    state = negotiated(P, grid, state, 0, True, EAST, others, others, headings, 0.5 * CLEAR_TIME)
    assert state.mode == WAITS
    state = negotiated(P, grid, state, 0, True, EAST, others, others, headings, 1.5 * CLEAR_TIME)
    assert state.mode == FREE


def test_a_spot_that_is_taken_is_left_to_who_has_it():
    grid = make_grid(-43.2, -43.2, P.cell_m)
    others = np.array([[-1.0, 0.0], [5.0, 5.0]])
    first = _spot_beside(P, grid, EAST, 0, others)
    others[1] = first
    second = _spot_beside(P, grid, EAST, 0, others)
    assert np.hypot(second[0] - first[0], second[1] - first[1]) > 2 * P.robot_radius_m


def hallway(width):
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for x in np.arange(-2.0, 6.0, P.cell_m / 2):
        mark(grid, x, width / 2)
        mark(grid, x, -width / 2)
    return grid


@pytest.mark.parametrize(('width', 'fits'), [(1.6, True), (1.4, False)])
def test_two_pass_each_other_where_both_fit(width, fits):
    grid, others = hallway(width), np.array([[0.5, 0.0], [3.5, 0.0]])
    assert has_lanes(P, grid, EAST) == fits
    assert not has_lanes(P, make_grid(-51.84, -51.84, P.cell_m), EAST)  # walls nobody has seen
    headings = np.array([[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]])
    modes = [negotiated(P, grid, NO_YIELD, me, True, passage, others, others, headings,
                        1.0).mode for me, passage in ((0, EAST), (1, WEST))]
    assert modes == ([PASSES, PASSES] if fits else [FREE, WAITS])


@pytest.mark.parametrize('turn', np.linspace(0.1, 6.2, 4))
def test_on_the_axis_of_a_turned_passage_it_waits_on_the_same_side(turn):
    """Left and right are equally far from there, but for rounding."""
    c, s = np.cos(turn), np.sin(turn)
    grid, others = make_grid(-43.2, -43.2, P.cell_m), np.array([[-0.5 * c, -0.5 * s], [9.0, 9.0]])
    x, y = _spot_beside(P, grid, Passage(Place(0.0, 0.0, c, s), 4.0), 0, others)
    others[0] = -0.5, 0.0
    assert (c * x + s * y, c * y - s * x) == pytest.approx(_spot_beside(P, grid, EAST, 0, others))

"""Places beside a passage that has a bend: from (0, 0) to (4, 0), and up to (4, 3)."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.map import make_grid, mark
from sbot.controllers.navigate.parameters import Parameters, resolved
from sbot.controllers.navigate.passages import (
    MOST_BENDS,
    Passage,
    _has_lanes,
    _is_narrow,
    _passage_along,
    on_lane,
    passage_ahead,
    passage_with_lanes,
    station,
)

PASSAGE_LINE_P = resolved(Parameters())
PASSAGE_LINE_BENT = Passage(0.0, 0.0, 4.0, 3.0, (4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)


@pytest.mark.parametrize(('x', 'y', 'along', 'aside', 'u'), [
    (1.0, 0.2, 1.0, 0.2, (1, 0)),
    (-1.0, 0.3, -1.0, 0.3, (1, 0)),  # before it
    (3.9, 2.0, 6.0, 0.1, (0, 1)),
    (4.0, 5.0, 9.0, 0.0, (0, 1)),  # beyond it
    (4.3, -0.4, 4.0, 0.5, (1, 0)),  # outside the corner
])
def test_a_place_is_told_along_and_beside_the_line(x, y, along, aside, u):
    at = station(PASSAGE_LINE_P, PASSAGE_LINE_BENT, x, y)
    assert (at.along, at.aside) == pytest.approx((along, aside))
    assert (at.u_x, at.u_y) == pytest.approx(u)
    assert at.length == 7.0


def posts(*places):
    grid = make_grid(-51.84, -51.84, PASSAGE_LINE_P.cell_m)
    for x, y in places:
        mark(grid, x, y)
    return grid


def test_a_line_has_bends_only_where_a_straight_one_would_meet_a_wall():
    # In a straight corridor robots leave their lanes for others.
    points = np.array([[0.0, 0.0], [1.0, 0.9], [2.0, -0.9], [4.0, 0.0]])
    assert _passage_along(PASSAGE_LINE_P, posts(), points, 3) == Passage(0.0, 0.0, 4.0, 0.0)
    passage = _passage_along(PASSAGE_LINE_P, posts((2.0, 0.0)), points, 3)
    assert passage.corners == 1
    assert passage.bends[:2] in ((1.0, 0.9), (2.0, -0.9))


def test_bends_are_in_the_order_of_the_way_and_no_more_than_there_is_room_for():
    zigzag = np.array([[k, (-1.0) ** k * (1 + 0.1 * k)] for k in range(9)])
    everywhere = posts(*((x, y) for x in np.arange(0, 8, 0.2) for y in np.arange(-2, 2, 0.2)))
    passage = _passage_along(PASSAGE_LINE_P, everywhere, zigzag, len(zigzag) - 1)
    assert passage.corners == MOST_BENDS
    bends = np.array(passage.bends).reshape(-1, 2)
    at = [int(np.flatnonzero((zigzag == bend).all(axis=1))[0]) for bend in bends]
    assert at == sorted(at)
    assert len(set(at)) == MOST_BENDS


PASSAGE_P = resolved(Parameters())
NO_PATH = np.zeros((8, 2))


def passage_walls(*lines):
    grid = make_grid(-43.2, -43.2, PASSAGE_P.cell_m)
    for x0, y0, x1, y1 in lines:
        for t in np.arange(0.0, 1.0, 0.02 / math.hypot(x1 - x0, y1 - y0)):
            mark(grid, x0 + t * (x1 - x0), y0 + t * (y1 - y0))
    return grid


def corridor(width, first=2.0, last=6.0):
    return passage_walls((first, width / 2, last, width / 2), (first, -width / 2, last,
                                                               -width / 2))


@pytest.mark.parametrize(('width', 'narrow'), [(0.8, True), (1.2, True), (1.6, True),
                                               (2.0, True), (3.2, True), (4.0, False)])
def test_robots_pass_without_rules_where_there_is_room_for_many(width, narrow):
    assert _is_narrow(PASSAGE_P, corridor(width), 4.0, 0.05, 1.0, 0.0) == narrow
    assert not _is_narrow(PASSAGE_P, corridor(width), 0.5, 0.05, 1.0, 0.0)


def test_a_passage_has_two_ends():
    found, passage = passage_ahead(PASSAGE_P, corridor(1.2), NO_PATH, 0, 0, 0.0, 0.0, 9.0, 0.0)
    assert found
    assert passage.near_x == pytest.approx(2.0, abs=0.7)  # posts are seen from a little before
    assert passage.far_x == pytest.approx(6.0, abs=0.5)
    assert abs(passage.near_y) + abs(passage.far_y) < 0.1
    assert passage.corners == 0


def bent():
    """An L of 1.0 m: from (2, 0) to the corner at (6, 0), and up to (6, 4)."""
    return passage_walls((2.0, -0.5, 6.5, -0.5), (6.5, -0.5, 6.5, 4.0), (2.0, 0.5, 5.5, 0.5),
                 (5.5, 0.5, 5.5, 4.0))


def bent_way(step):
    east = np.column_stack([np.arange(0.0, 6.0, step), np.zeros(round(6.0 / step))])
    north = np.arange(0.0, 6.0, step)
    return np.vstack([east, np.column_stack([np.full(len(north), 6.0), north])])


def test_a_passage_follows_its_way_round_a_corner():
    path = bent_way(PASSAGE_P.cell_m)
    found, passage = passage_ahead(PASSAGE_P, bent(), path, len(path), 0, 0.0, 0.0, 6.0, 6.0)
    assert found
    assert (passage.near_x, passage.near_y) == pytest.approx((2.0, 0.0), abs=0.7)
    assert (passage.far_x, passage.far_y) == pytest.approx((6.0, 4.0), abs=0.7)
    assert passage.corners == 1
    assert passage.bends[:2] == pytest.approx((6.0, 0.0), abs=0.3)


P = resolved(Parameters())
R = P.robot_radius_m
NOTHING = make_grid(-51.84, -51.84, P.cell_m)
EAST, WEST = Passage(0.0, 0.0, 4.0, 0.0), Passage(4.0, 0.0, 0.0, 0.0)
BENT = Passage(0.0, 0.0, 4.0, 4.0, (4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)
BACK = Passage(4.0, 4.0, 0.0, 0.0, BENT.bends, 1)


def walls(*lines):
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for x0, y0, x1, y1 in lines:
        for t in np.linspace(0.0, 1.0, 200):
            mark(grid, x0 + t * (x1 - x0), y0 + t * (y1 - y0))
    return grid


def corner(width):
    half = width / 2
    return walls((-2, -half, 4 + half, -half), (4 + half, -half, 4 + half, 6),
                 (-2, half, 4 - half, half), (4 - half, half, 4 - half, 6))


@pytest.mark.parametrize('width', [1.6, 2.4, 3.4])
def test_lanes_leave_as_much_room_to_walls_as_between_them(width):
    half, room = width / 2, (width - 4 * R) / 3
    grid = walls((-2, half, 6, half), (-2, -half, 6, -half))
    for aside in (0.1, half - room - R, -half + room + R):  # the lanes hold who is on them
        (_, right), (_, left) = (on_lane(P, grid, EAST, 1.0, aside, 9.0, 9.0),
                                 on_lane(P, grid, WEST, 3.0, aside, 9.0, 9.0))
        assert right == pytest.approx(-half + room + R, abs=0.01)
        assert left == pytest.approx(half - room - R, abs=0.01)
    assert _has_lanes(P, grid, EAST)
    assert on_lane(P, NOTHING, EAST, 1.0, 0.1, 9.0, 9.0) == (9.0, 9.0)


@pytest.mark.parametrize(('width', 'fits'), [(1.6, True), (1.4, False)])
def test_two_pass_each_other_round_a_corner_where_both_fit(width, fits):
    assert _has_lanes(P, corner(width), BENT) == _has_lanes(P, corner(width), BACK) == fits
    # The straight line from end to end is in the walls.
    assert not _has_lanes(P, corner(width), Passage(0.0, 0.0, 4.0, 4.0))
    assert not _has_lanes(P, NOTHING, BENT)


def test_lanes_lead_round_a_corner():
    grid, beside = corner(1.6), 0.8 - (1.6 - 4 * R) / 3 - R
    assert on_lane(P, grid, BENT, 1.0, 0.1, 9.0, 9.0)[1] == pytest.approx(-beside, abs=0.03)
    assert on_lane(P, grid, BENT, 4.1, 1.0, 9.0, 9.0)[0] == pytest.approx(4 + beside, abs=0.03)
    assert on_lane(P, grid, BACK, 4.1, 3.0, 9.0, 9.0)[0] == pytest.approx(4 - beside, abs=0.03)
    assert on_lane(P, grid, BACK, 3.0, 0.1, 9.0, 9.0)[1] == pytest.approx(beside, abs=0.03)


def test_a_way_through_a_wall_that_is_not_known_yet_leaves_the_lanes_of_a_corridor():
    grid = walls((-2, 0.8, 3, 0.8), (-2, -0.8, 6, -0.8), (3, 0.8, 4, 0.3))
    bent = Passage(0.0, 0.0, 2.9, 0.0, (1.5, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)
    assert not _has_lanes(P, grid, bent)
    assert passage_with_lanes(P, grid, bent) == (True, Passage(0.0, 0.0, 2.9, 0.0))
    assert passage_with_lanes(P, corner(1.6), BENT) == (True, BENT)
    assert passage_with_lanes(P, corner(1.4), BENT) == (False, BENT)

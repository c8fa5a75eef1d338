"""Narrow passages on a way, and the lanes in them."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import make_grid, mark
from sbot.controllers.navigate.parameters import Parameters, resolved
from sbot.controllers.navigate.passages import (
    Passage,
    _is_narrow,
    has_lanes,
    on_lane,
    passage_ahead,
)

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
    assert passage.near.x == pytest.approx(2.0, abs=0.7)  # posts are seen from a little before
    assert passage.near.x + passage.length == pytest.approx(6.0, abs=0.5)
    assert abs(passage.near.y) + abs(passage.near.sine) < 0.1


def test_behind_a_bend_begins_another_passage():
    walls = passage_walls((2.0, -0.5, 6.5, -0.5), (6.5, -0.5, 6.5, 4.0), (2.0, 0.5, 5.5, 0.5),
                          (5.5, 0.5, 5.5, 4.0))
    step = PASSAGE_P.cell_m
    east, north = np.arange(0.0, 6.0, step), np.arange(0.0, 6.0, step)
    path = np.vstack([np.column_stack([east, np.zeros(len(east))]),
                      np.column_stack([np.full(len(north), 6.0), north])])
    found, passage = passage_ahead(PASSAGE_P, walls, path, len(path), 0, 0.0, 0.0, 6.0, 6.0)
    assert found
    assert (passage.near.x, passage.near.y) == pytest.approx((2.0, 0.0), abs=0.7)
    assert passage.length == pytest.approx(4.0, abs=0.7)
    assert passage.near.cosine == pytest.approx(1.0, abs=0.02)


P = resolved(Parameters())
R = P.robot_radius_m
NOTHING = make_grid(-51.84, -51.84, P.cell_m)
EAST, WEST = Passage(Place(0.0, 0.0, 1.0, 0.0), 4.0), Passage(Place(4.0, 0.0, -1.0, 0.0), 4.0)


def walls(*lines):
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for x0, y0, x1, y1 in lines:
        for t in np.linspace(0.0, 1.0, 200):
            mark(grid, x0 + t * (x1 - x0), y0 + t * (y1 - y0))
    return grid


@pytest.mark.parametrize('width', [1.6, 2.4, 3.4])
def test_lanes_leave_as_much_room_to_walls_as_between_them(width):
    half, room = width / 2, (width - 4 * R) / 3
    grid = walls((-2, half, 6, half), (-2, -half, 6, -half))
    for aside in (0.1, half - room - R, -half + room + R):  # the lanes hold who is on them
        (_, right), (_, left) = (on_lane(P, grid, EAST, 1.0, aside, 9.0, 9.0),
                                 on_lane(P, grid, WEST, 3.0, aside, 9.0, 9.0))
        assert right == pytest.approx(-half + room + R, abs=0.01)
        assert left == pytest.approx(half - room - R, abs=0.01)
    assert has_lanes(P, grid, EAST)
    assert on_lane(P, NOTHING, EAST, 1.0, 0.1, 9.0, 9.0) == (9.0, 9.0)

import math

import numpy as np
import pytest

from navigate.parameters import Parameters, resolved
from navigate.ways.grid import make_grid, mark
from navigate.ways.passage import is_narrow, passage_ahead
from navigate.ways.trail import LONGEST

P = resolved(Parameters())
NO_PATH = np.zeros((8, 2))
NO_TRAIL = np.zeros((LONGEST, 2))


def walls(*lines):
    grid = make_grid(-43.2, -43.2, P.cell_m)
    for x0, y0, x1, y1 in lines:
        for t in np.arange(0.0, 1.0, 0.02 / math.hypot(x1 - x0, y1 - y0)):
            mark(grid, x0 + t * (x1 - x0), y0 + t * (y1 - y0))
    return grid


def corridor(width, first=2.0, last=6.0):
    return walls((first, width / 2, last, width / 2), (first, -width / 2, last, -width / 2))


@pytest.mark.parametrize(('width', 'narrow'), [(0.8, True), (1.2, True), (1.6, True),
                                               (2.0, True), (3.2, True), (4.0, False)])
def test_robots_pass_without_rules_where_there_is_room_for_many(width, narrow):
    assert is_narrow(P, corridor(width), 4.0, 0.05, 1.0, 0.0) == narrow
    assert not is_narrow(P, corridor(width), 0.5, 0.05, 1.0, 0.0)


def test_a_passage_has_two_ends():
    found, inside, passage = passage_ahead(P, corridor(1.2), NO_PATH, 0, 0, 0.0, 0.0, 9.0, 0.0,
                                           NO_TRAIL, 0)
    assert found
    assert not inside
    assert passage.near_x == pytest.approx(2.0, abs=0.7)  # posts are seen from a little before
    assert passage.far_x == pytest.approx(6.0, abs=0.5)
    assert abs(passage.near_y) + abs(passage.far_y) < 0.1
    assert passage.corners == 0


def test_a_passage_along_a_path_and_from_within():
    path = np.column_stack([np.arange(4.0, 9.0, P.cell_m), np.zeros(42)])
    trail = np.zeros((LONGEST, 2))
    trail[:24, 0] = np.arange(24) * 0.2 - 0.8
    found, inside, passage = passage_ahead(P, corridor(1.2), path, len(path), 3, 4.0, 0.0, 9.0,
                                           0.0, trail, 24)
    assert found
    assert inside
    assert passage.near_x == pytest.approx(2.0, abs=0.5)
    assert passage.far_x == pytest.approx(6.0, abs=0.5)
    assert passage.near_y == passage.far_y == 0.0
    assert passage.corners == 0


def bent():
    """An L of 1.0 m: from (2, 0) to the corner at (6, 0), and up to (6, 4)."""
    return walls((2.0, -0.5, 6.5, -0.5), (6.5, -0.5, 6.5, 4.0), (2.0, 0.5, 5.5, 0.5),
                 (5.5, 0.5, 5.5, 4.0))


def bent_way(step):
    east = np.column_stack([np.arange(0.0, 6.0, step), np.zeros(round(6.0 / step))])
    north = np.arange(0.0, 6.0, step)
    return np.vstack([east, np.column_stack([np.full(len(north), 6.0), north])])


def test_a_passage_follows_its_way_round_a_corner():
    path = bent_way(P.cell_m)
    _, inside, passage = passage_ahead(P, bent(), path, len(path), 0, 0.0, 0.0, 6.0, 6.0,
                                       NO_TRAIL, 0)
    assert not inside
    assert (passage.near_x, passage.near_y) == pytest.approx((2.0, 0.0), abs=0.7)
    assert (passage.far_x, passage.far_y) == pytest.approx((6.0, 4.0), abs=0.7)
    assert passage.corners == 1
    assert passage.bends[:2] == pytest.approx((6.0, 0.0), abs=0.3)


def test_from_within_behind_a_corner_it_begins_where_the_robot_came_in():
    path, way = bent_way(P.cell_m), bent_way(0.2)
    at = len(way) - 20  # (6, 2)
    trail = np.zeros((LONGEST, 2))
    there = way[:at]
    # It went back by a metre, and came again.
    back = np.vstack([there, there[-2:-7:-1], there[-6:]])
    for came in (there, back):
        trail[:len(came)] = came
        _, inside, passage = passage_ahead(P, bent(), path, len(path), len(path) - 33, *way[at],
                                           6.0, 6.0, trail, len(came))
        assert inside
        assert (passage.near_x, passage.near_y) == pytest.approx((2.0, 0.0), abs=0.7)
        assert (passage.far_x, passage.far_y) == pytest.approx((6.0, 4.0), abs=0.7)
        assert passage.corners == 1
        assert passage.bends[:2] == pytest.approx((6.0, 0.0), abs=0.3)


def test_open_space_has_none():
    found, inside, _ = passage_ahead(P, walls((3.0, 1.5, 9.0, 1.5)), NO_PATH, 0, 0, 0.0, 0.0, 9.0,
                                     0.0, NO_TRAIL, 0)
    assert not found
    assert not inside

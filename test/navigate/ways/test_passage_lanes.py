"""Lanes of a straight passage, and of one round a corner."""

import numpy as np
import pytest

from navigate.parameters import Parameters, resolved
from navigate.ways.grid import make_grid, mark
from navigate.ways.passage_lanes import has_lanes, on_lane, passage_with_lanes
from navigate.ways.passage_line import Passage

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
    assert has_lanes(P, grid, EAST)
    assert on_lane(P, NOTHING, EAST, 1.0, 0.1, 9.0, 9.0) == (9.0, 9.0)


@pytest.mark.parametrize(('width', 'fits'), [(1.6, True), (1.4, False)])
def test_two_pass_each_other_round_a_corner_where_both_fit(width, fits):
    assert has_lanes(P, corner(width), BENT) == has_lanes(P, corner(width), BACK) == fits
    # The straight line from end to end is in the walls.
    assert not has_lanes(P, corner(width), Passage(0.0, 0.0, 4.0, 4.0))
    assert not has_lanes(P, NOTHING, BENT)


def test_lanes_lead_round_a_corner():
    grid, beside = corner(1.6), 0.8 - (1.6 - 4 * R) / 3 - R
    assert on_lane(P, grid, BENT, 1.0, 0.1, 9.0, 9.0)[1] == pytest.approx(-beside, abs=0.03)
    assert on_lane(P, grid, BENT, 4.1, 1.0, 9.0, 9.0)[0] == pytest.approx(4 + beside, abs=0.03)
    assert on_lane(P, grid, BACK, 4.1, 3.0, 9.0, 9.0)[0] == pytest.approx(4 - beside, abs=0.03)
    assert on_lane(P, grid, BACK, 3.0, 0.1, 9.0, 9.0)[1] == pytest.approx(beside, abs=0.03)
    # At the corner itself one wall has ended; the other one tells where the lane is.
    outer, inner = (on_lane(P, grid, BENT, 3.0, -beside, 9.0, 9.0),
                    on_lane(P, grid, BACK, 4 - beside, 1.0, 9.0, 9.0))
    assert outer[1] < -beside + 0.03
    assert inner[0] < 4 - beside + 0.1
    assert max(outer) < 4 + 0.8 - R
    assert np.hypot(inner[0] - 3.2, inner[1] - 0.8) > R


def test_a_way_through_a_wall_that_is_not_known_yet_leaves_the_lanes_of_a_corridor():
    grid = walls((-2, 0.8, 3, 0.8), (-2, -0.8, 6, -0.8), (3, 0.8, 4, 0.3))
    bent = Passage(0.0, 0.0, 2.9, 0.0, (1.5, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)
    assert not has_lanes(P, grid, bent)
    assert passage_with_lanes(P, grid, bent) == (True, Passage(0.0, 0.0, 2.9, 0.0))
    assert passage_with_lanes(P, corner(1.6), BENT) == (True, BENT)
    assert passage_with_lanes(P, corner(1.4), BENT) == (False, BENT)

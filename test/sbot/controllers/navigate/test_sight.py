"""What is hidden from a narrow laser limits where a robot drives."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.damping import Drift, Place
from sbot.controllers.navigate.encounters import Around, lift_limits
from sbot.controllers.navigate.map import make_grid, mark
from sbot.controllers.navigate.memory import make_memory
from sbot.controllers.navigate.parameters import TURNING, Parameters, resolved
from sbot.controllers.navigate.sight import limit_hidden, limit_near

P = resolved(Parameters())
HERE = Place(0.0, 0.0, 1.0, 0.0)  # faces east


def fan(half):
    angles = np.linspace(-half, half, 91)
    return np.array([np.cos(angles), np.sin(angles)])


def limits(grid, half, memory=None, wind=(0.0, 0.0)):
    memory, drift = memory or make_memory(1, 91), Drift(*wind, 0.0, 0.0)
    count = limit_hidden(P, grid, memory, HERE, HERE, fan(half), drift, P.margin_m, False, 0)
    return memory.limits[:count]


def a_grid(evidence):
    grid = make_grid(-51.84, -51.84, P.cell_m)
    grid.evidence[:] = evidence
    return grid


def test_an_obstacle_beside_a_narrow_view_is_kept_clear_of():
    grid = a_grid(-1)
    mark(grid, 0.1, 0.38)  # ahead, 75 degrees to the left
    (x, y, most), = limits(grid, math.pi / 4)
    assert math.atan2(y, x) == pytest.approx(math.atan2(0.38, 0.1), abs=1e-3)
    assert most < 0.0  # nearer than radius and margin: no approach
    assert len(limits(grid, math.pi / 2)) == 0  # a wide laser sees it


def test_what_is_behind_or_in_view_is_left_to_others():
    grid = a_grid(-1)
    mark(grid, -0.1, 0.5)
    mark(grid, 0.6, 0.1)
    assert len(limits(grid, math.pi / 4)) == 0


def test_what_wind_blows_towards_is_kept_clear_of_where_the_laser_does_not_look():
    grid = a_grid(-1)
    mark(grid, -0.1, 0.5)
    (x, y, most), = limits(grid, math.pi / 2, wind=(0.0, 0.3))
    assert math.atan2(y, x) == pytest.approx(math.atan2(0.5, -0.1), abs=1e-3)
    distance = math.hypot(0.1, 0.5)
    left = distance - P.robot_radius_m - P.margin_m - TURNING * 0.3 * 0.5 / distance
    assert most == pytest.approx(P.damper_gain * left, abs=1e-6)
    for half, wind in ((math.pi / 2, (0.0, -0.3)),  # away from it
                       (math.pi / 2, (0.0, 0.09)),  # as noise
                       (math.pi, (0.0, 0.3)),  # in view
                       (0.75 * math.pi, (0.0, 0.3))):
        assert len(limits(grid, half, wind=wind)) == 0


@pytest.mark.parametrize('apart', [0.0, 1.0])
def test_each_robot_near_has_its_row_of_limits_also_at_the_same_place(apart):
    memory, scan = make_memory(2, 91), 3
    memory.limits[:scan] = 0.0, 1.0, 0.5
    memory.near[0, :2] = apart, 0.0  # a robot
    memory.near[1, :4], memory.near[1, 6] = (0.0, 2.0, 0.0, -1.0), 0.7  # an obstacle that moves
    count = limit_near(P, memory, 1, 2, scan)
    assert count == scan + 2
    wall_before = memory.limits[scan, 2]
    lift_limits(Around(a_grid(-1), HERE, 0.0, 0.0, memory.near, 1, 2), memory.limits, count, count)
    assert memory.limits[scan, 2] == wall_before  # the robot's is kept
    assert (memory.limits[:scan, 2] == math.inf).all()  # the beams see the obstacle that moves
    assert memory.limits[scan + 1, 2] == math.inf

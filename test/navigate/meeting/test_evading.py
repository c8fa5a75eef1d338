"""A robot gets out of the way of what moves, also where that turns round."""

import math

import numpy as np
import pytest

from navigate.frame import Place
from navigate.meeting.evading import Around, evading, lift_limits, tried
from navigate.parameters import EVASION, SPACE, Parameters, resolved
from navigate.ways.grid import make_grid, mark

P = resolved(Parameters())
EAST = Place(0.0, 0.0, 1.0, 0.0)
DT = 1 / 30


def around(*discs, walls=(), place=EAST, robots=()):
    """``discs`` and ``robots``: x, y (m) from the robot, vx, vy (m/s), radius (m)."""
    near = np.zeros((len(robots) + len(discs), 8))
    for row, (x, y, vx, vy, radius) in zip(near, (*robots, *discs), strict=True):
        row[:4] = x, y, vx, vy
        row[6] = P.robot_radius_m + radius + SPACE * P.margin_m
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for x, y in walls:
        mark(grid, x, y)
    return Around(grid, place, 0.0, 0.0, near, len(robots), len(near))


def evaded(scene, v, angle=0.0, limits=()):
    rows = np.array(limits, float).reshape(-1, 3)
    return evading(P, scene, rows, len(rows), len(rows), P.margin_m, v, 8.0 * angle, angle, DT)


@pytest.mark.parametrize(('angle', 'speed'), [(0.0, 1.5), (1.0, 2.0), (-2.0, 0.5), (3.1, 1.0)])
def test_an_arc_ends_where_a_robot_that_turns_as_fast_as_it_can_ends(angle, speed):
    x = y = heading = 0.0
    for _ in range(10000):
        x += speed * math.cos(heading) * EVASION / 10000
        y += speed * math.sin(heading) * EVASION / 10000
        heading += math.copysign(min(abs(angle - heading), P.rotate_speed_radps * EVASION / 10000),
                                 angle)
    trial = tried(P, around(), angle, speed, False)
    assert (trial.x, trial.y) == pytest.approx((x, y), abs=0.05)
    assert trial.goes_on == trial.turns_round == trial.wall == math.inf


def test_both_futures_of_an_obstacle_are_tried():
    leaves = around((0.9, -0.7, 0.0, -0.9, 0.3))
    trial = tried(P, leaves, 0.0, 1.5, False)
    assert trial.goes_on == math.inf
    assert 0.0 < trial.turns_round < EVASION
    comes = tried(P, around((0.9, -0.7, 0.0, 0.9, 0.3)), 0.0, 1.5, False)
    assert (comes.goes_on, comes.turns_round) == (trial.turns_round, trial.goes_on)


def test_a_command_that_touches_nothing_is_kept_to_the_bit():
    assert evaded(around((3.0, -3.0, 0.0, -0.9, 0.3)), 1.4321, 0.1) == (1.4321, 0.8)


def closest(scene, v, omega, sign):
    """Least distance (m) beyond touch if the robot keeps a command while it lasts, 0.3 s."""
    (x, y, vx, vy), reach = scene.near[0, :4], scene.near[0, 6] - SPACE * P.margin_m
    at_x = at_y = heading = 0.0
    least = math.inf
    for k in range(300):
        at_x, at_y = at_x + v * math.cos(heading) / 1000, at_y + v * math.sin(heading) / 1000
        heading += omega / 1000
        t = sign * k / 1000
        least = min(least, math.hypot(x + vx * t - at_x, y + vy * t - at_y) - reach)
    return least


def test_it_does_not_pass_close_behind_what_may_turn_round():
    scene = around((0.75, -0.55, 0.0, -0.9, 0.3))
    v, omega = evaded(scene, 1.5)
    assert (v, omega) != (1.5, 0.0)
    assert closest(scene, 1.5, 0.0, -1.0) < 0.0  # it turns round now
    assert closest(scene, v, omega, -1.0) > 0.02
    assert closest(scene, v, omega, 1.0) > 0.02


def test_one_at_rest_leaves_the_way_of_what_comes():
    v, omega = evaded(around((0.0, 1.2, 0.0, -0.9, 0.3)), 0.0)
    assert v > 0.5 or abs(omega) > 1.0


def test_it_does_not_evade_into_a_wall():
    comes = (-1.1, 0.0, 0.9, 0.0, 0.3)  # from behind
    free, _ = evaded(around(comes), 0.0)
    assert free > 0.5
    walls = [(0.5, k / 10) for k in range(-20, 21)]
    _, turn = evaded(around(comes, walls=walls), 0.0)
    assert abs(turn) > 1.0


def test_limits_of_walls_hold_for_an_evasion_and_those_of_what_moves_are_lifted():
    scene = around((1.0, 0.0, -0.5, 0.0, 0.3), robots=[(0.0, 1.0, 0.0, 0.0, 0.3)])
    limits = np.array([[1.0, 0.0, 0.1], [0.0, -1.0, 0.1], [0.0, 1.0, 0.1], [1.0, 0.0, -0.1]])
    lift_limits(scene, limits, 4, 4)  # beams to the obstacle and to a wall; robot; obstacle
    assert limits[:, 2].tolist() == [math.inf, 0.1, 0.1, math.inf]
    comes = (-1.1, 0.0, 0.9, 0.0, 0.3)
    assert evaded(around(comes), 0.0, limits=[(1.0, 0.0, 0.0)] * 2)[0] < evaded(
        around(comes), 0.0)[0]


@pytest.mark.parametrize('disc', [(0.75, -0.55, 0.0, -0.9, 0.3), (1.9, 0.0, -0.9, 0.0, 0.3)])
@pytest.mark.parametrize('turn', np.linspace(0.1, 6.2, 12))
def test_a_turned_robot_evades_alike(turn, disc):
    """Also what comes head on, where left and right are equally good but for rounding."""
    c, s = math.cos(turn), math.sin(turn)
    x, y, vx, vy, radius = disc
    other = (c * x - s * y, s * x + c * y, c * vx - s * vy, s * vx + c * vy, radius)
    assert evaded(around(other, place=Place(0.0, 0.0, c, s)), 1.5) == pytest.approx(
        evaded(around(disc), 1.5), abs=1e-9)

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.encounters import (
    Around,
    _time_to_contact,
    avoiding,
    evading,
    first_contact,
    keep_apart,
    lift_limits,
    tried,
)
from sbot.controllers.navigate.map import make_grid, mark
from sbot.controllers.navigate.parameters import EVASION, SPACE, Parameters, resolved

ENCOUNTERS_P = resolved(Parameters())
AWAY = st.floats(-6, 6)
SPEED = st.floats(-2, 2)


HERE = Place(0.0, 0.0, 1.0, 0.0)
APART = 2 * ENCOUNTERS_P.robot_radius_m + ENCOUNTERS_P.margin_m / 2


def robot(x, y, vx, vy):
    """A row of robots in sight; one that moves takes part in avoiding."""
    return [x, y, vx, vy, 0.0, 0.0, APART, 2.0 if vx or vy else 1.0]


def obstacle(x, y, vx, vy, radius=0.4):
    return [x, y, vx, vy, 0.0, 0.0, ENCOUNTERS_P.robot_radius_m + ENCOUNTERS_P.margin_m + radius,
            1.0]


def chosen(near, own, wanted, last=(0.0, 0.0), grid=None, place=HERE):
    return avoiding(ENCOUNTERS_P, grid or open_space(), place, np.array(near), len(near),
                    *own, *last, *wanted, ENCOUNTERS_P.margin_m)


def open_space():
    return make_grid(-32.0, -32.0, 0.1)


@given(dx=AWAY, dy=AWAY, vx=SPEED, vy=SPEED)
def test_contact_is_when_the_distance_says(dx, dy, vx, vy):
    time = _time_to_contact(dx, dy, vx, vy, 0.7)
    ticks = np.linspace(0, 50, 20001)
    apart = np.hypot(dx - vx * ticks, dy - vy * ticks)
    if time == math.inf:
        assert math.hypot(dx, dy) < 0.7 or apart.min() > 0.7 - 1e-3
    elif time > 0.0:
        assert math.hypot(dx - vx * time, dy - vy * time) == pytest.approx(0.7, abs=1e-6)
        assert (apart[ticks < time] > 0.7 - 1e-6).all()


def test_nobody_near_changes_nothing():
    near = np.array([robot(5.0, 5.0, 0.0, 0.0)])
    for count in (0, 1):
        assert avoiding(ENCOUNTERS_P, open_space(), HERE, near, count, 1.0, 0.0, 0.0, 0.0, 1.5,
                        0.0, 0.12) == (1.5, 0.0)


def test_robots_that_meet_head_on_choose_different_sides():
    ours = chosen([robot(3.0, 0.0, -1.0, 0.0)], (1.0, 0.0), (1.0, 0.0))
    theirs = chosen([robot(-3.0, 0.0, 1.0, 0.0)], (-1.0, 0.0), (-1.0, 0.0),
                    place=Place(3.0, 0.0, -1.0, 0.0))
    assert ours[1] < 0.0 < theirs[1]
    assert ours[0] > 0.0 > theirs[0]


def test_nobody_gives_way_into_a_wall():
    grid = open_space()
    for x in np.arange(-1.0, 4.0, 0.1):
        mark(grid, x, -0.6)
    assert chosen([robot(2.5, 0.0, -1.0, 0.0)], (1.0, 0.0), (1.0, 0.0), grid=grid)[1] >= 0.0


def test_an_obstacle_that_moves_is_taken_to_give_way_to_nobody():
    # It crosses from the right: a robot would do half of the change, an obstacle none.
    crosses = np.array([obstacle(2.0, -2.0, 0.0, 1.0)])
    assert first_contact(crosses, 1, 1.0, 0.0, 1.0, 0.0) == pytest.approx(
        2.0 - (ENCOUNTERS_P.robot_radius_m + ENCOUNTERS_P.margin_m + 0.4) / math.sqrt(2.0))
    vx, vy = chosen(crosses, (1.0, 0.0), (1.0, 0.0))
    assert first_contact(crosses, 1, vx, vy, 1.0, 0.0) > ENCOUNTERS_P.horizon_s


def test_a_robot_at_rest_makes_room():
    near = np.array([robot(0.8, 0.0, 0.0, 0.0), robot(5.0, 0.0, 0.0, 0.0)])
    x, y = keep_apart(ENCOUNTERS_P, near, 2)
    assert x < 0.0
    assert y == 0.0
    assert keep_apart(ENCOUNTERS_P, near[1:], 1) == (0.0, 0.0)


def test_one_that_heads_for_it_gets_more_room():
    for heading, gives_way in ((-1.0, True), (1.0, False)):
        near = np.array([[1.5, 0.0, 0.0, 0.0, heading, 0.0, APART, 1.0]])
        assert (keep_apart(ENCOUNTERS_P, near, 1)[0] < 0.0) == gives_way


def test_the_last_choice_is_kept_unless_another_is_better_by_some():
    near = [robot(3.0, 0.0, -1.0, 0.0)]
    left = chosen(near, (1.0, 0.0), (1.0, 0.0), (0.9, 0.4))
    assert chosen(near, (1.0, 0.0), (1.0, 0.0), (0.9, -0.4))[1] < 0.0 < left[1]


def test_a_robot_at_rest_is_taken_to_stay():
    # Straight on meets a mover that does its half later than one that stands.
    stands, moves = np.array([robot(2.0, 0.0, 0.0, 0.0)]), np.array([robot(2.0, 0.0, 0.2, 0.0)])
    assert first_contact(stands, 1, 1.0, 0.0, 1.0, 0.0) == pytest.approx((2.0 - 0.66) / 1.0)
    assert first_contact(moves, 1, 1.0, 0.0, 1.0, 0.0) == pytest.approx((2.0 - 0.66) / 0.8)


EVADING_P = resolved(Parameters())
EAST = Place(0.0, 0.0, 1.0, 0.0)
DT = 1 / 30


def around(*discs, walls=(), place=EAST, robots=()):
    """``discs`` and ``robots``: x, y (m) from the robot, vx, vy (m/s), radius (m)."""
    near = np.zeros((len(robots) + len(discs), 8))
    for row, (x, y, vx, vy, radius) in zip(near, (*robots, *discs), strict=True):
        row[:4] = x, y, vx, vy
        row[6] = EVADING_P.robot_radius_m + radius + SPACE * EVADING_P.margin_m
    grid = make_grid(-51.84, -51.84, EVADING_P.cell_m)
    for x, y in walls:
        mark(grid, x, y)
    return Around(grid, place, 0.0, 0.0, near, len(robots), len(near))


def evaded(scene, v, angle=0.0, limits=()):
    rows = np.array(limits, float).reshape(-1, 3)
    return evading(EVADING_P, scene, rows, len(rows), len(rows), EVADING_P.margin_m, v,
                   8.0 * angle, angle, DT)


@pytest.mark.parametrize(('angle', 'speed'), [(0.0, 1.5), (1.0, 2.0), (-2.0, 0.5)])
def test_an_arc_ends_where_a_robot_that_turns_as_fast_as_it_can_ends(angle, speed):
    x = y = heading = 0.0
    for _ in range(10000):
        x += speed * math.cos(heading) * EVASION / 10000
        y += speed * math.sin(heading) * EVASION / 10000
        heading += math.copysign(min(abs(angle - heading),
                                     EVADING_P.rotate_speed_radps * EVASION / 10000), angle)
    trial = tried(EVADING_P, around(), angle, speed, False)
    assert (trial.x, trial.y) == pytest.approx((x, y), abs=0.05)
    assert trial.goes_on == trial.turns_round == trial.wall == math.inf


def test_both_futures_of_an_obstacle_are_tried():
    trial = tried(EVADING_P, around((0.9, -0.7, 0.0, -0.9, 0.3)), 0.0, 1.5, False)
    assert trial.goes_on == math.inf
    assert 0.0 < trial.turns_round < EVASION
    comes = tried(EVADING_P, around((0.9, -0.7, 0.0, 0.9, 0.3)), 0.0, 1.5, False)
    assert (comes.goes_on, comes.turns_round) == (trial.turns_round, trial.goes_on)


def test_a_command_that_touches_nothing_is_kept_to_the_bit():
    assert evaded(around((3.0, -3.0, 0.0, -0.9, 0.3)), 1.4321, 0.1) == (1.4321, 0.8)


def closest(scene, v, omega, sign):
    """Least distance (m) beyond touch if the robot keeps a command while it lasts, 0.3 s."""
    (x, y, vx, vy), reach = scene.near[0, :4], scene.near[0, 6] - SPACE * EVADING_P.margin_m
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
    _, turn = evaded(around(comes, walls=[(0.5, k / 10) for k in range(-20, 21)]), 0.0)
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
@pytest.mark.parametrize('turn', np.linspace(0.1, 6.2, 3))
def test_a_turned_robot_evades_alike(turn, disc):
    """Also what comes head on, where left and right are equally good but for rounding."""
    c, s = math.cos(turn), math.sin(turn)
    x, y, vx, vy, radius = disc
    other = (c * x - s * y, s * x + c * y, c * vx - s * vy, s * vx + c * vy, radius)
    assert evaded(around(other, place=Place(0.0, 0.0, c, s)), 1.5) == pytest.approx(
        evaded(around(disc), 1.5), abs=1e-9)

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navigate.encounters import Motion, avoiding, first_contact, keep_apart, time_to_contact
from navigate.frame import Place
from navigate.parameters import Parameters, resolved
from navigate.ways.grid import make_grid, mark

P = resolved(Parameters())
AWAY = st.floats(-6, 6)
SPEED = st.floats(-2, 2)


HERE = Place(0.0, 0.0, 1.0, 0.0)
APART = 2 * P.robot_radius_m + P.margin_m / 2


def robot(x, y, vx, vy):
    """A row of robots in sight; one that moves takes part in avoiding."""
    return [x, y, vx, vy, 0.0, 0.0, APART, 2.0 if vx or vy else 1.0]


def obstacle(x, y, vx, vy, radius=0.4):
    return [x, y, vx, vy, 0.0, 0.0, P.robot_radius_m + P.margin_m + radius, 1.0]


def chosen(near, own, wanted, last=(0.0, 0.0), grid=None, place=HERE):
    return avoiding(P, grid or open_space(), place, np.array(near), len(near),
                    Motion(*own, *last), *wanted, P.margin_m)


def open_space():
    return make_grid(-32.0, -32.0, 0.1)


@given(dx=AWAY, dy=AWAY, vx=SPEED, vy=SPEED)
def test_contact_is_when_the_distance_says(dx, dy, vx, vy):
    time = time_to_contact(dx, dy, vx, vy, 0.7)
    ticks = np.linspace(0, 50, 20001)
    apart = np.hypot(dx - vx * ticks, dy - vy * ticks)
    if time == math.inf:
        inside = math.hypot(dx, dy) < 0.7
        assert inside or apart.min() > 0.7 - 1e-3
    elif time > 0.0:
        assert math.hypot(dx - vx * time, dy - vy * time) == pytest.approx(0.7, abs=1e-6)
        assert (apart[ticks < time] > 0.7 - 1e-6).all()


def test_nobody_near_changes_nothing():
    near = np.array([robot(5.0, 5.0, 0.0, 0.0)])
    for count in (0, 1):
        assert avoiding(P, open_space(), HERE, near, count, Motion(1.0, 0.0, 0.0, 0.0), 1.5, 0.0,
                        0.12) == (1.5, 0.0)


def test_robots_that_meet_head_on_choose_different_sides():
    ours = chosen([robot(3.0, 0.0, -1.0, 0.0)], (1.0, 0.0), (1.0, 0.0))
    theirs = chosen([robot(-3.0, 0.0, 1.0, 0.0)], (-1.0, 0.0), (-1.0, 0.0),
                    place=Place(3.0, 0.0, -1.0, 0.0))
    assert ours[1] < 0.0 < theirs[1]
    assert ours[0] > 0.0 > theirs[0]


def test_what_is_chosen_meets_later():
    near = np.array([robot(2.0, 0.1, -1.0, 0.0)])
    vx, vy = chosen(near, (1.0, 0.0), (1.0, 0.0))
    assert first_contact(near, 1, vx, vy, 1.0, 0.0) > first_contact(near, 1, 1.0, 0.0, 1.0, 0.0)


def test_nobody_gives_way_into_a_wall():
    grid = open_space()
    for x in np.arange(-1.0, 4.0, 0.1):
        mark(grid, x, -0.6)
    assert chosen([robot(2.5, 0.0, -1.0, 0.0)], (1.0, 0.0), (1.0, 0.0), grid=grid)[1] >= 0.0


def test_an_obstacle_that_moves_is_taken_to_give_way_to_nobody():
    # It crosses from the right: a robot would do half of the change, an obstacle none.
    crosses = np.array([obstacle(2.0, -2.0, 0.0, 1.0)])
    assert first_contact(crosses, 1, 1.0, 0.0, 1.0, 0.0) == pytest.approx(
        2.0 - (P.robot_radius_m + P.margin_m + 0.4) / math.sqrt(2.0))
    vx, vy = chosen(crosses, (1.0, 0.0), (1.0, 0.0))
    assert first_contact(crosses, 1, vx, vy, 1.0, 0.0) > P.horizon_s


def test_a_robot_at_rest_makes_room():
    near = np.array([robot(0.8, 0.0, 0.0, 0.0), robot(5.0, 0.0, 0.0, 0.0)])
    x, y = keep_apart(P, near, 2)
    assert x < 0.0
    assert y == 0.0
    assert keep_apart(P, near[1:], 1) == (0.0, 0.0)


def test_one_that_heads_for_it_gets_more_room():
    for heading, gives_way in ((-1.0, True), (1.0, False)):
        near = np.array([[1.5, 0.0, 0.0, 0.0, heading, 0.0, APART, 1.0]])
        assert (keep_apart(P, near, 1)[0] < 0.0) == gives_way


def test_the_last_choice_is_kept_unless_another_is_better_by_some():
    near = [robot(3.0, 0.0, -1.0, 0.0)]
    left = chosen(near, (1.0, 0.0), (1.0, 0.0), (0.9, 0.4))
    right = chosen(near, (1.0, 0.0), (1.0, 0.0), (0.9, -0.4))
    assert right[1] < 0.0 < left[1]


def test_a_robot_at_rest_is_taken_to_stay():
    # Straight on meets a mover that does its half later than one that stands.
    stands, moves = np.array([robot(2.0, 0.0, 0.0, 0.0)]), np.array([robot(2.0, 0.0, 0.2, 0.0)])
    assert first_contact(stands, 1, 1.0, 0.0, 1.0, 0.0) == pytest.approx((2.0 - 0.66) / 1.0)
    assert first_contact(moves, 1, 1.0, 0.0, 1.0, 0.0) == pytest.approx((2.0 - 0.66) / 0.8)

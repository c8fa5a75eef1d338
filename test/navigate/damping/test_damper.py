import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navigate.damping.damper import (
    fastest,
    projected,
    robot_limit,
    room_ahead,
    steady_room,
    wall_limit,
)
from navigate.frame import Place
from navigate.parameters import CREEPING, LEAST_MARGIN, Parameters, resolved

P = resolved(Parameters())
EAST = Place(0.0, 0.0, 1.0, 0.0)


def limits_of(*rows):
    return np.array(rows, float).reshape(-1, 3)


def test_limits_end_at_the_margin():
    assert wall_limit(P, P.robot_radius_m + P.margin_m, 0.0, P.margin_m) == pytest.approx(0.0)
    still = wall_limit(P, 1.0, 0.0, 0.1)
    assert wall_limit(P, 1.0, 0.3, 0.1) < still == wall_limit(P, 1.0, -0.3, 0.1)
    assert 2 * robot_limit(P, 2 * P.robot_radius_m + P.margin_m + 0.5) == pytest.approx(
        P.damper_gain * 0.5)


@given(angle=st.floats(-3, 3), limit=st.floats(-1, 2), x=st.floats(-2, 2), y=st.floats(-2, 2))
def test_one_limit_is_an_orthogonal_projection(angle, limit, x, y):
    n = math.cos(angle), math.sin(angle)
    got = projected(limits_of((*n, limit)), 1, 1, x, y)
    excess = max(0.0, n[0] * x + n[1] * y - limit)
    assert got == pytest.approx((x - excess * n[0], y - excess * n[1]), abs=1e-6)


def test_a_corner_stops():
    corner = limits_of((1, 0, 0), (0, 1, 0))
    assert projected(corner, 2, 2, 1.0, 1.0) == pytest.approx((0.0, 0.0))
    assert projected(corner, 2, 2, 1.0, -1.0) == pytest.approx((0.0, -1.0))


def test_what_is_not_seen_now_stops_and_does_not_drive_back():
    near = limits_of((1, 0, -0.5))
    assert projected(near, 1, 1, 1.0, 0.0) == pytest.approx((-0.5, 0.0))
    assert projected(near, 0, 1, 1.0, 0.0) == pytest.approx((0.0, 0.0))


@given(angles=st.lists(st.floats(-1.5, 1.5), min_size=1, max_size=5), limit=st.floats(0, 1),
       heading=st.floats(-3, 3), drift=st.floats(-0.3, 0.3))
def test_the_fastest_keeps_the_limits(angles, limit, heading, drift):
    limits = limits_of(*((math.cos(a), math.sin(a), limit) for a in angles))
    cosine, sine = math.cos(heading), math.sin(heading)
    speed = fastest(P, limits, len(limits), Place(0.0, 0.0, cosine, sine), drift, 0.0, 2.0,
                    P.margin_m)
    assert 0.0 <= speed <= 2.0
    spare = 0.75 * P.margin_m * P.damper_gain
    for n_x, n_y, b in limits:
        along = n_x * cosine + n_y * sine
        if along > 0.02 and speed > 0.0:
            assert speed * along + n_x * drift <= b + spare + 1e-9


@pytest.mark.parametrize('rate', [10, 30, 100])
def test_noise_does_not_bring_a_slow_robot_to_what_it_stands_before(rate):
    margin, rng = LEAST_MARGIN * P.robot_radius_m, np.random.default_rng(1)
    nearest, room = {}, math.inf
    for is_steady in (False, True):
        distance = P.robot_radius_m + 0.02
        for _ in range(120 * rate):
            limits = limits_of(*((1, 0, wall_limit(P, distance + noise, 0.0, margin))
                                 for noise in rng.normal(0.0, 0.01, 3)))
            ahead = room_ahead(P, limits, 3, EAST, 0.0, 0.0, margin)
            room = steady_room(P, room, ahead, 1 / rate)
            speed = max(0.0, min(ahead, room) if is_steady else ahead)
            distance -= speed / rate
        nearest[is_steady] = distance - P.robot_radius_m
    assert nearest[True] > 0.0
    assert nearest[True] > nearest[False] + 0.005


def test_a_robot_with_room_is_not_slowed_down():
    most = CREEPING * P.forward_speed_mps
    assert steady_room(P, -most, most, 1 / 30) == math.inf
    assert steady_room(P, math.inf, 0.9 * most, 1 / 30) < most
    assert steady_room(P, 0.1, -math.inf, 1.0) == pytest.approx(-most)  # a second later

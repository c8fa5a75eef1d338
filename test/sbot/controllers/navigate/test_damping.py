import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot.controllers.navigate import damping as module
from sbot.controllers.navigate.damping import (
    Drift,
    Place,
    _driven_chord,
    drive,
    estimated_noise,
    fastest,
    frame_at,
    into,
    mean_beside,
    projected,
    robot_limit,
    room_ahead,
    steady_room,
    updated_drift,
    wall_limit,
)
from sbot.controllers.navigate.parameters import (
    CREEPING,
    LARGE_NOISE,
    LEAST_MARGIN,
    SURFACE,
    Parameters,
    resolved,
)
from sbot_common.compiled.jit import njit

metres, angles = st.floats(-50, 50), st.floats(-7, 7)


@njit
def seen_from(frame, x, y):
    return into(frame, x, y)


@given(metres, metres, angles, metres, metres)
def test_a_point_of_the_frame_leads_back_to_the_map(x, y, yaw, ahead, left):
    frame = frame_at(x, y, yaw)
    on_map = (x + math.cos(yaw) * ahead - math.sin(yaw) * left,
              y + math.sin(yaw) * ahead + math.cos(yaw) * left)
    assert seen_from(frame, *on_map) == pytest.approx((ahead, left), abs=1e-9)


SPEED = st.floats(-3, 3)


@given(v=st.floats(0, 2), omega=st.floats(-math.pi, math.pi), dt=st.floats(0.01, 0.5))
def test_the_chord_is_that_of_the_arc(v, omega, dt):
    # The exact motion of a unicycle in a tick, seen in the new frame.
    count = 2000
    angle = omega * dt * (np.arange(count) + 0.5) / count - omega * dt
    ahead, aside = v * np.cos(angle).mean(), v * np.sin(angle).mean()
    assert _driven_chord(v, omega, dt) == pytest.approx((ahead, aside), abs=1e-5)


@given(wind_x=st.floats(-1, 1), wind_y=st.floats(-1, 1), v=st.floats(0, 2),
       omega=st.floats(-3, 3), yaw=st.floats(-3, 3))
def test_steady_wind_is_found(wind_x, wind_y, v, omega, yaw):
    cosine, sine, dt = math.cos(yaw), math.sin(yaw), 1 / 30
    ahead, aside = _driven_chord(v, omega, dt)
    forward = ahead + cosine * wind_x + sine * wind_y
    left = aside + cosine * wind_y - sine * wind_x
    drift = Drift(0.0, 0.0, v, omega)
    for _ in range(80):
        drift = drift._replace(**dict(zip('xy', updated_drift(
            drift, 0.2, 1.8, forward, left, cosine, sine, dt), strict=True)))
    assert (drift.x, drift.y) == pytest.approx((wind_x, wind_y), abs=1e-6)


@given(x=SPEED, y=SPEED, yaw=st.floats(-3, 3))
def test_drive_points_where_it_should(x, y, yaw):
    speed, angle = drive(x, y, math.cos(yaw), math.sin(yaw))
    assert speed == pytest.approx(max(0.0, math.hypot(x, y) * math.cos(angle)), abs=1e-9)
    if math.hypot(x, y) > 1e-6:
        direction = yaw + angle
        assert math.cos(direction) == pytest.approx(x / math.hypot(x, y), abs=1e-6)
        assert math.sin(direction) == pytest.approx(y / math.hypot(x, y), abs=1e-6)


def test_a_robot_that_pushes_against_something_believes_in_no_storm():
    drift = Drift(0.0, 0.0, 2.0, 0.0)
    for _ in range(100):
        drift = drift._replace(**dict(zip('xy', updated_drift(
            drift, 0.2, 1.0, 0.0, 0.0, 1.0, 0.0, 1 / 30), strict=True)))
    assert drift.x == -1.0


DAMPER_P = resolved(Parameters())
EAST = Place(0.0, 0.0, 1.0, 0.0)


def limits_of(*rows):
    return np.array(rows, float).reshape(-1, 3)


def test_limits_end_at_the_margin():
    assert wall_limit(DAMPER_P, DAMPER_P.robot_radius_m + DAMPER_P.margin_m, 0.0,
                      DAMPER_P.margin_m) == pytest.approx(0.0)
    still = wall_limit(DAMPER_P, 1.0, 0.0, 0.1)
    assert wall_limit(DAMPER_P, 1.0, 0.3, 0.1) < still == wall_limit(DAMPER_P, 1.0, -0.3, 0.1)
    assert 2 * robot_limit(
        DAMPER_P, 2 * DAMPER_P.robot_radius_m + 0.1 + 0.5, 0.1
    ) == pytest.approx(DAMPER_P.damper_gain * 0.5)


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
    speed = fastest(DAMPER_P, limits, len(limits), Place(0.0, 0.0, cosine, sine), drift, 0.0, 2.0,
                    DAMPER_P.margin_m)
    assert 0.0 <= speed <= 2.0
    spare = 0.75 * DAMPER_P.margin_m * DAMPER_P.damper_gain
    for n_x, n_y, b in limits:
        along = n_x * cosine + n_y * sine
        if along > 0.02 and speed > 0.0:
            assert speed * along + n_x * drift <= b + spare + 1e-9


@pytest.mark.parametrize('rate', [10, 30])
def test_noise_does_not_bring_a_slow_robot_to_what_it_stands_before(rate):
    margin, rng = LEAST_MARGIN * DAMPER_P.robot_radius_m, np.random.default_rng(1)
    nearest, room = {}, math.inf
    for is_steady in (False, True):
        distance = DAMPER_P.robot_radius_m + 0.02
        for _ in range(120 * rate):
            limits = limits_of(*((1, 0, wall_limit(DAMPER_P, distance + noise, 0.0, margin))
                                 for noise in rng.normal(0.0, 0.01, 3)))
            ahead = room_ahead(DAMPER_P, limits, 3, EAST, 0.0, 0.0, margin)
            room = steady_room(DAMPER_P, room, ahead, 1 / rate)
            speed = max(0.0, min(ahead, room) if is_steady else ahead)
            distance -= speed / rate
        nearest[is_steady] = distance - DAMPER_P.robot_radius_m
    assert nearest[True] > 0.0
    assert nearest[True] > nearest[False] + 0.005


def test_a_robot_with_room_is_not_slowed_down():
    most = CREEPING * DAMPER_P.forward_speed_mps
    assert steady_room(DAMPER_P, -most, most, 1 / 30) == math.inf
    assert steady_room(DAMPER_P, math.inf, 0.9 * most, 1 / 30) < most
    assert steady_room(DAMPER_P, 0.1, -math.inf, 1.0) == pytest.approx(-most)  # a second later


P = resolved(Parameters())
between = module.between.py_func  # a part of compiled code
RNG = np.random.default_rng


def fan(count, half=math.pi / 2):
    angles = np.linspace(-half, half, count)
    return np.array([np.cos(angles), np.sin(angles)])


def walls(beams, noise, rng, ahead=0.9, left=0.6):
    """Return ranges (m) in a corner: walls ahead and to the left, nothing to the right."""
    with np.errstate(divide='ignore'):
        ranges = np.minimum(np.where(beams[0] > 1e-9, ahead / beams[0], np.inf),
                            np.where(beams[1] > 1e-9, left / beams[1], np.inf))
    return (np.where(ranges < 10.0, ranges, np.inf)
            + rng.normal(0.0, noise, beams.shape[1])).astype(np.float32)


def estimate(noise, beams, looks=80):
    rng, got = RNG(1), 0.0
    for _ in range(looks):
        got = estimated_noise(P, got, walls(beams, noise, rng), beams)
    return got


@pytest.mark.parametrize('beams', [180, 720])
@pytest.mark.parametrize('noise', [0.03, 0.1])
def test_the_estimate_is_the_noise_of_the_laser(noise, beams):
    assert estimate(noise, fan(beams)) == pytest.approx(noise, rel=0.25)


@pytest.mark.parametrize('noise', [0.0, 0.01])
def test_little_noise_changes_no_distance(noise):
    beams, rng, got = fan(180), RNG(1), 0.0
    for _ in range(200):
        got = estimated_noise(P, got, walls(beams, noise, rng), beams)
        assert got < LARGE_NOISE * P.robot_radius_m


@pytest.mark.parametrize('beams', [0, 2, 8])
def test_beams_far_apart_tell_nothing_of_noise(beams):
    assert estimate(0.1, fan(beams)) == 0.0


@pytest.mark.parametrize('half', [0.9 * math.pi, -math.pi])
@pytest.mark.parametrize('beams', [2, 3, 8])
def test_beams_to_all_sides_tell_nothing_of_noise(beams, half):
    """Beams that point to opposite sides have a small sine between them, as neighbours have."""
    ranges, got = np.array([0.6, 0.4] * (beams // 2) + [0.6] * (beams % 2), np.float32), 0.0
    for _ in range(500):
        got = estimated_noise(P, got, ranges, fan(beams, half))
    assert got == 0.0


def test_clockwise_beams_tell_as_much():
    beams = fan(180)
    assert estimate(0.06, beams[:, ::-1]) == pytest.approx(estimate(0.06, beams), rel=0.1)


@pytest.mark.parametrize('apart', [1e-6, 1e-45, 5e-324])
def test_beams_in_one_direction_have_the_mean_of_all(apart):
    ranges = np.array([0.6, 0.5, 0.7], np.float32)
    assert mean_beside(P, 0.1, ranges, apart, 0) == pytest.approx(0.6)


def test_readings_that_are_no_distance_tell_nothing_of_noise():
    beams = fan(180)
    for reading in (math.nan, math.inf, -math.inf):
        assert estimated_noise(P, 0.05, np.full(180, reading, np.float32), beams) == 0.05


def test_noise_does_not_make_a_wall_much_nearer():
    beams, rng, noise = fan(180), RNG(2), 0.1
    single, means = [], []
    for _ in range(200):
        ranges = walls(beams, noise, rng, ahead=0.6, left=math.inf)
        near = np.flatnonzero(ranges < 1.0)
        single.append(ranges.min())
        means.append(min(mean_beside(P, noise, ranges, between(beams), i) for i in near))
    assert np.mean(single) < 0.6 - 1.8 * noise
    assert 0.6 - 0.8 * noise < np.mean(means) < 0.6


def test_an_object_as_wide_as_a_surface_is_not_taken_for_farther():
    beams, noise, distance = fan(180), 0.1, 0.6
    width = SURFACE * P.robot_radius_m
    ranges = np.full(180, 0.9, np.float32)
    ranges[np.abs(distance * np.arctan2(beams[1], beams[0])) <= 0.6 * width] = distance
    assert mean_beside(P, noise, ranges, between(beams), 89) == pytest.approx(distance, abs=1e-6)


def test_what_is_farther_by_more_than_noise_is_left_out():
    beams, ranges = fan(180), np.full(180, 3.0, np.float32)
    ranges[90] = 0.6
    ranges[91:94] = math.inf, math.nan, -math.inf
    assert mean_beside(P, 0.1, ranges, between(beams), 90) == pytest.approx(0.6)

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot.controllers.navigate.drift import (
    Drift,
    _driven_chord,
    drive,
    frame_at,
    into,
    updated_drift,
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

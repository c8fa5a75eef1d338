import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wind_model.crab import crab_heading, published_heading, turn_rate

angles = st.floats(-4, 4)


@settings(max_examples=300, deadline=None)
@given(direction=angles, speed=st.floats(0.01, 2), wind=st.floats(0, 2), towards=angles)
def test_drive_and_wind_together_follow_the_direction(direction, speed, wind, towards):
    wx, wy = wind * math.cos(towards), wind * math.sin(towards)
    across = wind * math.sin(towards - direction)
    heading = crab_heading(direction, speed, wx, wy)
    assert -math.pi <= heading < math.pi
    vx, vy = speed * math.cos(heading) + wx, speed * math.sin(heading) + wy
    sideways = math.cos(direction) * vy - math.sin(direction) * vx
    ahead = math.cos(direction) * vx + math.sin(direction) * vy
    if abs(across) <= speed:
        assert abs(sideways) < 1e-9
        assert ahead >= wind * math.cos(towards - direction) - 1e-9
    else:
        # No heading drifts less.
        assert abs(abs(sideways) - (abs(across) - speed)) < 1e-9


@settings(max_examples=300, deadline=None)
@given(direction=angles, speed=st.floats(0.01, 2), wind=st.floats(0, 2), towards=angles)
def test_the_published_law_heads_along_the_difference_of_track_and_wind(direction, speed, wind,
                                                                       towards):
    wx, wy = wind * math.cos(towards), wind * math.sin(towards)
    x, y = math.cos(direction) - wx / speed, math.sin(direction) - wy / speed
    assume(math.hypot(x, y) > 1e-6)
    heading = published_heading(direction, speed, wx, wy)
    assert math.remainder(heading - math.atan2(y, x), 2 * math.pi) == pytest.approx(0, abs=1e-8)


def test_where_track_and_wind_cancel_the_published_law_heads_along_the_track():
    assert published_heading(1.0, 0.0, 0.3, 0.4) == pytest.approx(1.0)
    assert published_heading(0.0, 0.5, 0.5, 0.0) == 0.0


def test_without_speed_it_heads_along_the_direction():
    assert crab_heading(1.0, 0.0, 0.3, 0.4) == pytest.approx(1.0)


@settings(max_examples=200, deadline=None)
@given(yaw=angles, heading=angles, gain=st.floats(0, 100), limit=st.floats(0, 10),
       dt=st.floats(0.001, 1))
def test_turning_goes_the_short_way_and_never_overshoots(yaw, heading, gain, limit, dt):
    rate = turn_rate(yaw, heading, gain, limit, dt)
    left = math.remainder(heading - yaw, 2 * math.pi)
    assume(abs(abs(left) - math.pi) > 1e-6)
    assert abs(rate) <= limit
    assert rate * left >= 0 or abs(left) < 1e-12
    assert abs(rate * dt) <= abs(left) + 1e-12

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sbot_common.errors import InputError
from sbot_common.observation import Observation
from wind_model.wind_aware import (
    AirResistance,
    WindAware,
    _crab_heading,
    _published_heading,
    _turn_rate,
)

angles = st.floats(-4, 4)


@settings(max_examples=300)
@given(direction=angles, speed=st.floats(0.01, 2), wind=st.floats(0, 2), towards=angles)
def test_drive_and_wind_together_follow_the_direction(direction, speed, wind, towards):
    wx, wy = wind * math.cos(towards), wind * math.sin(towards)
    across = wind * math.sin(towards - direction)
    heading = _crab_heading(direction, speed, wx, wy)
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


@settings(max_examples=300)
@given(direction=angles, speed=st.floats(0.01, 2), wind=st.floats(0, 2), towards=angles)
def test_the_published_law_heads_along_the_difference_of_track_and_wind(direction, speed, wind,
                                                                       towards):
    wx, wy = wind * math.cos(towards), wind * math.sin(towards)
    x, y = math.cos(direction) - wx / speed, math.sin(direction) - wy / speed
    assume(math.hypot(x, y) > 1e-6)
    heading = _published_heading(direction, speed, wx, wy)
    assert math.remainder(heading - math.atan2(y, x), 2 * math.pi) == pytest.approx(0, abs=1e-8)


def test_where_track_and_wind_cancel_the_published_law_heads_along_the_track():
    assert _published_heading(1.0, 0.0, 0.3, 0.4) == pytest.approx(1.0)
    assert _published_heading(0.0, 0.5, 0.5, 0.0) == 0.0


def test_without_speed_it_heads_along_the_direction():
    assert _crab_heading(1.0, 0.0, 0.3, 0.4) == pytest.approx(1.0)


@settings(max_examples=200)
@given(yaw=angles, heading=angles, gain=st.floats(0, 100), limit=st.floats(0, 10),
       dt=st.floats(0.001, 1))
def test_turning_goes_the_short_way_and_never_overshoots(yaw, heading, gain, limit, dt):
    rate = _turn_rate(yaw, heading, gain, limit, dt)
    left = math.remainder(heading - yaw, 2 * math.pi)
    assume(abs(abs(left) - math.pi) > 1e-6)
    assert abs(rate) <= limit
    assert rate * left >= 0 or abs(left) < 1e-12
    assert abs(rate * dt) <= abs(left) + 1e-12


def seen(pose=(0.0, 0.0, 0.0), wind=(0.0, 0.0), goal=None, dt=0.1):
    return Observation(0, 1, 0, 100, dt, np.array([pose]), None, goal, None, None, wind,
                       (0.0, 0.0, 0.0))


def test_in_a_cross_wind_stronger_than_its_drive_only_the_published_law_makes_way():
    """docs/errata.md W8."""
    along = {}
    for law in ('cancel', 'published'):
        track = drive(WindAware(velocity=0.1, direction=0.0, law=law), (0.0, 0.2))
        along[law] = (track[-1] - track[-101]) / 10.0
    assert along['cancel'] == pytest.approx([0.0, 0.1], abs=1e-6)
    assert along['published'] == pytest.approx(
        [0.1 / math.sqrt(5), 0.2 - 0.2 / math.sqrt(5)], abs=1e-6)


def test_in_a_weak_cross_wind_only_ours_keeps_its_track():
    for law, drift in (('cancel', 0.0), ('published', 0.05 - 0.05 / math.sqrt(1.25))):
        track = drive(WindAware(velocity=0.1, direction=0.0, law=law), (0.0, 0.05))
        assert (track[-1] - track[-101])[1] / 10.0 == pytest.approx(drift, abs=1e-6)


def test_the_base_controller_drives_straight_on():
    controller = AirResistance(velocity=0.15)
    rng = np.random.default_rng(0)
    assert controller.step(seen(wind=(1.0, 1.0)), rng) == (0.15, 0.0)
    assert AirResistance().step(seen(), rng) == (0.10, 0.0)


def drive(controller, wind, goal=None, ticks=400, yaw=2.0):
    x = y = 0.0
    track = []
    for _ in range(ticks):
        v, omega = controller.step(seen((x, y, yaw), wind, goal), np.random.default_rng(0))
        x += (v * math.cos(yaw) + wind[0]) * 0.1
        y += (v * math.sin(yaw) + wind[1]) * 0.1
        yaw += omega * 0.1
        track.append((x, y))
    return np.array(track)


def test_the_wind_aware_robot_settles_on_its_direction():
    track = drive(WindAware(velocity=0.2, direction=0.5), (0.05, -0.12))
    step = track[-1] - track[-2]
    assert math.atan2(step[1], step[0]) == pytest.approx(0.5, abs=1e-9)


def test_a_goal_replaces_the_direction_and_is_reached():
    track = drive(WindAware(velocity=0.2, direction=3.0), (0.0, -0.1), goal=(2.0, 1.0))
    distance = np.linalg.norm(track - [2.0, 1.0], axis=1)
    assert distance.min() < 0.05
    assert distance[-50:].max() < 0.2


def test_on_its_goal_it_stands_still():
    assert WindAware().step(seen(goal=(0.03, 0.0)), np.random.default_rng(0)) == (0.0, 0.0)


def test_parameters_change_or_are_refused_whole():
    controller = WindAware()
    controller.set_parameters(velocity=0.3)
    with pytest.raises(InputError, match='max_turn_rate'):
        controller.set_parameters(velocity=0.4, max_turn_rate=-1.0)
    assert controller.step(seen(), np.random.default_rng(0))[0] == 0.3
    with pytest.raises(InputError, match="did you mean 'direction'"):
        WindAware(directions=1.0)
    with pytest.raises(InputError, match='velocity'):
        AirResistance(velocity=-1.0)

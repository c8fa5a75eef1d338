"""Steered robots against the single-track model, integrated in small steps."""

import math
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot_common.observation import OMEGA, VX
from sbot_sim.drives.registry import ACKERMANN, _ackermann_twist
from sbot_sim.dynamics.motion import _advance_twist, drive, driven_twists, move
from sbot_sim.world.bodies import ROBOT, BodyArrays

DT = 0.1
CAR = ROBOT._replace(name='car', drive='ackermann',
                     of_drive={'wheelbase': 0.6, 'max_steering_angle': 0.5})
BODIES = BodyArrays.of([CAR])
LEAST_RADIUS = 0.6 / math.tan(0.5)  # m
RIM = 3.0  # m/s


def driven(v, omega, bodies=BODIES):
    return driven_twists(bodies, np.array([[v, 0.0, omega]]))[0, [VX, OMEGA]]


def steered(v, omega):
    """Return what an Ackermann interface makes of a Twist: the steering angle and the speed."""
    if v == 0.0:
        return 0.0, 0.0
    angle = min(max(math.atan(omega * 0.6 / v), -0.5), 0.5)
    outer = 1.0 + abs(math.tan(angle)) / 0.6 * 0.25
    return min(max(v, -RIM / outer), RIM / outer), angle


@given(st.floats(-5, 5), st.floats(-9, 9))
def test_it_drives_what_the_steering_angle_gives(v, omega):
    speed, angle = steered(v, omega)
    np.testing.assert_allclose(driven(v, omega), [speed, speed * math.tan(angle) / 0.6],
                               rtol=1e-9, atol=1e-12)


@given(st.floats(-1e308, 1e308), st.floats(-1e308, 1e308))
def test_no_command_makes_it_turn_tighter_or_a_wheel_faster(v, omega):
    speed, rate = _ackermann_twist(v, omega, BODIES.numbers[0, 0], 0.25, RIM)
    assert math.isfinite(speed)
    assert math.isfinite(rate)
    assert abs(rate) <= abs(speed) / LEAST_RADIUS * (1 + 1e-12)
    assert abs(speed) + 0.25 * abs(rate) <= RIM * (1 + 1e-12)
    assert speed * v >= 0.0
    assert speed * rate * v * omega >= 0.0


@given(st.floats(-5, 5), st.floats(-3.2, 3.2))
def test_a_message_of_speed_and_angle_makes_it_drive_those(speed, angle):
    message = SimpleNamespace(drive=SimpleNamespace(speed=speed, steering_angle=angle))
    command = ACKERMANN.message.twist(BODIES, 0, message)
    assert command[1] == 0.0
    angle = min(max(angle, -0.5), 0.5)  # the steering ends there
    outer = 1.0 + abs(math.tan(angle)) / 0.6 * 0.25
    speed = min(max(speed, -RIM / outer), RIM / outer)
    np.testing.assert_allclose(driven(command[0], command[2]),
                               [speed, speed * math.tan(angle) / 0.6], rtol=1e-9, atol=1e-12)


def test_it_does_not_turn_on_the_spot():
    np.testing.assert_array_equal(driven(0.0, 3.0), [0.0, 0.0])
    np.testing.assert_array_equal(driven(-0.0, -3.0), [0.0, 0.0])


def test_a_twist_within_its_limits_is_that_of_two_wheels_to_the_bit():
    two_wheels = BodyArrays.of([ROBOT])
    for v, omega in ((1.0, 0.3), (-0.7, 0.1), (2.0, 0.0)):
        np.testing.assert_array_equal(driven(v, omega), driven(v, omega, two_wheels))


def test_the_path_is_that_of_the_single_track_model():
    """Against x' = v cos, y' = v sin, yaw' = v tan(steering)/wheelbase in 20,000 small steps."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        v, omega = rng.uniform(-4, 4, 2)
        x, y, yaw = 0.3, -0.2, rng.uniform(-3, 3)
        pose = move(BODIES, np.array([[x, y, yaw]]), drive(
            BODIES, np.array([[v, 0.0, omega]])), np.zeros((1, 2)), DT)[0]
        speed, angle = steered(v, omega)
        h = DT / 20_000
        for _ in range(20_000):
            middle = yaw + 0.5 * h * speed * math.tan(angle) / 0.6
            x, y = x + h * speed * math.cos(middle), y + h * speed * math.sin(middle)
            yaw += h * speed * math.tan(angle) / 0.6
        np.testing.assert_allclose(pose, [x, y, yaw], atol=1e-9)


def test_without_a_wheelbase_it_is_as_long_as_wide():
    bodies = BodyArrays.of([CAR._replace(of_drive={'max_steering_angle': 0.5})])
    assert bodies.numbers[0, 0] == pytest.approx(math.tan(0.5) / CAR.wheel_distance)


OMNI = ROBOT._replace(name='omni', drive='omnidirectional', of_drive={'wheelbase': 0.3})


def exponential(x, y, yaw, vx, vy, omega, dt):
    """Return the pose after the matrix exponential of the twist, an element of se(2)."""
    with mpmath.workdps(40):
        c, s = mpmath.cos(yaw), mpmath.sin(yaw)
        pose = mpmath.matrix([[c, -s, x], [s, c, y], [0, 0, 1]])
        twist = mpmath.matrix([[0, -omega, vx], [omega, 0, vy], [0, 0, 0]]) * mpmath.mpf(dt)
        after = pose * mpmath.expm(twist, method='taylor')
        return after[0, 2], after[1, 2], mpmath.mpf(yaw) + mpmath.mpf(omega) * mpmath.mpf(dt)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3),
       st.floats(-9, 9) | st.floats(-1e-9, 1e-9) | st.just(0.0))
def test_a_constant_twist_is_integrated_exactly(yaw, vx, vy, omega):
    got = _advance_twist(1.0, -2.0, yaw, vx, vy, omega, DT)
    x, y, turned = exponential(1.0, -2.0, yaw, vx, vy, omega, DT)
    assert abs(got[0] - x) < 1e-14
    assert abs(got[1] - y) < 1e-14
    assert math.cos(got[2] - float(turned)) == pytest.approx(1.0, abs=1e-15)
    assert math.sin(got[2] - float(turned)) == pytest.approx(0.0, abs=1e-14)
    assert -math.pi <= got[2] < math.pi


def rims(vx, vy, omega):
    """Return the speeds of the four rims, by the geometry of rollers at 45 degrees.

    A wheel at (x, y) moves with the body's velocity there; its roller lets it slip along the
    diagonal, so what the rim does is that velocity's part across the roller, over cos 45 degrees.
    """
    speeds = []
    for x, y, slant in ((0.15, 0.25, 1), (0.15, -0.25, -1), (-0.15, 0.25, -1), (-0.15, -0.25, 1)):
        along, across = vx - omega * y, vy + omega * x
        # (along, across) . (1, -slant)/sqrt 2 / cos 45 degrees
        speeds.append(along - slant * across)
    return speeds


@given(st.floats(-6, 6), st.floats(-6, 6), st.floats(-20, 20))
def test_no_rim_is_faster_than_it_can_and_the_path_keeps_its_shape(vx, vy, omega):
    got = tuple(driven_twists(BodyArrays.of([OMNI]), np.array([[vx, vy, omega]]))[0])
    fastest = max(map(abs, rims(vx, vy, omega)))
    factor = 1.0 if fastest <= RIM else RIM / fastest
    np.testing.assert_allclose(got, [vx * factor, vy * factor, omega * factor], rtol=1e-12,
                               atol=1e-300)
    if fastest < RIM * (1 - 1e-12):
        assert got == (vx, vy, omega)

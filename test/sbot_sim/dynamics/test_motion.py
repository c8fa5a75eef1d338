"""Motion against equation (4) of document 002 evaluated with 50 digits."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot_sim.dynamics.motion import (
    _advance,
    _drive_wheels,
    _saturate,
    _wheel_speeds,
    advance_all,
    body_twists,
    drive,
    move,
    wrap_yaw,
)
from sbot_sim.world.bodies import ROBOT, S_BOT, BodyArrays

mpmath.mp.dps = 50
DT = 0.1


def equation_4(x, y, yaw, left, right, distance, dt):
    """The document's two branches, word for word, in high precision."""
    x, y, yaw, left, right, distance, dt = map(mpmath.mpf, (x, y, yaw, left, right, distance, dt))
    if left == right:
        return x + mpmath.cos(yaw) * dt * right, y + mpmath.sin(yaw) * dt * right, yaw
    rho = distance * (right + left) / (2 * (right - left))
    mu = (right - left) / distance
    icc_x, icc_y = x - rho * mpmath.sin(yaw), y + rho * mpmath.cos(yaw)
    c, s = mpmath.cos(mu * dt), mpmath.sin(mu * dt)
    return (c * (x - icc_x) - s * (y - icc_y) + icc_x,
            s * (x - icc_x) + c * (y - icc_y) + icc_y, yaw + mu * dt)


def assert_agrees(*arguments):
    for got, exact in zip(_advance(*arguments), equation_4(*arguments), strict=True):
        assert abs(got - exact) < 1e-12


@pytest.mark.parametrize('base', [0.0, 1e-17, -0.08])
@pytest.mark.parametrize('exponent', range(-16, 0, 2))
def test_agrees_with_equation_4_for_every_difference_of_the_wheels(base, exponent):
    rng = np.random.default_rng(exponent + 100)
    for difference in (10.0 ** exponent, 1.6 * 10.0 ** exponent, -(10.0 ** exponent)):
        x, y, yaw = rng.uniform(-3, 3, 3)
        assert_agrees(x, y, yaw, base, base + difference, S_BOT.wheel_distance, DT)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-math.pi, math.pi))
def test_agrees_with_equation_4_for_the_large_robot(left, right, yaw):
    assert_agrees(1.0, -2.0, yaw, left, right, ROBOT.wheel_distance, DT)


def test_turning_on_the_spot_and_going_straight_are_exact():
    x, y, yaw = _advance(1.0, 2.0, 0.5, -0.04, 0.04, 0.095, DT)
    assert (x, y) == (1.0, 2.0)
    assert yaw == pytest.approx(0.5 + 0.08 / 0.095 * DT, abs=1e-15)
    assert _advance(1.0, 2.0, 0.0, 0.5, 0.5, 0.095, DT) == (1.05, 2.0, 0.0)


@given(st.floats(-5, 5), st.floats(-10, 10))
def test_twist_and_wheel_speeds_are_inverse(v, omega):
    body = ROBOT._replace(max_wheel_speed=1e3)
    wheels = np.array([_wheel_speeds(v, omega, body.wheel_distance, body.wheel_radius)])
    twist = body_twists(BodyArrays.of([body]), wheels)[0]
    np.testing.assert_allclose(twist, [v, 0.0, omega], atol=1e-12)


def test_each_wheel_saturates_for_itself():
    assert [_saturate(v, 4.0) for v in (-9.0, -4.0, 1.0, 4.0, math.inf)] == [-4, -4, 1, 4, 4]
    rim = drive(BodyArrays.of([S_BOT]), np.array([[0.08, 0.0, 1.0]])).rim[:, 0]
    assert rim[1] == 0.02 * 4.0  # 4 + 2.375 rad/s clamped
    assert rim[0] == pytest.approx(0.08 - 0.0475)


@given(st.floats(-1e3, 1e3))
def test_wrapped_yaw_is_the_same_direction(yaw):
    wrapped = wrap_yaw(yaw)
    assert -math.pi <= wrapped < math.pi
    assert math.cos(wrapped - yaw) == pytest.approx(1.0, abs=1e-12)
    if -math.pi <= yaw < math.pi:
        assert wrapped == yaw


def test_wrapping_at_the_ends():
    assert wrap_yaw(math.pi) == -math.pi
    assert wrap_yaw(-math.pi) == -math.pi
    assert wrap_yaw(math.nextafter(-math.pi, -4)) < math.pi


def test_move_adds_the_impulse_and_leaves_its_arguments_alone():
    bodies = BodyArrays.of([S_BOT, S_BOT])
    pose = np.array([[0.0, 0.0, 3.1], [1.0, 1.0, 0.0]])
    wheels = np.array([[-4.0, 4.0], [9.0, 9.0]])
    wind = np.array([[0.5, -0.25], [0.0, 0.0]])
    before = pose.copy(), wheels.copy(), wind.copy()
    out = move(bodies, pose, _drive_wheels(bodies, wheels), wind, DT)
    np.testing.assert_allclose(out[0, :2], [0.05, -0.025], atol=1e-15)
    assert out[0, 2] == pytest.approx(3.1 + 0.16 / 0.095 * DT - 2 * math.pi, abs=1e-14)
    np.testing.assert_allclose(out[1], [1.008, 1.0, 0.0], atol=1e-15)  # saturated at 4 rad/s
    for array, copy in zip((pose, wheels, wind), before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_impulse_driven_bodies_turn_by_their_wheels_and_are_carried_by_the_impulse():
    bodies = BodyArrays.of([S_BOT._replace(drive='impulse')])
    out = move(bodies, np.zeros((1, 3)), _drive_wheels(bodies, np.array([[1.0, 3.0]])),
               np.array([[0.2, 0.0]]), DT)
    np.testing.assert_allclose(out[0], [0.02, 0.0, 0.02 * 2.0 / 0.095 * DT], atol=1e-15)


@pytest.mark.parametrize('far', [0.0, 1e7, math.inf])
def test_many_robots_advance_as_one(far):
    """To the bit, usual angles in vectors and others one by one."""
    rng = np.random.default_rng(6)
    pose = rng.uniform(-4, 4, (200, 3))
    pose[7, 2] += far
    speed = rng.uniform(-1, 1, (2, 200))
    speed[1, ::5] = speed[0, ::5]  # straight ahead
    distance = rng.uniform(0.1, 1.0, 200)
    expected = []
    for row, left, right, d in zip(pose.tolist(), *speed.tolist(), distance.tolist(), strict=True):
        x, y, yaw = _advance(*row, left, right, d, DT)
        expected.append((x, y, wrap_yaw(yaw)))
    twist = np.array([0.5 * (speed[0] + speed[1]), np.zeros(200),
                      (speed[1] - speed[0]) / distance])
    np.testing.assert_array_equal(advance_all(np.zeros(200, np.int8), pose, twist, DT), expected)

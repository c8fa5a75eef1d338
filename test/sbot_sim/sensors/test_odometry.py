"""Covariance of odometry: against many runs of the noise itself, and against the messages."""

import numpy as np
import pytest

from sbot_sim.dynamics.motion import _drive_wheels, move
from sbot_sim.sensors.odometry import (
    OdometryCovariances,
    OdometryParameters,
    WheelStates,
    draw_slip,
    draw_wheel_scale,
    measure,
)
from sbot_sim.world.bodies import S_BOT, BodyArrays

DT = 0.1


SEED = 5


def drive(parameters, wheels, steps, dt=DT):
    n = len(wheels)
    bodies, pose = BodyArrays.of([S_BOT] * n), np.zeros((n, 3))
    scale = draw_wheel_scale(np.full(n, parameters.odometry_noise_radius), SEED, 2)
    noise_slip = np.full(n, parameters.odometry_noise_slip)
    for tick in range(steps):
        slip = draw_slip(noise_slip, SEED, tick, 2)
        pose, _ = measure(bodies, pose, scale, _drive_wheels(bodies, wheels), slip, noise_slip, dt)
    return pose


def test_without_noise_it_is_the_motion_to_the_bit():
    wheels = np.random.default_rng(0).uniform(-6, 6, (20, 2))
    bodies, pose = BodyArrays.of([S_BOT] * 20), np.zeros((20, 3))
    for _ in range(50):
        pose = move(bodies, pose, _drive_wheels(bodies, wheels), np.zeros((20, 2)), DT)
    np.testing.assert_array_equal(drive(OdometryParameters(), wheels, 50), pose)


def test_slip_grows_with_the_square_root_of_the_way_whatever_the_tick():
    parameters = OdometryParameters(odometry_noise_slip=0.01)
    wheels = np.full((2000, 2), 4.0)  # 0.08 m/s for 10 s: 0.8 m
    for dt in (0.1, 0.5):
        pose = drive(parameters, wheels, round(10 / dt), dt)
        # The yaw is the difference of two wheels over their distance.
        expected = 0.01 * np.sqrt(2 * 0.8) / S_BOT.wheel_distance
        assert np.std(pose[:, 2]) == pytest.approx(expected, rel=0.1)


DT, MANY = 0.1, 6000
ONE = BodyArrays.of([S_BOT])


def driven(parameters, ticks, wheels=(3.0, 4.0)):
    """Return poses (N, 3) and twists (N, 3) at each tick of many robots that do the same."""
    bodies = BodyArrays.of([S_BOT] * MANY)
    scale = draw_wheel_scale(np.full(MANY, parameters.odometry_noise_radius), 3, 2)
    noise = np.full(MANY, parameters.odometry_noise_slip)
    pose, speeds = np.zeros((MANY, 3)), _drive_wheels(bodies, np.tile(wheels, (MANY, 1)))
    for tick in range(ticks):
        pose, twist = measure(bodies, pose, scale, speeds, draw_slip(noise, 3, tick, 2), noise, DT)
        yield pose, twist


@pytest.mark.parametrize('parameters', [
    OdometryParameters(0.002, 0.0), OdometryParameters(0.0, 0.001),
    OdometryParameters(0.002, 0.001)])
def test_it_is_the_spread_of_many_runs(parameters):
    covariances = OdometryCovariances([parameters] * MANY, BodyArrays.of([S_BOT] * MANY), DT)
    for tick, (pose, twist) in enumerate(driven(parameters, 60), 1):
        of_pose, of_twist = covariances.at(tick, pose, twist)
    spread = np.cov(pose.T)
    scale = np.sqrt(np.outer(np.diag(spread), np.diag(spread)))
    np.testing.assert_allclose(of_pose.mean(axis=0) / scale, spread / scale, atol=0.06)
    assert not of_twist[:, 1].any()
    assert not of_twist[:, :, 1].any()
    turning = np.ix_([0, 2], [0, 2])
    spread = np.cov(twist[:, [0, 2]].T)
    scale = np.sqrt(np.outer(np.diag(spread), np.diag(spread)))
    np.testing.assert_allclose(of_twist.mean(axis=0)[turning] / scale, spread / scale, atol=0.06)


def test_a_tick_that_is_asked_for_again_is_the_same_and_tick_0_begins_again():
    covariances = OdometryCovariances([OdometryParameters(0.01, 0.01)], ONE, DT)
    pose, twist = np.zeros((1, 3)), np.array([[0.1, 0.0, 0.2]])
    one = covariances.at(1, pose, twist)[0].copy()
    assert np.any(one != 0.0)
    np.testing.assert_array_equal(covariances.at(1, pose, twist)[0], one)
    assert np.any(covariances.at(2, pose, twist)[0] > one)
    assert not np.any(covariances.at(0, pose, twist)[0])
    np.testing.assert_array_equal(covariances.at(1, pose, twist)[0], one)


def test_angles_of_wheels_grow_by_their_speeds_and_begin_again_at_tick_0():
    car = S_BOT._replace(name='car', drive='ackermann')
    wheels = WheelStates(BodyArrays.of([car, S_BOT]), 0.1)
    assert wheels.robots == [1]  # the wheels of a car have no speeds of their own
    twist = np.array([[0.5, 0.0, 1.0], [0.1, 0.0, 0.4]])
    expected = np.array([[0.1 - 0.4 * 0.0475, 0.1 + 0.4 * 0.0475]]) / 0.02  # rad/s
    for tick in (0, 1, 1, 2, 4, 0, 1):
        angles, speeds = wheels.at(tick, twist)
        np.testing.assert_allclose(speeds, expected)
        np.testing.assert_allclose(angles, 0.1 * tick * expected)

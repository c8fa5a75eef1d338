"""Covariance of odometry: against many runs of the noise itself, and against the messages."""

import numpy as np
import pytest

from sbot_sim.dynamics.motion import drive_wheels
from sbot_sim.sensors.odometry import (
    OdometryParameters,
    draw_slip,
    draw_wheel_scale,
    measure,
)
from sbot_sim.sensors.odometry_covariance import OdometryCovariances, twist_covariance
from sbot_sim.world.bodies import S_BOT, body_arrays

DT, MANY = 0.1, 6000
ONE = body_arrays([S_BOT])


def driven(parameters, ticks, wheels=(3.0, 4.0)):
    """Return poses (N, 3) and twists (N, 3) at each tick of many robots that do the same."""
    bodies = body_arrays([S_BOT] * MANY)
    scale = draw_wheel_scale(np.full(MANY, parameters.odometry_noise_radius), 3, 2)
    noise = np.full(MANY, parameters.odometry_noise_slip)
    pose, speeds = np.zeros((MANY, 3)), drive_wheels(bodies, np.tile(wheels, (MANY, 1)))
    for tick in range(ticks):
        slip = draw_slip(noise, 3, tick, 2)
        pose, twist = measure(bodies, pose, scale, speeds, slip, noise, DT)
        yield pose, twist


@pytest.mark.parametrize('parameters', [
    OdometryParameters(0.002, 0.0), OdometryParameters(0.0, 0.001),
    OdometryParameters(0.002, 0.001)])
def test_it_is_the_spread_of_many_runs(parameters):
    covariances = OdometryCovariances(parameters, body_arrays([S_BOT] * MANY), DT)
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
    parameters = OdometryParameters(0.01, 0.01)
    covariances = OdometryCovariances(parameters, ONE, DT)
    pose, twist = np.zeros((1, 3)), np.array([[0.1, 0.0, 0.2]])
    one = covariances.at(1, pose, twist)[0].copy()
    assert np.any(one != 0.0)
    np.testing.assert_array_equal(covariances.at(1, pose, twist)[0], one)
    assert np.any(covariances.at(2, pose, twist)[0] > one)
    assert not np.any(covariances.at(0, pose, twist)[0])
    np.testing.assert_array_equal(covariances.at(1, pose, twist)[0], one)


def test_a_wheel_that_stands_is_certain():
    covariance = twist_covariance(ONE, np.zeros((1, 3)), 0.1, 0.1, DT)
    assert not np.any(covariance)

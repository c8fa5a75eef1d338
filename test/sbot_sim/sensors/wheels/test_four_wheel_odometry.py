"""Odometry of four wheels: against the motion, and its covariance against many runs."""

import numpy as np
import pytest

from sbot_sim.dynamics.motion import wheel_commands
from sbot_sim.dynamics.omnidirectional import limited_twists, move_omnidirectional
from sbot_sim.sensors.odometry import (
    OdometryParameters,
    draw_slip,
    draw_wheel_scale,
    measure,
)
from sbot_sim.sensors.odometry_covariance import OdometryCovariances
from sbot_sim.sensors.wheels.four_wheel_odometry import (
    WHEELS,
    measure_all,
    reaches,
)
from sbot_sim.world.bodies import ROBOT, body_arrays

DT, MANY = 0.1, 6000
OMNI = ROBOT._replace(drive='omnidirectional', wheelbase=0.3)


def drive(bodies, parameters, ticks, twist):
    """Return poses (N, 3) and twists (N, 3) at each tick of robots that do the same."""
    n = len(bodies.radius)
    scale = draw_wheel_scale(np.full(n, parameters.odometry_noise_radius), 3, WHEELS)
    noise, pose = np.full(n, parameters.odometry_noise_slip), np.zeros((n, 3))
    command = np.tile(twist, (n, 1))
    wheels, driven = wheel_commands(bodies, command), limited_twists(bodies, command)
    for tick in range(ticks):
        pose, measured = measure_all(bodies, pose, scale, wheels, driven,
                                     draw_slip(noise, 3, tick, WHEELS), noise, DT)
        yield pose, measured


def test_without_noise_it_is_the_motion_to_the_bit():
    bodies, pose, twist = body_arrays([OMNI]), np.zeros((1, 3)), np.array([[0.7, -0.6, 0.4]])
    driven = limited_twists(bodies, twist)
    for measured, of_wheels in drive(bodies, OdometryParameters(), 30, twist[0]):
        moved = pose.copy()
        move_omnidirectional(bodies, pose, driven, np.zeros((1, 2)), DT, moved)
        pose = moved
        np.testing.assert_array_equal(measured, pose)
        np.testing.assert_array_equal(of_wheels, twist)


@pytest.mark.parametrize('parameters', [
    OdometryParameters(0.002, 0.0), OdometryParameters(0.0, 0.001),
    OdometryParameters(0.002, 0.001)])
def test_the_covariance_is_the_spread_of_many_runs(parameters):
    bodies = body_arrays([OMNI] * MANY)
    covariances = OdometryCovariances(parameters, bodies.wheel_distance, DT, reaches(bodies))
    for tick, (pose, twist) in enumerate(drive(bodies, parameters, 60, (0.06, 0.05, 0.1)), 1):
        of_pose, of_twist = covariances.at(tick, pose, twist)
    for got, samples in ((of_pose, pose), (of_twist, twist)):
        spread = np.cov(samples.T)
        scale = np.sqrt(np.outer(np.diag(spread), np.diag(spread)))
        np.testing.assert_allclose(got.mean(axis=0) / scale, spread / scale, atol=0.06)


def test_robots_with_two_wheels_among_them_measure_what_they_did():
    """Their draws, and so their noise, do not depend on the others' drives."""
    bodies, parameters = body_arrays([ROBOT, OMNI, ROBOT]), OdometryParameters(0.01, 0.02)
    command = np.tile((0.5, 0.4, 0.3), (3, 1))
    noise = np.full(3, 0.02)
    scale, wheels = draw_wheel_scale(np.full(3, 0.01), 3, 2), wheel_commands(bodies, command)
    pose = np.zeros((3, 3))
    covariances = OdometryCovariances(parameters, bodies.wheel_distance, DT)
    mixed = OdometryCovariances(parameters, bodies.wheel_distance, DT, reaches(bodies))
    runs = drive(bodies, parameters, 20, (0.5, 0.4, 0.3))
    for tick, (measured, twist) in enumerate(runs, 1):
        pose, two = measure(bodies, pose, scale, wheels, draw_slip(noise, 3, tick - 1, 2), noise,
                            DT)
        np.testing.assert_array_equal(measured[[0, 2]], pose[[0, 2]])
        np.testing.assert_array_equal(twist[[0, 2]], two[[0, 2]])
        assert twist[0, 1] == 0.0
        assert twist[1, 1] != 0.0
        ours, theirs = mixed.at(tick, measured, twist), covariances.at(tick, pose, two)
        np.testing.assert_array_equal(ours[0][[0, 2]], theirs[0][[0, 2]])
        np.testing.assert_array_equal(ours[1][[0, 2]], theirs[1][[0, 2]])
    assert not np.array_equal(measured[1], pose[1])

"""First-order propagation of errors of wheel odometry, for any number of wheels.

The state is the pose and the relative error of each wheel's radius; slip is white noise. Thrun,
Burgard, Fox, Probabilistic Robotics, section 7.2 has the method.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit_inline
from sbot_sim.sensors.odometry import OdometryParameters

Array = NDArray[np.float64]

POSE = 3  # x, y (m), yaw (rad): the first of the state


def first_errors(parameters: OdometryParameters, robots: int, wheels: int) -> Array:
    """Return the covariance (N, 3 + W, 3 + W) at the start: known poses, unknown radii."""
    covariance = np.zeros((robots, POSE + wheels, POSE + wheels))
    radius = parameters.odometry_noise_radius
    for k in range(POSE, POSE + wheels):
        covariance[:, k, k] = radius * radius
    return covariance


@njit_inline
def propagate(before: Array, by_yaw_x: float, by_yaw_y: float, by_way: Array, ways: Array,
              noise_slip: float, step: Array, product: Array, after: Array) -> None:
    """Set the covariance of one robot after a tick.

    Parameters
    ----------
    before, after : (S, S) before and after the tick, S = 3 + W; two arrays
    by_yaw_x, by_yaw_y : how the new place depends on the yaw (m/rad)
    by_way : (3, W) how the new pose depends on the way of each wheel (1, 1, rad/m)
    ways : (W,) of the wheels (m)
    noise_slip : m for each square root of a metre
    step, product : (S, S) to work in

    """
    size, wheels = len(before), len(ways)
    step[:] = 0.0
    for i in range(size):
        step[i, i] = 1.0
    step[0, 2], step[1, 2] = by_yaw_x, by_yaw_y
    for i in range(POSE):
        for k in range(wheels):
            step[i, POSE + k] = by_way[i, k] * ways[k]
    for i in range(size):
        for j in range(size):
            product[i, j] = 0.0
            for k in range(size):
                product[i, j] += step[i, k] * before[k, j]
    for i in range(size):
        for j in range(size):
            total = 0.0
            for k in range(size):
                total += product[i, k] * step[j, k]
            if i < POSE and j < POSE:
                for k in range(wheels):
                    total += by_way[i, k] * by_way[j, k] * noise_slip * noise_slip * abs(ways[k])
            after[i, j] = total


def errors_of_twist(parameters: OdometryParameters,
                    wheels: Sequence[tuple[Array, Sequence[Array]]], dt: float) -> Array:
    """Return the covariance (N, D, D) of twists measured in one tick.

    Parameters
    ----------
    parameters : of the noise
    wheels : of each wheel the speed (N,) (m/s) and how the D numbers of the twist depend on it
    dt : s

    """
    speed, by_speed = wheels[0]
    covariance = np.zeros((len(speed), len(by_speed), len(by_speed)))
    slip = parameters.odometry_noise_slip
    for speed, by_speed in wheels:
        by_radius = parameters.odometry_noise_radius * speed
        variance = by_radius * by_radius + slip * slip * np.abs(speed) / dt
        for i, a in enumerate(by_speed):
            for j, b in enumerate(by_speed):
                covariance[:, i, j] += a * b * variance
    return covariance

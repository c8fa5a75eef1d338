"""Covariance of omnidirectional odometry: what the noise of four wheels leaves uncertain.

As ``odometry_covariance`` has it for two wheels: first-order propagation of the errors of the pose
and of the radii, seven numbers a robot, with slip as white noise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import sincos
from sbot_common.jit import njit
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.positioning.four_wheel_odometry import LATERAL, TURN, WHEELS

Array = NDArray[np.float64]

_STATES = 3 + WHEELS  # x, y (m), yaw (rad), relative errors of the radii


def first_four_wheel_covariance(parameters: OdometryParameters, robots: int) -> Array:
    """Return the covariance (M, 7, 7) at the start: the pose is known, the wheels are not."""
    covariance = np.zeros((robots, _STATES, _STATES))
    for k in range(3, _STATES):
        covariance[:, k, k] = parameters.odometry_noise_radius * parameters.odometry_noise_radius
    return covariance


@njit
def next_four_wheel_covariance(covariance: Array, yaw: Array, twist: Array, reach: Array,
                               noise_slip: float, dt: float) -> Array:
    """Return the covariance (M, 7, 7) after a tick; its first three rows are those of the pose.

    Parameters
    ----------
    covariance : (M, 7, 7) before the tick
    yaw : (M,) rad, of the odometry after the tick
    twist : (M, 3) measured in the tick: v (m/s), omega (rad/s), lateral speed (m/s)
    reach : (M,) m
    noise_slip : m for each square root of a metre
    dt : s

    """
    size = 3 + WHEELS
    after = np.empty_like(covariance)
    step, product = np.empty((size, size)), np.empty((size, size))
    ways, by_way = np.empty(WHEELS), np.empty((3, WHEELS))
    for robot in range(len(yaw)):
        forward, turn, sideways = (twist[robot, 0] * dt, twist[robot, 1] * dt,
                                   twist[robot, 2] * dt)
        sine, cosine = sincos(yaw[robot] - 0.5 * turn)
        by_yaw_x = -sine * forward - cosine * sideways
        by_yaw_y = cosine * forward - sine * sideways
        for k in range(WHEELS):
            ways[k] = forward + LATERAL[k] * sideways + TURN[k] * reach[robot] * turn
            by_turn = 0.25 * TURN[k] / reach[robot]
            by_way[0, k] = 0.25 * (cosine - LATERAL[k] * sine) + 0.5 * by_turn * by_yaw_x
            by_way[1, k] = 0.25 * (sine + LATERAL[k] * cosine) + 0.5 * by_turn * by_yaw_y
            by_way[2, k] = by_turn
        step[:] = 0.0
        for i in range(size):
            step[i, i] = 1.0
        step[0, 2], step[1, 2] = by_yaw_x, by_yaw_y
        for i in range(3):
            for k in range(WHEELS):
                step[i, 3 + k] = by_way[i, k] * ways[k]
        for i in range(size):
            for j in range(size):
                product[i, j] = 0.0
                for k in range(size):
                    product[i, j] += step[i, k] * covariance[robot, k, j]
        for i in range(size):
            for j in range(size):
                total = 0.0
                for k in range(size):
                    total += product[i, k] * step[j, k]
                if i < 3 and j < 3:
                    for k in range(WHEELS):
                        total += (by_way[i, k] * by_way[j, k]
                                  * noise_slip * noise_slip * abs(ways[k]))
                after[robot, i, j] = total
    return after


def four_wheel_twist_covariance(parameters: OdometryParameters, twist: Array, reach: Array,
                                dt: float) -> Array:
    """Return the covariance (M, 3, 3) of twists v, omega, lateral speed measured in one tick.

    Parameters
    ----------
    parameters : of the noise
    twist : (M, 3) m/s, rad/s, m/s
    reach : (M,) m
    dt : s

    """
    v, omega, lateral = twist.T
    covariance = np.zeros((len(twist), 3, 3))
    slip = parameters.odometry_noise_slip
    for across, along in zip(LATERAL, TURN, strict=True):
        speed = v + across * lateral + along * reach * omega
        by_radius = parameters.odometry_noise_radius * speed
        variance = by_radius * by_radius + slip * slip * np.abs(speed) / dt
        by_speed = np.stack([np.full_like(v, 0.25), 0.25 * along / reach,
                             np.full_like(v, 0.25 * across)])
        for i in range(3):
            for j in range(3):
                covariance[:, i, j] += by_speed[i] * by_speed[j] * variance
    return covariance

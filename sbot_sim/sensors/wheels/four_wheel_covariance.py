"""Covariance of omnidirectional odometry: what the noise of four wheels leaves uncertain.

As ``odometry_covariance`` has it for two wheels: the errors of the pose and of the radii, seven
numbers a robot, are propagated (``error_propagation``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_common.elementary import sincos
from sbot_common.twist import OMEGA, VX, VY
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.wheels.error_propagation import POSE, errors_of_twist, propagate
from sbot_sim.sensors.wheels.four_wheel_odometry import LATERAL, TURN, WHEELS

Array = NDArray[np.float64]

_STATES = POSE + WHEELS  # x, y (m), yaw (rad), relative errors of the radii


@njit
def next_four_wheel_covariance(covariance: Array, yaw: Array, twist: Array, reach: Array,
                               noise_slip: float, dt: float) -> Array:
    """Return the covariance (M, 7, 7) after a tick; its first three rows are those of the pose.

    Parameters
    ----------
    covariance : (M, 7, 7) before the tick
    yaw : (M,) rad, of the odometry after the tick
    twist : (M, 3) measured in the tick
    reach : (M,) m
    noise_slip : m for each square root of a metre
    dt : s

    """
    after = np.empty_like(covariance)
    step, product = np.empty((_STATES, _STATES)), np.empty((_STATES, _STATES))
    ways, by_way = np.empty(WHEELS), np.empty((POSE, WHEELS))
    for robot in range(len(yaw)):
        forward, sideways, turn = (twist[robot, VX] * dt, twist[robot, VY] * dt,
                                   twist[robot, OMEGA] * dt)
        sine, cosine = sincos(yaw[robot] - 0.5 * turn)
        by_yaw_x = -sine * forward - cosine * sideways
        by_yaw_y = cosine * forward - sine * sideways
        for k in range(WHEELS):
            ways[k] = forward + LATERAL[k] * sideways + TURN[k] * reach[robot] * turn
            by_turn = 0.25 * TURN[k] / reach[robot]
            by_way[0, k] = 0.25 * (cosine - LATERAL[k] * sine) + 0.5 * by_turn * by_yaw_x
            by_way[1, k] = 0.25 * (sine + LATERAL[k] * cosine) + 0.5 * by_turn * by_yaw_y
            by_way[2, k] = by_turn
        propagate(covariance[robot], by_yaw_x, by_yaw_y, by_way, ways, noise_slip, step, product,
                  after[robot])
    return after


def four_wheel_twist_covariance(parameters: OdometryParameters, twist: Array, reach: Array,
                                dt: float) -> Array:
    """Return the covariance (M, 3, 3) of twists measured in one tick.

    Parameters
    ----------
    parameters : of the noise
    twist : (M, 3)
    reach : (M,) m
    dt : s

    """
    vx, vy, omega = twist.T
    quarter = np.full_like(vx, 0.25)
    return errors_of_twist(parameters, [
        (vx + across * vy + along * reach * omega,
         (quarter, np.full_like(vx, 0.25 * across), 0.25 * along / reach))
        for across, along in zip(LATERAL, TURN, strict=True)], dt)

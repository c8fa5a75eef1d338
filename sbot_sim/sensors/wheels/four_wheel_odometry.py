"""Odometry of omnidirectional robots: pose estimate from four Mecanum wheels, with noise.

The errors of the wheels are those of ``odometry``: of each radius, constant, and slip. The twist
is the mean that fits the four wheels best (the pseudo-inverse of their equations; Taheri, Qiao,
Ghaeminezhad, 2015). Wheels are numbered front left, front right, rear left, rear right.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_common.twist import OMEGA, VX, VY
from sbot_sim.dynamics.omnidirectional import advance_twist
from sbot_sim.sensors.odometry import measure
from sbot_sim.world.bodies import BY_OMNIDIRECTIONAL, BodyArrays

Array = NDArray[np.float64]

WHEELS = 4
# Signs of the speed to the left, and of the turn rate times reach, in the speed of each wheel.
LATERAL = (-1.0, 1.0, 1.0, -1.0)
TURN = (-1.0, 1.0, -1.0, 1.0)


@njit
def reaches(bodies: BodyArrays) -> Array:
    """Return half track plus half wheelbase (N,) m; 0 for robots with two wheels."""
    return np.where(bodies.drive == BY_OMNIDIRECTIONAL,
                    0.5 * (bodies.wheel_distance + bodies.wheelbase), 0.0)


@njit
def measure_all(bodies: BodyArrays, odometry: Array, scale: Array, wheel_speed: Array,
                twist: Array, slip: Array, noise_slip: Array, dt: float) -> tuple[Array, Array]:
    """Return odometry poses (N, 3) and twists (N, 3) after one tick.

    Rows of robots with two wheels are those of ``odometry.measure``.

    Parameters
    ----------
    bodies : of N robots
    odometry : (N, 3) x, y (m), yaw (rad) in frame `odom`
    scale, slip : (N, 4) from ``odometry.draw_wheel_scale`` and ``draw_slip``; robots with two
        wheels use the first two
    wheel_speed : (N, 2) left, right (rad/s), from ``motion.wheel_commands``
    twist : (N, 3) driven, from ``omnidirectional.limited_twists``
    noise_slip : (N,) m for each square root of a metre
    dt : s

    """
    pose, measured = measure(bodies, odometry, scale[:, :2].copy(), wheel_speed,
                             slip[:, :2].copy(), noise_slip, dt)
    _measure_four(bodies, odometry, scale, twist, slip, noise_slip, dt, reaches(bodies), pose,
                  measured)
    return pose, measured


@njit
def _measure_four(bodies: BodyArrays, odometry: Array, scale: Array, twist: Array, slip: Array,
                  noise_slip: Array, dt: float, reach: Array, pose: Array,
                  measured: Array) -> None:
    """Set the rows of omnidirectional robots in ``pose`` (N, 3) and ``measured`` (N, 3).

    The wheels' errors are added to the twist driven: without noise it is measured to the bit.
    """
    for i in range(len(reach)):
        if bodies.drive[i] != BY_OMNIDIRECTIONAL:
            continue
        vx, vy, omega = twist[i, VX], twist[i, VY], twist[i, OMEGA]
        forward, sideways, turn = 0.0, 0.0, 0.0
        for k in range(WHEELS):
            true = vx + LATERAL[k] * vy + TURN[k] * reach[i] * omega
            way = true * scale[i, k]
            error = way - true + noise_slip[i] * math.sqrt(abs(way) / dt) * slip[i, k]
            forward += 0.25 * error
            turn += 0.25 * TURN[k] * error / reach[i]
            sideways += 0.25 * LATERAL[k] * error
        vx, vy, omega = vx + forward, vy + sideways, omega + turn
        measured[i, VX], measured[i, VY], measured[i, OMEGA] = vx, vy, omega
        pose[i, 0], pose[i, 1], pose[i, 2] = advance_twist(
            odometry[i, 0], odometry[i, 1], odometry[i, 2], vx, vy, omega, dt)

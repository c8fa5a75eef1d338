"""Covariance of wheel odometry: the uncertainty that its noise model causes.

The errors of the pose and of the radii of the wheels, 3 + W numbers for each robot, are propagated
to first order; slip is white noise (Thrun, Burgard, Fox, Probabilistic Robotics, section 7.2).
Wind, collisions and teleports move robots without their wheels: the covariance knows as little of
them as the odometry does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import sincos
from sbot_common.observation import OMEGA, VX, VY
from sbot_sim.drives.record import Wheeled
from sbot_sim.drives.registry import WHEELS, wheel_equation
from sbot_sim.sensors.odometry import OdometryParameters, most_wheels

Array = NDArray[np.float64]

_POSE = 3  # x, y (m), yaw (rad): the first numbers; then the relative errors of the radii


@njit
def next_covariance(bodies: Wheeled, covariance: Array, yaw: Array, twist: Array,
                    noise_slip: float, dt: float) -> Array:
    """Return the covariance (N, 3 + W, 3 + W) after a tick; its first three rows are of the pose.

    Parameters
    ----------
    bodies : of N robots
    covariance : (N, 3 + W, 3 + W) before the tick
    yaw : (N,) rad, of the odometry after the tick
    twist : (N, 3) that the wheels measured in the tick
    noise_slip : m for each square root of a metre
    dt : s

    """
    after, most = covariance.copy(), covariance.shape[1]
    step, product = np.empty((most, most)), np.empty((most, most))
    ways, by_way = np.empty(most - _POSE), np.empty((_POSE, most - _POSE))
    for i in range(len(yaw)):
        forward, sideways, turn = twist[i, VX] * dt, twist[i, VY] * dt, twist[i, OMEGA] * dt
        sine, cosine = sincos(yaw[i] - 0.5 * turn)
        # How the new place depends on the yaw (m/rad).
        by_yaw_x = -sine * forward - cosine * sideways
        by_yaw_y = cosine * forward - sine * sideways
        wheels = WHEELS[bodies.drive[i]]
        for k in range(wheels):
            a, b, c, p, q, r, lever = wheel_equation(bodies, i, k)
            ways[k] = a * forward + b * sideways + c * turn
            # How the new pose depends on the way of this wheel (1, 1, rad/m).
            by_way[0, k] = p * cosine - q * sine + 0.5 * (r * by_yaw_x / lever)
            by_way[1, k] = p * sine + q * cosine + 0.5 * (r * by_yaw_y / lever)
            by_way[2, k] = r / lever
        size = _POSE + wheels
        _propagate(covariance[i, :size, :size], by_yaw_x, by_yaw_y, by_way, ways[:wheels],
                   noise_slip, step, product, after[i])
    return after


@njit_inline
def _propagate(before: Array, by_yaw_x: float, by_yaw_y: float, by_way: Array, ways: Array,
               noise_slip: float, step: Array, product: Array, after: Array) -> None:
    """Set the covariance of one robot after a tick: step * before * step^T, and the slip.

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
    for i in range(_POSE):
        for k in range(wheels):
            step[i, _POSE + k] = by_way[i, k] * ways[k]
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
            if i < _POSE and j < _POSE:
                for k in range(wheels):
                    total += by_way[i, k] * by_way[j, k] * noise_slip * noise_slip * abs(ways[k])
            after[i, j] = total


@njit
def twist_covariance(bodies: Wheeled, twist: Array, noise_radius: float, noise_slip: float,
                     dt: float) -> Array:
    """Return the covariance (N, 3, 3) of twists (N, 3) measured in one tick.

    The noise is that of ``OdometryParameters``; ``dt`` is in s.
    """
    covariance = np.zeros((len(twist), _POSE, _POSE))
    for i in range(len(twist)):
        for wheel in range(WHEELS[bodies.drive[i]]):
            a, b, c, p, q, r, lever = wheel_equation(bodies, i, wheel)
            speed = a * twist[i, VX] + b * twist[i, VY] + c * twist[i, OMEGA]
            by_radius, by_speed = noise_radius * speed, (p, q, r / lever)
            variance = by_radius * by_radius + noise_slip * noise_slip * abs(speed) / dt
            for row in range(_POSE):
                for column in range(_POSE):
                    covariance[i, row, column] += by_speed[row] * by_speed[column] * variance
    return covariance


class OdometryCovariances:
    """Covariances of all robots, tick by tick; asked for at each tick once, or more often.

    Parameters
    ----------
    parameters : of the noise
    bodies : of N robots
    dt : s

    """

    def __init__(self, parameters: OdometryParameters, bodies: Wheeled, dt: float) -> None:
        self._parameters, self._bodies, self._dt = parameters, bodies, dt
        self.known = any(parameters)  # without noise all are zero
        self._begin()

    def _begin(self) -> None:
        """Begin with known poses and unknown radii."""
        states, radius = _POSE + most_wheels(self._bodies), self._parameters.odometry_noise_radius
        self._tick, self._all = 0, np.zeros((len(self._bodies.drive), states, states))
        for k in range(_POSE, states):
            self._all[:, k, k] = radius * radius

    def at(self, tick: int, odometry: Array, twist: Array) -> tuple[Array, Array]:
        """Return the covariances of the poses and of the twists at a tick, (N, 3, 3) each.

        A tick that is not later than the last begins a run: again at tick 0.

        Parameters
        ----------
        tick : from 0
        odometry : (N, 3) poses of the odometry at that tick, m, m, rad
        twist : (N, 3) that the wheels measured in the tick before

        """
        if tick < self._tick or tick == 0:
            self._begin()
        if tick > self._tick:
            self._all = next_covariance(
                self._bodies, self._all, np.ascontiguousarray(odometry[:, 2]), twist,
                self._parameters.odometry_noise_slip, (tick - self._tick) * self._dt)
            self._tick = tick
        return self._all[:, :_POSE, :_POSE], twist_covariance(
            self._bodies, twist, *self._parameters, self._dt)

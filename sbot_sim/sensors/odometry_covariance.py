"""Covariance of wheel odometry: what its own noise model leaves uncertain.

First-order propagation of the errors of the pose and of both wheels' radii (five numbers a
robot), with slip as white noise; Thrun, Burgard, Fox, Probabilistic Robotics, section 7.2 has the
method. Wind, collisions and teleports move robots without their wheels: the covariance knows as
little of them as the odometry does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import sincos
from sbot_common.jit import njit
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.positioning.four_wheel_covariance import (
    first_four_wheel_covariance,
    four_wheel_twist_covariance,
    next_four_wheel_covariance,
)

Array = NDArray[np.float64]

_STATES = 5  # x, y (m), yaw (rad), relative error of the left and the right wheel's radius


def first_covariance(parameters: OdometryParameters, robots: int) -> Array:
    """Return the covariance (N, 5, 5) at the start: the pose is known, the wheels are not."""
    covariance = np.zeros((robots, _STATES, _STATES))
    radius = parameters.odometry_noise_radius
    covariance[:, 3, 3] = covariance[:, 4, 4] = radius * radius
    return covariance


@njit
def next_covariance(covariance: Array, yaw: Array, twist: Array, wheel_distance: Array,
                    noise_slip: float, dt: float) -> Array:
    """Return the covariance (N, 5, 5) after a tick; its first three rows are those of the pose.

    Parameters
    ----------
    covariance : (N, 5, 5) before the tick
    yaw : (N,) rad, of the odometry after the tick
    twist : (N, 2) that the wheels measured in the tick, m/s, rad/s
    wheel_distance : (N,) m
    noise_slip : m for each square root of a metre
    dt : s

    """
    after = np.empty_like(covariance)
    step, product = np.empty((5, 5)), np.empty((5, 5))
    ways, by_way = np.empty(2), np.empty((3, 2))
    for robot in range(len(yaw)):
        width = wheel_distance[robot]
        way, turn = twist[robot, 0] * dt, twist[robot, 1] * dt
        ways[0], ways[1] = way - 0.5 * width * turn, way + 0.5 * width * turn
        sine, cosine = sincos(yaw[robot] - 0.5 * turn)
        # How the step depends on the way of the left and of the right wheel.
        for side in range(2):
            sign = 2.0 * side - 1.0
            by_way[0, side] = 0.5 * (cosine - sign * way * sine / width)
            by_way[1, side] = 0.5 * (sine + sign * way * cosine / width)
            by_way[2, side] = sign / width
        step[:] = 0.0
        for i in range(5):
            step[i, i] = 1.0
        step[0, 2], step[1, 2] = -way * sine, way * cosine
        for i in range(3):
            for side in range(2):
                step[i, 3 + side] = by_way[i, side] * ways[side]
        for i in range(5):
            for j in range(5):
                product[i, j] = 0.0
                for k in range(5):
                    product[i, j] += step[i, k] * covariance[robot, k, j]
        for i in range(5):
            for j in range(5):
                total = 0.0
                for k in range(5):
                    total += product[i, k] * step[j, k]
                if i < 3 and j < 3:
                    for side in range(2):
                        total += (by_way[i, side] * by_way[j, side]
                                  * noise_slip * noise_slip * abs(ways[side]))
                after[robot, i, j] = total
    return after


def twist_covariance(parameters: OdometryParameters, twist: Array, wheel_distance: Array,
                     dt: float) -> Array:
    """Return the covariance (N, 2, 2) of measured twists v (m/s), omega (rad/s) of one tick.

    Parameters
    ----------
    parameters : of the noise
    twist : (N, 2) m/s, rad/s
    wheel_distance : (N,) m
    dt : s

    """
    v, omega = twist.T
    covariance = np.zeros((len(twist), 2, 2))
    for sign in (-1.0, 1.0):  # left, right
        speed = v + sign * 0.5 * wheel_distance * omega
        by_radius = parameters.odometry_noise_radius * speed
        slip = parameters.odometry_noise_slip
        variance = by_radius * by_radius + slip * slip * np.abs(speed) / dt
        by_speed = np.stack([np.full_like(v, 0.5), sign / wheel_distance])
        for i in range(2):
            for j in range(2):
                covariance[:, i, j] += by_speed[i] * by_speed[j] * variance
    return covariance


class OdometryCovariances:
    """Covariances of all robots, tick by tick; asked for at each tick once, or more often.

    Parameters
    ----------
    parameters : of the noise
    wheel_distance : (N,) m
    dt : s
    reach : (N,) m of robots with four wheels, 0 for those with two; None: all have two

    """

    def __init__(self, parameters: OdometryParameters, wheel_distance: Array, dt: float,
                 reach: Array | None = None) -> None:
        self._parameters, self._width, self._dt = parameters, wheel_distance, dt
        self.known = any(parameters)  # without noise all are zero
        self._four = np.flatnonzero(reach) if reach is not None else None
        self._reach = np.empty(0) if reach is None else reach[reach > 0.0]
        self._begin()

    def _begin(self) -> None:
        self._tick = 0
        self._all = first_covariance(self._parameters, len(self._width))
        self._of_four = first_four_wheel_covariance(self._parameters, len(self._reach))

    def at(self, tick: int, odometry: Array, twist: Array) -> tuple[Array, Array]:
        """Return the covariances of the poses (N, 3, 3) and of the twists at a tick.

        Those of the twists are (N, 2, 2), or (N, 3, 3) with the speed to the left, as ``twist`` is
        wide. A tick that is not later than the last begins a run: again at tick 0.

        Parameters
        ----------
        tick : from 0
        odometry : (N, 3) poses of the odometry at that tick, m, m, rad
        twist : (N, 2) that the wheels measured in the tick before, m/s, rad/s, or (N, 3)

        """
        if tick < self._tick or tick == 0:
            self._begin()
        two, slip = np.ascontiguousarray(twist[:, :2]), self._parameters.odometry_noise_slip
        yaw, four = np.ascontiguousarray(odometry[:, 2]), self._four
        if tick > self._tick:
            elapsed = (tick - self._tick) * self._dt
            self._all = next_covariance(self._all, yaw, two, self._width, slip, elapsed)
            if four is not None:
                self._of_four = next_four_wheel_covariance(
                    self._of_four, yaw[four], twist[four], self._reach, slip, elapsed)
            self._tick = tick
        of_pose = self._all[:, :3, :3]
        of_twist = twist_covariance(self._parameters, two, self._width, self._dt)
        if four is None:
            return of_pose, of_twist
        of_pose, wide = of_pose.copy(), np.zeros((len(two), 3, 3))
        wide[:, :2, :2] = of_twist
        of_pose[four] = self._of_four[:, :3, :3]
        wide[four] = four_wheel_twist_covariance(self._parameters, twist[four], self._reach,
                                                 self._dt)
        return of_pose, wide

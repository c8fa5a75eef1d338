"""Covariance of wheel odometry: what its own noise model leaves uncertain.

The errors of the pose and of both wheels' radii, five numbers a robot, are propagated
(``wheels.error_propagation``). Wind, collisions and teleports move robots without their
wheels: the covariance knows as little of them as the odometry does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_common.elementary import sincos
from sbot_common.twist import OMEGA, VX
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.wheels.error_propagation import (
    POSE,
    errors_of_twist,
    first_errors,
    propagate,
)
from sbot_sim.sensors.wheels.four_wheel_covariance import (
    four_wheel_twist_covariance,
    next_four_wheel_covariance,
)
from sbot_sim.sensors.wheels.four_wheel_odometry import WHEELS

Array = NDArray[np.float64]

_WHEELS = 2
_STATES = POSE + _WHEELS  # x, y (m), yaw (rad), relative error of the left and the right radius


@njit
def next_covariance(covariance: Array, yaw: Array, twist: Array, wheel_distance: Array,
                    noise_slip: float, dt: float) -> Array:
    """Return the covariance (N, 5, 5) after a tick; its first three rows are those of the pose.

    Parameters
    ----------
    covariance : (N, 5, 5) before the tick
    yaw : (N,) rad, of the odometry after the tick
    twist : (N, 3) that the wheels measured in the tick
    wheel_distance : (N,) m
    noise_slip : m for each square root of a metre
    dt : s

    """
    after = np.empty_like(covariance)
    step, product = np.empty((_STATES, _STATES)), np.empty((_STATES, _STATES))
    ways, by_way = np.empty(_WHEELS), np.empty((POSE, _WHEELS))
    for robot in range(len(yaw)):
        width = wheel_distance[robot]
        way, turn = twist[robot, VX] * dt, twist[robot, OMEGA] * dt
        ways[0], ways[1] = way - 0.5 * width * turn, way + 0.5 * width * turn
        sine, cosine = sincos(yaw[robot] - 0.5 * turn)
        # How the step depends on the way of the left and of the right wheel.
        for side in range(2):
            sign = 2.0 * side - 1.0
            by_way[0, side] = 0.5 * (cosine - sign * way * sine / width)
            by_way[1, side] = 0.5 * (sine + sign * way * cosine / width)
            by_way[2, side] = sign / width
        propagate(covariance[robot], -way * sine, way * cosine, by_way, ways, noise_slip, step,
                  product, after[robot])
    return after


def twist_covariance(parameters: OdometryParameters, twist: Array, wheel_distance: Array,
                     dt: float) -> Array:
    """Return the covariance (N, 3, 3) of twists measured in one tick.

    Parameters
    ----------
    parameters : of the noise
    twist : (N, 3)
    wheel_distance : (N,) m
    dt : s

    """
    vx, omega = twist[:, VX], twist[:, OMEGA]
    half = np.full_like(vx, 0.5)
    return errors_of_twist(parameters, [
        (vx + sign * 0.5 * wheel_distance * omega,
         (half, np.zeros_like(vx), sign / wheel_distance))
        for sign in (-1.0, 1.0)], dt)  # left, right


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
        self._all = first_errors(self._parameters, len(self._width), _WHEELS)
        self._of_four = first_errors(self._parameters, len(self._reach), WHEELS)

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
        slip = self._parameters.odometry_noise_slip
        yaw, four = np.ascontiguousarray(odometry[:, 2]), self._four
        if tick > self._tick:
            elapsed = (tick - self._tick) * self._dt
            self._all = next_covariance(self._all, yaw, twist, self._width, slip, elapsed)
            if four is not None:
                self._of_four = next_four_wheel_covariance(
                    self._of_four, yaw[four], twist[four], self._reach, slip, elapsed)
            self._tick = tick
        of_pose = self._all[:, :3, :3]
        of_twist = twist_covariance(self._parameters, twist, self._width, self._dt)
        if four is None:
            return of_pose, of_twist
        of_pose = of_pose.copy()
        of_pose[four] = self._of_four[:, :3, :3]
        of_twist[four] = four_wheel_twist_covariance(self._parameters, twist[four], self._reach,
                                                     self._dt)
        return of_pose, of_twist

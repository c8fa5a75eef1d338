# SPDX-License-Identifier: Apache-2.0
"""Wheel odometry: pose estimate from any number of wheels, with noise.

It knows neither wind nor collisions, and starts at the origin of frame `odom`. With noise off it
is what the wheels drove. The noise has the two parts that wheels have: a constant error of each
wheel's radius, and slip, whose variance grows with the way travelled, so that it does not depend
on the length of a tick.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sbot_common.angles import decoded_yaw, quaternion_from_yaw
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary import copy_rows, sincos
from sbot_common.observation import OMEGA, VX, VY, Odometry
from sbot_common.params import Param
from sbot_common.random import ODOMETRY, WHEEL_RADIUS
from sbot_common.random.numbers import normals
from sbot_common.topics import ODOM
from sbot_sim.drives.record import Wheeled
from sbot_sim.drives.registry import COUNTED, DIFFERENTIAL, DRIVES, WHEELS, wheel_equation
from sbot_sim.dynamics.motion import Driven, advance_all, drive, to_twists, twist_rows
from sbot_sim.sensors.registry import Encode, Place, Sensor, decoded_as
from sbot_sim.world.bodies import drives_of
from sbot_sim.worlds.state import Batch, Setting, Worlds, shared


class OdometryParameters(NamedTuple):
    """Noise of wheel odometry; 0 is off."""

    odometry_noise_radius: Annotated[float, Param(
        '', 'Standard deviation of the relative error of the radius of each wheel, drawn once.',
        minimum=0.0, maximum=0.2)] = 0.0
    odometry_noise_slip: Annotated[float, Param(
        'sqrt(m)', 'Standard deviation of the measured distance of a wheel after 1 m; it grows '
        'with the square root of the distance.', minimum=0.0)] = 0.0


def most_wheels(bodies: Wheeled) -> int:
    """Return the number of wheels of the robot that has most."""
    return max(2, *(int(WHEELS[number]) for number in set(bodies.drive.tolist())))


@njit
def draw_wheel_scale(noise_radius: Floats, seed: int, wheels: int) -> Floats:
    """Return the constant error of the wheels (N, wheels): measured way / true way.

    Parameters
    ----------
    noise_radius : (N,) standard deviation of each robot's wheels; 0: nothing is drawn
    seed : of the noise
    wheels : of the robot with most of them

    """
    scale = _normals_where(noise_radius, seed, WHEEL_RADIUS, 0, wheels, 0)
    for i in range(len(noise_radius)):
        for k in range(wheels):
            scale[i, k] = 1.0 + noise_radius[i] * scale[i, k]
    return scale


@njit
def draw_slip(noise_slip: Floats, seed: int, tick: int, wheels: int, first: int = 0) -> Floats:
    """Return a tick's standard normal numbers (N, wheels); zeros where slip is off.

    Parameters are those of ``draw_wheel_scale``; ``first`` is the id of the first robot.
    """
    return _normals_where(noise_slip, seed, ODOMETRY, tick, wheels, first)


@njit_inner
def _normals_where(noise: Floats, seed: int, purpose: int, tick: int, wheels: int,
                   first: int) -> Floats:
    """Return standard normal numbers (N, wheels), zeros where there is no noise."""
    noisy = False
    for i in range(len(noise)):
        noisy |= noise[i] > 0.0
    if not noisy:
        return np.zeros((len(noise), wheels))
    normal = normals(seed, purpose, len(noise), tick, wheels, first)
    for i in range(len(noise)):
        if not noise[i] > 0.0:
            for k in range(wheels):
                normal[i, k] = 0.0
    return normal


@njit
def measure(bodies: Wheeled, odometry: Floats, scale: Floats, driven: Driven, slip: Floats,
            noise_slip: Floats, dt: float) -> tuple[Floats, Floats]:
    """Return the odometry poses (N, 3) after one tick, yaw in [-pi, pi), and the twists (N, 3).

    The twists are what the wheels claim to have done.

    Parameters
    ----------
    bodies : of N robots
    odometry : (N, 3) x, y (m), yaw (rad) in frame `odom`
    scale : (N, wheels) measured way / true way of each wheel
    driven : by ``motion.drive``
    slip : (N, wheels) standard normal numbers of this tick
    noise_slip : (N,) m for each square root of a metre
    dt : s

    """
    n = odometry.shape[0]
    twist, spread, slips = np.empty((3, n)), np.empty(n), False
    for i in range(n):
        slips |= noise_slip[i] != 0.0
    for side in range(2):
        measured, true = twist[VX if side == 0 else OMEGA], driven.rim[side]
        for i in range(n):
            measured[i] = true[i] * scale[i, side] + 0.0  # -0 is 0, as with slip
        if slips:
            for i in range(n):
                spread[i] = noise_slip[i] * math.sqrt(abs(measured[i]) / dt)
            for i in range(n):
                measured[i] += spread[i] * slip[i, side]
    to_twists(twist[VX], twist[OMEGA], bodies.wheel_distance, twist)
    for i in range(n):
        if COUNTED[bodies.drive[i]] > 0:
            twist[VX, i], twist[VY, i], twist[OMEGA, i] = _claimed(
                bodies, i, driven.own, scale, slip, noise_slip[i], dt)
    return advance_all(bodies.drive, odometry, twist, dt), twist_rows(bodies.drive, twist)


@njit_inner
def _claimed(bodies: Wheeled, i: int, driven: Floats, scale: Floats, slip: Floats,
             noise_slip: float, dt: float) -> tuple[float, float, float]:
    """Return the twist (vx, vy, omega) that fits what the wheels of robot ``i`` measure best.

    The wheels' errors are added to the twist driven: without noise it is measured bit for bit.
    """
    vx, vy, omega = driven[VX, i], driven[VY, i], driven[OMEGA, i]
    forward, sideways, turn = 0.0, 0.0, 0.0
    for k in range(COUNTED[bodies.drive[i]]):
        a, b, c, p, q, r, lever = wheel_equation(bodies, i, k)
        true = a * vx + b * vy + c * omega
        way = true * scale[i, k]
        error = way - true + noise_slip * math.sqrt(abs(way) / dt) * slip[i, k]
        forward += p * error
        sideways += q * error
        turn += r * error / lever
    return vx + forward, vy + sideways, omega + turn


@njit_inner
def _slips(first: int, end: int, a: int, z: int, setting: Setting, worlds: Worlds) -> Floats:
    """Return this tick's standard normal numbers (rows, wheels) of the wheels' slip."""
    n, slip = setting.robots, np.empty((z - a, setting.wheels))
    for k in range(first, end):
        low, high = max(a, k * n), min(z, (k + 1) * n)
        copy_rows(draw_slip(setting.noise_slip[low:high], worlds.seed[k], worlds.tick[k],
                            setting.wheels, low - k * n), slip[low - a:high - a])
    return slip


@shared
def _measure_odometry(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Measure odometry; before ``end_tick``, which counts the tick."""
    setting, worlds = batch.setting, batch.worlds
    drives = drives_of(setting.bodies, a, z)
    odometry, twist = measure(
        drives, worlds.odometry[a:z], worlds.wheel_scale[a:z],
        drive(drives, worlds.driven[a:z]),
        _slips(first, end, a, z, setting, worlds), setting.noise_slip[a:z], setting.dt)
    copy_rows(odometry, worlds.odometry[a:z])
    copy_rows(twist, worlds.odometry_twist[a:z])

_POSE = 3  # x, y (m), yaw (rad): the first numbers; then the relative errors of the radii


@njit
def _next_covariance(bodies: Wheeled, covariance: Floats, yaw: Floats, twist: Floats,
                     noise_slip: Floats, dt: float) -> Floats:
    """Return the covariance (N, 3 + W, 3 + W) after a tick; its first three rows are of the pose.

    Parameters
    ----------
    bodies : of N robots
    covariance : (N, 3 + W, 3 + W) before the tick
    yaw : (N,) rad, of the odometry after the tick
    twist : (N, 3) that the wheels measured in the tick
    noise_slip : (N,) m for each square root of a metre
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
                   noise_slip[i], step, product, after[i])
    return after


@njit_inline
def _propagate(before: Floats, by_yaw_x: float, by_yaw_y: float, by_way: Floats, ways: Floats,
               noise_slip: float, step: Floats, product: Floats, after: Floats) -> None:
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
def _twist_covariance(bodies: Wheeled, twist: Floats, noise_radius: Floats, noise_slip: Floats,
                      dt: float) -> Floats:
    """Return the covariance (N, 3, 3) of twists (N, 3) measured in one tick.

    The noise (N,) is that of ``OdometryParameters``; ``dt`` is in s.
    """
    covariance = np.zeros((len(twist), _POSE, _POSE))
    for i in range(len(twist)):
        for wheel in range(WHEELS[bodies.drive[i]]):
            a, b, c, p, q, r, lever = wheel_equation(bodies, i, wheel)
            speed = a * twist[i, VX] + b * twist[i, VY] + c * twist[i, OMEGA]
            by_radius, by_speed = noise_radius[i] * speed, (p, q, r / lever)
            variance = by_radius * by_radius + noise_slip[i] * noise_slip[i] * abs(speed) / dt
            for row in range(_POSE):
                for column in range(_POSE):
                    covariance[i, row, column] += by_speed[row] * by_speed[column] * variance
    return covariance


class OdometryCovariances:
    """Covariances of all robots, tick by tick; asked for at each tick once, or more often.

    Parameters
    ----------
    parameters : of the noise of each of N robots
    bodies : of the robots
    dt : s

    """

    def __init__(self, parameters: Sequence[OdometryParameters], bodies: Wheeled,
                 dt: float) -> None:
        self._bodies, self._dt = bodies, dt
        self._radius = np.array([each.odometry_noise_radius for each in parameters])
        self._slip = np.array([each.odometry_noise_slip for each in parameters])
        self.known = any(any(each) for each in parameters)  # without noise all are zero
        self._begin()

    def _begin(self) -> None:
        """Begin with known poses and unknown radii."""
        states = _POSE + most_wheels(self._bodies)
        self._tick, self._all = 0, np.zeros((len(self._bodies.drive), states, states))
        for k in range(_POSE, states):
            self._all[:, k, k] = self._radius * self._radius

    def at(self, tick: int, odometry: Floats, twist: Floats) -> tuple[Floats, Floats]:
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
            self._all = _next_covariance(
                self._bodies, self._all, np.ascontiguousarray(odometry[:, 2]), twist,
                self._slip, (tick - self._tick) * self._dt)
            self._tick = tick
        return self._all[:, :_POSE, :_POSE], _twist_covariance(
            self._bodies, twist, self._radius, self._slip, self._dt)


class WheelStates:
    """Angles and speeds of the wheels of robots with two, as odometry measures them.

    Parameters
    ----------
    bodies : of N robots
    dt : s

    """

    def __init__(self, bodies: Wheeled, dt: float) -> None:
        self.robots = np.flatnonzero(bodies.drive == DRIVES.index(DIFFERENTIAL)).tolist()
        self._radius = bodies.wheel_radius[self.robots, np.newaxis]
        self._lever = 0.5 * np.outer(bodies.wheel_distance[self.robots], (-1.0, 1.0))
        self._dt, self._tick, self._angle = dt, 0, np.zeros((len(self.robots), 2))

    def at(self, tick: int, twist: Floats) -> tuple[Floats, Floats]:
        """Return angles (M, 2) rad and speeds (M, 2) rad/s, left and right, of M ``robots``.

        As ``OdometryCovariances.at``; the angles grow from 0 at tick 0.
        """
        own = twist[self.robots]
        speed: Floats = (own[:, VX, np.newaxis]
                         + self._lever * own[:, OMEGA, np.newaxis]) / self._radius
        if tick < self._tick or tick == 0:
            self._tick, self._angle = 0, np.zeros_like(speed)
        self._angle = self._angle + (tick - self._tick) * self._dt * speed
        self._tick = tick
        return self._angle, speed


def _observe(snapshot: Any, _: Any, robot: int) -> Odometry:  # noqa: ANN401
    x, y, yaw = snapshot.odometry[robot].tolist()
    vx, vy, omega = snapshot.odometry_twist[robot].tolist()
    return Odometry(x, y, decoded_yaw(yaw), vx, omega, vy)


def _encoder(place: Place) -> Encode:
    from sbot_common.wire.templates import OdometryTemplate
    templates = [OdometryTemplate(place.frame('odom', i), place.frame('base_link', i))
                 for i in range(place.num_robots)]
    for template in templates:
        template.raise_variances(place.variance_floor)
    written: Any = None  # the snapshot whose covariances the templates have

    def encode(stamp_ns: int, snapshot: Any, robot: int) -> bytes:  # noqa: ANN401
        nonlocal written
        if place.covariances is not None and written is not snapshot:
            written = snapshot
            for template, of_pose, of_twist in zip(templates, *place.covariances.at(
                    snapshot.tick, snapshot.odometry, snapshot.odometry_twist), strict=True):
                template.set_covariances(of_pose, of_twist)
                template.raise_variances(place.variance_floor)
        x, y, yaw = snapshot.odometry[robot].tolist()
        return templates[robot].fill(stamp_ns, x, y, *quaternion_from_yaw(yaw),
                                     *snapshot.odometry_twist[robot].tolist())
    return encode


SENSOR = Sensor('odometry', '(N, 3) x, y (m), yaw (rad) by the wheels, frame `odom`', ODOM,
                decoded_as('odometry'), settings=OdometryParameters(), order=(20, 20),
                encoder=_encoder, observe=_observe, keep=lambda snapshot: snapshot.odometry,
                arrays={'odometry': 'odometry', 'odometry_twist': 'odometry_twist'},
                driving=lambda _: [_measure_odometry])

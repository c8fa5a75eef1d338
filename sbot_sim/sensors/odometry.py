"""Wheel odometry: pose estimate from any number of wheels, with noise.

It knows neither wind nor collisions, and starts at the origin of frame `odom`. With noise off it
is what the wheels drove. The noise has the two parts that wheels have: a constant error of each
wheel's radius, and slip, whose variance grows with the way travelled, so that it does not depend
on the length of a tick.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.observation import OMEGA, VX, VY
from sbot_common.params import Param
from sbot_common.random.generators import ODOMETRY, WHEEL_RADIUS
from sbot_common.random.numbers import normals
from sbot_sim.drives.record import Wheeled
from sbot_sim.drives.registry import COUNTED, WHEELS, wheel_equation
from sbot_sim.dynamics.motion import Driven, advance_all, to_twists, twist_rows

Array = NDArray[np.float64]


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
def draw_wheel_scale(noise_radius: Array, seed: int, wheels: int) -> Array:
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
def draw_slip(noise_slip: Array, seed: int, tick: int, wheels: int, first: int = 0) -> Array:
    """Return a tick's standard normal numbers (N, wheels); zeros where slip is off.

    Parameters are those of ``draw_wheel_scale``; ``first`` is the id of the first robot.
    """
    return _normals_where(noise_slip, seed, ODOMETRY, tick, wheels, first)


@njit_inner
def _normals_where(noise: Array, seed: int, purpose: int, tick: int, wheels: int,
                   first: int) -> Array:
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
def measure(bodies: Wheeled, odometry: Array, scale: Array, driven: Driven, slip: Array,
            noise_slip: Array, dt: float) -> tuple[Array, Array]:
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
def _claimed(bodies: Wheeled, i: int, driven: Array, scale: Array, slip: Array,
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

"""Wheel odometry: pose estimate from the wheels alone, with noise.

It knows neither wind nor collisions, and starts at the origin of frame `odom`. With noise off it
is equation (4) of document 002 applied to what the wheels turned. The noise has the two parts that
wheels have: a constant error of each wheel's radius, and slip, whose variance grows with the way
travelled, so that it does not depend on the length of a tick.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_common.params import Param
from sbot_sim.dynamics.motion import advance_all, ground_speeds, to_twists, twist_rows
from sbot_sim.sensors.rng_array import States, next_normals
from sbot_sim.world.bodies import BodyArrays

Array = NDArray[np.float64]


class OdometryParameters(NamedTuple):
    """Noise of wheel odometry; 0 is off."""

    odometry_noise_radius: Annotated[float, Param(
        '', 'Standard deviation of the relative error of the radius of each wheel, drawn once.',
        minimum=0.0, maximum=0.2, at_runtime=False)] = 0.0
    odometry_noise_slip: Annotated[float, Param(
        'sqrt(m)', 'Standard deviation of the error of the way that a wheel measures over 1 m; it '
        'grows with the square root of the way.', minimum=0.0, at_runtime=False)] = 0.0


@njit
def draw_wheel_scale(noise_radius: Array, states: States) -> Array:
    """Return the constant error of the wheels (N, 2), left, right: measured way / true way.

    Parameters
    ----------
    noise_radius : (N,) standard deviation of each robot's wheels
    states : (N, 4) generators of stream ODOMETRY; used only if there is noise, two draws each

    """
    scale = np.ones((len(noise_radius), 2))
    for i in range(len(noise_radius)):
        if noise_radius[i] > 0.0:
            left, right = next_normals(states, i)
            scale[i, 0] += noise_radius[i] * left
            scale[i, 1] += noise_radius[i] * right
    return scale


@njit
def draw_slip(noise_slip: Array, states: States) -> Array:
    """Return this tick's standard normal numbers (N, 2), two a robot; zeros where slip is off."""
    slip = np.zeros((len(noise_slip), 2))
    for i in range(len(noise_slip)):
        if noise_slip[i] > 0.0:
            slip[i, 0], slip[i, 1] = next_normals(states, i)
    return slip


@njit
def measure(bodies: BodyArrays, odometry: Array, scale: Array, wheel_speed: Array, slip: Array,
            noise_slip: Array, dt: float) -> tuple[Array, Array]:
    """Return the odometry poses (N, 3) after one tick, yaw in [-pi, pi), and the twists (N, 3).

    The twists are what the wheels claim to have done.

    Parameters
    ----------
    bodies : of N robots
    odometry : (N, 3) x, y (m), yaw (rad) in frame `odom`
    scale : (N, 2) measured way / true way of the left and right wheel
    wheel_speed : (N, 2) left, right (rad/s), saturated here
    slip : (N, 2) standard normal numbers of this tick
    noise_slip : (N,) m for each square root of a metre
    dt : s

    """
    n = odometry.shape[0]
    twist, spread, slips = np.empty((2, n)), np.empty(n), False
    for i in range(n):
        slips |= noise_slip[i] != 0.0
    for side in range(2):
        measured = twist[side]
        ground_speeds(bodies, wheel_speed, side, measured)
        for i in range(n):
            measured[i] = measured[i] * scale[i, side] + 0.0  # -0 is 0, as with slip
        if slips:
            for i in range(n):
                spread[i] = noise_slip[i] * math.sqrt(abs(measured[i]) / dt)
            for i in range(n):
                measured[i] += spread[i] * slip[i, side]
    to_twists(twist, bodies.wheel_distance)
    return advance_all(odometry, twist, dt), twist_rows(twist)

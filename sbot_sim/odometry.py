"""Wheel odometry: where the wheels alone say the robot is. It knows neither wind nor collisions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit
from sbot_common.specs import Spec, check_all
from sbot_sim.bodies import BodyArrays
from sbot_sim.generators import States, normals
from sbot_sim.motion import advance, body_twists, wrap_yaw

Array = NDArray[np.float64]

_TEXT = 'Standard deviation of the error in {}, which grows like a random walk.'

ODOMETRY_SPECS: tuple[Spec, ...] = (
    Spec('odometry_noise_distance', 0.0, 'm per root of m', _TEXT.format('distance over distance'),
         minimum=0.0),
    Spec('odometry_noise_turn', 0.0, 'rad per root of rad', _TEXT.format('angle over angle turned'),
         minimum=0.0),
    Spec('odometry_noise_drift', 0.0, 'rad per root of m', _TEXT.format('angle over distance'),
         minimum=0.0),
)


class OdometryParameters(NamedTuple):
    """How inexact the wheels are; errors do not depend on the length of a tick."""

    noise_distance: float  # m per root of m
    noise_turn: float  # rad per root of rad
    noise_drift: float  # rad per root of m

    @property
    def exact(self) -> bool:
        """Whether there is no noise at all."""
        return self == (0.0, 0.0, 0.0)


def make_odometry_parameters(given: Mapping[str, object], where: str = '') -> OdometryParameters:
    """Return the parameters for a mapping of ``ODOMETRY_SPECS`` names; defaults for the rest.

    Raises
    ------
    InputError
        for an unknown name or a bad value.

    """
    values = check_all(ODOMETRY_SPECS, given, where)
    return OdometryParameters(*(values[spec.name] for spec in ODOMETRY_SPECS))


def advance_odometry(parameters: OdometryParameters, bodies: BodyArrays, odometry: Array,
                     wheel_speed: Array, dt: float, generators: States) -> tuple[Array, Array]:
    """Return the odometry one tick later and what the wheels claim to have done.

    Parameters
    ----------
    parameters : noise
    bodies : of N robots
    odometry : (N, 3) x, y (m), yaw (rad) in frame `odom`
    wheel_speed : (N, 2) left, right (rad/s)
    dt : s
    generators : of stream ODOMETRY; with noise, each gives two numbers a tick

    Returns
    -------
    (N, 3) as ``odometry``; (N, 2) m/s, rad/s

    """
    n = odometry.shape[0]
    noise = np.zeros((n, 2)) if parameters.exact else normals(generators, 2)
    twist = _noisy(parameters, body_twists(bodies, wheel_speed), noise, dt)
    return _integrate(odometry, twist, dt), twist


@njit
def _noisy(parameters: OdometryParameters, twist: Array, noise: Array, dt: float) -> Array:
    out = np.empty_like(twist)
    for i in range(twist.shape[0]):
        distance, angle = abs(twist[i, 0]) * dt, abs(twist[i, 1]) * dt
        spread = parameters.noise_distance * math.sqrt(distance)
        turn_variance = (parameters.noise_turn * parameters.noise_turn * angle
                         + parameters.noise_drift * parameters.noise_drift * distance)
        out[i, 0] = twist[i, 0] + spread * noise[i, 0] / dt
        out[i, 1] = twist[i, 1] + math.sqrt(turn_variance) * noise[i, 1] / dt
    return out


@njit
def _integrate(odometry: Array, twist: Array, dt: float) -> Array:
    out = np.empty_like(odometry)
    for i in range(odometry.shape[0]):
        # With wheels a metre apart the difference of their speeds is the turn rate.
        half = 0.5 * twist[i, 1]
        x, y, yaw = advance(odometry[i, 0], odometry[i, 1], odometry[i, 2], twist[i, 0] - half,
                            twist[i, 0] + half, 1.0, dt)
        out[i, 0], out[i, 1], out[i, 2] = x, y, wrap_yaw(yaw)
    return out

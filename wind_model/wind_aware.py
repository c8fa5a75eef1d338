# SPDX-License-Identifier: Apache-2.0
"""Controllers of document 000: constant forward speed, and the wind triangle against the wind."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sbot_common.angles import wrap_angle
from sbot_common.compiled.jit import njit
from sbot_common.elementary import asin, atan2, sincos
from sbot_common.observation import Observation
from sbot_common.params import Param, updated

# Wind triangle: crab heading that compensates for the wind.

@njit
def _crab_heading(direction: float, speed: float, wind_x: float, wind_y: float) -> float:
    """Return the heading (rad) with which ``speed`` along it plus wind follows a direction.

    The part of the drive across the direction cancels the wind across it. A wind across that is
    stronger than the drive cannot be cancelled: then the robot heads straight against that part.
    A robot without speed heads along the direction. Document 000 section 4.1 gives the motion,
    this is its inverse.

    Parameters
    ----------
    direction : rad, frame `map`
    speed : m/s along the heading, >= 0
    wind_x, wind_y : m/s, effective wind, frame `map`

    """
    if not speed > 0.0:
        return wrap_angle(direction)
    sine, cosine = sincos(direction)
    across = cosine * wind_y - sine * wind_x
    return wrap_angle(direction - asin(min(1.0, max(-1.0, across / speed))))


@njit
def _published_heading(direction: float, speed: float, wind_x: float, wind_y: float) -> float:
    """Return the heading (rad) along the difference of track and wind, each over ``speed``.

    The heading of document 000's published controller. It does not cancel the wind across, yet
    makes way along the track also where the wind across is stronger than the drive
    (docs/errata.md W8). Parameters are those of ``_crab_heading``.
    """
    if not speed > 0.0:
        return wrap_angle(direction)
    sine, cosine = sincos(direction)
    x, y = cosine - wind_x / speed, sine - wind_y / speed
    if x == 0.0 and y == 0.0:
        return wrap_angle(direction)
    return atan2(y, x)


@njit
def _turn_rate(yaw: float, heading: float, gain: float, limit: float, dt: float) -> float:
    """Return the angular velocity (rad/s) that turns from yaw to heading (rad) the short way.

    Proportional to the difference by ``gain`` (1/s), at most ``limit`` (rad/s), and never so fast
    that a tick of ``dt`` (s) overshoots.
    """
    difference = wrap_angle(heading - yaw)
    return min(limit, max(-limit, min(gain, 1.0 / dt) * difference))


_CANCEL, _PUBLISHED = range(2)


class WindAwareParameters(NamedTuple):
    """Parameters of the wind-aware controller: speed, direction, turn rate."""

    velocity: Annotated[float, Param(
        'm/s', 'Speed along the heading.', '000 section 5.1', 0.0)] = 0.10
    direction: Annotated[float, Param(
        'rad', 'Direction to follow over ground, in `map`; a goal replaces it.',
        '000 section 1')] = 0.0
    turn_gain: Annotated[float, Param(
        '1/s', 'Turn rate per radian of heading error.', minimum=0.0)] = 5.0
    max_turn_rate: Annotated[float, Param(
        'rad/s', 'Largest turn rate.', minimum=0.0)] = 3.0
    goal_tolerance: Annotated[float, Param(
        'm', 'A robot at most this far from its goal has arrived and stands still.',
        minimum=0.0)] = 0.05
    law: Annotated[int, Param(
        '', 'cancel: the heading cancels the wind across the track; published: the heading is '
        'along the difference of track and wind.', choices=('cancel', 'published'))] = _CANCEL


class AirResistance:
    """The base behaviour: always forwards at ``velocity``, wherever the wind takes the robot."""

    def __init__(self, velocity: float = WindAwareParameters().velocity) -> None:
        self._velocity = updated(WindAwareParameters(), {'velocity': velocity}).velocity

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (``velocity`` in m/s, 0)."""
        return self._velocity, 0.0


class WindAware:
    """Turns to a crab heading, so that drive plus effective wind follows a direction.

    Parameters
    ----------
    parameters : to start from, already checked; None: the defaults
    given : values that replace some of them, by name

    Raises
    ------
    InputError
        for an unknown name or a bad value

    """

    def __init__(self, parameters: WindAwareParameters | None = None, **given: object) -> None:
        self._parameters = updated(parameters or WindAwareParameters(), given, _where)

    def set_parameters(self, **changes: object) -> None:
        """Change parameters from the next step on; raise InputError and change nothing if bad."""
        self._parameters = updated(self._parameters, changes, _where)

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s)."""
        p = self._parameters
        x, y, yaw = (float(c) for c in observation.poses[observation.robot_id])
        direction = p.direction
        if observation.goal is not None:
            to_x, to_y = observation.goal[0] - x, observation.goal[1] - y
            if math.sqrt(to_x * to_x + to_y * to_y) <= p.goal_tolerance:
                return 0.0, 0.0
            direction = atan2(to_y, to_x)
        law = _published_heading if p.law == _PUBLISHED else _crab_heading
        heading = law(direction, p.velocity, *observation.wind)
        return p.velocity, _turn_rate(yaw, heading, p.turn_gain, p.max_turn_rate, observation.dt)


def _where(name: str) -> str:
    return f'wind_aware: {name}'

"""The controllers of document 000: one drives straight on, one allows for the wind."""

from __future__ import annotations

import math

import numpy as np

from sbot_common.observation import Observation
from sbot_common.params import Spec, check_all
from wind_model.crab import crab_heading, turn_rate

VELOCITY_SPEC = Spec('velocity', 0.10, 'm/s', 'Speed along the heading.', '000 section 5.1', 0.0)

AIR_RESISTANCE_SPECS = (VELOCITY_SPEC,)

WIND_AWARE_SPECS = (
    VELOCITY_SPEC,
    Spec('direction', 0.0, 'rad', 'Direction to follow over ground, in `map`; a goal replaces it.',
         '000 section 1'),
    Spec('turn_gain', 5.0, '1/s', 'Angular velocity for each radian off the heading.',
         minimum=0.0),
    Spec('max_turn_rate', 3.0, 'rad/s', 'Greatest angular velocity.', minimum=0.0),
    Spec('goal_tolerance', 0.05, 'm', 'A goal no farther away is reached: the robot stands still.',
         minimum=0.0),
)


class AirResistance:
    """The base behaviour: always forwards at ``velocity``, wherever the wind takes the robot."""

    def __init__(self, velocity: float = VELOCITY_SPEC.default) -> None:  # type: ignore[assignment]
        self._velocity = check_all(AIR_RESISTANCE_SPECS, {'velocity': velocity})['velocity']

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (``velocity`` in m/s, 0)."""
        return self._velocity, 0.0


class WindAware:
    """Turns to a crab heading, so that drive plus effective wind follows a direction.

    Parameters
    ----------
    given : values for ``WIND_AWARE_SPECS``, by name

    Raises
    ------
    InputError
        for an unknown name or a bad value

    """

    def __init__(self, **given: float) -> None:
        self._values = check_all(WIND_AWARE_SPECS, given, 'wind_aware: ')

    def set_parameters(self, **changes: float) -> None:
        """Change parameters from the next step on; raise InputError and change nothing if bad."""
        self._values = check_all(WIND_AWARE_SPECS, {**self._values, **changes}, 'wind_aware: ')

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s)."""
        values = self._values
        x, y, yaw = (float(c) for c in observation.poses[observation.robot_id])
        direction, velocity = values['direction'], values['velocity']
        if observation.goal is not None:
            to_x, to_y = observation.goal[0] - x, observation.goal[1] - y
            if math.sqrt(to_x * to_x + to_y * to_y) <= values['goal_tolerance']:
                return 0.0, 0.0
            direction = math.atan2(to_y, to_x)
        heading = crab_heading(direction, velocity, *observation.wind)
        return velocity, turn_rate(yaw, heading, values['turn_gain'], values['max_turn_rate'],
                                   observation.dt)

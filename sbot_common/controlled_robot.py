"""One robot's controller, generator and goal: inputs in, command and announcements out.

A node, an in-process run and a replay drive their robots through this class: observations are
built, and goals announced, here only.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sbot_common.clock import Rate
from sbot_common.errors import bad_value
from sbot_common.observation import (
    Controller,
    GoalKeeper,
    Inputs,
    Observation,
    Point,
    make_observation,
)
from sbot_common.topics import GOAL, GOAL_REACHED, Topic

LEADER = 0  # id of the robot that announces goals, where controllers keep their own


class Decision(NamedTuple):
    """What a controller's step leads to."""

    command: tuple[float, float]  # linear.x (m/s), angular.z (rad/s)
    announced: list[tuple[Topic, Point]]  # published before the command; goals (m)


class ControlledRobot:
    """A controller with all that its steps depend on beside inputs.

    Parameters
    ----------
    robot_id : which robot it drives
    controller : new, or reset
    rng : the robot's own generator
    goal : x, y (m) at the start
    rate : of the simulation

    """

    def __init__(self, robot_id: int, controller: Controller, rng: np.random.Generator,
                 goal: Point | None, rate: Rate) -> None:
        self.robot_id = robot_id
        self.controller = controller
        self.keeper = controller if isinstance(controller, GoalKeeper) else None
        self.goal = goal
        self._rng, self._rate = rng, rate
        self._goal_is_new = goal is not None

    def set_goal(self, x: float, y: float) -> None:
        """Send the robot to (x, y) (m, `map`) from its next step on.

        Raises
        ------
        InputError
            if the goal is not finite.

        """
        self.goal = checked_goal(x, y)
        self._goal_is_new = True
        if self.keeper is not None:
            self.keeper.set_goal(*self.goal)

    def step(self, inputs: Inputs) -> Decision:
        """Ask the controller for a command; say which goal is new, and which is reached.

        A goal is announced with the command of the first step that knows it. Of controllers that
        keep their goals only the leader's does so: followers have none.

        Raises
        ------
        InputError
            if the controller answers anything else than two finite numbers.

        """
        observation = make_observation(self.robot_id, self._rate, self.goal, inputs)
        keeper = self.keeper
        known = 0 if keeper is None else keeper.goals
        command = ask(self.controller, observation, self._rng)
        if keeper is None:
            events = [(GOAL, self.goal if self._goal_is_new else None)]
        elif self.robot_id == LEADER:
            events = [(GOAL_REACHED, keeper.just_reached),
                      (GOAL, keeper.goal if keeper.goals != known else None)]
        else:
            events = []
        self._goal_is_new = False
        return Decision(command, [(topic, goal) for topic, goal in events if goal is not None])


def ask(controller: Controller, observation: Observation,
        rng: np.random.Generator) -> tuple[float, float]:
    """Return the controller's command: linear.x (m/s), angular.z (rad/s).

    Raises
    ------
    InputError
        if it answers anything else than two finite numbers.

    """
    answer: Any = controller.step(observation, rng)
    try:
        v, omega = answer
        command = float(v), float(omega)
        good = math.isfinite(command[0]) and math.isfinite(command[1])
    except (TypeError, ValueError):
        good = False
    if not good:
        raise bad_value(f'robot {observation.robot_id} at tick {observation.tick}: '
                        f'{type(controller).__name__}.step()', answer,
                        'two finite numbers (m/s, rad/s)')
    return command


def checked_goal(x: float, y: float) -> Point:
    """Return the goal (m) as two floats, or raise InputError if it is not finite."""
    try:
        goal = float(x), float(y)
    except (TypeError, ValueError):
        raise bad_value('goal', (x, y), 'two finite numbers (m)') from None
    if not (math.isfinite(goal[0]) and math.isfinite(goal[1])):
        raise bad_value('goal', goal, 'two finite numbers (m)')
    return goal

# SPDX-License-Identifier: Apache-2.0
"""One robot's controller, generator and goal: inputs in, command and announcements out.

A node, an in-process run and a replay drive their robots through this class: observations are
built, and goals announced, here only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import Rate
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import (
    FIELDS,
    STOP,
    Controller,
    GoalKeeper,
    Observation,
    Point,
    Twist,
    make_observation,
)
from sbot_common.random.numbers import TickGenerator
from sbot_common.topics import GOAL, GOAL_REACHED, Topic
from sbot_common.user_code import call_user_code

MOST_BYTES = 9  # that a controller broadcasts; before them goes the robot's radius
LEADER = 0  # id of the robot that announces goals, where controllers keep their own


class Decision(NamedTuple):
    """What a controller's step leads to."""

    command: Twist
    announced: list[tuple[Topic, Point]]  # published before the command; goals (m)
    data: bytes | None = None  # to broadcast from now on; None: what was before


class ControlledRobot:
    """A controller with all that its steps depend on beside inputs.

    Parameters
    ----------
    robot_id : which robot it drives
    controller : new, or reset
    rng : the robot's own; each step draws the numbers of its tick
    goal : x, y (m) at the start
    rate : of the simulation
    holonomic : whether its drive moves it to the side, too
    sensors : names of all there are, also of those that the robot does not have

    """

    def __init__(self, robot_id: int, controller: Controller, rng: TickGenerator,
                 goal: Point | None, rate: Rate, holonomic: bool = False,
                 sensors: Iterable[str] = ()) -> None:
        self.robot_id = robot_id
        self.controller = controller
        self.keeper = controller if isinstance(controller, GoalKeeper) else None
        self.goal = goal
        self.rng, self._rate, self._holonomic = rng, rate, holonomic
        self._others = [name for name in sensors if name not in FIELDS]
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

    def observe(self, stamp_ns: int, poses: NDArray[np.float64],
                sensed: Mapping[str, Any]) -> Observation:
        """Return what the controller is given; the parameters are as in ``make_observation``."""
        return make_observation(self.robot_id, self._rate, self.goal, stamp_ns, poses, sensed,
                                self._others)

    def step(self, stamp_ns: int, poses: NDArray[np.float64],
             sensed: Mapping[str, Any]) -> Decision:
        """Ask the controller for a command; say which goal is new, and which is reached.

        The parameters are those of ``make_observation``. The controller of a robot that is not in
        the world, whose x is NaN, is not asked.

        A goal is announced with the command of the first step that knows it. Of controllers that
        keep their goals only the leader's does so: followers have none.

        Raises
        ------
        InputError
            if the controller answers anything else than two or three finite numbers and perhaps
            bytes, or gives bytes that nobody hears.

        """
        if math.isnan(poses[self.robot_id, 0]):
            return Decision(STOP, [])
        observation = self.observe(stamp_ns, poses, sensed)
        keeper = self.keeper
        known = 0 if keeper is None else keeper.goals
        rng = self.rng.at(observation.tick)
        command, data = ask(self.controller, observation, rng, self._holonomic)
        if data is not None and 'neighbours' not in sensed:
            raise InputError(f'robot {self.robot_id}: its controller broadcasts, which needs '
                             'range '
                             'and bearing; add sensors.range_and_bearing: true to the scenario')
        if keeper is None:
            events = [(GOAL, self.goal if self._goal_is_new else None)]
        elif self.robot_id == LEADER:
            events = [(GOAL_REACHED, keeper.just_reached),
                      (GOAL, keeper.goal if keeper.goals != known else None)]
        else:
            events = []
        self._goal_is_new = False
        return Decision(
            command, [(topic, goal) for topic, goal in events if goal is not None], data)


def ask(controller: Controller, observation: Observation, rng: np.random.Generator,
        holonomic: bool = False) -> tuple[Twist, bytes | None]:
    """Return the controller's command and its bytes.

    Two numbers are vx and omega, three are vx, vy and omega.

    Raises
    ------
    InputError
        if it answers anything else than two or three finite numbers, and perhaps at most nine
        bytes; or a vy that is not 0 where the robot is not ``holonomic``.
    UserCodeError
        if it raises.

    """
    def where() -> str:
        return (f'robot {observation.robot_id} at tick {observation.tick}: '
                f'{type(controller).__name__}.step()')
    answer: Any = call_user_code(partial(controller.step, observation, rng), where)
    aside = False  # three numbers, but the drive cannot move to the side
    try:
        if isinstance(answer, set | frozenset | dict):  # without order, or keys instead of values
            raise TypeError('not a sequence')
        vx, omega, *more = answer
        vy = 0.0
        if more and more[0] is not None and not isinstance(more[0], bytes | bytearray):
            vy, omega = omega, more.pop(0)
        command = Twist(_number(vx), _number(vy), _number(omega))
        good = all(map(math.isfinite, command)) and len(more) < 2
        aside = good and not holonomic and command.vy != 0.0
        good = good and not aside
    except (TypeError, ValueError, OverflowError):
        good = False
    data = more[0] if good and more else None
    if data is not None:
        good = isinstance(data, bytes | bytearray) and len(data) <= MOST_BYTES
    if not good:
        if answer is None:
            raise InputError(f'{where()} returned None (no return?); expected (vx, omega)')
        forms = (('(vx, omega) or (vx, vy, omega): finite numbers in m/s and rad/s' if holonomic
                  else '(vx, omega): two finite numbers in m/s and rad/s')
                 + f'; at most {MOST_BYTES} bytes to broadcast may follow')
        sideways = '; vy must be 0, its drive does not move to the side' * aside
        raise bad_value(where(), answer, forms + sideways)
    return command, None if data is None else bytes(data)


def _number(value: Any) -> float:  # noqa: ANN401
    """Return a real number as float, also NumPy's or a tensor's; TypeError for text and others."""
    if isinstance(value, str | bytes | bytearray | complex):  # `float` reads text, too
        raise TypeError('not a real number')
    return float(value)


def checked_goal(x: float, y: float) -> Point:
    """Return the goal (m) as two floats, or raise InputError if it is not finite."""
    try:
        goal = float(x), float(y)
    except (TypeError, ValueError, OverflowError):
        raise bad_value('goal', (x, y), 'two finite numbers (m)') from None
    if not (math.isfinite(goal[0]) and math.isfinite(goal[1])):
        raise bad_value('goal', goal, 'two finite numbers (m)')
    return goal

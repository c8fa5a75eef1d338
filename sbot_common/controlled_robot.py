"""One robot's controller, generator and goal: inputs in, command and announcements out.

A node, an in-process run and a replay drive their robots through this class: observations are
built, and goals announced, here only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from traceback import format_exception
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sbot_common.clock import Rate
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import (
    Controller,
    GoalKeeper,
    Inputs,
    Observation,
    Point,
    make_observation,
)
from sbot_common.random.generators import TickGenerator
from sbot_common.topics import GOAL, GOAL_REACHED, Topic

T = TypeVar('T')

MOST_BYTES = 9  # that a controller broadcasts; before them goes the robot's radius
LEADER = 0  # id of the robot that announces goals, where controllers keep their own


class Decision(NamedTuple):
    """What a controller's step leads to."""

    # linear.x (m/s), angular.z (rad/s); of an omnidirectional robot linear.y (m/s), too
    command: tuple[float, ...]
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
    sideways : whether its commands have linear.y, as those of omnidirectional robots

    """

    def __init__(self, robot_id: int, controller: Controller, rng: TickGenerator,
                 goal: Point | None, rate: Rate, sideways: bool = False) -> None:
        self.robot_id = robot_id
        self.controller = controller
        self.keeper = controller if isinstance(controller, GoalKeeper) else None
        self.goal = goal
        self.rng, self._rate, self._sideways = rng, rate, sideways
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
            if the controller answers anything else than two finite numbers (or three, if the
            robot goes sideways) and perhaps bytes, or gives bytes that nobody hears.

        """
        observation = make_observation(self.robot_id, self._rate, self.goal, inputs)
        keeper = self.keeper
        known = 0 if keeper is None else keeper.goals
        rng = self.rng.at(observation.tick)
        command, data = ask(self.controller, observation, rng, self._sideways)
        if data is not None and 'neighbours' not in inputs.sensed:
            raise InputError(f'robot {self.robot_id}: its controller broadcasts, but nobody hears '
                             'it; expected sensors.range_and_bearing: true in the scenario')
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


class ControllerError(RuntimeError):
    """A user's controller raised; one line: robot, tick, class, method, and the error itself.

    That error is the ``__cause__``; its traceback begins in the controller.
    """

    def traceback(self) -> str:
        """Return the controller's own traceback, without the frames that called it."""
        return ''.join(format_exception(self.__cause__))


def call_controller(method: Callable[[], T], where: Callable[[], str]) -> T:
    """Return ``method()``, which is a user's: what it raises becomes a ControllerError.

    Parameters
    ----------
    method : called without arguments
    where : robot, tick, class and method in words; called only for an error

    Raises
    ------
    ControllerError
        for whatever it raises, ``SystemExit`` too, which would otherwise end the program with the
        exit code of a good run; not for InputError and MemoryError, which say enough.

    """
    try:
        return method()
    except (InputError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        own = error.__traceback__.tb_next if error.__traceback__ is not None else None
        cause = error.with_traceback(own)
        text = ' '.join(f'{type(error).__name__}: {error}'.split()).removesuffix(':')
        raise ControllerError(f'{where()}: {text}') from cause


def ask(controller: Controller, observation: Observation, rng: np.random.Generator,
        sideways: bool = False) -> tuple[tuple[float, ...], bytes | None]:
    """Return the controller's command, linear.x (m/s) and angular.z (rad/s), and its bytes.

    With ``sideways`` the command has a third number, linear.y (m/s), 0 where it gives two.

    Raises
    ------
    InputError
        if it answers anything else than two finite numbers, and perhaps at most nine bytes.
    ControllerError
        if it raises.

    """
    def where() -> str:
        return (f'robot {observation.robot_id} at tick {observation.tick}: '
                f'{type(controller).__name__}.step()')
    answer: Any = call_controller(partial(controller.step, observation, rng), where)
    try:
        if isinstance(answer, set | frozenset | dict):  # without order, or keys instead of values
            raise TypeError('not a sequence')
        v, omega, *more = answer
        command: tuple[float, ...] = _number(v), _number(omega)
        good = math.isfinite(command[0]) and math.isfinite(command[1])
        if sideways:
            third = more and more[0] is not None and not isinstance(more[0], bytes | bytearray)
            command = (*command, _number(more.pop(0)) if third else 0.0)
            good = good and math.isfinite(command[2])
        good = good and len(more) < 2
    except (TypeError, ValueError, OverflowError):
        good = False
    data = more[0] if good and more else None
    if data is not None:
        good = isinstance(data, bytes | bytearray) and len(data) <= MOST_BYTES
    if not good:
        numbers = ('two or three finite numbers (m/s, rad/s, m/s to the left)' if sideways
                   else 'two finite numbers (m/s, rad/s; a third one, m/s to the left, needs a '
                   'body with drive: omnidirectional)')
        raise bad_value(where(), answer, f'{numbers}, and perhaps {MOST_BYTES} bytes at most')
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

# SPDX-License-Identifier: Apache-2.0
"""Twist, observation and controller interface: the same in-process, in a node and in replay."""

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import Rate
from sbot_common.errors import InputError, bad_value
from sbot_common.random import TickGenerator
from sbot_common.topics import GOAL, GOAL_REACHED, Topic
from sbot_common.user_code import call_user_code

# Twist: velocity of a robot in the plane, in its own frame; the order of every command.

VX, VY, OMEGA = range(3)  # columns of arrays of commands and of measured twists (N, 3)


class Twist(NamedTuple):
    """A command, or measured odometry; REP 103: x forwards, y to the left."""

    vx: float  # m/s
    vy: float = 0.0  # m/s, to the left; 0 but for holonomic drives
    omega: float = 0.0  # rad/s, to the left


STOP = Twist(0.0)


Point = tuple[float, float]

INFRARED_SENSORS = 15
BROADCAST_BYTES = 10


class Scan(NamedTuple):
    """One laser scan as in its message; beam i points at ``angle_min + i*angle_increment``."""

    ranges: NDArray[np.float32]  # (beams,) m; +inf: no echo (REP 117)
    angle_min: float  # rad in the robot's frame, a float32 promoted to double
    angle_increment: float  # rad, a float32 promoted to double
    range_min: float  # m
    range_max: float  # m


class Neighbours(NamedTuple):
    """What range-and-bearing hears, nearest id first; M robots in sight."""

    range: NDArray[np.float32]  # (M,) m, centre to centre
    bearing: NDArray[np.float32]  # (M,) rad, from the robot's heading
    data: NDArray[np.uint8]  # (M, 10) bytes as set in the previous tick


class Odometry(NamedTuple):
    """Pose and speed by the wheels alone, frame `odom`, which begins where the robot starts."""

    x: float  # m
    y: float
    yaw: float  # rad
    v: float  # m/s, forwards
    omega: float  # rad/s
    lateral: float = 0.0  # m/s, to the left; 0 but for drives that move to the side


class _Fields(NamedTuple):
    robot_id: int
    num_robots: int
    tick: int
    stamp_ns: int
    dt: float  # s
    # (num_robots, 3): x, y (m), yaw (rad) as decoded from the messages; NaN of robots that are not
    # known, or not in the world
    poses: NDArray[np.float64]
    scan: Scan | None = None
    goal: Point | None = None  # m
    infrared: NDArray[np.float32] | None = None  # (15,) readings
    neighbours: Neighbours | None = None
    # m/s, effective wind of this tick and the push of forces: it moves the robot in the next one
    wind: tuple[float, float] = (0.0, 0.0)
    # m/s, m/s, rad/s in the robot's own frame, wind included
    twist: tuple[float, float, float] = (0.0, 0.0, 0.0)
    # rad, the robot's yaw when the scan arrived; None: that of ``poses`` (docs/errata.md P5)
    scan_heading: float | None = None
    odometry: Odometry | None = None
    others: Mapping[str, Any] = {}  # what other sensors read, by their names; None: it is off


_INFRARED, _NEIGHBOURS = (_Fields._fields.index(name) for name in ('infrared', 'neighbours'))


FIELDS = frozenset(_Fields._fields)


class _NotSensed(InputError, AttributeError):
    """A controller reads a sensor that its robot does not have."""


class Observation(_Fields):
    """Inputs of one robot's controller at a tick; frame `map` unless noted, arrays read-only.

    Every other sensor has a field with its name. These fields, ``infrared`` and ``neighbours``
    raise InputError if the sensor is off in the scenario.
    """

    __slots__ = ()

    @property
    def infrared(self) -> NDArray[np.float32]:  # type: ignore[override]
        """The 15 infrared readings."""
        readings: NDArray[np.float32] = self._sensed(_INFRARED, 'infrared')
        return readings

    @property
    def neighbours(self) -> Neighbours:  # type: ignore[override]
        """What range and bearing hears."""
        heard: Neighbours = self._sensed(_NEIGHBOURS, 'range_and_bearing')
        return heard

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of other sensors
        if name.startswith('_') or name not in self.others:
            raise AttributeError(f"'Observation' object has no attribute '{name}'")
        if self.others[name] is None:
            raise _NotSensed(self._lacking(name, name))
        return self.others[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.others]

    def _sensed(self, index: int, key: str) -> Any:  # noqa: ANN401
        value = self[index]
        if value is None:
            raise InputError(self._lacking(self._fields[index], key))
        return value

    def _lacking(self, field: str, key: str) -> str:
        return (f'observation.{field} needs a sensor that robot {self.robot_id} does not have; '
                f'add sensors.{key}: true to the scenario')


def make_observation(robot_id: int, rate: Rate, goal: Point | None, stamp_ns: int,
                     poses: NDArray[np.float64], sensed: Mapping[str, Any],
                     others: Iterable[str] = ()) -> Observation:
    """Build the observation of one robot; its arrays are read-only.

    Parameters
    ----------
    robot_id : of the observation
    rate : of the simulation; gives the tick and its length
    goal : x, y (m) of this robot's goal
    stamp_ns : of the robot's own pose
    poses : (num_robots, 3) x, y (m), yaw (rad)
    sensed : the fields that this robot senses, by name
    others : names of sensors that are not in ``FIELDS``

    """
    readings = {name: sensed.get(name) for name in others}
    known = {field: _read_only(value) for field, value in sensed.items() if field not in readings}
    return Observation(robot_id, len(poses), rate.tick(stamp_ns), stamp_ns, rate.dt,
                       _read_only(poses), goal=goal, others=readings, **known)


def _read_only(value: Any) -> Any:  # noqa: ANN401 - a field of any kind
    """Return an array, or the arrays of a scan or of neighbours, as views that refuse writing."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value = value.view()
        value.flags.writeable = False
    elif isinstance(value, Scan) and value.ranges.flags.writeable:
        return value._replace(ranges=_read_only(value.ranges))
    elif isinstance(value, Neighbours):
        return Neighbours(*map(_read_only, value))
    return value


class Controller(Protocol):
    """Controller of one robot: `controller: module:Class` names a class with this method.

    It is constructed with the scenario's `parameters` of that robot as keyword arguments.
    """

    def step(self, observation: Observation, rng: 'np.random.Generator',
             ) -> (tuple[float, float] | tuple[float, float, bytes] | tuple[float, float, float]
                   | tuple[float, float, float, bytes]):
        """Return (vx in m/s, omega in rad/s), and perhaps bytes to broadcast.

        Or three numbers, (vx, vy, omega), where vy (m/s) is the speed to the left of a robot with
        drive ``omnidirectional``.

        There may be nine bytes at most. Neighbours receive them after the sender's radius, from
        the next tick on until other bytes are returned (document 000 section 5.3, SetData).
        """


@runtime_checkable
class GoalKeeper(Protocol):
    """A controller that keeps its own goal, may move it, and tells when it is reached."""

    goals: int  # how many goals were taken up so far
    just_reached: Point | None  # the goal (m), if the last step was the first one on it

    @property
    def goal(self) -> Point | None:
        """The goal (m) in force; None before the first step."""

    def set_goal(self, x: float, y: float) -> None:
        """Use the goal (x, y) (m, `map`) from the next step on."""


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
        command, data = _ask(self.controller, observation, rng, self._holonomic)
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


def _ask(controller: Controller, observation: Observation, rng: 'np.random.Generator',
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

# SPDX-License-Identifier: Apache-2.0
"""Twist, observation and controller interface: the same in-process, in a node and in replay."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import Rate
from sbot_common.errors import InputError

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


class NotSensed(InputError, AttributeError):
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
            raise NotSensed(self._lacking(name, name))
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

    # The generator's type in quotes: to look it up imports NumPy's random numbers.
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

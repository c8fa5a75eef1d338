"""Observation and controller interface, the same in-process, in a node and in replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import Rate

Point = tuple[float, float]


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


class Observation(NamedTuple):
    """Everything one robot knows at a tick. Frame `map` unless said; arrays are read-only."""

    robot_id: int
    num_robots: int
    tick: int
    stamp_ns: int
    dt: float  # s
    poses: NDArray[np.float64]  # (num_robots, 3): x, y (m), yaw (rad) as decoded from the messages
    scan: Scan | None = None
    goal: Point | None = None  # m
    infrared: NDArray[np.float32] | None = None  # (15,) readings
    neighbours: Neighbours | None = None
    wind: tuple[float, float] = (0.0, 0.0)  # m/s, effective wind now moving the robot
    # m/s, m/s, rad/s in the robot's own frame, wind included
    twist: tuple[float, float, float] = (0.0, 0.0, 0.0)
    # rad, the robot's yaw when the scan arrived; None: that of ``poses`` (docs/errata.md P5)
    scan_heading: float | None = None


class Inputs(NamedTuple):
    """What one turn of a controller is taken on, from a snapshot or from messages."""

    stamp_ns: int  # of the robot's own pose
    poses: NDArray[np.float64]  # (num_robots, 3) x, y (m), yaw (rad)
    sensed: Mapping[str, Any]  # the fields of an ``Observation`` that this robot senses, by name


def make_observation(robot_id: int, rate: Rate, goal: Point | None, inputs: Inputs) -> Observation:
    """Build the observation of one robot; its arrays are read-only.

    Parameters
    ----------
    robot_id : of the observation
    rate : of the simulation; gives the tick and its length
    goal : x, y (m) of this robot's goal
    inputs : what it knows

    """
    stamp_ns, poses, sensed = inputs
    return Observation(robot_id, len(poses), rate.tick(stamp_ns), stamp_ns, rate.dt,
                       _read_only(poses), goal=goal,
                       **{field: _read_only(value) for field, value in sensed.items()})


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

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s)."""


@runtime_checkable
class GoalKeeper(Protocol):
    """A controller that keeps its own goal, may move it, and tells when it is reached."""

    goals: int  # how many goals were taken up so far
    just_reached: Point | None  # the goal (m), if the last step was the first one on it

    @property
    def goal(self) -> Point | None:
        """The goal (m) in force; None before the first step."""

    def set_goal(self, x: float, y: float) -> None:
        """Take up the goal (x, y) (m, `map`) at the next step."""

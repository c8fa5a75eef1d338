"""What a controller sees and what it answers: the same values in-process and as a node."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


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
    """Everything one robot knows at a tick. Frame `map` unless said; do not change the arrays."""

    robot_id: int
    num_robots: int
    tick: int
    stamp_ns: int
    dt: float  # s
    poses: NDArray[np.float64]  # (num_robots, 3): x, y (m), yaw (rad) as decoded from the messages
    scan: Scan | None
    goal: tuple[float, float] | None  # m
    infrared: NDArray[np.float32] | None  # (15,) readings
    neighbours: Neighbours | None
    wind: tuple[float, float]  # m/s, effective wind now moving the robot
    twist: tuple[float, float, float]  # m/s, m/s, rad/s in the robot's own frame, wind included


class Controller(Protocol):
    """A robot's mind: `controller: module:Class` names a class with these methods.

    It is constructed with the scenario's `parameters` of that robot as keyword arguments.
    """

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s)."""

"""When a robot has what it needs for a turn: newest of everything, or all of one stamp. No ROS."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.gate import StampGate
from sbot_common.messages import PoseStamped, ScanStamped
from sbot_common.observation import Observation, Scan
from sbot_common.ticks import NANOSECONDS


class Inputs(NamedTuple):
    """What one turn is taken on."""

    stamp_ns: int  # of the robot's own pose
    poses: NDArray[np.float64]  # (N, 3) x, y (m), yaw (rad)
    scan: Scan
    scan_heading: float  # rad, the robot's heading when the scan arrived (docs/errata.md P5)

    def observation(self, robot_id: int, tick: int, dt: float) -> Observation:
        """Return these inputs as what a controller sees; ``dt`` in seconds."""
        return Observation(robot_id, len(self.poses), tick, self.stamp_ns, dt, self.poses,
                           self.scan, None, None, None, (0.0, 0.0), (0.0, 0.0, 0.0))


class Arrival(NamedTuple):
    """What one arriving message leads to."""

    inputs: Inputs | None = None  # the stamp is complete: take a turn
    repeat: bool = False  # the scan of the last turn came again: give the same answer
    reset: bool = False  # stamps start again: forget everything, before anything else


def _row(pose: PoseStamped) -> tuple[float, float, float]:
    return pose.x, pose.y, pose.yaw


class Lockstep:
    """All poses and the own scan of one stamp make a turn, once (`trigger: inputs`).

    A stamp of the first tick after later ones means that the simulation was reset; any other old
    stamp is dropped.
    """

    def __init__(self, robot_id: int, num_robots: int, loop_rate: float) -> None:
        self._robot_id = robot_id
        self._scan = num_robots  # the scan's number among the sources, behind the poses
        self._loop_rate = loop_rate
        self._gate: StampGate[PoseStamped | ScanStamped] = StampGate(num_robots + 1)

    def pose(self, robot: int, pose: PoseStamped) -> Arrival:
        """Take one robot's pose."""
        return self._put(robot, pose)

    def scan(self, scan: ScanStamped) -> Arrival:
        """Take the robot's own scan."""
        return self._put(self._scan, scan)

    def _is_first(self, stamp_ns: int) -> bool:
        """Tell whether a stamp is that of tick 0, which is 1/rate."""
        return stamp_ns * self._loop_rate < 1.5 * NANOSECONDS

    def _put(self, source: int, message: PoseStamped | ScanStamped) -> Arrival:
        stamp_ns = message.stamp_ns
        last = self._gate.released
        if self._gate.is_repeat(stamp_ns):
            return Arrival(repeat=source == self._scan)
        reset = last is not None and stamp_ns < last and self._is_first(stamp_ns)
        if reset:
            self._gate.clear()
        messages = self._gate.put(source, stamp_ns, message)
        if messages is None:
            return Arrival(reset=reset)
        *poses, scan = messages
        rows = np.array([_row(p) for p in poses if isinstance(p, PoseStamped)])
        assert isinstance(scan, ScanStamped)
        heading = float(rows[self._robot_id, 2])
        return Arrival(Inputs(stamp_ns, rows, scan.scan, heading), reset=reset)


class Latest:
    """The newest pose of everybody and the newest own scan (`trigger: timer`).

    Times of arrival are nanoseconds of one clock. A pose that is not finite counts as none.
    """

    def __init__(self, robot_id: int, num_robots: int) -> None:
        self._robot_id = robot_id
        self._poses: list[PoseStamped | None] = [None] * num_robots
        self._scan: Scan | None = None
        self._scan_heading = 0.0
        self._pose_names = self._names()[:-1]
        self._arrived_ns = dict.fromkeys(self._names(), 0)

    def _names(self) -> list[str]:
        return [f'pose of robot {i}' for i in range(len(self._poses))] + ['scan']

    def pose(self, robot: int, pose: PoseStamped, now_ns: int) -> None:
        """Take one robot's pose."""
        if math.isfinite(pose.x) and math.isfinite(pose.y) and math.isfinite(pose.yaw):
            self._poses[robot] = pose
            self._arrived_ns[self._pose_names[robot]] = now_ns

    def scan(self, scan: ScanStamped, now_ns: int) -> None:
        """Take the robot's own scan; before the first own pose its heading is taken as 0."""
        own = self._poses[self._robot_id]
        self._scan = scan.scan
        self._scan_heading = 0.0 if own is None else own.yaw
        self._arrived_ns['scan'] = now_ns

    def missing(self) -> list[str]:
        """Return what has never arrived (docs/errata.md P11)."""
        seen = [pose is not None for pose in self._poses] + [self._scan is not None]
        return [name for name, here in zip(self._names(), seen, strict=True) if not here]

    def stale(self, now_ns: int, timeout_s: float) -> list[str]:
        """Return what is older than ``timeout_s``; nothing ever is when that is 0."""
        if timeout_s == 0:
            return []
        return [name for name, arrived in self._arrived_ns.items()
                if now_ns - arrived > timeout_s * NANOSECONDS]

    def went_back(self, now_ns: int) -> bool:
        """Tell whether the clock is before an arrival: the simulation was reset."""
        return now_ns < max(self._arrived_ns.values())

    def inputs(self) -> Inputs:
        """Return the newest of everything, once nothing is missing."""
        poses = [pose for pose in self._poses if pose is not None]
        assert self._scan is not None
        return Inputs(poses[self._robot_id].stamp_ns, np.array([_row(p) for p in poses]),
                      self._scan, self._scan_heading)

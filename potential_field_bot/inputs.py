"""When a robot has what it needs for a turn: newest of everything, or all of one stamp. No ROS."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import NANOSECONDS
from sbot_common.observation import Observation, Scan
from sbot_common.stamp_sync import StampGate
from sbot_common.wire.messages import PosesStamped, PoseStamped, ScanStamped

_NEVER = -1  # ns


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

    ``together``: all poses come in one message. A stamp of the first tick after later ones means
    that the simulation was reset; any other old stamp is dropped.
    """

    def __init__(self, robot_id: int, num_robots: int, loop_rate: float,
                 together: bool = False) -> None:
        self._robot_id = robot_id
        self._together = together
        # The scan's number among the sources, behind the poses.
        self._scan = 1 if together else num_robots
        self._loop_rate = loop_rate
        self._gate: StampGate[Any] = StampGate(self._scan + 1)

    def pose(self, robot: int, pose: PoseStamped) -> Arrival:
        """Take one robot's pose."""
        return self._put(robot, pose.stamp_ns, _row(pose))

    def poses(self, poses: PosesStamped) -> Arrival:
        """Take everybody's pose."""
        return self._put(0, poses.stamp_ns, poses.rows)

    def scan(self, scan: ScanStamped) -> Arrival:
        """Take the robot's own scan."""
        return self._put(self._scan, scan.stamp_ns, scan.scan)

    def _is_first(self, stamp_ns: int) -> bool:
        """Tell whether a stamp is that of tick 0, which is 1/rate."""
        return stamp_ns * self._loop_rate < 1.5 * NANOSECONDS

    def _put(self, source: int, stamp_ns: int, payload: object) -> Arrival:
        last = self._gate.released
        if self._gate.is_repeat(stamp_ns):
            return Arrival(repeat=source == self._scan)
        reset = last is not None and stamp_ns < last and self._is_first(stamp_ns)
        if reset:
            self._gate.clear()
        payloads = self._gate.put(source, stamp_ns, payload)
        if payloads is None:
            return Arrival(reset=reset)
        *poses, scan = payloads
        rows = poses[0] if self._together else np.array(poses)
        heading = float(rows[self._robot_id, 2])
        return Arrival(Inputs(stamp_ns, rows, scan, heading), reset=reset)


class Latest:
    """The newest pose of everybody and the newest own scan (`trigger: timer`).

    Times of arrival are nanoseconds of one clock. A pose that is not finite counts as none.
    """

    def __init__(self, robot_id: int, num_robots: int) -> None:
        self._robot_id = robot_id
        self._rows = np.zeros((num_robots, 3))
        self._stamp_ns = 0  # of the own pose
        self._scan: Scan | None = None
        self._scan_heading = 0.0
        self._arrived_ns = np.full(num_robots + 1, _NEVER)  # the scan is the last

    def pose(self, robot: int, pose: PoseStamped, now_ns: int) -> None:
        """Take one robot's pose."""
        if math.isfinite(pose.x) and math.isfinite(pose.y) and math.isfinite(pose.yaw):
            self._rows[robot] = _row(pose)
            self._arrived_ns[robot] = now_ns
            if robot == self._robot_id:
                self._stamp_ns = pose.stamp_ns

    def poses(self, poses: PosesStamped, now_ns: int) -> None:
        """Take everybody's pose."""
        finite = np.logical_and.reduce(np.isfinite(poses.rows), axis=1)
        self._rows[finite] = poses.rows[finite]
        self._arrived_ns[:-1][finite] = now_ns
        if finite[self._robot_id]:
            self._stamp_ns = poses.stamp_ns

    def scan(self, scan: ScanStamped, now_ns: int) -> None:
        """Take the robot's own scan; before the first own pose its heading is taken as 0."""
        self._scan = scan.scan
        self._scan_heading = float(self._rows[self._robot_id, 2])
        self._arrived_ns[-1] = now_ns

    def missing(self) -> list[str]:
        """Return what has never arrived (docs/errata.md P11)."""
        return self._names(self._arrived_ns == _NEVER)

    def stale(self, now_ns: int, timeout_s: float) -> list[str]:
        """Return what is older than ``timeout_s``; nothing ever is when that is 0."""
        if timeout_s == 0:
            return []
        return self._names(now_ns - self._arrived_ns > timeout_s * NANOSECONDS)

    def went_back(self, now_ns: int) -> bool:
        """Tell whether the clock is before an arrival: the simulation was reset."""
        return now_ns < int(self._arrived_ns.max())

    def inputs(self) -> Inputs:
        """Return the newest of everything, once nothing is missing."""
        assert self._scan is not None
        return Inputs(self._stamp_ns, self._rows.copy(), self._scan, self._scan_heading)

    def _names(self, which: NDArray[np.bool_]) -> list[str]:
        return [f'pose of robot {i}' if i < len(self._rows) else 'scan'
                for i in np.flatnonzero(which).tolist()]

# SPDX-License-Identifier: Apache-2.0
"""Collection of controller inputs: a set of one stamp, or the newest of each.

Knows no ROS. An input is named by a key: a robot's id (its pose), ``ALL_POSES``, or a field of an
``Observation``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import NANOSECONDS, Rate
from sbot_common.params import Spec

Key = int | str

ALL_POSES = 'poses'
_MOST_WAITING = 100  # stamps that are incomplete
TIMER, INPUTS = 'timer', 'inputs'
BEST_EFFORT, RELIABLE = 'best_effort', 'reliable'

SPECS: tuple[Spec, ...] = (  # of every node that drives a robot, beside loop_rate
    Spec('robot_id', 0, '', 'Number of this robot; robot 0 is the leader.', '001 section 18',
         minimum=0, at_runtime=False),
    Spec('num_robots', 1, '', 'Number of robots.', '001 section 18', minimum=1,
         at_runtime=False),
    Spec('goal_x', 0.0, 'm', "Goal in `map`; with potential fields only the leader's counts.",
         '001 section 18'),
    Spec('goal_y', 0.0, 'm', "Goal in `map`; with potential fields only the leader's counts.",
         '001 section 18'),
    Spec('seed', 0, '', "Seed of the controller's random numbers.",
         '001 section 11', minimum=0, at_runtime=False),
    Spec('trigger', TIMER, '', 'What starts a turn: a timer of loop_rate, or each complete set of '
         'inputs of one stamp (lockstep).', '001 section 18', choices=(TIMER, INPUTS),
         at_runtime=False),
    Spec('stale_timeout', 0.5, 's', 'With trigger timer: the robot stops if its own inputs or its '
         "leader's pose are older than this; 0: it never stops.", minimum=0.0),
    Spec('reliability', BEST_EFFORT, '', 'With trigger timer: quality of service of subscriptions '
         'to poses and sensors; best_effort fits every publisher.',
         choices=(BEST_EFFORT, RELIABLE), at_runtime=False),
    Spec('stamped_cmd_vel', False, '', 'Publish TwistStamped on cmd_vel instead of Twist.',
         at_runtime=False),
    Spec('poses_topic', False, '', "Read all poses from /poses instead of every robot's "
         'base_pose_ground_truth.', at_runtime=False),
)


class Inputs(NamedTuple):
    """Inputs of one turn of a controller, as ``ControlledRobot.step`` takes them."""

    stamp_ns: int  # of the robot's own pose
    poses: NDArray[np.float64]  # (num_robots, 3) x, y (m), yaw (rad)
    sensed: Mapping[str, Any]  # the fields of an ``Observation`` that this robot senses, by name


class _Arrival(NamedTuple):
    """What one arriving message leads to in lockstep."""

    inputs: Inputs | None = None  # the stamp is complete: take a turn
    repeats: int = 0  # how often its scan came again: so often the same answer is to be given
    reset: bool = False  # stamps start again: forget everything, before anything else


class Lockstep:
    """One turn for each stamp, when all of its inputs are in, in any order (`trigger: inputs`).

    The stamp of tick 0 after later ones means that the simulation was reset; any other old stamp
    is dropped. Of stamps that have had their turn only the newest is remembered, so memory is
    bounded by the incomplete ones, of which the oldest are dropped beyond a hundred.

    Parameters
    ----------
    num_robots : N
    fields : of an ``Observation`` that are awaited beside the poses
    rate : of the simulation
    together : all poses come in one message

    """

    def __init__(self, num_robots: int, fields: Sequence[str], rate: Rate,
                 together: bool = False) -> None:
        self._num_robots = num_robots
        self._rate = rate
        self._inputs = (1 if together else num_robots) + len(fields)
        self._waiting: dict[int, dict[Key, Any]] = {}  # by stamp (ns)
        self._newest: int | None = None  # stamp (ns) that had its turn
        self._scan_stamp, self._scans = 0, 0  # the newest stamp of a scan, and how many it had

    def put(self, stamp_ns: int, values: Mapping[Key, Any]) -> _Arrival:
        """Take what one message carries: x, y, yaw, rows (N, 3) of these, or fields, by key."""
        newest = self._newest
        if stamp_ns == newest:
            return _Arrival(repeats=int('scan' in values))
        if 'scan' in values:
            self._scans = self._scans + 1 if stamp_ns == self._scan_stamp else 1
            self._scan_stamp = stamp_ns
        old = newest is not None and stamp_ns < newest
        reset = old and self._rate.tick(stamp_ns) <= 0
        if reset:
            self._waiting.clear()
            self._newest = None
        elif old:
            return _Arrival()
        gathered = self._waiting.setdefault(stamp_ns, {})
        gathered.update(values)
        if len(gathered) < self._inputs:
            while len(self._waiting) > _MOST_WAITING:
                del self._waiting[min(self._waiting)]
            return _Arrival(reset=reset)
        self._newest = stamp_ns
        self._waiting = {stamp: each for stamp, each in self._waiting.items() if stamp > stamp_ns}
        poses = (gathered[ALL_POSES] if ALL_POSES in gathered else
                 np.array([gathered[robot] for robot in range(self._num_robots)]))
        sensed = {key: value for key, value in gathered.items()
                  if isinstance(key, str) and key != ALL_POSES}
        # Scans that came again before the rest was in are questions, too.
        repeats = self._scans - 1 if stamp_ns == self._scan_stamp else 0
        return _Arrival(Inputs(stamp_ns, poses, sensed), repeats, reset)

    def lacks(self, keys: Collection[Key]) -> bool:
        """Tell whether a turn that has begun waits for one of these inputs."""
        return any(key not in gathered for gathered in self._waiting.values() for key in keys)


class Latest:
    """The newest of every input (`trigger: timer`).

    Times of arrival are nanoseconds of the node's clock. A pose that is not finite counts as none,
    but a robot whose x is NaN is not in the world: where it is not required, that is known of it.
    An input counts as heard whatever its stamp (docs/errata.md P18).

    Parameters
    ----------
    robot_id : whose inputs these are
    num_robots : N
    fields : of an ``Observation`` that are awaited beside the poses
    follows : the robot, if any, without whose pose it must not go on

    """

    def __init__(self, robot_id: int, num_robots: int, fields: Sequence[str],
                 follows: int | None = None) -> None:
        self._robot_id = robot_id
        self._num_robots = num_robots
        self._names = [f'pose of robot {i}' for i in range(num_robots)] + list(fields)
        self._required = {self._names[robot_id], *fields}
        if follows is not None:
            self._required.add(self._names[follows])
        self._clear()

    def _clear(self) -> None:
        self._poses = np.zeros((self._num_robots, 3))
        self._stamp_ns = 0  # of the own pose
        self._sensed: dict[str, Any] = {}
        self._arrived_ns: dict[str, int] = {}
        self._stamps: dict[Key, int] = {}
        self._went_back = False  # the stamps of an input

    def put(self, stamp_ns: int, values: Mapping[Key, Any], now_ns: int) -> None:
        """Take what one message carries, as ``Lockstep.put`` does."""
        if any(stamp_ns < self._stamps.get(key, stamp_ns) for key in values):
            self._clear()  # what comes from now on belongs to the new run
            self._went_back = True
        for key, value in values.items():
            self._stamps[key] = stamp_ns
            if isinstance(key, int):
                self._put_poses(key, np.array([value]), stamp_ns, now_ns)
            elif key == ALL_POSES:
                self._put_poses(0, value, stamp_ns, now_ns)
            else:
                self._sensed[key] = value
                self._arrived_ns[key] = now_ns
        if 'scan' in values:  # before the first own pose its heading is taken as 0
            self._sensed['scan_heading'] = float(self._poses[self._robot_id, 2])

    def _put_poses(self, first: int, rows: NDArray[np.float64], stamp_ns: int,
                   now_ns: int) -> None:
        known = np.array(np.isfinite(rows).all(axis=1))
        for row in np.flatnonzero(np.isnan(rows[:, 0])).tolist():
            known[row] = self._names[first + row] not in self._required
        self._poses[first:first + len(rows)][known] = rows[known]
        for robot in (first + np.flatnonzero(known)).tolist():
            self._arrived_ns[self._names[robot]] = now_ns
            if robot == self._robot_id:
                self._stamp_ns = stamp_ns

    def restarted(self, now_ns: int) -> bool:
        """Tell, once, whether time went back: a reset of the simulation, after which all is new.

        It did when the clock is before an arrival, or when an input's stamp was.
        """
        if now_ns < max(self._arrived_ns.values(), default=now_ns):
            self._clear()
            return True
        back, self._went_back = self._went_back, False
        return back

    def missing(self) -> list[str]:
        """Return the inputs that have never arrived (docs/errata.md P11)."""
        return [name for name in self._names if name not in self._arrived_ns]

    def stale(self, now_ns: int, timeout_s: float) -> tuple[list[str], list[str]]:
        """Return the inputs older than ``timeout_s``: those that stop the robot, and the others.

        With 0 there are none.

        A robot must stop without its own pose and sensors and without the robot that it follows,
        not without others (docs/errata.md P16).
        """
        old = [] if timeout_s == 0 else [
            name for name in self._names
            if now_ns - self._arrived_ns.get(name, now_ns) > timeout_s * NANOSECONDS]
        return ([name for name in old if name in self._required],
                [name for name in old if name not in self._required])

    def inputs(self) -> Inputs:
        """Return the newest of everything, once nothing is missing."""
        return Inputs(self._stamp_ns, self._poses.copy(), dict(self._sensed))

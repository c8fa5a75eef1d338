# SPDX-License-Identifier: Apache-2.0
"""Summary of a run: hash, overlaps, goals; what ends it before its duration; progress."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot.scenario.controllers import goal_tolerances, has_leader
from sbot.scenario.model import Scenario
from sbot_common.arrays import Flags, Floats
from sbot_common.clock import in_seconds
from sbot_common.compiled.jit import njit
from sbot_common.elementary import hypot
from sbot_common.errors import one_line
from sbot_sim.collision.overlap import overlaps
from sbot_sim.engine.simulation import Snapshot
from sbot_sim.world.bodies import BodyArrays, is_there
from sbot_sim.world.moving import as_sent, make_box
from sbot_sim.worlds.parameters import SimulationParameters

# Progress of a command: a bar on the terminal, or lines; and what --quiet leaves out.

# Of every command: its help says the same everywhere.
QUIET = ('print only the result, warnings and errors: no progress, hints, names of written files '
         'or output of nodes')


@contextmanager
def progress_bar(unit: str, total: float | None = None, *, shown: bool = True,
                 **style: Any) -> Iterator[Callable[[float], None] | None]:  # noqa: ANN401
    """Yield what takes how much is done and shows it on stderr; None if that is no terminal.

    Parameters
    ----------
    unit : of what is done, e.g. ' frames'
    total : of it; None: unknown
    shown : False: show nothing, and yield None
    style : of tqdm

    """
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm  # takes as long to import as a short run
    with tqdm(total=total, unit=unit, leave=False, file=sys.stderr, **style) as bar:
        def show(done: float) -> None:
            bar.update(max(0, done - bar.n))
        yield show


# Count of the overlaps in a run, from the geometry of every tick.

_MOST = 1024  # poses looked at together; one look at ten robots costs as much as at a hundred


class _OverlapCount:
    """Counts overlaps of robots and boxes with everything, many ticks together."""

    def __init__(self, parameters: SimulationParameters) -> None:
        self._found = 0
        self._waiting: list[Floats] = []
        self.among, self._judged = (parameters.world, parameters.bodies), None
        if (obstacles := parameters.obstacles) is not None:
            # A disc on a path is a body that nobody judges.
            self._judged, discs = len(obstacles.bodies.radius), BodyArrays.of(
                (), [make_box(0.0, 0.0, radius, 1.0) for radius in obstacles.paths.radius])
            self.among = obstacles.still, BodyArrays.joined([obstacles.bodies, discs])

    def add(self, snapshot: Snapshot) -> None:
        """Count a tick."""
        bodies, moving = [snapshot.pose], snapshot.obstacles
        if snapshot.boxes is not None:
            bodies.append(snapshot.boxes)
        if moving is not None:
            bodies.append(np.column_stack([moving, np.zeros(len(moving))]))
        # Below, each robot that is not there counts as one.
        self._found -= int(np.count_nonzero(~is_there(snapshot.pose)))
        self._waiting.append(np.concatenate(bodies) if len(bodies) > 1 else bodies[0].copy())
        if len(self._waiting) * len(self._waiting[0]) >= _MOST:
            self._count()

    def total(self) -> int:
        """Return the number of overlaps so far."""
        if self._waiting:
            self._count()
        return self._found

    def _count(self) -> None:
        self._found += overlaps(*self.among, np.array(self._waiting), self._judged)
        self._waiting.clear()


@njit
def _measure(row: int, pose: Floats, collided: Flags, reverted: Flags, goals: Floats,
             lengths: Floats, counts: NDArray[np.int64], poses: Floats) -> int:
    """Measure a row of a run; return how many robots are, or were, on their way to a goal.

    The arrays are those of ``Tally``, the last three are written.
    """
    under_way = 0
    for i in range(pose.shape[0]):
        x, y, there = pose[i, 0], pose[i, 1], not math.isnan(pose[i, 0])
        if row > 0:
            if there and not math.isnan(poses[0, i, 0]):
                lengths[0, i] += hypot(x - poses[0, i, 0], y - poses[0, i, 1])
            counts[0, i] += collided[i]
            counts[1, i] += reverted[i]
        away = hypot(x - pose[0, 0], y - pose[0, 1])
        if not math.isnan(away):
            lengths[1, i], lengths[2, i] = away, max(away, lengths[2, i])
        if counts[2, i] < 0 and hypot(goals[i, 0] - x, goals[i, 1] - y) < goals[i, 2]:
            counts[2, i] = row
        for k in range(3):
            poses[0, i, k] = pose[i, k]
            if there:
                poses[1, i, k] = pose[i, k]
        under_way += not (math.isnan(poses[1, i, 0]) or math.isnan(goals[i, 0])
                          or counts[2, i] >= 0)
    return under_way


class Tally:
    """Accumulates the summary of a run, one row of poses a tick (rows 0 to T).

    A robot that is not in the world counts nowhere; one that never was is left out.

    Parameters
    ----------
    scenario : of the run
    parameters : of its simulation
    overlaps : count them from the geometry, in every tick
    hashed : hash the trajectory

    """

    def __init__(self, scenario: Scenario, parameters: SimulationParameters, *,
                 overlaps: bool = True, hashed: bool = True) -> None:
        self._scenario = scenario
        self._parameters = parameters
        n = len(scenario.robots)
        # x, y (m), tolerance (m); NaN: no goal
        self._goals = np.array([(*(robot.goal or (math.nan, math.nan)), tolerance) for
                                robot, tolerance in zip(scenario.robots, goal_tolerances(scenario),
                                                        strict=True)])
        self._hash = hashlib.sha256() if hashed else None
        self._overlaps = _OverlapCount(parameters) if overlaps else None
        self._rows = self._under_way = 0
        self._lengths = np.zeros((3, n))  # m: path; distance from robot 0, and the farthest
        self._counts = np.zeros((3, n), np.int64)  # collisions, reverts, row in which it arrived
        self._counts[2] = -1
        self._poses = np.full((2, n, 3), np.nan)  # of the last row; the last one in the world

    def saved(self) -> Mapping[str, Any]:
        """Return this moment, for ``restore``."""
        kept = (self._scenario, self._parameters, self._overlaps and self._overlaps.among)
        memo: dict[int, Any] = {id(each): each for each in kept}
        if self._hash is not None:
            memo[id(self._hash)] = self._hash.copy()
        return deepcopy(self.__dict__, memo)

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go back to a saved moment."""
        self.__dict__.update(saved)
        self.__dict__.update(self.saved())

    @property
    def ticks(self) -> int:
        """How many ticks have passed."""
        return max(0, self._rows - 1)

    @property
    def all_arrived(self) -> bool:
        """Whether every robot that has a goal, and was in the world, has been there."""
        return self._under_way == 0

    def add(self, snapshot: Snapshot) -> None:
        """Add one row."""
        pose, boxes = snapshot.pose, snapshot.boxes
        if self._hash is not None:
            self._hash.update(np.ascontiguousarray(pose[is_there(pose)], '<f8').tobytes())
            if boxes is not None:
                self._hash.update(np.ascontiguousarray(as_sent(boxes), '<f8').tobytes())
        if self._overlaps is not None:
            self._overlaps.add(snapshot)
        self._under_way = _measure(
            self._rows, pose, snapshot.collided, snapshot.reverted, self._goals, self._lengths,
            self._counts, self._poses)
        self._rows += 1

    def summary(self, wall_time_s: float, stopped: bool = False,
                invalid_turns: NDArray[np.int64] | None = None,
                reasons: Mapping[int, str] = {}) -> dict[str, Any]:
        """Return the run as one JSON object; None stands for values that were not requested.

        Parameters
        ----------
        wall_time_s : s
        stopped : by the scenario's ``until``
        invalid_turns : (N,) turns whose force was not a number; None where only the nodes know
        reasons : why robots stand at the end, by their ids; of those that arrived it is left out

        """
        sim_time = self.ticks * self._parameters.dt
        until, pose = self._scenario.until, self._poses[1]
        reached = [None if row < 0 else round(row * self._parameters.dt, 9)
                   for row in self._counts[2].tolist()]
        ended = {} if until is None else {'ended_by': until if stopped else 'duration'}
        return {
            'scenario': self._scenario.name,
            'seed': self._scenario.seed,
            'ticks': self.ticks,
            'sim_time_s': round(sim_time, 9),
            'wall_time_s': round(wall_time_s, 3),
            'real_time_factor': round(sim_time / wall_time_s, 3) if wall_time_s > 0 else None,
            'trajectory_sha256': None if self._hash is None else self._hash.hexdigest(),
            'overlaps': None if self._overlaps is None else self._overlaps.total(),
            **ended,
            'leader': 0 if has_leader(self._scenario) else None,
            'robots': [{
                'id': i,
                'pose': pose[i].tolist(),
                'goal_reached_s': reached[i],
                **({'reason': reasons[i]} if i in reasons and reached[i] is None else {}),
                'path_length_m': float(self._lengths[0, i]),
                'collisions': int(self._counts[0, i]),
                'reverts': int(self._counts[1, i]),
                **({} if invalid_turns is None else {'invalid_turns': int(invalid_turns[i])}),
                'max_leader_distance_m': float(self._lengths[2, i]),
                'final_leader_distance_m': float(self._lengths[1, i]),
            } for i in np.flatnonzero(is_there(pose)).tolist()],
        }


def format_summary(summary: dict[str, Any]) -> str:
    """Return the summary as a short table; distances from robot 0 only where it leads."""
    overlaps, led = summary['overlaps'], summary['leader'] is not None
    lines = [
        f"{one_line(summary['scenario'], 200)}, seed {summary['seed']}: "
        f"{in_seconds(summary['sim_time_s'])} simulated in "
        f"{summary['wall_time_s']:g} s ({summary['real_time_factor'] or 0:g}x real time), "
        + ('overlaps not counted' if overlaps is None else f'{overlaps} overlaps'),
        f"trajectory {summary['trajectory_sha256'] or 'not hashed'}",
        *[f"{'to leader (m)':>74}"] * led,
        f"{'robot':>5} {'x (m)':>7} {'y (m)':>7} {'goal (s)':>8} {'path (m)':>8} "
        f"{'collisions':>10} {'reverts':>7}"
        + f" {'max':>7} {'end':>7}" * led]
    robots = summary['robots']
    for robot in robots[:20]:
        reached = robot['goal_reached_s']
        lines.append(
            f"{robot['id']:>5} {robot['pose'][0]:>7.2f} {robot['pose'][1]:>7.2f} "
            f"{'-' if reached is None else format(reached, '.1f'):>8} "
            f"{robot['path_length_m']:>8.2f} {robot['collisions']:>10} {robot['reverts']:>7}"
            + (f" {robot['max_leader_distance_m']:>7.2f} {robot['final_leader_distance_m']:>7.2f}"
               if led else ''))
    if len(robots) > 20:
        lines.append(f'  ... and {len(robots) - 20} more robots')
    if any(robot['collisions'] for robot in robots):
        lines.append('collisions: ticks in which the robot touched something')
    stand: dict[str, list[int]] = {}
    for robot in robots:
        if 'reason' in robot:
            stand.setdefault(robot['reason'], []).append(robot['id'])
    lines += [f"stands: robot {', '.join(map(str, ids[:20]))}{', ...' * (len(ids) > 20)}: "
              f'{one_line(text, 200)}' for text, ids in stand.items()]
    if any(robot['reverts'] for robot in robots):
        lines.append('reverts: ticks in which it returned to its last pose, as every other '
                     'overlapped')
    return '\n'.join(lines)

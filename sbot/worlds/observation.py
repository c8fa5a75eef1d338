# SPDX-License-Identifier: Apache-2.0
"""Observations of a batch of worlds, as arrays; inexact poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.neural.inputs import (
    GOAL,
    LEADER,
    POSE,
    WIND,
    place_inputs,
    pose_inputs,
    wind_inputs,
)
from sbot.scenario.controllers import walls_between
from sbot.scenario.knowledge import EXACT, Knowledge, known_to
from sbot.scenario.model import Scenario
from sbot_common.arrays import Floats, Floats32
from sbot_common.compiled.jit import njit
from sbot_sim.sensors.range_and_bearing import HeardRows
from sbot_sim.sensors.registry import sensors, simulated
from sbot_sim.world.scene import Scene
from sbot_sim.worlds.batch import Interpreted
from sbot_sim.worlds.state import Policy, Setting, Worlds
from sbot_sim.worlds.tick import Tick


class Observations(NamedTuple):
    """K worlds of N robots at one tick; for a single ``World`` all without the first axis.

    A field is None where the robots do not sense it, or it was not asked for. Frame `map` unless
    said. Every other sensor has a field of its name: (K, N, columns).
    """

    tick: NDArray[np.int64]  # (K,)
    pose: Floats  # (K, N, 3) x, y (m), yaw (rad), as messages carry it
    collided: NDArray[np.bool_]  # (K, N) intersected something in the last tick
    scan: Floats32 | None  # (K, N, beams) m
    infrared: Floats32 | None  # (K, N, 15) readings
    odometry: Floats | None  # (K, N, 3) frame `odom`
    odometry_twist: Floats | None  # (K, N, 3) m/s, m/s, rad/s in the robot's frame
    twist: Floats | None  # (K, N, 3) m/s, m/s, rad/s in the robot's frame
    wind: Floats | None  # (K, N, 2) m/s, effective wind now moving the robot
    neighbours: HeardRows | None
    obstacles: Floats | None  # (K, M, 2) m, centres of those on a path
    boxes: Floats | None  # (K, B, 3) x, y (m), yaw (rad) of pushable boxes
    others: Mapping[str, Floats] = {}  # of other sensors, by name

    def __getattr__(self, name: str) -> Floats | None:
        if name.startswith('_') or name not in sensors():
            raise AttributeError(name)
        return self.others.get(name)


class Observer:
    """Copies of observations; their places are looked up once, not at every step.

    Parameters
    ----------
    setting, worlds : of K worlds of N robots
    senses : what is sensed
    tick : has the sensors and obstacles that are not in ``worlds``
    only : K is 1, and its observations come without the first axis

    """

    def __init__(self, setting: Setting, worlds: Worlds, senses: frozenset[str],
                 tick: Tick, only: bool = False) -> None:
        count, n = len(worlds.tick), setting.robots
        arrays: dict[str, NDArray[Any]] = {'pose': worlds.sent_pose, 'collided': worlds.collided}
        others = tick.fitted.readings
        for each in simulated():
            arrays |= each.views(worlds) if each.name in senses else {}
        views = {name: array.reshape(count, n, *array.shape[1:])
                 for name, array in {**arrays, **others}.items()}
        if only:
            views = {name: array[0] for name, array in views.items()}
        fields = Observations._fields
        self._copies = [(fields.index(name), array.copy) for name, array in views.items()
                        if name in fields]
        self._others = {name: views[name] for name in others}
        self._none: list[Any] = [None] * len(fields)
        self._worlds, self._count, self._n, self._only = worlds, count, n, only
        self._moving = tick.moving
        self._hears = 'neighbours' in senses

    def __call__(self) -> Observations:
        """Return what is sensed now."""
        tick, seen = self._worlds.tick, self._none.copy()
        seen[0] = tick[0] if self._only else tick.copy()
        for place, copied in self._copies:
            seen[place] = copied()
        if self._hears:
            seen[-4] = self._heard_rows()
        if self._moving is not None:
            found = self._moving.positions(), self._moving.boxes_as_sent()
            seen[-3:-1] = [None if rows is None else rows[0] if self._only else rows
                            for rows in found]
        seen[-1] = {}
        if self._others:
            seen[-1] = {name: view.copy() for name, view in self._others.items()}
        return tuple.__new__(Observations, seen)

    def _heard_rows(self) -> HeardRows:
        worlds = self._worlds
        heard = HeardRows.padded(worlds.heard_starts, worlds.heard_robot, worlds.heard_range,
                                 worlds.heard_bearing, worlds.rab_data)
        return HeardRows(*(array[0] for array in heard)) if self._only else heard


# Inexact poses in a batch: the inputs of policies that depend on ``knowledge``, as in a run.

_OF_POSES = (GOAL, LEADER, POSE, WIND)  # kinds of inputs; the wind is turned by the yaw


class Knowing:
    """Poses of the last ticks, as far back as delays go, and the inputs that follow from them.

    Parameters
    ----------
    scenarios : (K,) of each world
    worlds : of N robots; ``sent_pose``, ``seed`` and ``tick`` are read

    """

    def __init__(self, scenarios: Sequence[Scenario], worlds: Worlds) -> None:
        self._worlds = worlds
        self._knowledge = [scenario.knowledge for scenario in scenarios]
        self._ages = [scenario.knowledge.ages(scenario.rate.dt) for scenario in scenarios]
        different = {id(one): one for one in scenarios if self.limited}
        walls = {key: walls_between(one) for key, one in different.items()}
        self._walls = [walls[id(one)] for one in scenarios if self.limited]
        depth = 1 + max(map(max, self._ages))
        self.past = np.zeros((len(scenarios), depth if self.limited else 0,
                              len(scenarios[0].robots), 3))  # [k, age] m, m, rad

    def play(self, world: int, scenario: Scenario) -> None:
        """Let a world have the walls of another scenario."""
        if self.limited:
            self._walls[world] = walls_between(scenario)

    @property
    def limited(self) -> bool:
        """Whether some world's robots know less than all."""
        return any(knowledge != EXACT for knowledge in self._knowledge)

    def phases(self) -> list[Interpreted]:
        """Return what follows the sensing of each tick: poses are remembered."""
        return [self._remember] if self.limited else []

    def input_phases(self, policy: Policy) -> list[Interpreted]:
        """Return what completes a policy's inputs after they were made of exact poses."""
        if not self.limited or not any(kind in _OF_POSES for kind in policy.table[:, 0]):
            return []
        worlds, n = self._worlds, self.past.shape[2]

        def write(first: int, end: int) -> None:
            for k in range(first, end):
                if self._knowledge[k] != EXACT:
                    own, others = self._ages[k]
                    rows = slice(k * n, (k + 1) * n)
                    _write_inputs(
                        self._knowledge[k], worlds.seed[k], worlds.tick[k], self._walls[k],
                        self.past[k, own], self.past[k, others], policy.table,
                        policy.goal[rows], worlds.observed_wind[rows], policy.inputs[rows])
        return [write]

    def _remember(self, first: int, end: int) -> None:
        n = self.past.shape[2]
        for k in range(first, end):
            poses = self._worlds.sent_pose[k * n:(k + 1) * n]
            if self._worlds.tick[k] == 0:
                self.past[k] = poses
            else:
                self.past[k, 1:] = self.past[k, :-1].copy()
                self.past[k, 0] = poses

    def restore(self, chosen: NDArray[np.int64], past: Floats) -> None:
        """Continue with the poses of other worlds (M, ages, N, 3): one, or as many as chosen."""
        depth, given = self.past.shape[1], past.shape[1]
        if depth and given:
            self.past[chosen] = past[:, np.minimum(np.arange(depth), given - 1)]


@njit
def _write_inputs(knowledge: Knowledge, seed: int, tick: int, walls: Scene, own: Floats,
                  others: Floats, table: NDArray[np.int64], goal: Floats, wind: Floats,
                  out: Floats) -> None:
    """Write the inputs (N, I) that N robots have of the poses that they know.

    ``own`` and ``others`` are all poses (N, 3) as they were when robots found their own, and when
    they saw others.
    """
    for i in range(len(own)):
        poses = others.copy()
        known_to(knowledge, i, seed, tick, walls, own[i].copy(), poses)
        pose = poses[i]
        for t in range(len(table)):
            values, kind = out[i, table[t, 1]:table[t, 1] + table[t, 2]], table[t, 0]
            if kind == GOAL:
                place_inputs(pose, goal[i, 0], goal[i, 1], values)
            elif kind == LEADER:
                place_inputs(pose, poses[0, 0], poses[0, 1], values)
            elif kind == WIND:
                wind_inputs(pose[2], wind[i, 0], wind[i, 1], values)
            elif kind == POSE:
                pose_inputs(pose, values)

"""Inexact poses in a batch: the inputs of policies that depend on ``knowledge``, as in a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from neural_controller.inputs import (
    GOAL,
    LEADER,
    POSE,
    WIND,
    place_inputs,
    pose_inputs,
    wind_inputs,
)
from sbot.scenario.controllers import walls_between
from sbot.scenario.knowledge import EXACT, Knowledge, ages, known_to
from sbot.scenario.model import Scenario
from sbot_common.compiled.jit import njit
from sbot_sim.world.scene import Scene
from sbot_sim.worlds.batch import Interpreted, Policy
from sbot_sim.worlds.state import Worlds

Floats = NDArray[np.float64]
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
        self._ages = [ages(scenario.knowledge, scenario.rate.dt) for scenario in scenarios]
        walls = {id(scenario): scenario for scenario in scenarios}
        self._walls: list[Scene] = []
        if self.limited:
            made = {key: walls_between(scenario) for key, scenario in walls.items()}
            self._walls = [made[id(scenario)] for scenario in scenarios]
        depth = 1 + max(map(max, self._ages))
        self.past = np.zeros((len(scenarios), depth if self.limited else 0,
                              len(scenarios[0].robots), 3))  # [k, age] m, m, rad

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

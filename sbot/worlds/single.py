# SPDX-License-Identifier: Apache-2.0
"""``sbot.World``: one world stepped from Python."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sbot.controllers.neural.function_policy import FunctionPolicy
from sbot.controllers.neural.network import Network
from sbot.runner.history import Episode
from sbot.scenario.model import Scenario
from sbot.worlds.many import Worlds, room_for_commands
from sbot.worlds.observation import Observations, Observer
from sbot.worlds.setting import LARGEST_SEED, Saved
from sbot_common.arguments import whole


class World:
    """One world of N robots, stepped from Python in one compiled call per step.

    Arrays are those of ``Worlds`` without the first axis.

    Parameters
    ----------
    scenario : what is simulated; its controllers are not used
    seed : of placement and noise; None: the scenario's
    sense : as in ``Worlds``

    """

    def __init__(self, scenario: Scenario, *, seed: int | None = None,
                 sense: Collection[str] | None = None) -> None:
        self.worlds = Worlds(scenario, 1, sense=sense, seeds=_seeds_of(seed))
        self.robots, self.dt = self.worlds.robots, self.worlds.dt
        self._room = room_for_commands(self.robots)
        self._observer = self._observing()

    def _observing(self) -> Observer:
        return Observer(self.worlds.setting, self.worlds.state, self.worlds.senses,
                        self.worlds.phases, only=True)

    def reset(self, seed: int | None = None, *, start: ArrayLike | None = None) -> Observations:
        """Reset to tick 0, with a new seed or the same; ``start`` (N, 3) m, m, rad: poses."""
        self.worlds.reset(_seeds_of(seed), start=start)
        return self._observer()

    def step(self, commands: ArrayLike, *, wheels: bool = False, data: ArrayLike | None = None,
             ticks: int = 1) -> Observations:
        """Advance by commands (N, 3) or (N, 2), as ``Worlds.step``."""
        self.worlds.advance(commands, self._room, wheels, data, ticks)
        return self._observer()

    def observe(self) -> Observations:
        """Return the present observations, as copies."""
        return self._observer()

    def save(self) -> Saved:
        """Return the state of the world as a value, as ``Worlds.save``."""
        return self.worlds.save()

    def restore(self, state: Saved) -> Observations:
        """Continue from a state of such a world or of one of ``Worlds``, as ``Worlds.restore``."""
        self.worlds.restore(state)
        self._observer = self._observing()
        return self._observer()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what has no value of its own."""
        return {name: value for name, value in vars(self).items()
                if name not in ('_observer', '_room')}

    def __setstate__(self, given: dict[str, Any]) -> None:
        """Observe anew."""
        vars(self).update(given)
        self._room = room_for_commands(self.robots)
        self._observer = self._observing()

    def run(self, policy: Network | FunctionPolicy, weights: ArrayLike, ticks: int, *,
            goals: ArrayLike | None = None, keep: Collection[str] = ()) -> Episode:
        """Let a compiled policy drive all robots, as ``Worlds.run`` (arrays (T, N, …))."""
        episode = self.worlds.run(policy, weights, ticks, goals=goals, keep=keep)
        kept: dict[str, Any] = {name: rows[:, 0] for name, rows in episode._asdict().items()
                                if isinstance(rows, np.ndarray)}
        return episode._replace(**kept)


def _seeds_of(seed: int | None) -> list[int] | None:
    """Return the seeds of one world; None: its own."""
    return None if seed is None else [whole('seed', seed, 0, LARGEST_SEED)]

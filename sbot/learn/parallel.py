# SPDX-License-Identifier: Apache-2.0
"""PettingZoo environment: each robot is an agent, and all agents act at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from sbot.learn.episodes import SavedEpisodes
from sbot.learn.gymnasium_api import MODES, OneWorld, action_space, observation_space
from sbot.learn.task import Task
from sbot.scenario.load import Source
from sbot_common.errors import InputError, bad_value

Agents = dict[str, Any]


class SwarmEnv(OneWorld, ParallelEnv):  # type: ignore[misc]
    """A scenario as a ``ParallelEnv``; make one by ``sbot.learn.parallel_env``."""

    def __init__(self, scenario: Source | None, task: Task | str | None, render_mode: str | None,
                 discrete: bool, **overrides: object) -> None:
        super().__init__(scenario, task, render_mode, discrete, **overrides)
        self.metadata = {'name': self.episodes.scenario.name, 'render_modes': list(MODES),
                         'is_parallelizable': True}
        self.possible_agents = [f'robot_{i}' for i in self.episodes.learners]
        self.agents: list[str] = []
        self.observation_spaces = {agent: observation_space((self.episodes.columns,))
                                   for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(self.episodes.actions)
                              for agent in self.possible_agents}
        self.state_space = observation_space(self.episodes.state().shape[1:])

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, (I,) float32."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions: (2,) in [-1, 1], or numbers of moves."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[Agents, Agents]:
        """Begin an episode; without a seed, one is drawn."""
        self.episodes.seed(seed)
        self.episodes.reset()
        self._renderer.keep()
        self.agents = list(self.possible_agents)
        return self._observed(self.agents), self._infos(self.agents)

    def step(self, actions: Mapping[str, Any]) -> tuple[Agents, Agents, Agents, Agents, Agents]:
        """Let all agents act; those that are done are gone afterwards, and theirs is ignored."""
        if not isinstance(actions, Mapping):
            raise bad_value('actions', actions, 'a dictionary: an action for each agent')
        if not self.agents and self.episodes.begun:  # as PettingZoo's own environments
            return {}, {}, {}, {}, {}
        kind = self.episodes.actions
        values = kind.none(1, self.episodes.robots)
        for agent, action in actions.items():
            if agent not in self.possible_agents:
                raise bad_value('actions', agent, f"agents: {', '.join(self.possible_agents)}")
            checked = kind.checked(f'action of {agent}', action, [kind.shape])
            if agent in self.agents:
                values[0, self.possible_agents.index(agent)] = checked
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise InputError(f"actions: needs one of {', '.join(missing)}; agents that are not "
                             'done act in every step')
        outcome = self.episodes.step(values)
        self._renderer.keep()
        acted, late = self.agents, bool(outcome.late[0])
        reward = dict(zip(self.possible_agents, outcome.reward[0].tolist(), strict=True))
        ended = dict(zip(self.possible_agents, self.episodes.ended[0].tolist(), strict=True))
        self.agents = [] if late else [agent for agent in acted if not ended[agent]]
        return (self._observed(acted), {agent: reward[agent] for agent in acted},
                {agent: ended[agent] for agent in acted},
                {agent: late and not ended[agent] for agent in acted},
                self._infos(acted))

    def restore(self, state: SavedEpisodes) -> Agents:
        """Continue from a state, bit for bit, and return the observations of the agents."""
        self.episodes.restore(state)
        active = self.episodes.active[0].tolist()
        self.agents = [agent for agent, acts in zip(self.possible_agents, active, strict=True)
                       if acts]
        return self._observed(self.agents)

    def _infos(self, agents: list[str]) -> Agents:
        """Return the moves that agents may choose, where the task has a mask."""
        mask = self.episodes.mask()
        if mask is None:
            return {agent: {} for agent in agents}
        return {agent: {'action_mask': mask[0, self.possible_agents.index(agent)].astype(np.int8)}
                for agent in agents}

    def _observed(self, agents: list[str]) -> Agents:
        rows = self.episodes.observation()[0]
        return {agent: rows[self.possible_agents.index(agent)] for agent in agents}

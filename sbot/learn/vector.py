"""Gymnasium vector environment: many worlds, stepped in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from sbot.api import Source
from sbot.learn.episodes import Episodes
from sbot.learn.picture import MODES, Painter
from sbot.learn.spaces import spaces_of
from sbot.learn.task import Task
from sbot_common.arguments import numbers
from sbot_common.errors import bad_value

Step = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_],
             dict[str, Any]]


class RobotsVectorEnv(VectorEnv):  # type: ignore[misc]
    """K worlds as a ``VectorEnv``; make one by ``sbot.learn.vector_env``."""

    def __init__(self, scenario: Source, count: int, task: Task | str | None,
                 render_mode: str | None, threads: int, overrides: Mapping[str, object]) -> None:
        self.episodes = Episodes(scenario, count, task, overrides, threads)
        self.metadata = {'render_modes': list(MODES), 'autoreset_mode': AutoresetMode.SAME_STEP}
        self.render_mode = render_mode
        self._painter = Painter(self.episodes, render_mode)
        self.num_envs = count
        self.single_observation_space, self.single_action_space = spaces_of(self.episodes)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[
            NDArray[np.float32], dict[str, Any]]:
        """Begin episodes in all worlds, or in those of the mask ``options['reset_mask']`` (K,)."""
        if not isinstance(options, Mapping | None):
            raise bad_value('options', options, 'a dictionary')
        super().reset(seed=self.episodes.seed(seed), options=options)
        self.episodes.reset((options or {}).get('reset_mask'))
        self._painter.keep()
        return self._observed(), {}

    def step(self, actions: Any) -> Step:  # noqa: ANN401
        """Let all robots act, (K, 2) or (K, N, 2) shares; worlds that end begin again."""
        episodes = self.episodes
        shape = (episodes.count, episodes.robots, 2)
        shapes = [shape, (episodes.count, 2)] if episodes.robots == 1 else [shape]
        outcome = episodes.step(numbers('actions', actions, *shapes).reshape(shape))
        terminated: NDArray[np.bool_] = np.logical_and.reduce(outcome.ended, axis=1)
        truncated = outcome.late & ~terminated
        over = terminated | truncated
        infos: dict[str, Any] = {}
        if over.any():
            final = np.full(self.num_envs, None, object)
            for k, row in zip(np.flatnonzero(over), self._observed()[over], strict=True):
                final[k] = row
            infos = {'final_obs': final, '_final_obs': over, 'final_info': {}, '_final_info': over}
            episodes.reset(over)
        self._painter.keep()
        return self._observed(), outcome.reward.mean(axis=1), terminated, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """Return an image or a page of each world; `human`: None."""
        if self.render_mode in (None, 'human'):
            return None
        return tuple(self._painter.render(k) for k in range(self.num_envs))

    def close_extras(self, **_: object) -> None:
        """End what `render_mode='human'` has opened."""
        self._painter.close()

    def _observed(self) -> NDArray[np.float32]:
        shape = self.single_observation_space.shape
        return self.episodes.observation().reshape(self.num_envs, *shape)

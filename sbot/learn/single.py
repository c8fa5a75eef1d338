"""Gymnasium environment of one world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from sbot.api.loading import Source
from sbot.learn.episodes import Episodes, SavedEpisodes, check_options
from sbot.learn.render.picture import MODES, Renderer
from sbot.learn.spaces import spaces_of
from sbot.learn.task import Task


class RobotsEnv(gymnasium.Env):  # type: ignore[misc]
    """A scenario as an ``Env``; make one by ``sbot.learn.env``."""

    def __init__(self, scenario: Source | None, task: Task | str | None, render_mode: str | None,
                 discrete: bool, overrides: Mapping[str, object]) -> None:
        self.episodes = Episodes(scenario, 1, task, overrides, discrete=discrete)
        self.metadata = {'render_modes': list(MODES), 'render_fps': self.episodes.fps}
        self.render_mode = render_mode
        self._renderer = Renderer(self.episodes, render_mode)
        self.observation_space, self.action_space = spaces_of(self.episodes)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[
            NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; without a seed, one is drawn."""
        check_options(options)
        super().reset(seed=self.episodes.seed(seed), options=options)
        self.episodes.reset()
        self._renderer.keep()
        return self._observed(), self._infos()

    def step(self, action: Any) -> tuple[  # noqa: ANN401
            NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Let all robots act; the reward is the mean of theirs.

        Actions are shares (2,) or (N, 2), or numbers of moves () or (N,).
        """
        n = self.episodes.robots
        values = self.episodes.actions.checked('action', action, (n,), *[()] * (n == 1))
        outcome = self.episodes.step(values[np.newaxis])
        self._renderer.keep()
        ended = bool(outcome.ended.all())
        return (self._observed(), float(outcome.reward.mean()), ended,
                bool(outcome.late[0]) and not ended,
                {'reward_of_robots': outcome.reward[0], **self._infos()})

    def render(self) -> Any:  # noqa: ANN401
        """Return an image (height, width, 3), or the text of a page; see ``env``."""
        return self._renderer.render()

    def close(self) -> None:
        """Close the browser view of `render_mode='human'`."""
        self._renderer.close()

    def save(self) -> SavedEpisodes:
        """Return the state of the episode as a value."""
        return self.episodes.save()

    def restore(self, state: SavedEpisodes) -> NDArray[np.float32]:
        """Continue from a state, bit for bit, and return the observation."""
        self.episodes.restore(state)
        return self._observed()

    def state(self) -> NDArray[np.float32]:
        """Return the state of the world for a critic (columns,): the task's ``state``."""
        only: NDArray[np.float32] = self.episodes.state()[0]
        return only

    def _infos(self) -> dict[str, Any]:
        """Return the moves that robots may choose, where the task has a mask."""
        mask = self.episodes.mask()
        if mask is None:
            return {}
        return {'action_mask': mask[0, 0] if self.episodes.robots == 1 else mask[0]}

    def _observed(self) -> NDArray[np.float32]:
        rows: NDArray[np.float32] = self.episodes.observation()[0]
        only: NDArray[np.float32] = rows[0]
        return only if self.episodes.robots == 1 else rows

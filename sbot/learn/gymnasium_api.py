# SPDX-License-Identifier: Apache-2.0
"""Gymnasium: environments of one world and of many, their spaces and pictures."""

from __future__ import annotations

import math
import sys
import time
import webbrowser
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from sbot.figures.data import Goal, RunData
from sbot.figures.ground import draw_arena, draw_goals
from sbot.figures.look import style_of
from sbot.figures.robots import Robots
from sbot.learn.episodes import Episodes, Outcome, SavedEpisodes
from sbot.learn.task import Actions, Task
from sbot.scenario.load import Source, Sources
from sbot.viewer.data import frame, live_header, page, page_data
from sbot.viewer.server import Live, start_server
from sbot_common.arrays import Flags, Floats
from sbot_common.compiled.jit import njit
from sbot_common.errors import InputError, bad_value

# Pictures of an episode: an image, a page that replays it, or a live view in a browser.

MODES = ('human', 'rgb_array', 'html')
_WIDTH = 480  # pixels
_DPI = 100
_HEIGHTS = (0.5, 2.0)  # least and most, of the width
_CLOSE_TIMEOUT = 1.0  # s of wall time for pages to hear that it was all


class Renderer:
    """Draws the worlds of episodes, as ``render_mode`` selects.

    Parameters
    ----------
    episodes : whose worlds
    mode : of ``MODES``; None: nothing is kept or drawn

    Raises
    ------
    InputError
        for another mode.

    """

    def __init__(self, episodes: Episodes, mode: str | None) -> None:
        if mode is not None and not (isinstance(mode, str) and mode in MODES):
            raise bad_value('render_mode', mode, f"None, {', '.join(MODES)}")
        self._episodes, self._mode = episodes, mode
        self._rows: list[list[tuple[Any, ...]]] = [[] for _ in range(episodes.count)]
        self._live: Live | None = None  # what a browser shows
        self._begun = 0.0  # s of the wall clock

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the live view: a copy opens its own."""
        return {**vars(self), '_live': None}

    def keep(self) -> None:
        """Note where robots are now; a world at tick 0 has begun again. `human`: show world 0."""
        if self._mode == 'human':
            self._show()
        if self._mode != 'html':
            return
        seen, wind = self._episodes.now.seen, self._wind()
        for k, rows in enumerate(self._rows):
            if seen.tick[k] == 0:
                rows.clear()
            rows.append((int(seen.tick[k]), seen.pose[k], wind[k].copy()))

    def render(self, world: int = 0) -> Any:  # noqa: ANN401
        """Return an image (height, width, 3) uint8 or the text of a page; `human`: None."""
        if self._mode is None or self._mode == 'human':
            return None
        data = self._at_rest(world)
        if self._mode == 'rgb_array':
            return _image(data._replace(poses=self._episodes.now.seen.pose[world][None]))
        ticks, poses, winds = zip(*self._rows[world], strict=True)
        rate, wind = data.scenario.rate, np.array(winds)
        stamps = np.array([rate.stamp_ns(tick) for tick in ticks], np.int64)
        shown = data._replace(stamps_ns=stamps, poses=np.array(poses), wind=wind, free_wind=wind)
        return page(page_data(shown, None), data.scenario.name)

    def close(self) -> None:
        """Close the view of `human`."""
        if self._live is not None:
            self._live.close(_CLOSE_TIMEOUT)
            self._live = None

    def _show(self) -> None:
        """Show world 0 in a browser, no faster than real time; print the address of its page."""
        if self._live is None:
            self._live = Live()
            address = start_server(0, self._live)
            print(f'{address} shows the episodes', file=sys.stderr, flush=True)
            webbrowser.open(address)
        now = self._episodes.now
        seconds = int(now.seen.tick[0]) * now.dt
        if seconds == 0.0:
            self._live.set_run({**live_header(self._episodes.worlds.scenarios[0]),
                                'drivable': []})
            self._begun = time.monotonic()
        time.sleep(max(0.0, self._begun + seconds - time.monotonic()))
        self._live.set_frame(frame(seconds, now.seen.pose[0], self._wind()[0], self._goals(0)))

    def _wind(self) -> NDArray[np.float64]:
        """Return the wind (K, N, 2) m/s at all robots."""
        worlds = self._episodes.worlds
        return worlds.state.wind.reshape(worlds.count, -1, 2)

    def _goals(self, world: int) -> dict[int, tuple[float, float]]:
        """Return the goals (m) of a world's episode; one that is robot 0's only once."""
        places = self._episodes.now.goal[world].tolist()
        return {i: (x, y) for i, (x, y) in enumerate(places)
                if math.isfinite(x) and (i == 0 or [x, y] != places[0])}

    def _at_rest(self, world: int) -> RunData:
        """Return the scenario with the goals of a world's episode."""
        data = RunData.at_rest(self._episodes.worlds.scenarios[world])
        begin = int(data.stamps_ns[0])
        return data._replace(goals=tuple(Goal(begin, i, x, y)
                                         for i, (x, y) in self._goals(world).items()))


def _image(data: RunData) -> NDArray[np.uint8]:
    """Return the arena with the robots of the last row as an image (height, width, 3)."""
    xmin, ymin, xmax, ymax = data.view
    height = _WIDTH * float(np.clip((ymax - ymin) / (xmax - xmin), *_HEIGHTS))
    with rc_context(style_of(dark=False)):
        figure = Figure(figsize=(_WIDTH / _DPI, round(height) / _DPI), dpi=_DPI)
        canvas: Any = FigureCanvasAgg(figure)  # its methods have no annotations
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        draw_arena(axes, data)
        draw_goals(axes, data, int(data.stamps_ns[-1]))
        Robots(axes, data, data.poses[-1])
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()


# Spaces of observations and actions.

def observation_space(shape: tuple[int, ...]) -> spaces.Box:
    """Return the space of observations of a shape."""
    return spaces.Box(-np.inf, np.inf, shape, np.float32)


def action_space(actions: Actions, robots: tuple[int, ...] = ()) -> spaces.Space[Any]:
    """Return the space of the actions of robots (N,), or of one robot ().

    Shares of the greatest speeds, and what is broadcast; or numbers of moves.
    """
    if not actions.discrete:
        return spaces.Box(-1.0, 1.0, (*robots, actions.columns), np.float32)
    moves = len(actions.moves)
    return spaces.MultiDiscrete([moves] * robots[0]) if robots else spaces.Discrete(moves)


def _spaces_of(episodes: Episodes) -> tuple[spaces.Box, spaces.Space[Any]]:
    """Return the spaces of one world: (I,) and (2,), or of N robots (N, I) and (N, 2)."""
    rows = () if episodes.robots == 1 else (episodes.robots,)
    return (observation_space((*rows, episodes.columns)), action_space(episodes.actions, rows))


def _shapes_of(episodes: Episodes, *worlds: int) -> list[tuple[int, ...]]:
    """Return the shapes of actions: one robot's with or without the axis of robots."""
    n, shape = episodes.robots, episodes.actions.shape
    return [(*worlds, n, *shape), *[(*worlds, *shape)] * (n == 1)]


# Gymnasium environment of one world.

class OneWorld:
    """What environments of one world have in common."""

    def __init__(self, scenario: Source | None = None, task: Task | str | None = None,
                 render_mode: str | None = None, discrete: bool = False,
                 **overrides: object) -> None:
        self.episodes = Episodes(scenario, 1, task, overrides, discrete=discrete)
        self.render_mode = render_mode
        self._renderer = Renderer(self.episodes, render_mode)

    def render(self) -> Any:  # noqa: ANN401
        """Return an image (height, width, 3), or the text of a page; see ``env``."""
        return self._renderer.render()

    def close(self) -> None:
        """Close the browser view of `render_mode='human'`."""
        self._renderer.close()

    def save(self) -> SavedEpisodes:
        """Return the state of the episode as a value."""
        return self.episodes.save()

    def state(self) -> NDArray[np.float32]:
        """Return the state of the world for a critic (columns,): the task's ``state``."""
        return np.asarray(self.episodes.state()[0])


class RobotsEnv(OneWorld, gymnasium.Env):  # type: ignore[misc]
    """A scenario as an ``Env``; make one by ``sbot.learn.env``, or by an id."""

    metadata: dict[str, Any] = {'render_modes': list(MODES)}  # noqa: RUF012 - copied

    def __init__(self, scenario: Source | None = None, task: Task | str | None = None,
                 render_mode: str | None = None, discrete: bool = False,
                 **overrides: object) -> None:
        super().__init__(scenario, task, render_mode, discrete, **overrides)
        self.metadata = {**self.metadata, 'render_fps': self.episodes.fps}
        self.observation_space, self.action_space = _spaces_of(self.episodes)
        self._shapes = _shapes_of(self.episodes)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[
            NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; without a seed, one is drawn."""
        super().reset(seed=self.episodes.seed(seed), options=options)
        self.episodes.reset()
        self._renderer.keep()
        return self._observed(), self._infos()

    def step(self, action: Any) -> tuple[  # noqa: ANN401
            NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Let all robots act; the reward is the mean of theirs.

        Actions are shares (2,) or (N, 2), or numbers of moves () or (N,).
        """
        values = self.episodes.actions.checked('action', action, self._shapes)
        outcome = self.episodes.step(values[np.newaxis])
        self._renderer.keep()
        return (self._observed(), float(outcome.reward.mean()), bool(outcome.all_ended[0]),
                bool(outcome.late[0]), {'reward_of_robots': outcome.reward[0], **self._infos()})

    def restore(self, state: SavedEpisodes) -> NDArray[np.float32]:
        """Continue from a state, bit for bit, and return the observation."""
        self.episodes.restore(state)
        return self._observed()

    def _infos(self) -> dict[str, Any]:
        """Return the moves that robots may choose, where the task has a mask."""
        mask = self.episodes.mask()
        if mask is None:
            return {}
        return {'action_mask': mask[0, 0] if self.episodes.robots == 1 else mask[0]}

    def _observed(self) -> NDArray[np.float32]:
        rows = self.episodes.observation()[0]
        return np.asarray(rows[0] if self.episodes.robots == 1 else rows)


# Gymnasium vector environment: many worlds, stepped in one call.

Step = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_],
             dict[str, Any]]

_AUTORESETS = {mode.name.lower(): mode for mode in (
    AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED)}


class RobotsVectorEnv(VectorEnv):  # type: ignore[misc]
    """K worlds as a ``VectorEnv``; make one by ``sbot.learn.vector_env``.

    By default, as Gymnasium makes it by its id, a world begins anew in the step after its last,
    as Gymnasium's own vector environments do and its wrappers want it.
    """

    metadata: dict[str, Any] = {'render_modes': list(MODES)}  # noqa: RUF012 - copied

    def __init__(self, scenario: Sources | None = None, num_envs: int = 1,
                 task: Task | str | None = None, render_mode: str | None = None, threads: int = 1,
                 discrete: bool = False, rewards: str = 'mean',
                 autoreset: str | AutoresetMode = 'next_step', **overrides: object) -> None:
        if rewards not in ('mean', 'robots'):
            raise bad_value('rewards', rewards, 'mean or robots')
        mode = autoreset if isinstance(autoreset, AutoresetMode) else _AUTORESETS.get(autoreset)
        if mode is None:
            raise bad_value('autoreset', autoreset, f"one of {', '.join(_AUTORESETS)}")
        self._mode, self._of_robots = mode, rewards == 'robots'
        self.episodes = Episodes(scenario, num_envs, task, overrides, threads, discrete)
        self.metadata = {**self.metadata, 'render_fps': self.episodes.fps,
                         'autoreset_mode': self._mode}
        self.render_mode = render_mode
        self._renderer = Renderer(self.episodes, render_mode)
        self.num_envs = self.episodes.count
        self._all = np.ones(self.num_envs, np.bool_)
        self.single_observation_space, self.single_action_space = _spaces_of(self.episodes)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._shapes = _shapes_of(self.episodes, self.num_envs)

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[
                  NDArray[np.float32], dict[str, Any]]:
        """Begin episodes in all worlds, or in the worlds of ``options['reset_mask']`` (K,).

        ``seed`` is world 0's, from which ``world_seeds`` makes the others'; or a list with a seed
        for each, or None.
        """
        first = self.episodes.seed(seed)
        if first is not None:
            super().reset(seed=first, options=options)
        mask = (options or {}).get('reset_mask')
        self.episodes.reset(mask)
        self._renderer.keep()
        return self._observed(), self._infos({})

    def step(self, actions: Any) -> Step:  # noqa: ANN401
        """Let all robots act; ``autoreset`` selects what follows the end of an episode.

        Actions are shares (K, 2) or (K, N, 2), or numbers of moves (K,) or (K, N). Rewards are
        (K,) means, or (K, N), as ``rewards`` says; those of robots are in ``infos``, too.
        """
        episodes = self.episodes
        if episodes.some_over and self._mode == AutoresetMode.DISABLED:
            raise InputError(f"step() needs an episode in world {int(episodes.over.argmax())}; "
                             "call reset(options={'reset_mask': mask}) first")
        values = episodes.actions.checked('actions', actions, self._shapes, finite=False)
        outcome = episodes.step(values, self._mode == AutoresetMode.NEXT_STEP)
        infos = (self._begin_again(episodes.over)
                 if episodes.some_over and self._mode == AutoresetMode.SAME_STEP else {})
        self._renderer.keep()
        reward = outcome.reward if self._of_robots else _means(outcome.reward)
        return (self._observed(), reward, outcome.all_ended, outcome.late,
                self._infos(infos, outcome))

    def save(self, worlds: ArrayLike | None = None) -> SavedEpisodes:
        """Return the state of worlds (a mask, or numbers; None: all) as a value."""
        return self.episodes.save(worlds)

    def restore(self, state: SavedEpisodes, worlds: ArrayLike | None = None) -> Any:  # noqa: ANN401
        """Let worlds continue from a state, bit for bit, and return all observations."""
        self.episodes.restore(state, worlds)
        return self._observed()

    def state(self) -> NDArray[np.float32]:
        """Return the states of all worlds for a critic (K, columns): the task's ``state``."""
        return self.episodes.state()

    def render(self) -> tuple[Any, ...] | None:
        """Return an image or a page of each world; `human`: None."""
        if self.render_mode in (None, 'human'):
            return None
        return tuple(self._renderer.render(k) for k in range(self.num_envs))

    def close_extras(self, **_: object) -> None:
        """Close the browser view of `render_mode='human'`."""
        self._renderer.close()

    def _begin_again(self, over: Flags) -> dict[str, Any]:
        """Begin episodes where they are over; return the last observations of these."""
        final = np.full(self.num_envs, None, object)
        for k, row in zip(np.flatnonzero(over), self._observed()[over], strict=True):
            final[k] = row
        self.episodes.reset(over)
        return {'final_obs': final, '_final_obs': over, 'final_info': {}, '_final_info': over}

    def _infos(self, infos: dict[str, Any], outcome: Outcome | None = None) -> dict[str, Any]:
        """Add the rewards of robots, and the moves that they may choose."""
        if outcome is not None:
            infos['reward_of_robots'], infos['_reward_of_robots'] = (outcome.reward,
                                                                     self._all.copy())
        mask: Any = self.episodes.mask()
        if mask is not None:
            infos['action_mask'] = mask[:, 0] if self.episodes.robots == 1 else mask
            infos['_action_mask'] = self._all.copy()
        return infos

    def _observed(self) -> NDArray[np.float32]:
        rows = self.episodes.observation()
        return rows[:, 0] if self.episodes.robots == 1 else rows


def _means(rewards: Floats) -> Floats:
    """Return the mean of each row (K, N): the bits of NumPy, which adds less than 8 in turn."""
    if rewards.shape[1] >= 8:
        return np.asarray(rewards.mean(axis=1))
    found = np.empty(len(rewards))
    _mean_rows(rewards, found)
    return found


@njit
def _mean_rows(values: Floats, found: Floats) -> None:
    """Write the mean of each row (K, N)."""
    for k in range(len(values)):
        total = 0.0
        for value in values[k]:
            total += value
        found[k] = total / values.shape[1]

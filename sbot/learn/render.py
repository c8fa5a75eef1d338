# SPDX-License-Identifier: Apache-2.0
"""Rendering of an episode: an image, a page that replays it, or a live view in a browser."""

from __future__ import annotations

import math
import sys
import time
import webbrowser
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sbot.figures.data import Goal, RunData, at_rest
from sbot.figures.ground import draw_arena, draw_goals
from sbot.figures.picture import STYLE
from sbot.figures.robots import Robots
from sbot.learn.episodes import Episodes
from sbot.viewer.data import frame, live_header, page, page_data
from sbot.viewer.server import Live, start_server
from sbot_common.errors import bad_value

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
        data = at_rest(self._episodes.worlds.scenarios[world])
        begin = int(data.stamps_ns[0])
        return data._replace(goals=tuple(Goal(begin, i, x, y)
                                         for i, (x, y) in self._goals(world).items()))


def _image(data: RunData) -> NDArray[np.uint8]:
    """Return the arena with the robots of the last row as an image (height, width, 3)."""
    xmin, ymin, xmax, ymax = data.view
    height = _WIDTH * float(np.clip((ymax - ymin) / (xmax - xmin), *_HEIGHTS))
    with rc_context(STYLE):
        figure = Figure(figsize=(_WIDTH / _DPI, round(height) / _DPI), dpi=_DPI)
        canvas: Any = FigureCanvasAgg(figure)  # its methods have no annotations
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        draw_arena(axes, data)
        draw_goals(axes, data, int(data.stamps_ns[-1]))
        Robots(axes, data, data.poses[-1])
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()

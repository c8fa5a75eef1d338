"""Live view of episodes in a browser: `render_mode='human'`."""

from __future__ import annotations

import sys
import time
import webbrowser
from collections.abc import Mapping

from sbot.learn.task import Floats
from sbot.scenario.model import Scenario
from sbot.viewer.frames import Laser, frame, live_header
from sbot.viewer.server import Live, start_server

_CLOSE_TIMEOUT = 1.0  # s of wall time for pages to hear that it was all


class Browser:
    """Serves the page of `sbot view --live` with one world, no faster than real time.

    Its address is printed, and a browser is opened where there is one.
    """

    def __init__(self) -> None:
        self._live = Live()
        self.address = start_server(0, self._live)
        self._begun = 0.0  # s of the wall clock
        print(f'{self.address} shows the episodes', file=sys.stderr, flush=True)
        webbrowser.open(self.address)

    def show(self, scenario: Scenario, seconds: float, poses: Floats, winds: Floats,
             goals: Mapping[int, tuple[float, float]]) -> None:
        """Show a moment.

        Parameters
        ----------
        scenario : of the episode
        seconds : since the episode began; 0: it begins now
        poses : (N, 3) m, m, rad
        winds : (N, 2) m/s
        goals : m, of robots

        """
        if seconds == 0.0:
            self._live.set_run({**live_header(scenario, Laser()), 'drivable': []})
            self._begun = time.monotonic()
        time.sleep(max(0.0, self._begun + seconds - time.monotonic()))
        self._live.set_frame(frame(seconds, poses, winds, goals))

    def close(self) -> None:
        """Tell the page that it was all, and stop serving it."""
        self._live.close(_CLOSE_TIMEOUT)

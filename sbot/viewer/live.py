# SPDX-License-Identifier: Apache-2.0
"""`sbot view --live`: a page that follows, pauses and drives a simulation, with ROS or without."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sbot.environment.running import stay_on_this_machine
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.scenario.model import Scenario
from sbot.viewer.data import FRAME_PERIOD
from sbot.viewer.server import Driven, Live, LiveRun, start_server
from sbot_common import topics
from sbot_common.errors import InputError, one_line
from sbot_common.observation import Twist
from sbot_common.wire.messages import PoseStamped
from sbot_sim.engine.simulation import Snapshot

# Live view of an in-process run, which the page paces, pauses and steers.

_MOMENT = 0.1  # s of wall time: the longest wait before the run looks for Ctrl-C


class _PageSupervisor:
    """Supervisor of an in-process run, and the ``Controls`` of its page.

    The run begins when a page is open, and keeps to ``target_real_time_factor``; 0 means 1 here,
    as nobody can watch what is as fast as possible.

    Parameters
    ----------
    live : where frames go
    scenario : of the run

    """

    def __init__(self, live: Live, scenario: Scenario) -> None:
        self._live, self._run = live, LiveRun(live, scenario)
        self._robots = {topics.GOAL.resolve(i, len(scenario.robots)): i
                        for i in range(len(scenario.robots))}
        self._period = scenario.rate.dt / (scenario.target_real_time_factor or 1.0)
        self._driven = Driven()
        self._changed = threading.Condition()  # guards the next line
        self._paused, self._steps = False, 0
        self._watched = False
        self._due = 0.0  # wall time (s) when the tick ends
        self._frame_due = 0.0
        self._unseen: Snapshot | None = None
        live.controls = self

    # What the run calls.

    def show(self, snapshot: Snapshot, announced: Sequence[topics.Outgoing]) -> None:
        """Show a tick, unless the last one shown was just before."""
        for name, topic, payload in announced:
            if topic == topics.GOAL:
                pose = PoseStamped.of_pose(payload)
                self._run.goals[self._robots[name]] = pose.x, pose.y
        self._unseen = snapshot
        if time.monotonic() >= self._frame_due:
            self.show_unseen()

    def may_proceed(self) -> bool:
        """Return whether a page is open, the run is not paused, and the tick's time is over."""
        if not self._watched:
            self._watched = self._live.wait_for_page(_MOMENT)
            return False
        with self._changed:
            if self._paused and not self._steps:
                self.show_unseen()
                self._changed.wait(_MOMENT)
                return False
            now = time.monotonic()
            if self._steps:
                self._steps -= 1
            elif now < self._due:
                self._changed.wait(min(self._due - now, _MOMENT))
                return False
            # A run that cannot keep up does not hurry afterwards.
            self._due = max(self._due + self._period, now - self._period)
        return True

    def commands(self) -> Mapping[int, Twist]:
        """Return the commands of the robots that the page drives."""
        return self._driven.commands()

    def show_unseen(self) -> None:
        """Show the latest tick, if it was not shown."""
        if self._unseen is None:
            return
        snapshot, self._unseen = self._unseen, None
        self._run.show(self._run.scenario.rate.stamp_ns(snapshot.tick), snapshot.pose,
                       snapshot.wind, snapshot.obstacles, snapshot.boxes, snapshot.ranges)
        self._frame_due = time.monotonic() + FRAME_PERIOD

    # What the page asks for, in threads of its server.

    def pause(self, on: bool) -> None:
        """Pause between two ticks, or resume."""
        with self._changed:
            self._paused, self._steps = on, 0
            self._changed.notify_all()
            self._live.set_paused(on)  # in one with it: pages may ask at the same time

    def step(self) -> None:
        """Go one tick on, while paused."""
        with self._changed:
            if not self._paused:
                raise InputError('the simulation is not paused: pause it first')
            self._steps += 1
            self._changed.notify_all()

    def drive(self, robot: int, command: Twist) -> None:
        """Drive a robot without a controller."""
        self._driven.set(robot, command, self._run.drivable)


_CLOSE_TIMEOUT = 2.0  # s of wall time for pages to hear that the run has ended


def run_live(scenario: Scenario, port: int, record: str | Path | None = None,
             say: Callable[[str], None] = print) -> Run:
    """Run a scenario in this process for a page in the browser, which may pause and drive it.

    Parameters
    ----------
    scenario : from ``load_scenario``
    port : on localhost; 0: any free one
    record : a new directory for a recording
    say : called with the line that has the address

    Raises
    ------
    InputError
        if the port cannot be used; others as ``run_scenario``.

    """
    live = Live()
    supervisor = _PageSupervisor(live, scenario)
    address = start_server(port, live)
    say(f'{address} shows {one_line(scenario.name, 200)}, which starts when the page is open; '
        'Ctrl-C ends')
    try:
        return run_scenario(scenario, record=record, keep=False, supervisor=supervisor)
    finally:
        supervisor.show_unseen()
        live.end(_CLOSE_TIMEOUT)


def follow(port: int, run: str = '') -> int:
    """Serve the page of the simulation that runs as ROS nodes, until interrupted.

    ``run`` is its namespace, '' or e.g. '/arena'. Return the exit code.

    Raises
    ------
    InputError
        where ROS 2 is missing, or if the port cannot be used.

    """
    try:
        from sbot_common import ros
    except SystemExit as error:
        raise InputError(f'--live: {error}; or: sbot view --live SCENARIO') from None
    from sbot.viewer.node import ViewNode
    stay_on_this_machine()
    live = Live()
    address = start_server(port, live)
    where = f' in {run}' if run else ''
    print(f'{address} follows the running simulation{where}; Ctrl-C ends', flush=True)
    return ros.run(lambda: ViewNode(live, run), ['sbot_view'])

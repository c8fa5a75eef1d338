"""`sbot view --live`: a page that follows, pauses and drives a simulation, with ROS or without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sbot.environment.discovery import stay_on_this_machine
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.scenario.model import Scenario
from sbot.viewer.server import Live, start_server
from sbot.viewer.simulated import PageSupervisor
from sbot_common.errors import InputError, one_line

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
    supervisor = PageSupervisor(live, scenario)
    address = start_server(port, live)
    say(f'{address} shows {one_line(scenario.name, 200)}, which starts when the page is open; '
        'Ctrl-C ends')
    try:
        return run_scenario(scenario, record=record, keep=False, supervisor=supervisor)
    finally:
        supervisor.finish()
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

"""pytest and launch_testing helpers: recordings replayed to nodes of your own.

With pytest the helper starts the node. In your ``conftest.py``:
``pytest_plugins = ['sbot.ros.testing']``; then::

    def test_my_node_does_what_it_did(replay_to_node):
        replay_to_node('recordings/tuesday', 'ros2 run my_package my_node')

With launch_testing the launch description starts it, and a test calls
``assert_node_replays('recordings/tuesday')`` (docs/record_and_replay.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pytest

from sbot.bag.reader import Bag
from sbot.regression.commands import Tolerances
from sbot.ros.node_replay import NodeReplayResult, replay_node


def assert_node_replays(bag: str | Path, command: str | None = None, *,
                        robots: Collection[int] = (), tolerance: float | Mapping[str, float] = 0.0,
                        timeout: float | None = None) -> NodeReplayResult:
    """Fail unless nodes, fed from a recording, give its every command.

    Parameters
    ----------
    bag : recorded in lockstep
    command : starts the nodes, in a ROS domain of their own; None: they run in this domain, as
        a launch description has started them
    robots : whose commands are compared; (): the external ones of the recorded scenario, or else
        those that the nodes drive
    tolerance : of all numbers, or of fields by name, e.g. {'angular.z': 0.01}; 0: bit for bit
    timeout : s to wait for the nodes and for each command; None: the scenario's
        ``lockstep_timeout``, a minute to start

    Raises
    ------
    AssertionError
        with the first difference: tick, topic, field, both values.
    InputError, NodeFailed
        if the bag cannot be replayed, or the nodes end or do not come.

    """
    __tracebackhide__ = True  # of pytest: the message says it all
    given = ([f'{field}={value!r}' for field, value in tolerance.items()]
             if isinstance(tolerance, Mapping) else [repr(float(tolerance))])
    lines: list[str] = []
    result = replay_node(Bag(bag), command, robots=robots,
                         tolerances=Tolerances(given, 'tolerance'), timeout=timeout,
                         output=lines.append)
    if not result.equal:
        raise AssertionError('\n'.join([
            f'{bag}: {result.first} ({result.differences} of {result.commands} differ)',
            *lines[-20:]]))
    return result


@pytest.fixture
def replay_to_node() -> Callable[..., NodeReplayResult]:
    """Return ``assert_node_replays``."""
    return assert_node_replays

# SPDX-License-Identifier: Apache-2.0
"""pytest and launch_testing helpers: recordings replayed to nodes of your own.

With pytest the helper starts the node. In your ``conftest.py``:
``pytest_plugins = ['sbot.ros.testing']``; then::

    def test_my_node_does_what_it_did(replay_to_node):
        replay_to_node('recordings/tuesday', 'ros2 run my_package my_node')

With launch_testing the launch description starts it, and a test calls
``assert_node_replays('recordings/tuesday')`` (docs/record_and_replay.md).

With the environment variable SBOT_REFRESH=1 a test that starts its node records the run again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import pytest

from sbot.bag.reader import Bag
from sbot.files.limits import TemporaryFolder
from sbot.regression.commands import Tolerances, in_words
from sbot.regression.testing import REFRESH
from sbot.ros.domain import FREE, parse_domain
from sbot.ros.node_replay import NodeReplayResult
from sbot.ros.processes import PLACES, as_commands
from sbot.ros.up import NodeFailed, run_up
from sbot.scenario.controllers import external_robots
from sbot.scenario.load import parse_scenario
from sbot_common.errors import InputError


def assert_node_replays(bag: str | Path, command: str | Sequence[str] | None = None, *,
                        robots: Collection[int] = (), tolerance: float | Mapping[str, float] = 0.0,
                        timeout: float | None = None,
                        compare: Collection[str] = ()) -> NodeReplayResult:
    """Fail unless nodes, fed from a recording, give its every command or message.

    Parameters
    ----------
    bag : recorded in lockstep
    command : starts the nodes, in a ROS domain of their own; one or several; None: they run in
        this domain, as a launch description has started them
    robots : whose commands are compared; (): the external ones of the recorded scenario, or else
        those that the nodes drive
    tolerance : of all numbers, or by field or type of message, e.g. {'angular.z': 0.01}; 0: bit
        for bit
    timeout : s to wait for the nodes and for each command; None: the scenario's
        ``lockstep_timeout``, a minute to start
    compare : topics of ``record_topics`` to compare, and no commands but those of ``robots``; ():
        all that are in the bag, none if ``robots`` are given. The others are played

    Raises
    ------
    AssertionError
        with the first difference: tick, topic, field, both values.
    pytest.skip.Exception
        with SBOT_REFRESH=1 and a command: the nodes have driven the recorded scenario again, and
        that recording has replaced the old one.
    pytest.fail.Exception
        with SBOT_REFRESH=1 and a command: the nodes ended or were silent; the old one stays.
    InputError, NodeFailed
        if the bag cannot be replayed, or the nodes end or do not come.

    """
    __tracebackhide__ = True  # of pytest: the message says it all
    given = ([f'{field}={value!r}' for field, value in tolerance.items()]
             if isinstance(tolerance, Mapping) else [repr(float(tolerance))])
    lines: list[str] = []
    if command is not None and os.environ.get(REFRESH) == '1':
        problem: Exception | None = None
        try:
            _record_again(bag, command, lines.append, robots)
        except (InputError, NodeFailed) as error:
            problem = error
        if problem is not None:  # outside of `except`, so that pytest prints it once
            pytest.fail(f'{problem} ({bag} stays as it was)', pytrace=False)
        pytest.skip(f'{bag}: recorded again')
    result = NodeReplayResult.of(Bag(bag), command, robots=robots,
                                 tolerances=Tolerances(given, 'tolerance'), timeout=timeout,
                                 output=lines.append, compare=compare)
    if not result.equal:
        accept = [] if command is None else [
            f'if the change is meant, record again: {REFRESH}=1 python -m pytest']
        raise AssertionError('\n'.join(filter(None, [
            f'{bag}: {result.first} ({result.differences} of {result.commands} differ'
            f'{result.extent()})', str(result.largest or ''),
            in_words(result.differing, len(result.robots)), *accept, *lines[-20:]])))
    return result


def _record_again(bag: str | Path, command: str | Sequence[str],
                 output: Callable[[str], None] = lambda _: None,
                 robots: Collection[int] = ()) -> None:
    """Replace a recording by one of the same scenario, which these nodes drive as they are now.

    Parameters
    ----------
    bag : directory
    command : starts the nodes of all robots with ``controller: external``; one or several
    output : called with each line that a node prints
    robots : which ones a single command without places drives; (): all

    Raises
    ------
    InputError
        if no node of the user's was recorded, or none of the commands drives an external robot,
        or the bag is no directory.
    NodeFailed
        if a node ends or is silent; the recording stays.

    """
    directory = Path(bag)
    scenario = parse_scenario(Bag(bag).scenario_text, f'{bag}: scenario', Path.cwd())
    if not directory.is_dir() or not (external_robots(scenario) or scenario.record_topics):
        raise InputError(f'{bag}: {REFRESH}=1 needs the directory of a recording in lockstep with '
                         '`controller: external` or `record_topics`')
    own = as_commands(command)
    missing = sorted(set(external_robots(scenario)) - set(robots)) if robots else []
    if missing and len(own) == 1 and not any(place in own[0] for place in PLACES):
        raise InputError(f'{REFRESH}=1 needs a command for every external robot (missing: '
                         f'{", ".join(map(str, missing))}); give one test a list of commands')
    with TemporaryFolder('again') as folder:
        new, beside = Path(folder) / 'new', directory.with_name(f'.{directory.name}.new')
        run_up(scenario, record=new, own=own, domain=parse_domain(FREE), output=output)
        shutil.move(new, beside)  # it may be copied; the old one stays until that is done
        shutil.rmtree(directory)
        beside.rename(directory)


@pytest.fixture
def replay_to_node() -> Callable[..., NodeReplayResult]:
    """Return ``assert_node_replays``."""
    return assert_node_replays

# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: run scenarios, read recordings, compare with golden bags.

In your ``conftest.py``: ``pytest_plugins = ['sbot.regression.testing']``; then tests take the
fixture ``sbot``::

    def test_the_swarm_arrives(sbot):
        run = sbot.run('my_swarm.yaml', {'duration': 30})
        assert run.summary['overlaps'] == 0
        assert run.poses[-1, 0, 0] > 25.0
        sbot.assert_golden('my_swarm.yaml', 'golden/my_swarm', {'duration': 2})

With the environment variable SBOT_REFRESH=1, ``assert_golden`` records the bag again.
"""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path

import pytest

from sbot.bag.compare import IGNORED, Comparison
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.ticks import robot_of
from sbot.files.limits import TemporaryFolder
from sbot.regression.commands import Recording
from sbot.regression.replay import replay
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot.scenario.model import Scenario
from sbot_common.topics import (
    CMD_VEL,
    GOAL,
    SCENARIO,
    Topic,
)
from sbot_sim.sensors.registry import codecs

REFRESH = 'SBOT_REFRESH'

Overrides = Mapping[str, object]


# Golden bags hold what controllers read and answer and no pictures: they are small, and good for
# `sbot replay`. They are the same on every machine, because results are made of
# ``sbot_common.elementary``.

def _record_golden(scenario: Scenario, directory: str | Path) -> None:
    """Run a scenario and make (or replace) its golden bag.

    Raises
    ------
    InputError
        if the directory cannot be written.

    """
    directory = Path(directory)
    kept = {topic.name for topic in (*(topic for topic, _ in codecs().values()),
                                     CMD_VEL, GOAL, SCENARIO)}
    with TemporaryFolder('golden') as folder:
        run_scenario(scenario, record=Path(folder) / 'run', keep=False)
        source = Bag(Path(folder) / 'run')
        new = Path(folder) / directory.name
        with Recorder(new, metadata=source.metadata) as recorder:
            for message in source.messages():
                found = robot_of(message.name)
                own = found[1] if found else message.name
                if own in kept:
                    topic = Topic(own, message.type, own in (SCENARIO.name, GOAL.name))
                    recorder.write(message.name, topic, message.stamp_ns, message.payload)
        if directory.exists():
            shutil.rmtree(directory)
        directory.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(new, directory)


def _check_golden(scenario: Scenario, directory: str | Path) -> str:
    """Run a scenario; return how it differs from its golden bag, '' if in no bit.

    Raises
    ------
    InputError
        if the golden bag cannot be read.

    """
    golden = Bag(directory)
    with TemporaryFolder('golden') as folder:
        run_scenario(scenario, record=Path(folder) / 'run', keep=False)
        result = Comparison.of(golden, Bag(Path(folder) / 'run'), (*IGNORED, SCENARIO.name))
    if result.first is not None:
        return f'{golden.path}: golden != run: {result.first}'
    if result.unpaired:
        return f'{golden.path}: numbers of messages differ: {result.unpaired}'
    if result.only_first:
        return f'{golden.path}: topics missing in the run: {result.only_first}'
    return ''


class Sbot:
    """Helpers for tests of scenarios: the fixture ``sbot``, or an object of this class."""

    def run(self, scenario: str | Path, overrides: Overrides | None = None,
            record: str | Path | None = None) -> Run:
        """Run a scenario in this process.

        Parameters
        ----------
        scenario : a file, or the name of a shipped scenario
        overrides : values by dotted key path, e.g. {'seed': 2, 'robots.2.goal': [10, 3]}
        record : directory of a bag to write

        Returns
        -------
        ``poses`` (T + 1, N, 3), ``commands`` (T + 1, N, 2), ``wind``, and the ``summary`` with
        ``overlaps`` and, for each robot, collisions, reverts, path length and arrival

        """
        return run_scenario(load_scenario(str(scenario), overrides), record=record)

    def read(self, bag: str | Path) -> Recording:
        """Return the poses and commands of a recording as arrays."""
        return Recording.read(Bag(bag))

    def assert_replays(self, bag: str | Path, overrides: Overrides | None = None) -> None:
        """Fail unless the controllers, fed from a bag, give all of its commands bit for bit.

        A bag of a version with other random numbers is skipped if controllers draw some. Robots
        that other nodes drove are not compared; a warning names them.
        """
        result = replay(Bag(bag), overrides)
        changes = f' ({result.changes()})' if result.changes() else ''
        assert result.first is None, f'{bag}: {result.first}{changes}'
        if outside := result.driven_outside():
            warnings.warn(f'{bag}: {outside.removesuffix(" with --node")} to replay_to_node '
                          '(sbot.ros.testing)', stacklevel=2)
        if result.left_out():
            pytest.skip(f'{bag}: {result.left_out()}')

    def assert_same(self, first: str | Path, second: str | Path) -> None:
        """Fail unless two bags agree bit for bit on the topics that both have."""
        result = Comparison.of(Bag(first), Bag(second))
        assert result.first is None, f'{first} != {second}: {result.first}'
        assert not result.unpaired, f'{first} and {second} differ in length: {result.unpaired}'

    def assert_golden(self, scenario: str | Path, bag: str | Path,
                      overrides: Overrides | None = None) -> None:
        """Fail unless a run of the scenario equals the stored bag; SBOT_REFRESH=1 records it.

        Equal means bit for bit, whatever machine the bag was made on.
        """
        complete = load_scenario(str(scenario), overrides)
        if os.environ.get(REFRESH) == '1':
            _record_golden(complete, bag)
            pytest.skip(f'{bag}: recorded again')
        if not Path(bag).exists():
            pytest.fail(f'{bag}: no golden bag yet; to record it, run pytest with {REFRESH}=1')
        problem = _check_golden(complete, bag)
        assert not problem, problem


@pytest.fixture
def sbot() -> Sbot:
    """Return the helpers of this module."""
    return Sbot()

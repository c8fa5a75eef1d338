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
import warnings
from collections.abc import Mapping
from pathlib import Path

import pytest

from sbot.bag.compare import compare
from sbot.bag.reader import Bag
from sbot.regression.golden import Recording, check_golden, read_recording, record_golden
from sbot.regression.replay import replay
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

REFRESH = 'SBOT_REFRESH'

Overrides = Mapping[str, object]


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
        return read_recording(Bag(bag))

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
        result = compare(Bag(first), Bag(second))
        assert result.first is None, f'{first} != {second}: {result.first}'
        assert not result.unpaired, f'{first} and {second} differ in length: {result.unpaired}'

    def assert_golden(self, scenario: str | Path, bag: str | Path,
                      overrides: Overrides | None = None) -> None:
        """Fail unless a run of the scenario equals the stored bag; SBOT_REFRESH=1 records it.

        Equal means bit for bit, whatever machine the bag was made on.
        """
        complete = load_scenario(str(scenario), overrides)
        if os.environ.get(REFRESH) == '1':
            record_golden(complete, bag)
            pytest.skip(f'{bag}: recorded again')
        if not Path(bag).exists():
            pytest.fail(f'{bag}: no golden bag yet; to record it, run pytest with {REFRESH}=1')
        problem = check_golden(complete, bag)
        assert not problem, problem


@pytest.fixture
def sbot() -> Sbot:
    """Return the helpers of this module."""
    return Sbot()

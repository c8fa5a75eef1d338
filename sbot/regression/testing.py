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
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from sbot.bag.compare import IGNORED, compare
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.ticks import count_robots, rate_of, robot_of, ticks
from sbot.controllers.shipped import EXTERNAL as EXTERNAL
from sbot.files.limits import TemporaryFolder
from sbot.regression.commands import held_commands, robots_of_nodes
from sbot.regression.replay import replay
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot.scenario.model import Scenario
from sbot_common.topics import (
    BASE_POSE_GROUND_TRUTH,
    CMD_VEL,
    GOAL,
    SCENARIO,
    Topic,
    resolve,
)
from sbot_common.wire.messages import read_odometry, read_twist
from sbot_sim.sensors.registry import codecs

REFRESH = 'SBOT_REFRESH'

Overrides = Mapping[str, object]


# Poses and commands of a recording as arrays, all in memory; golden bags.
#
# These hold what controllers read and answer and no pictures: small, and good for `sbot replay`.
# They are the same on every machine, because results are made of ``sbot_common.elementary``.

class Recording(NamedTuple):
    """Poses and commands of a lockstep recording; T ticks, N robots."""

    scenario_text: str
    stamps_ns: NDArray[np.int64]  # (T,)
    poses: NDArray[np.float64]  # (T, N, 3) x, y (m), yaw (rad)
    # (T, N, 3) vx, vy (m/s), omega (rad/s); NaN for robots that send none. Of an external robot
    # the one that held.
    commands: NDArray[np.float64]


def read_recording(bag: Bag) -> Recording:
    """Return the complete ticks of a bag.

    Raises
    ------
    InputError
        if it has no poses or no scenario, or a message is missing in the middle.

    """
    robots = count_robots(bag)
    names = bag.names()
    types = [names.get(resolve(CMD_VEL, robot, robots), CMD_VEL.type) for robot in range(robots)]
    stamps, poses, commands = [], [], []
    external = robots_of_nodes(bag)
    answering = [robot for robot in range(robots) if robot not in external]
    for tick in ticks(bag, robots, rate_of(bag), (BASE_POSE_GROUND_TRUTH,), answering):
        stamps.append(tick.stamp_ns)
        rows = [read_odometry(raw) for raw in tick.inputs[BASE_POSE_GROUND_TRUTH.name]
                if raw is not None]
        poses.append([(row.x, row.y, row.yaw) for row in rows])
        commands.append([(np.nan,) * 3 if raw is None else read_twist(raw, type_name)
                         for raw, type_name in zip(tick.commands, types, strict=True)])
    recording = Recording(bag.scenario_text, np.array(stamps, np.int64),
                          np.array(poses, np.float64).reshape(-1, robots, 3),
                          np.array(commands, np.float64).reshape(-1, robots, 3))
    for robot, held in held_commands(bag, recording.stamps_ns, robots, external).items():
        recording.commands[:, robot] = held
    return recording


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
        result = compare(golden, Bag(Path(folder) / 'run'), (*IGNORED, SCENARIO.name))
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

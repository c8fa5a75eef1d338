"""Golden bags: short recordings that later runs must equal bit for bit.

They hold what controllers read and answer and no pictures: small, and good for `sbot replay`.
The same on every machine, because results are made of ``sbot_common.elementary``.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sbot.bag.compare import IGNORED, compare
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.ticks import robot_of
from sbot.files.temporary import TemporaryFolder
from sbot.regression.observation import sensor_topics
from sbot.runner.loop import run_scenario
from sbot.scenario.model import Scenario
from sbot_common.topics import CMD_VEL, GOAL, SCENARIO, Topic


def record_golden(scenario: Scenario, directory: str | Path) -> None:
    """Run a scenario and make (or replace) its golden bag.

    Raises
    ------
    InputError
        if the directory cannot be written.

    """
    directory = Path(directory)
    kept = {topic.name for topic in (*sensor_topics(), CMD_VEL, GOAL, SCENARIO)}
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


def check_golden(scenario: Scenario, directory: str | Path) -> str:
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

"""Golden bags: short recordings kept with the tests, which later runs must equal to the bit.

They hold what controllers read and answer and no pictures: small, and good for `sbot replay`.
Sines and exponentials come from the machine's mathematical library; where that rounds differently
(a few results kept in the bag tell), poses are compared to a tolerance instead.
"""

from __future__ import annotations

import hashlib
import math
import shutil
import struct
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sbot.bag.arrays import read_recording
from sbot.bag.compare import IGNORED, compare
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.ticks import robot_of
from sbot.regression.observation import TOPICS
from sbot.runner.loop import run_scenario
from sbot.scenario.model import Scenario
from sbot_common.topics import CMD_VEL, GOAL, SCENARIO, Topic

TOLERANCE = 1e-6  # m and rad, where the mathematical library differs
_KEPT = {topic.name for topic in (*TOPICS, CMD_VEL, GOAL, SCENARIO)}
_LIBM = 'libm'


class GoldenResult(NamedTuple):
    """How a run compares with a golden bag."""

    problem: str  # '' if there is none
    exact: bool  # compared to the bit; else to TOLERANCE


def libm_fingerprint() -> str:
    """Return a hash over a few results of this machine's mathematical library."""
    values: list[float] = []
    for k in range(1, 500):
        x = math.sqrt(k) * 0.37
        values += [math.sin(x), math.cos(x), math.exp(-x), math.atan2(x, 3 - x), math.asin(1 / k)]
    return hashlib.sha256(struct.pack(f'<{len(values)}d', *values)).hexdigest()[:16]


def record_golden(scenario: Scenario, directory: str | Path) -> None:
    """Run a scenario and make (or replace) its golden bag.

    Raises
    ------
    InputError
        if the directory cannot be written.

    """
    directory = Path(directory)
    with tempfile.TemporaryDirectory(prefix='sbot_golden_') as folder:
        run_scenario(scenario, record=Path(folder) / 'run', keep=False)
        source = Bag(Path(folder) / 'run')
        new = Path(folder) / directory.name
        metadata = {**source.metadata, _LIBM: libm_fingerprint()}
        with Recorder(new, metadata=metadata) as recorder:
            for message in source.messages():
                found = robot_of(message.name)
                own = found[1] if found else message.name
                if own in _KEPT:
                    topic = Topic(own, message.type, own in (SCENARIO.name, GOAL.name))
                    recorder.write(message.name, topic, message.stamp_ns, message.payload)
        if directory.exists():
            shutil.rmtree(directory)
        directory.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(new, directory)


def check_golden(scenario: Scenario, directory: str | Path) -> GoldenResult:
    """Run a scenario and compare it with its golden bag.

    Raises
    ------
    InputError
        if the golden bag cannot be read.

    """
    golden = Bag(directory)
    exact = golden.metadata.get(_LIBM) == libm_fingerprint()
    with tempfile.TemporaryDirectory(prefix='sbot_golden_') as folder:
        run_scenario(scenario, record=Path(folder) / 'run', keep=False)
        run = Bag(Path(folder) / 'run')
        return GoldenResult(_bits(golden, run) if exact else _nearness(golden, run), exact)


def _bits(golden: Bag, run: Bag) -> str:
    result = compare(golden, run, (*IGNORED, SCENARIO.name))
    if result.first is not None:
        return f'{golden.path}: golden != run: {result.first}'
    if result.unpaired:
        return f'{golden.path}: numbers of messages differ: {result.unpaired}'
    if result.only_first:
        return f'{golden.path}: topics missing in the run: {result.only_first}'
    return ''


def _nearness(golden: Bag, run: Bag) -> str:
    old, new = read_recording(golden).poses, read_recording(run).poses
    if old.shape != new.shape:
        return f'{golden.path}: shape of poses {old.shape}, in the run {new.shape}'
    error = new - old
    error[..., 2] = (error[..., 2] + math.pi) % (2 * math.pi) - math.pi
    worst = float(np.abs(error).max(initial=0.0))
    if worst <= TOLERANCE:
        return ''
    return f'{golden.path}: poses differ by up to {worst:g} m or rad, more than {TOLERANCE:g}'

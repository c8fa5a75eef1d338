"""One hash for each scenario: the same on every machine, for every processor and Python.

    python benchmark/machine_hashes.py

runs each shipped scenario for a second, crowds of potential-field robots, and the benchmark's
scenes with lasers and infrared, and says whether the hashes are those of golden_hashes.json. Run
it on another machine, or on this one with another set of instructions (docs/elementary.md). It
ends with 1 where a hash differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from sbot.bench import (
    SPEED,
    TURN,
    WIND,
    _bench_scenario,
    _uniform,
    parameters_of,
    scene_of,
)
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot.scenario.model import Scenario
from sbot.scenario.shipped import scenario_names
from sbot_sim.engine.simulation import Engine
from wind_model.gust import Wind

GOLDEN = Path(__file__).with_name('golden_hashes.json')
CROWDS = ('crowd_10', 'crowd_400')
SENSED = ('step', 'infrared')  # cases of `sbot bench`
SHORT = ('crowd_10', 'infrared', 'leader_follower', 'sbot_pushing', 'wind_wake')


def scenario_of(name: str) -> Scenario:
    """Return a shipped scenario of one second, or a crowd: ``crowd_400`` has 400 robots."""
    if name.startswith('crowd_'):
        return _bench_scenario(int(name.removeprefix('crowd_')), 15)
    return load_scenario(name, {'duration': 1.0})


def trajectory_hash(name: str, threads: int = 1) -> str:
    """Return the hash of the poses of a run without overlaps."""
    summary = run_scenario(scenario_of(name), threads=threads, keep=False).summary
    assert summary['overlaps'] == 0
    return str(summary['trajectory_sha256'])


def sensed_hash(case: str, threads: int = 1) -> str:
    """Return the hash of all that 1000 robots of a benchmark see and feel in two seconds."""
    scene = scene_of(case, 1000)
    engine = Engine(parameters_of(case, scene, threads), scene.pose, 0)
    wind = Wind(np.array([WIND, 0.0, 0.0]), np.zeros(3))
    rng = np.random.default_rng(1)
    digest = hashlib.sha256()
    for _ in range(20):
        command = np.column_stack([np.full(1000, SPEED * scene.scale), np.zeros(1000),
                                   _uniform(rng, -TURN, TURN, 1000)])
        engine.sense_wind(wind)
        before = engine.snapshot
        engine.advance(command, wind, before.rab_data)
        seen = engine.snapshot
        for array in (seen.pose, before.wind, seen.ranges, seen.infrared):
            digest.update(b'' if array is None else array.tobytes())
    return digest.hexdigest()


def names() -> list[str]:
    """Return the names of all that has a hash."""
    return [*scenario_names(), *CROWDS, *SENSED]


def hash_of(name: str, threads: int = 1) -> str:
    """Return the hash of one of ``names``."""
    return (sensed_hash if name in SENSED else trajectory_hash)(name, threads)


def golden_hashes() -> dict[str, str]:
    """Return the hashes of every machine, by name."""
    hashes: dict[str, str] = json.loads(GOLDEN.read_text('utf-8'))
    return hashes


def write_golden_hashes() -> None:
    """Write the hashes anew, after a change that is meant to change results."""
    GOLDEN.write_text(json.dumps({name: hash_of(name) for name in names()}, indent=1) + '\n')


def main() -> int:
    """Print a line for each name; return 1 if a hash is not that of every machine."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.partition('\n')[0])
    parser.add_argument('--short', action='store_true', help=f'only {", ".join(SHORT)}')
    golden = golden_hashes()
    differing = 0
    for name in SHORT if parser.parse_args().short else names():
        got = hash_of(name)
        differing += got != golden.get(name)
        print(name, got, 'as ever' if got == golden.get(name) else 'DIFFERS', flush=True)
    return 1 if differing else 0


if __name__ == '__main__':
    sys.exit(main())

"""Hashes of everything that engines compute: ``python test/sbot_sim/recorded_bits.py``.

They were recorded from the step of one world that the batch replaced; new ones are only written
when numbers are meant to change.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / 'sbot'))
sys.path.append(str(Path(__file__).parents[1] / 'sbot' / 'worlds'))

import test_all_of_a_run as all_of_a_run
import test_many as many

import sbot
from sbot.scenario import assemble
from sbot_sim.drives.registry import SIDEWAYS
from sbot_sim.engine.simulation import Engine
from wind_model.gust import Wind

FILE = Path(__file__).with_name('recorded_bits.json')
SCENARIOS = {**{f'many: {name}': data for name, data in many.SCENARIOS.items()},
             **{name: {**all_of_a_run.PLAIN, **data}
                for name, data in all_of_a_run.SCENARIOS.items()},
             'large crowd': {**many.HEARING, 'world': {'bounds': [0, 0, 6, 6]}, 'robots': [
                 {'count': 150, 'body': 's-bot', 'controller': 'none'}]}}
TICKS = 12
SEED = 12


def engine_of(scenario, threads=1):
    return Engine(assemble.simulation_parameters(scenario, threads),
                  assemble.initial_poses(scenario), SEED)


def bits(name, threads=1):
    """Return the hash of each field of a scenario's run: commands, wind, bytes drawn at random."""
    scenario = sbot.load(SCENARIOS[name], seed=SEED)
    engine, source, hashes = engine_of(scenario, threads), assemble.wind_source(scenario), {}

    def take(field, value):
        if value is not None:
            digest = hashes.setdefault(field, hashlib.sha256())
            digest.update(np.ascontiguousarray(value).tobytes())

    rng, n = np.random.default_rng(8), len(scenario.robots)
    drive = engine.parameters.bodies.drive
    for tick in range(TICKS):
        wind = Wind(rng.uniform(-0.1, 0.1, 3), rng.uniform(-0.2, 0.2, 3) * (tick % 4 == 1),
                    source.field if tick != 5 else None,
                    rng.uniform(-0.05, 0.05, 3) * (tick % 3 == 2))
        if tick % 5 != 3:
            engine.sense_wind(wind)
        snapshot = engine.snapshot
        for field in ('pose', 'twist', 'wind', 'free_wind', 'updraft', 'true_pose', 'odometry',
                      'odometry_twist', 'ranges', 'infrared', 'obstacles', 'boxes'):
            take(field, getattr(snapshot, field))
        for field, readings in snapshot.readings.items():
            take(field, readings)
        if snapshot.heard_sent:
            take('rab_data', snapshot.rab_data)
        for field in ('collided', 'reverted'):
            take(field, getattr(snapshot, field))
        for field, value in zip(('starts', 'robots', 'range', 'bearing'), snapshot.heard,
                                strict=True):
            take(f'heard.{field}', value)
        if tick == 6:
            engine.teleport({n - 1: (1.45, 1.35, 0.3)})
        command = rng.uniform(-1, 1, (n, 3)) * [0.15, 0.1, 1.0] + [0.05, 0.0, 0.0]
        command[~np.array(SIDEWAYS)[drive], 1] = 0.0
        engine.advance(command, wind, rng.integers(0, 256, (n, 10)).astype(np.uint8))
    take('end', engine.snapshot.true_pose)
    return {field: digest.hexdigest()[:16] for field, digest in sorted(hashes.items())}


if __name__ == '__main__':
    FILE.write_text(json.dumps({name: bits(name) for name in SCENARIOS}, indent=1) + '\n')

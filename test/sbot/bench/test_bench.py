"""A smoke test of `sbot bench`, and the promise that speed changes no bit.

To write the hashes anew after a change that is meant to change results:
SBOT_REFRESH=1 python -m pytest test/sbot/bench/test_bench.py
"""

import csv
import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from sbot.bench.controllers import crowd_scenario
from sbot.bench.measure import CASES, measure
from sbot.bench.result import growth
from sbot.bench.scenes import (
    SPEED,
    TURN,
    WIND,
    infrared_parameters,
    laser_parameters,
    scene_of,
)
from sbot.cli.main import main
from sbot.regression.golden import libm_fingerprint
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot.scenario.shipped import scenario_names
from sbot_sim.engine.simulation import Engine
from sbot_sim.engine.state import StepInputs, Wind

GOLDEN = Path(__file__).parents[3] / 'benchmark' / 'golden_hashes.json'


def make(name):
    """Return the scenario of a name in the golden file: shipped, or a crowd of so many."""
    if name.startswith('crowd_'):
        return crowd_scenario(int(name.removeprefix('crowd_')), 15)
    return load_scenario(name, {'duration': 1.0})


def hash_of(name, threads=1):
    summary = run_scenario(make(name), threads=threads, keep=False).summary
    assert summary['overlaps'] == 0
    return summary['trajectory_sha256']


def sensed_hash(case, threads=1):
    """Return the hash of all that 1000 robots of a benchmark see and feel in two seconds."""
    scene = scene_of(case, 1000)
    make_parameters = laser_parameters if case == 'step' else infrared_parameters
    engine = Engine(make_parameters(scene, threads), scene.pose, 0)
    wind = Wind(np.array([WIND, 0.0, 0.0]), np.zeros(3))
    rng = np.random.default_rng(1)
    digest = hashlib.sha256()
    for _ in range(20):
        command = np.column_stack([np.full(1000, SPEED * scene.scale),
                                   rng.uniform(-TURN, TURN, 1000)])
        engine.advance(StepInputs(command, wind, engine.state.rab_data))
        seen = engine.snapshot
        for array in (seen.pose, seen.wind, seen.ranges, seen.infrared):
            digest.update(b'' if array is None else array.tobytes())
    return digest.hexdigest()


def refresh():
    """Write the golden file anew, after a change that is meant to change results."""
    names = [*scenario_names(), 'crowd_10', 'crowd_400']
    hashes = {name: hash_of(name) for name in names}
    sensed = {case: sensed_hash(case) for case in ('step', 'infrared')}
    GOLDEN.write_text(json.dumps({'libm': libm_fingerprint(), 'trajectory_sha256': hashes,
                                  'sensed_sha256': sensed}, indent=1) + '\n')


if os.environ.get('SBOT_REFRESH'):
    refresh()


@pytest.mark.parametrize('name', [*scenario_names(), 'crowd_10', 'crowd_400'])
def test_no_bit_depends_on_speed_or_threads(name):
    golden = json.loads(GOLDEN.read_text())
    got = hash_of(name)
    if name.startswith('crowd_'):
        assert hash_of(name, threads=2) == got
    if golden['libm'] != libm_fingerprint():
        pytest.skip('another mathematical library: only the number of threads was compared')
    assert got == golden['trajectory_sha256'][name]


@pytest.mark.parametrize('case', ['step', 'infrared'])
def test_no_bit_of_what_is_sensed_depends_on_speed_or_threads(case):
    golden = json.loads(GOLDEN.read_text())
    got = sensed_hash(case)
    assert sensed_hash(case, threads=2) == got
    if golden['libm'] != libm_fingerprint():
        pytest.skip('another mathematical library: only the number of threads was compared')
    assert got == golden['sensed_sha256'][case]


@pytest.mark.parametrize('case', CASES)
@pytest.mark.parametrize('threads', [1, 2])
def test_every_case_measures(case, threads):
    result = measure(case, 12, threads, 0.0)
    assert result.overlaps == 0
    assert 0 < result.best_ms_per_step <= result.ms_per_step
    assert result.robot_steps_per_s == pytest.approx(12e3 / result.ms_per_step)


def test_growth_is_the_exponent():
    result = measure('motion', 4, 1, 0.0)
    rows = [result._replace(robots=n, cpu_ms_per_step=c) for n, c in
            ((10, 9.0), (100, 1.0), (1000, 5.0), (10_000, 100.0))]
    assert growth(rows) == pytest.approx(1.0)
    assert growth(rows[:2]) != growth(rows[:2])


def test_command_writes_table_csv_and_json(tmp_path, capsys):
    options = ['bench', '--robots', '8', '--cases', 'motion', '--threads', '1', '--seconds', '0']
    file = tmp_path / 'new.csv'
    assert main([*options, '--no-peers', '--csv', str(file)]) == 0
    assert 'motion' in capsys.readouterr().out
    rows = list(csv.DictReader(file.open()))
    told = [(row['case'], row['robots'], row['overlaps']) for row in rows]
    assert told == [('motion', '8', '0')]
    assert main([*options, '--no-peers', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['results'][0]['robots'] == 8
    assert main([*options, '--csv', str(file)]) == 2
    assert 'exists already' in capsys.readouterr().err


def test_missing_peers_are_one_line_each(capsys, monkeypatch):
    monkeypatch.setattr('sbot.bench.peers.installed', lambda *_: False)
    assert main(['bench', '--robots', '8', '--cases', 'motion', '--threads', '1',
                 '--seconds', '0']) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if 'not installed' in line]
    assert [line.split(':')[0] for line in lines] == ['ir-sim', 'navground']

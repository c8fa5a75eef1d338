"""The benchmarks run: smoke tests on small scenes, whose numbers mean nothing."""

import csv
import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sbot.scenario.load import load_scenario

BENCHMARKS = Path(__file__).parents[1] / 'benchmark'


def test_errors_and_speed_of_elementary_functions(tmp_path):
    table = tmp_path / 'table.csv'
    options = ['--count', '5', '--seconds', '0.01', '--csv', str(table)]
    subprocess.run([sys.executable, str(BENCHMARKS / 'elementary.py'), *options], check=True,
                   capture_output=True, timeout=300)
    with table.open(newline='') as file:
        rows = list(csv.DictReader(file))
    assert {row['function'] for row in rows} >= {'sin', 'cos', 'atan2', 'exp', 'log', 'pow'}
    assert all(bool(row['worst_ulp']) != bool(row['ns']) for row in rows)


def test_the_standard_workload_is_measured_and_missing_simulators_are_one_line_each(tmp_path):
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / 'standard.py'), '--robots', '8', '--cases', 'motion',
         '--seconds', '0', '--folder', str(tmp_path), '--peer-python', '/bin/false'],
        capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    missing = [line.split(':')[0] for line in done.stdout.splitlines() if 'not installed' in line]
    assert missing == ['ir-sim', 'navground']
    with (tmp_path / 'standard.csv').open(newline='') as file:
        assert {row['case'] for row in csv.DictReader(file)} == {'motion'}


@pytest.mark.parametrize(('script', 'options', 'rows'), [
    ('scan_kernel.py', ['--seconds', '0.1'], 1),  # compares two casters, too
    ('step_budget.py', [], 8),
    ('fast2d.py', ['--sensors', '2', '--seconds', '0.1'], None),
])
def test_it_runs(tmp_path, script, options, rows):
    table = tmp_path / 'table.csv'
    options = ['--robots', '10', *options, *([] if rows is None else ['--csv', str(table)])]
    done = subprocess.run([sys.executable, str(BENCHMARKS / script), *options],
                          capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 1
    if rows is not None:
        with table.open(newline='') as file:
            assert len(list(csv.reader(file))) == rows + 1


def test_the_cost_of_a_sweep_is_measured(tmp_path):
    table = tmp_path / 'table.csv'
    done = subprocess.run([sys.executable, str(BENCHMARKS / 'sweep_cost.py'), '--runs', '10',
                           '--csv', str(table)],
                          capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    with table.open(newline='') as file:
        [row] = csv.DictReader(file)
    assert 0 < float(row['journal_and_tables_ms']) < 100
    assert float(row['peak_mib_10000_runs']) < float(row['peak_mib_1000_runs']) + 100


def test_warm_starts_are_measured(tmp_path):
    table = tmp_path / 'table.csv'
    done = subprocess.run([sys.executable, str(BENCHMARKS / 'starts.py'), '--warm', '--repeat',
                           '1', '--csv', str(table)],
                          capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    with table.open(newline='') as file:
        rows = list(csv.DictReader(file))
    assert [row['start'].split()[0] for row in rows] == ['`import', '`sbot', '`import']
    assert all(float(row['cpu_s']) > 0.05 for row in rows)


@pytest.mark.parametrize(('arena', 'goal', 'least', 'most'), [
    ('open', (32.0, 12.0), 26.0, 26.1),
    ('wall', (32.0, 12.0), 26.6, 26.9),  # tangents to discs of 0.3 m round two corners: 26.61 m
    ('wall', (19.0, 11.0), None, None),  # within the wall
])
def test_shortest_ways(monkeypatch, arena, goal, least, most):
    monkeypatch.syspath_prepend(str(BENCHMARKS / 'comparison'))
    shortest = importlib.import_module('shortest')
    world = load_scenario(str(BENCHMARKS / 'comparison' / f'{arena}.yaml')).world
    length = shortest.length(world, np.array([6.0, 12.0]), goal, 0.3)
    assert length is None if least is None else least <= length <= most

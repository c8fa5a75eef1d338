"""A smoke test of `sbot bench`, and the promise that neither speed nor machine changes a bit.

To write the hashes anew after a change that is meant to change results:
SBOT_REFRESH=1 python -m pytest test/sbot/test_bench.py
"""

import importlib.util
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath

from sbot import bench as measure_module
from sbot.bench import CASES, BenchResult
from sbot.cli.bench import _growth

BENCHMARK = Path(__file__).parents[2] / 'benchmark'


def load_machine_hashes():
    spec = importlib.util.spec_from_file_location('machine_hashes',
                                                  BENCHMARK / 'machine_hashes.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hashes = load_machine_hashes()


@pytest.fixture(scope='module', autouse=True)
def refreshed():
    if os.environ.get('SBOT_REFRESH'):
        hashes.write_golden_hashes()


@pytest.mark.parametrize('name', hashes.names())
def test_no_bit_depends_on_speed_threads_or_machine(name):
    golden = hashes.golden_hashes()
    assert hashes.hash_of(name) == golden[name]
    if name in (*hashes.CROWDS, *hashes.SENSED):
        assert hashes.hash_of(name, threads=2) == golden[name]


def test_a_scene_starts_again_after_30_seconds(monkeypatch):
    calls = []
    monkeypatch.setattr(measure_module, '_LEAST_BLOCKS', 61)
    monkeypatch.setattr(measure_module, '_stepper', lambda *_: measure_module._Stepper(
        lambda: calls.append('begin'), lambda: calls.append('ten steps'), lambda: 0, 0))
    BenchResult.measure('step', 10, 1, 0.0)
    assert calls == ['ten steps', *2 * ['begin', *30 * ['ten steps']], 'begin', 'ten steps']


@pytest.mark.skipif(sys.platform != 'linux' or platform.machine() != 'x86_64',
                    reason='the switches are those of x86-64 and glibc')
def test_no_bit_depends_on_the_instructions_of_libm_and_numpy():
    """Both are told not to use what this processor has beyond their minimum."""
    found = [name for name in _multiarray_umath.__cpu_dispatch__
             if _multiarray_umath.__cpu_features__.get(name)]
    done = subprocess.run([sys.executable, str(BENCHMARK / 'machine_hashes.py'), '--short'],
                          env={**os.environ, 'NPY_DISABLE_CPU_FEATURES': ' '.join(found),
                               'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F',
                               'PYTHONPATH': os.pathsep.join(sys.path)}, capture_output=True,
                          text=True, check=False, timeout=300)
    assert [line.split()[::2] for line in done.stdout.splitlines()] == [
        [name, 'as'] for name in hashes.SHORT], done.stdout + done.stderr


@pytest.mark.parametrize('case', CASES)
@pytest.mark.parametrize('threads', [1, 2])
def test_every_case_measures(case, threads):
    result = BenchResult.measure(case, 12, threads, 0.0)
    assert result.overlaps == 0
    assert 0 < result.best_ms_per_step <= result.ms_per_step
    assert result.robot_steps_per_s == pytest.approx(12e3 / result.ms_per_step)


def test_growth_is_the_exponent():
    result = BenchResult.measure('motion', 4, 1, 0.0)
    rows = [result._replace(robots=n, cpu_ms_per_step=c) for n, c in
            ((10, 9.0), (100, 1.0), (1000, 5.0), (10_000, 100.0))]
    assert _growth(rows) == pytest.approx(1.0)
    assert _growth(rows[:2]) != _growth(rows[:2])

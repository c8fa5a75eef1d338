"""Which functions an edit of the package compiles again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMPILED = ('sbot_common', 'sbot_sim', 'wind_model', 'potential_field_bot')
# The key of the cache; fingerprints of phases of a tick, and of functions that Python calls.
PRINT = """
import importlib, pkgutil
import sbot_sim, sbot_sim.engine.simulation
from sbot_common.compiled.compiler import _OuterDispatcher
from sbot_common.compiled.fingerprint import fingerprint
from sbot_common.compiled.lazy import Lazy
from sbot_sim.worlds.batch import Phase
from sbot_common.compiled.cache import _own_key
print('key', _own_key())
Lazy.make_all()
folders = ('worlds', 'sensors', 'collision', 'dynamics')
for name in [f'sbot_sim.{folder}.{module.name}' for folder in folders
             for module in pkgutil.iter_modules([f'{sbot_sim.__path__[0]}/{folder}'])]:
    for value in list(vars(importlib.import_module(name)).values()):
        function = getattr(value, 'function' if isinstance(value, Phase) else 'py_func', None)
        if isinstance(value, Phase | _OuterDispatcher) and function.__module__ == name:
            print(f'{name}.{function.__name__}', fingerprint(function))
"""


def fingerprints(root: Path) -> dict:
    """Fingerprints of a checkout's functions that have machine code, by name."""
    done = subprocess.run([sys.executable, '-c', PRINT], cwd=root, capture_output=True, text=True,
                          check=False, env={**os.environ, 'PYTHONPATH': str(root)}, timeout=600)
    assert done.returncode == 0, done.stderr
    return dict(line.split() for line in done.stdout.splitlines())


@pytest.fixture(scope='module')
def before():
    return fingerprints(ROOT)


@pytest.fixture
def checkout(tmp_path):
    for package in COMPILED:
        shutil.copytree(ROOT / package, tmp_path / package,
                        ignore=shutil.ignore_patterns('__pycache__'))
    return tmp_path


def changed(before: dict, after: dict) -> set:
    assert before.keys() == after.keys()
    return {name for name, value in after.items() if value != before[name]}


def test_a_comment_in_every_module_compiles_nothing(before, checkout):
    assert {'sbot_sim.sensors.laser.scan', 'sbot_sim.sensors.odometry.measure_odometry',
            'sbot_sim.sensors.laser.cast_block'} < before.keys()
    modules = [*checkout.rglob('*.py')]
    assert len(modules) > 100
    for path in modules:
        path.write_text(f'# A comment.\n\n{path.read_text("utf-8")}', 'utf-8')
    assert changed(before, fingerprints(checkout)) == set()


@pytest.mark.parametrize(('module', 'old', 'new', 'callers'), [
    ('sensors/cover', '2 * TOUCH)', '3 * TOUCH)',
     {'sensors.laser.cast_block', 'sensors.laser.scan', 'sensors.infrared.read_infrared',
      'sensors.infrared_kernel.sense_block'}),
    ('sensors/odometry', 'forward += p * error', 'forward += 2.0 * p * error',
     {'sensors.odometry.measure', 'sensors.odometry.measure_odometry'})])
def test_an_edit_of_a_kernel_compiles_its_callers_only(before, checkout, module, old, new,
                                                       callers):
    path = checkout / f'sbot_sim/{module}.py'
    text = path.read_text('utf-8')
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), 'utf-8')
    assert changed(before, fingerprints(checkout)) == {f'sbot_sim.{name}' for name in callers}

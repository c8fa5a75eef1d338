"""Machine code of wheels: what runs of shipped scenarios call is made."""

import os
import pickle
import platform
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from children import python

ROOT = Path(__file__).parent.parent
SHIPPED = runpy.run_path(str(ROOT / '.ci' / 'machine_code.py'))['shipped']()
# The functions that runs call, loaded or compiled: those of the first two seconds of each
# scenario, as .ci/machine_code.py runs it, and then those that whole runs call besides.
RUNS = """
import runpy, sys
from sbot_common.compiled.cache import CACHE_DIRECTORY, CodeCache
made = runpy.run_path(sys.argv[1])
load, called = CodeCache.load_overload, set()

def watched(self, sig, context):
    called.add(self._name(sig))
    return load(self, sig, context)

CodeCache.load_overload = watched
for name in sys.argv[2].split():
    made['sbot']('run', name, '--duration', str(made['SECONDS']), '--quiet')
if sys.argv[4]:
    from sbot.runner import warm_up
    warm_up.is_warm = lambda _: False  # as in the new cache that a wheel is made with
    made['run_everything']()
short = set(called)
for name in sys.argv[3].split():
    made['sbot']('run', name, '--quiet')
exec(sys.argv[4])
print('WORDY', *(name for name in sorted(called) if name.endswith('.code')
                 and b'raise_with_shape_context' in (CACHE_DIRECTORY / name).read_bytes()))
print('CALLED', len(short), *sorted(called - short))
"""
# What users write: the example of docs/learning.md, other outputs and inputs; and all phases.
USES = """
import pkgutil
from importlib import import_module
import numpy as np
import sbot
arena = {'rate': 10, 'world': {'bounds': [0, 0, 1.2, 1.2]},
         'robots': [{'body': 's-bot', 'count': 4, 'controller': 'none'}],
         'sensors': {'infrared': True, 'infrared_noise': 0.1, 'imu': True, 'scan_beams': 8}}
for kind, inputs, outputs, hidden in (('perceptron', ['infrared'], 'wheels', ()),
                                      ('mlp', ['imu:4'], 'wheels', [2]),
                                      ('ctrnn', ['scan:4', 'pose'], 'twist', [2]),
                                      ('gru', ['scan:4', 'pose'], 'twist', [2, 3]),
                                      ('lstm', ['scan:4', 'pose'], 'twist', [2])):
    network = sbot.network(kind, inputs, outputs=outputs, hidden=hidden)
    sbot.Worlds(arena, 3, sense=['infrared', 'imu', 'scan'], threads=2).run(
        network, np.zeros(network.weight_count), 5, keep=['command', 'collided'])
phases = [f'{module.name}.{name}-'
          for package in ('sbot_sim.sensors', 'sbot_sim.worlds', 'sbot.worlds')
          for module in pkgutil.walk_packages(import_module(package).__path__, f'{package}.')
          for name, value in vars(import_module(module.name)).items()
          if type(value).__name__ == 'Phase' and value.function.__module__ == module.name]
assert len(phases) > 25
called.update(stem for stem in phases if not any(name.startswith(stem) for name in called))
"""


def missing(folder: Path, made: list, whole: list, uses: str = '') -> list:
    """Files of functions that whole runs of scenarios call beyond what is made of others."""
    done = python('-c', RUNS, ROOT / '.ci' / 'machine_code.py', ' '.join(made), ' '.join(whole),
                  uses, cwd=folder)
    assert done.returncode == 0, done.stderr
    # numba's message for `a[x:y] = b`: copy_rows compiles in a tenth of the time.
    assert not re.search(r'^WORDY (.+)', done.stdout, re.MULTILINE)
    count, *found = done.stdout.rpartition('CALLED ')[2].split()
    assert int(count) > 15
    return found


@pytest.mark.slow
def test_whole_runs_of_shipped_scenarios_call_nothing_that_is_not_made(tmp_path):
    """So a function that is missing in wheels is found without building one."""
    assert 'wind_blocking' in SHIPPED  # an .argos file, which `sbot list` does not name
    assert not missing(tmp_path, SHIPPED, SHIPPED)


@pytest.mark.slow
def test_batches_networks_and_phases_of_the_package_call_nothing_that_is_not_made(tmp_path):
    """With `uses`, everything is made that .ci/machine_code.py makes beside the scenarios'."""
    assert not missing(tmp_path, [], [], USES)


def test_what_is_not_made_is_found(tmp_path):
    found = missing(tmp_path, ['single_robot'], ['sbot_box'])
    assert any(name.startswith('sbot_sim.') for name in found)


def test_wheels_with_machine_code_are_built_for_processors_that_have_a_level():
    """cibuildwheel's "auto" would build for i686, too, on runners of x86-64."""
    workflow = yaml.safe_load((ROOT / '.github/workflows/packages.yml').read_text('utf-8'))
    job = workflow['jobs']['machine-code']
    settings, = (step['env'] for step in job['steps'] if 'cibuildwheel' in step.get('uses', ''))
    assert settings['CIBW_ARCHS'] == 'native'
    assert job['strategy']['matrix']['runner'] == ['ubuntu-24.04', 'ubuntu-24.04-arm']
    assert settings['CIBW_TEST_COMMAND'].endswith('.ci/smoke.py --shipped')


@pytest.mark.skipif(platform.machine() != 'x86_64', reason='from x86-64 to ARM')
def test_machine_code_for_arm_is_made_on_another_processor(tmp_path):
    """It runs under QEMU (docs/elementary.md); here, that the files are what they should be."""
    script, cache = tmp_path / 'script.py', tmp_path / 'cache'
    script.write_text('from sbot_common.compiled.cache import CACHE_DIRECTORY\n'
                      'from sbot_sim.sensors.rays import beam_directions\n'
                      'print(beam_directions(100, 0.0, 0.1).shape, CACHE_DIRECTORY)\n')
    subprocess.run([sys.executable, str(ROOT / '.ci/arm64_code.py'), str(tmp_path / 'arm64'),
                    str(script)], check=True, timeout=600, capture_output=True,
                   env={**os.environ, 'NUMBA_CACHE_DIR': str(cache), 'PYTHONPATH': str(ROOT)})
    native, arm64 = ({path.name: path for path in folder.glob('*/*.code')}
                     for folder in (cache, tmp_path / 'arm64'))
    assert any(name.startswith('sbot_sim.sensors.rays.beam_directions-') for name in native)
    assert native.keys() == arm64.keys()
    for paths, machine in ((native, 62), (arm64, 183)):  # of ELF: x86-64, 64-bit ARM
        for path in paths.values():
            (_, kind, (code, _)), *_ = pickle.loads(path.read_bytes()[:-4])
            assert (kind, code[:4], code[18]) == ('object', b'\x7fELF', machine)

"""The recipe of CONTRIBUTING as an exercise: two files make a drive known to everything."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from children import python

pytestmark = pytest.mark.forked(False)  # what is tested is found at the start of a process

ROOT = Path(__file__).resolve().parents[3]
DEADLINE = 240.0  # s; long, as it compiles
# As if the module lay in the folder.
FOUND = """
import sbot_sim.drives
sbot_sim.drives.__path__.append({folder!r})
"""
SCENARIO = """
duration: 1.5
rate: 20
seed: 7
world: {bounds: [0, 0, 9, 9], circles: [{center: [4.5, 4.5], radius: 0.5}]}
bodies: {kiwi: {drive: three_wheels, wheel_offset: 0.3}, omni: {drive: omnidirectional}}
robots:
  - {pose: [2, 2, 0], body: kiwi, controller: 'aside:Aside'}
  - {pose: [2, 5, 1], body: omni, controller: 'aside:Aside'}
  - {pose: [6, 2, 2], controller: wind_aware}
sensors: {odometry_noise_radius: 0.01, odometry_noise_slip: 0.001}
"""
ASIDE = """
class Aside:
    def step(self, observation, rng):
        return 0.3, 0.2 + 0.1 * observation.odometry.lateral, 0.4
"""
RUN = """
import logging
import sys
from pathlib import Path

import numpy as np

import sbot
from sbot.bag.reader import Bag
from sbot.regression.replay import replay
from sbot.scenario.load import load_scenario, parse_scenario

logging.basicConfig(level=logging.WARNING, format='%(message)s')
scenario = load_scenario('kiwi.yaml')
assert scenario.bodies['kiwi'].is_holonomic
again = parse_scenario(scenario.to_yaml(), 'again', Path('.'))
assert again.bodies == scenario.bodies
run = sbot.run(scenario, record='bag', sense=['odometry'])
assert np.abs(run.commands[:, 0, 1]).min() > 0.1
assert np.ptp(run.poses[:, 0, :2], axis=0).max() > 0.3
result = replay(Bag('bag'))
assert result.equal, result.first
worlds = sbot.Worlds(scenario, 2, sense=['odometry'])
seen = worlds.reset([7, 8])
for tick in range(len(run.commands)):
    assert worlds.state.sent_pose[:3].tobytes() == run.poses[tick].tobytes()
    assert worlds.state.odometry[:3].tobytes() == run.odometry[tick].tobytes()
    worlds.step(np.stack([run.commands[tick]] * 2))
sbot.load({'duration': 1, 'world': {'bounds': [0, 0, 9, 9]},
           'bodies': {'kiwi': {'wheel_offset': 0.4}},
           'robots': [{'pose': [1, 1, 0], 'controller': 'none', 'body': 'kiwi'}]})
print(run.summary['trajectory_sha256'])
"""


@pytest.fixture(scope='module')
def exercise(tmp_path_factory):
    """A folder with the recipe's drive, and the environment in which it is found."""
    folder = tmp_path_factory.mktemp('exercise')
    text = (ROOT / 'CONTRIBUTING.md').read_text('utf-8').partition('## A new drive')[2]
    code = re.search(r'```python\n(.*?)```', text, re.DOTALL)[1]
    drives = folder / 'drives'
    drives.mkdir()
    (drives / 'three_wheels.py').write_text(code)
    (folder / 'sitecustomize.py').write_text(FOUND.format(folder=str(drives)))
    (folder / 'kiwi.yaml').write_text(SCENARIO)
    (folder / 'aside.py').write_text(ASIDE)
    return folder, {**os.environ, 'PYTHONPATH': os.pathsep.join([str(folder), *sys.path])}


def run(exercise, *arguments):
    folder, environment = exercise
    done = python(*arguments, cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope='module')
def done(exercise):
    """What the exercise's run, replay and worlds said."""
    return run(exercise, '-c', RUN)


def test_the_list_of_conformance_passes(exercise):
    found = run(exercise, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--rootdir',
                str(exercise[0]), str(ROOT / 'test/sbot_sim/drives/test_conformance.py'),
                '-k', 'three_wheels')
    assert int(re.search(r'(\d+) passed', found.stdout)[1]) >= 3, found.stdout


def test_run_replay_and_worlds_agree(done):
    assert len(done.stdout.strip()) == 64


def test_a_key_of_it_without_it_is_mentioned(done):
    assert 'bodies.kiwi.wheel_offset: has no effect without drive: three_wheels' in done.stderr


@pytest.mark.ros
def test_nodes_do_the_same(exercise, done):
    live = run(exercise, '-m', 'sbot.cli', 'up', '--composed', 'kiwi.yaml', '--json')
    assert json.loads(live.stdout)['trajectory_sha256'] == done.stdout.strip()

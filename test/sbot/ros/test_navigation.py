"""`navigate` and navground's behaviours over ROS 2: equal to `sbot run` to the bit."""

import json
import subprocess
import sys

import pytest

from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

pytestmark = [pytest.mark.forked, pytest.mark.ros]

DEADLINE = 240.0  # s; long, as the first run compiles


@pytest.mark.parametrize(('scenario', 'controller'), [
    ('leader_follower', 'navigate'), ('rooms', 'navigate'),
    ('leader_follower', 'navground:ORCA'), ('rooms', 'navground:HL'),
    ('single_robot', 'navground:SocialForce')])
def test_equals_run_to_the_bit(scenario, controller):
    if controller.startswith('navground'):
        pytest.importorskip('navground')
    overrides = {'duration': 4.0, 'seed': 3, 'robots.*.controller': controller}
    ran = run_scenario(load_scenario(scenario, overrides), keep=False).summary
    command = [sys.executable, '-m', 'sbot.cli', 'up', '--composed', scenario, '--json']
    for key, value in overrides.items():
        command += ['--set', f'{key}={value}']
    done = subprocess.run(command, timeout=DEADLINE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    went_up = json.loads(done.stdout)
    assert went_up['trajectory_sha256'] == ran['trajectory_sha256']
    assert ran['robots'][0]['path_length_m'] > 1.0

"""Two runs side by side in one ROS domain: namespaces, clocks of their own, TF."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from children import python
from ros_package import HAS_LAUNCH

from sbot.environment.message_package import compilers
from sbot.ros.processes import own_names, parse_namespace
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError

DRIVER = Path(__file__).with_name('namespace_driver.py')
SBOT = [sys.executable, '-m', 'sbot.cli']
DEADLINE = 240.0  # s; long, as the first run compiles


def test_namespaces():
    assert parse_namespace('arena') == parse_namespace('/arena/') == '/arena'
    assert parse_namespace('hall/a_1') == '/hall/a_1'
    assert parse_namespace('') == ''
    for text in ('1a', 'a b', 'a//b', 'ä', 'a/{b}'):
        with pytest.raises(InputError, match='--namespace'):
            parse_namespace(text)
    assert own_names('/a') == [('/clock', '/a/clock'), ('/tf', '/a/tf'),
                               ('/tf_static', '/a/tf_static')]
    assert own_names('') == []


@pytest.mark.forked
@pytest.mark.ros
def test_two_runs_side_by_side_are_each_as_alone():
    seeds = {'left': 1, 'right': 2, 'third': 3}
    running = {name: subprocess.Popen(
        [*SBOT, 'up', 'leader_follower', '--duration', '1.5', '--seed', str(seed), '--namespace',
         name, '--json', *(['--composed'] if name == 'third' else [])],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for name, seed in seeds.items()}
    for name, process in running.items():
        out, err = process.communicate(timeout=DEADLINE)
        assert process.returncode == 0, err
        alone = run_scenario(load_scenario(
            'leader_follower', {'duration': 1.5, 'seed': seeds[name]}), keep=False).summary
        assert json.loads(out)['trajectory_sha256'] == alone['trajectory_sha256']


@pytest.mark.forked
@pytest.mark.ros
@pytest.mark.parametrize('how', ['up', pytest.param('launch', marks=pytest.mark.skipif(
    not HAS_LAUNCH, reason='ros2 launch is missing'))])
def test_a_lockstep_and_a_free_running_arena_have_names_and_clocks_of_their_own(tmp_path, how):
    done = python(DRIVER, how, tmp_path)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])  # Fast DDS may print before it
    # Only what ROS has once for all is outside; the driver's own topics do not count.
    outside = [name for name in seen['topics'] if not name.startswith(('/left/', '/right/'))]
    assert sorted(outside) == ['/diagnostics', '/parameter_events', '/rosout']
    assert {'/left/clock', '/right/clock', '/left/map', '/right/wind/field',
            '/left/robot_1/base_scan', '/right/robot_0/cmd_vel'} <= set(seen['topics'])
    if importlib.util.find_spec('tf2_msgs') is not None or (
            how == 'up' and compilers() is not None):
        assert {'/left/tf', '/right/tf', '/left/tf_static', '/right/tf_static'} <= set(
            seen['topics'])
    else:  # one clear line of each simulator
        assert seen['log'].count('tf2_msgs is not installed: its topics are in recordings but '
                                 'not published live') == 2
    assert '/left/sbot_sim/reset' in seen['services']
    before, after = seen['paused']
    assert 0 < before == after  # while the other's clock went on
    # Ctrl-C has cut a run of `sbot up` short.
    assert seen['exits'] == ([1, 1] if how == 'up' else [0]), seen['log']
    assert 'publishers' not in seen['log']
    assert 'Traceback' not in seen['log']

"""`sbot replay BAG --node COMMAND`: a node of somebody's own against what it did."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from children import python, run_sbot
from external_runs import CASES, DEADLINE, NODES, SIM_TIME, running, scenario, up

from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

pytestmark = [pytest.mark.forked, pytest.mark.ros]

ROOT = Path(__file__).resolve().parents[3]
AVOID = ROOT / 'examples' / 'external_node' / 'external_node' / 'node.py'
# All nodes of a run, as `ros2 launch` would start them.
ALL = """
import subprocess, sys
nodes = [subprocess.Popen([sys.executable, *words]) for words in {words!r}]
for node in nodes:
    node.wait()
"""


def replay(bag, *arguments):
    return run_sbot('replay', bag, *arguments)


@pytest.fixture(scope='module')
def recording(tmp_path_factory):
    """A run of nodes of all kinds, and the command that starts them all."""
    folder = tmp_path_factory.mktemp('recording')
    done = up(scenario(folder, CASES), CASES, '--record', folder / 'bag')
    assert done.returncode == 0, done.stderr
    assert 'Traceback' not in done.stderr  # these nodes catch no KeyboardInterrupt
    words = [[str(NODES), case, str(i), *SIM_TIME] for i, (case, _) in CASES.items()]
    (folder / 'all_of_them.py').write_text(ALL.format(words=words))
    return folder / 'bag', folder / 'all_of_them.py'


def test_nodes_of_every_kind_give_their_commands_again(recording):
    bag, command = recording
    done = replay(bag, '--node', command)
    assert done.returncode == 0, done.stdout + done.stderr
    # Each of 41 ticks: after a scan, and by a timer of a tick; each second, and each third.
    assert done.stdout == 'scenario: all 115 commands of 41 ticks agree bit for bit ' \
                          '(robot 0, 1, 2, 3)\n'
    assert not [line for line in running() if str(NODES) in line]


def avoid(robot, *parameters):
    return shlex.join([str(AVOID), '--ros-args', '-r', f'__ns:=/robot_{robot}', '-p',
                       'use_sim_time:=true', *(word for each in parameters
                                               for word in ('-p', each))])


@pytest.fixture(scope='module')
def avoided(tmp_path_factory):
    bag = tmp_path_factory.mktemp('avoided') / 'bag'
    done = run_sbot('up', AVOID.parents[1] / 'scenario.yaml', '--duration', '1', '--record', bag,
                    '--node', avoid(1))
    assert done.returncode == 0, done.stderr
    return bag


def test_a_changed_constant_is_found_with_tick_topic_and_field(avoided):
    done = replay(avoided, '--node', avoid(1, 'gain:=0.8001'))
    assert done.returncode == 1
    first, largest, count = done.stdout.splitlines()
    assert re.fullmatch(r'largest difference: [\d.e-]+ \(/robot_1/cmd_vel, angular.z, tick \d+\)',
                        largest)
    assert first.startswith('first difference: tick 0, /robot_1/cmd_vel, angular.z: recorded 0.')
    assert count == '31 of 31 commands differ (robot 1)'
    assert 'record again: sbot up SCENARIO --record NEW --node COMMAND\n' in done.stderr


def test_tolerances_let_small_differences_pass(avoided):
    done = replay(avoided, '--node', avoid(1, 'gain:=0.8001'), '--tolerance', 'angular.z=0.01',
                  '--json')
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])  # Fast DDS may print before it
    assert result['equal']
    assert result['commands'] == 31


def test_the_fixture_says_what_differs(avoided, tmp_path):
    (tmp_path / 'conftest.py').write_text(  # of scenarios and of nodes
        "pytest_plugins = ['sbot.regression.testing', 'sbot.ros.testing']\n")
    (tmp_path / 'test_it.py').write_text(f"""
def test_same(replay_to_node, sbot):
    assert replay_to_node({str(avoided)!r}, {avoid(1)!r}).commands == 31
    assert len(sbot.read({str(avoided)!r}).stamps_ns) == 31

def test_other(replay_to_node):
    replay_to_node({str(avoided)!r}, {avoid(1, 'gain:=0.7')!r}, tolerance={{'linear.x': 1.0}})
""")
    done = python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', tmp_path, cwd=tmp_path)
    assert '1 failed, 1 passed' in done.stdout, done.stdout
    assert 'largest difference: ' in done.stdout
    assert 'first difference: tick 0, /robot_1/cmd_vel, angular.z: recorded' in done.stdout


@pytest.fixture(scope='module')
def three(tmp_path_factory):
    """A run of three robots, each with the example's node, which one command has started."""
    folder = tmp_path_factory.mktemp('three')
    (folder / 'three.yaml').write_text(
        'duration: 0.5\nworld: {bounds: [0, 0, 9, 9], circles: [{center: [5, 5], radius: 1}]}\n'
        'robots:\n' + ''.join(f'  - {{pose: [2, {2 + 2 * i}, 0], controller: external}}\n'
                              for i in range(3)))
    done = run_sbot('up', folder / 'three.yaml', '--record', folder / 'bag', '--node',
                    avoid('{robot}'))
    assert done.returncode == 0, done.stderr
    return folder / 'bag'


def test_a_command_with_places_is_started_for_each_robot_and_each_is_compared(three):
    done = replay(three, '--node', avoid('{robot}'))
    assert done.returncode == 0, done.stderr
    assert 'all 48 commands of 16 ticks agree bit for bit (robot 0, 1, 2)' in done.stdout
    done = replay(three, *(word for i in range(3) for word in ('--node', avoid(i))))
    assert 'all 48 commands of 16 ticks agree bit for bit (robot 0, 1, 2)' in done.stdout
    done = replay(three, '--node', avoid('{robot}', 'gain:=0.{robot}'))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith('all 3 robots differ from tick 0 on (')
    done = replay(three, '--node', avoid('{robot}', 'goal:={goal_x}'))
    assert done.returncode == 2
    assert '--node: {goal_x} needs a goal; give robot 0 one in the scenario' in done.stderr


def test_a_node_that_was_changed_on_purpose_is_recorded_again(three, tmp_path):
    shutil.copytree(three, tmp_path / 'bag')
    (tmp_path / 'conftest.py').write_text("pytest_plugins = ['sbot.ros.testing']\n")
    (tmp_path / 'test_it.py').write_text(f"""
def test_same(replay_to_node):
    replay_to_node('bag', {avoid('{robot}', 'gain:=0.7')!r})
""")
    for refresh, words in (('0', '1 failed'), ('1', '1 skipped'), ('0', '1 passed')):
        done = python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', tmp_path, cwd=tmp_path,
                      env={**os.environ, 'SBOT_REFRESH': refresh})
        assert words in done.stdout, done.stdout
        if words == '1 failed':
            assert 'all 3 robots differ from tick 0 on (' in done.stdout
            assert 'record again: SBOT_REFRESH=1 python -m pytest' in done.stdout


def test_a_node_that_ends_leaves_the_recording_and_is_named_in_one_line(
        avoided, tmp_path, monkeypatch):
    from sbot.ros.testing import assert_node_replays
    shutil.copytree(avoided, tmp_path / 'bag')
    (tmp_path / 'ends.py').write_text('raise SystemExit("no map")\n')
    monkeypatch.setattr(sys, 'path', [*sys.path])  # it adds the folder of tf2_msgs
    monkeypatch.setenv('SBOT_REFRESH', '1')
    with pytest.raises(pytest.fail.Exception) as failed:
        assert_node_replays(tmp_path / 'bag', str(tmp_path / 'ends.py'))
    assert not failed.value.pytrace
    assert str(failed.value) == (f"{tmp_path / 'ends.py'}: ended the run with exit code 1: no map "
                                 f"({tmp_path / 'bag'} stays as it was)")
    assert {path.name for path in (tmp_path / 'bag').iterdir()} == {
        path.name for path in avoided.iterdir()}


def test_a_node_that_runs_already_is_fed_in_its_domain(avoided, monkeypatch):
    """As with launch_testing: the launch description has started it."""
    from sbot.ros.testing import assert_node_replays
    monkeypatch.setattr(sys, 'path', [*sys.path])  # it adds the folder of tf2_msgs
    node = subprocess.Popen([sys.executable, *shlex.split(avoid(1))])
    try:
        assert assert_node_replays(avoided).robots == (1,)
    finally:
        node.send_signal(signal.SIGINT)
        assert node.wait(DEADLINE) == 0


def test_a_node_in_place_of_a_controller_of_ours_is_found_by_what_it_publishes(tmp_path):
    run_scenario(load_scenario('leader_follower', {'duration': 0.5}), record=tmp_path / 'bag')
    done = replay(tmp_path / 'bag', '--node', avoid(2))
    assert done.returncode == 1
    assert done.stdout.startswith('first difference: tick 0, /robot_2/cmd_vel, ')
    assert done.stdout.endswith('16 of 16 commands differ (robot 2)\n')
    assert 'record again' not in done.stderr  # `sbot up` would start our own controller


@pytest.mark.parametrize(('case', 'code', 'words'), [
    ('dies', 1, 'ended with exit code 3'),
    ('twice', 1, 'robot 0: got an unexpected command, expected one after each'),
    ('silent', 1, 'first difference: tick 0, /robot_0/cmd_vel, command: recorded ')])
def test_nodes_that_misbehave_end_the_replay_and_nothing_is_left(recording, case, code, words):
    command = shlex.join([str(NODES), case, '0', *SIM_TIME])
    patience = ['--set', 'robots.0.parameters.trigger=base_scan',
                *['--set', 'lockstep_timeout=4'] * (case == 'silent')]
    done = replay(recording[0], '--node', command, '--robot', 0, *patience)
    assert done.returncode == code, done.stderr
    assert words in done.stdout + done.stderr
    if case == 'silent':
        assert 'differ (robot 0); stopped at tick 0, as no command came\n' in done.stdout
    assert 'Traceback' not in done.stderr
    assert not [line for line in running() if f'{NODES} {case} ' in line]


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--node', 'no_such_program'], 'no_such_program is not installed'),
    (['--node', 'sleep 9', '--output', 'x'], '--node cannot be combined with --output'),
    (['--robot', '1'], '--robot needs --node COMMAND'),
    (['--node', 'sleep 9', '--robot', '7'], '--robot: got 7, expected a robot with commands'),
    (['--node', 'sleep 9', '--tolerance', 'speed=1'], '--tolerance: got'),
    (['--node', 'sleep 9', '--set', 'lockstep=false'], 'a replay needs a recording in lockstep')])
def test_bad_arguments_are_refused_in_one_line(avoided, arguments, words):
    done = replay(avoided, *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1

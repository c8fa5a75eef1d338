"""Nodes of somebody's own in the benchmark: driven over ROS, judged as everybody else."""

import contextlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from external_runs import CASES, scenario, up

from sbot.bag.reader import Bag
from sbot.cli.main import main
from sbot.navigation import benchmark
from sbot.navigation.benchmark import PublishedRows, _recorded_commands, run_nodes, scene_sources
from sbot.navigation.library import chosen_scenes, families
from sbot.navigation.table import read_rows_file, table
from sbot.regression.commands import Recording
from sbot.ros.up import NodeFailed
from sbot.scenario.load import parse_scenario
from sbot.sweeps.experiment import Options
from sbot_common.errors import InputError

pytestmark = pytest.mark.forked

AVOID = Path(__file__).resolve().parents[3] / 'examples/external_node/external_node/node.py'
EACH = f'{AVOID} --ros-args -r __ns:={{namespace}} -p use_sim_time:=true'
SHORT = {'duration': 1.0, 'lockstep_timeout': 3.0}


def scenes(*names, seeds=(3,)):
    return list(scene_sources(chosen_scenes(families(), names), list(seeds)))


@pytest.mark.ros
def test_a_row_of_nodes_has_the_hash_of_what_they_drove_and_can_be_checked(tmp_path, monkeypatch,
                                                                           capsys):
    monkeypatch.chdir(tmp_path)
    arguments = ['bench', 'navigation', 'corner/blind', '--seeds', '3:4', '--node', EACH,
                 '--set', 'duration=1', '-o', 'mine', '--quiet', '--format', 'jsonl']
    assert main(arguments) == 0
    row = json.loads(capsys.readouterr().out)
    assert row['controller'] == f'node: {EACH}'
    assert row['error'] is None
    assert row['arrived'] == row['collisions'] == 0
    bag = Bag(tmp_path / 'mine' / 'recordings' / '0' / 'corner_blind#3')
    poses = Recording.read(bag).poses
    assert np.ptp(poses[:, :, :2], axis=0).max() > 0.1  # both have a node, and drive
    recorded = parse_scenario(bag.scenario_text, 'bag', tmp_path, import_controllers=False)
    again = benchmark._driven(recorded, _recorded_commands(bag, recorded))
    assert row['trajectory_sha256'] == again.summary['trajectory_sha256']
    assert main(['bench', 'navigation', '--check', 'mine/rows.jsonl']) == 2
    assert '--trust' in capsys.readouterr().err
    assert main(['bench', 'navigation', '--check', 'mine/rows.jsonl', '--trust', '--quiet']) == 0
    rows = read_rows_file(Path('mine/rows.jsonl'))
    rows[0]['trajectory_sha256'] = 'f' * 64
    assert len(PublishedRows(rows).check(families(), Options(jobs=1, progress=False))) == 1


@pytest.mark.ros
@pytest.mark.parametrize(('command', 'said'), [
    ('dies.py', 'ended the run with exit code 3: no battery'),
    ('silent.py', 'lockstep_timeout')])
def test_nodes_that_die_or_never_answer_are_rows_with_one_line(tmp_path, monkeypatch, command,
                                                               said):
    monkeypatch.chdir(tmp_path)
    Path('dies.py').write_text('import sys\nprint("no battery")\nsys.exit(3)\n')
    Path('silent.py').write_text(
        'import rclpy\nfrom geometry_msgs.msg import Twist\nfrom sensor_msgs.msg import LaserScan'
        '\nrclpy.init()\nnode = rclpy.create_node("silent")\n'
        'publisher = node.create_publisher(Twist, "cmd_vel", 10)\n'
        'node.create_subscription(LaserScan, "base_scan", lambda _: None, 10)\n'
        'rclpy.spin(node)\n')
    row, = run_nodes(scenes('narrow/0.7'), f'node: {command}', {
        **SHORT, 'controllers.external.trigger': 'base_scan'})  # one command a scan is waited for
    assert said in row['error']
    assert '\n' not in row['error']
    assert row['trajectory_sha256'] is None
    assert table([row])[1][2] == '0 of 1'


@pytest.mark.ros
def test_commands_hold_as_they_did_over_ros(tmp_path):
    path = scenario(tmp_path, CASES)  # after each scan, by timers, now and then
    done = up(path, CASES, '--json', '--quiet', '--record', tmp_path / 'bag')
    assert done.returncode == 0, done.stderr
    bag = Bag(tmp_path / 'bag')
    recorded = parse_scenario(bag.scenario_text, 'bag', tmp_path, import_controllers=False)
    commands = _recorded_commands(bag, recorded)
    again = benchmark._driven(recorded, commands)
    assert json.loads(done.stdout)['trajectory_sha256'] == again.summary['trajectory_sha256']
    assert {len(np.unique(commands[:, i], axis=0)) > 1 for i in CASES} == {True}


def test_what_cannot_be_started_is_refused_before_anything_runs(monkeypatch, capsys):
    begin = ['bench', 'navigation', 'narrow/0.7', '--seeds', '0:1']
    monkeypatch.setattr('sbot.ros.processes.find_spec', lambda _: True)
    monkeypatch.setattr(benchmark, '_driven_run', None)
    for arguments, said in ((['--node', 'no_such_program'], 'no_such_program is not installed'),
                            (['--node', "'"], '--node: got "\'"'),
                            (['--node', 'true', '--timeout', '3'],
                             '--timeout cannot be combined with --node'),
                            (['--node', 'true', '--retry'],
                             '--retry cannot be combined with --node'),
                            (['--node', 'true', '--jobs', '2'], '--jobs needs --controller'),
                            (['--node', 'true', '--set', 'duration=-1'], 'duration: got -1'),
                            (['--node', 'true', '--controller', 'navigate', '--set', 'rat=1'],
                             'rat'),
                            (['--node', 'true', '--set', 'lockstep=false'],
                             'lockstep=false cannot be combined with --node'),
                            (['--node', 'true', '--set', 'robots.*.controller=dwa'],
                             'robots.*.controller cannot be combined with --node')):
        assert main([*begin, *arguments]) == 2
        error = capsys.readouterr().err
        assert said in error
        assert error.count('\n') == 1
    monkeypatch.setattr('sbot.ros.processes.find_spec', lambda _: None)
    with pytest.raises(InputError, match=r'^--node needs ROS 2 \(rclpy\)'):
        run_nodes(scenes('narrow/0.7'), f'node: {sys.executable}', {})


@pytest.fixture
def failing(monkeypatch):
    """Runs of nodes that fail at once, without ROS; the second one is interrupted if asked for."""
    made = []

    def run(scenario, controller, bag, _):
        made.append(scenario.seed)
        if len(made) == 2 and controller.endswith('true stop'):
            raise KeyboardInterrupt
        raise NodeFailed(f'{bag}: too short')
    monkeypatch.setattr('sbot.ros.processes.find_spec', lambda _: True)
    monkeypatch.setattr(benchmark, '_driven_run', run)
    return made


def test_a_folder_in_use_is_refused_before_the_first_run_of_a_node(tmp_path, failing, capsys):
    (tmp_path / 'rows.jsonl').write_text('mine')
    assert main(['bench', 'navigation', 'narrow/0.7', '--seeds', '0:1', '--node', 'true',
                 '-o', str(tmp_path)]) == 2
    assert f'{tmp_path}: is not empty' in capsys.readouterr().err
    assert (tmp_path / 'rows.jsonl').read_text() == 'mine'
    assert failing == []


def test_an_interrupt_loses_no_row_of_a_run_that_has_ended(tmp_path, failing):
    with contextlib.suppress(KeyboardInterrupt):
        main(['bench', 'navigation', 'hallway/pair', '--seeds', '0:3', '--node', 'true stop',
              '-o', str(tmp_path / 'new')])
    assert failing == [0, 1]
    row, = read_rows_file(tmp_path / 'new' / 'rows.jsonl')
    assert (row['seed'], row['controller']) == (0, 'node: true stop')


def test_a_class_in_a_module_named_node_is_a_class(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path('node.py').write_text(
        'class Still:\n    def step(self, observation, rng):\n        return 0.0, 0.0\n')
    arguments = ['bench', 'navigation', 'narrow/0.7', '--seeds', '0:1', '--jobs', '1', '--quiet']
    assert main([*arguments, '--controller', 'node:Still', '--set', 'duration=0.5', '--format',
                 'jsonl']) == 0
    Path('rows').write_text(capsys.readouterr().out)
    assert main(['bench', 'navigation', '--check', 'rows', '--trust', '--quiet', '--jobs',
                 '1']) == 0
    assert main([*arguments, '--controller', 'node: true']) == 2  # only --node starts commands

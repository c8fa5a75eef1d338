"""The benchmarks run: smoke tests on small scenes, whose numbers mean nothing."""

import csv
import importlib
import subprocess
from pathlib import Path

import pytest
from children import passed, python

pytestmark = pytest.mark.forked

BENCHMARKS = Path(__file__).parents[1] / 'benchmark'


def test_errors_and_speed_of_elementary_functions(tmp_path):
    table = tmp_path / 'table.csv'
    passed(BENCHMARKS / 'elementary.py', '--count', '5', '--seconds', '0.01', '--csv', table)
    with table.open(newline='') as file:
        rows = list(csv.DictReader(file))
    assert {row['function'] for row in rows} >= {'sin', 'cos', 'atan2', 'exp', 'log', 'pow'}
    assert all(bool(row['worst_ulp']) != bool(row['ns']) for row in rows)


def test_the_standard_workload_is_measured(tmp_path):
    passed(BENCHMARKS / 'standard.py', '--robots', '8', '--cases', 'motion', '--seconds', '0',
           '--folder', tmp_path)
    with (tmp_path / 'standard.csv').open(newline='') as file:
        assert {row['case'] for row in csv.DictReader(file)} == {'motion'}


def test_two_checkouts_measure_the_same_turns_of_navigate(tmp_path):
    def told(*options):
        said = passed(BENCHMARKS / 'navigate_turn.py', *options)
        return [line.split()[-1] for line in said.splitlines()[:-1]]

    kept = str(tmp_path / 'turns.pickle')
    hashes = told('moving/six', '--seconds', '1', '--keep', kept)
    assert len(hashes) == 1
    assert told('--take', kept) == hashes


def test_missing_simulators_are_one_line_each(tmp_path):
    said = passed(BENCHMARKS / 'peers' / 'table.py', '--robots', '8', '--seconds', '0', '--csv',
                  tmp_path / 'peers.csv', '--peer-python', '/bin/false', '--compiled', 'Enki',
                  '2.0', ' -I/nowhere')
    missing = [line.split(':')[0] for line in said.splitlines()
               if 'not installed' in line or 'skipped' in line]
    assert missing == ['ir-sim', 'navground', 'Enki', 'VMAS']
    assert not (tmp_path / 'peers.csv').exists()


@pytest.mark.parametrize(('script', 'options', 'rows'), [
    ('scan_kernel.py', ['--seconds', '0.1'], 1),  # compares two casters, too
    ('step_budget.py', [], 8),
    ('fast2d.py', ['--sensors', '2', '--seconds', '0.1'], None),
])
def test_it_runs(tmp_path, script, options, rows):
    table = tmp_path / 'table.csv'
    options = ['--robots', '10', *options, *([] if rows is None else ['--csv', table])]
    assert len(passed(BENCHMARKS / script, *options).splitlines()) > 1
    if rows is not None:
        with table.open(newline='') as file:
            assert len(list(csv.reader(file))) == rows + 1


def test_frames_of_the_viewer_are_measured():
    done = python(BENCHMARKS / 'viewer_frames.py', '--robots', '9', '--beams', '12', '--frames',
                  '5', '--most', '1e6')
    if 'needs Chromium' in done.stderr:
        pytest.skip('no Chromium')
    assert done.returncode == 0, done.stderr
    rows = [line.split(' | ') for line in done.stdout.splitlines()[1:]]
    assert len(rows) == 8
    assert all(float(row[1].split(',')[0]) > 0.0 for row in rows)


def test_the_cost_of_a_sweep_is_measured(tmp_path):
    table = tmp_path / 'table.csv'
    passed(BENCHMARKS / 'sweep_cost.py', '--runs', '10', '--csv', table)
    with table.open(newline='') as file:
        [row] = csv.DictReader(file)
    assert 0 < float(row['journal_and_tables_ms']) < 100
    assert float(row['peak_mib_10000_runs']) < float(row['peak_mib_1000_runs']) + 100


@pytest.mark.forked(False)
def test_warm_starts_are_measured(tmp_path):
    table = tmp_path / 'table.csv'
    passed(BENCHMARKS / 'starts.py', '--warm', '--repeat', '1', '--csv', table)
    with table.open(newline='') as file:
        rows = list(csv.DictReader(file))
    assert [row['start'].split()[0] for row in rows] == ['`import', '`sbot', '`import']
    assert all(float(row['cpu_s']) > 0.05 for row in rows)


# A node as others publish it: a script of a package, with a constant.
PUBLIC_NODE = """
import rclpy
from geometry_msgs.msg import Twist
from rclpy.node import Node
from sensor_msgs.msg import LaserScan
from tf_transformations import quaternion_from_euler

class Public(Node):
    def __init__(self):
        super().__init__('public')
        self.speed = 0.2
        self.publisher = self.create_publisher(Twist, 'cmd_vel', 10)
        self.create_subscription(LaserScan, 'scan', self.on_scan, 10)

    def on_scan(self, scan):
        twist = Twist()
        twist.linear.x = self.speed * quaternion_from_euler(0.0, 0.0, 0.0)[3]
        self.publisher.publish(twist)

rclpy.init()
rclpy.spin(Public())
"""
PUBLIC_NODES = """
nodes:
  - name: public node
    repository: someone/robot
    commit: {commit}
    does: drives ahead
    scenario:
      duration: 0.3
      cmd_vel_stamped: false
      world: {{bounds: [0, 0, 4, 4]}}
      robots: [{{body: turtlebot3_burger, pose: [1, 2, 0], controller: external}}]
    node: ['src/node.py --ros-args -p use_sim_time:=true']
    constant: {{file: node.py, was: self.speed = 0.2, now: self.speed = 0.21}}
"""


@pytest.mark.ros
def test_a_public_node_is_fetched_run_and_changed(tmp_path):
    source = tmp_path / 'host/someone/robot'
    source.mkdir(parents=True)
    (source / 'node.py').write_text(PUBLIC_NODE)

    def git(*words):
        return subprocess.run(['git', '-C', source, '-c', 'user.name=a', '-c', 'user.email=a',
                               *words], check=True, capture_output=True, text=True).stdout.strip()
    git('init')
    git('add', 'node.py')
    git('commit', '--message', 'first')
    (tmp_path / 'nodes.yaml').write_text(PUBLIC_NODES.format(commit=git('rev-parse', 'HEAD')))
    git('commit', '--allow-empty', '--message', 'second')  # not the one that is named
    words = (BENCHMARKS / 'public_nodes.py', tmp_path / 'folder', '--nodes',
             tmp_path / 'nodes.yaml', '--csv', tmp_path / 'rows.csv', '--host',
             f'{tmp_path}/host/')
    passed(*words)
    with (tmp_path / 'rows.csv').open(newline='') as file:
        [row] = csv.DictReader(file)
    assert row == {'name': 'public node', 'repository': 'someone/robot', 'same': 'yes',
                   'compared': '10', 'differing': '0', 'first': '0', 'found': '10',
                   'collisions': '0'}
    assert (tmp_path / 'folder/runs/someone_public_node/track.png').exists()
    (tmp_path / 'folder/someone/robot/node.py').write_text('')  # a checkout that was changed
    done = python(*words)
    assert done.returncode == 1
    assert 'without changes' in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize('algorithm', ['mappo', 'ppo'])
def test_teams_are_trained_and_judged(monkeypatch, algorithm):
    pytest.importorskip('stable_baselines3', reason='stable-baselines3 is missing (extra train)')
    pytest.importorskip('benchmarl', reason='benchmarl is missing (extra marl)')
    monkeypatch.syspath_prepend(BENCHMARKS / 'learning')
    rows = importlib.import_module('team_curves').train('mpe_spread:SimpleSpread', algorithm, 1, 2)
    assert [row[:4] for row in rows] == [
        ('mpe_spread:SimpleSpread', algorithm, 1, decisions) for decisions in (0, 6400)]
    assert rows[0][4] < rows[1][4]
    assert -60.0 < rows[0][5] < rows[1][5] < -15.0  # two batches teach something

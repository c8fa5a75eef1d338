"""Nodes that know nothing of lockstep, in lockstep: what they know when they command, and bits."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from children import run_sbot
from external_runs import CASES, NODES, SIM_TIME, TICKS, running, scenario, up

from sbot.bag.reader import Bag
from sbot_common.wire.cdr import decode, stamp_ns

pytestmark = [pytest.mark.forked, pytest.mark.ros]

PLAIN_NODES = Path(__file__).parent / 'plain_nodes.py'
PLAIN = ['6', '7', '11', '13', '15', '20', '30', '60', '100', '7+15', '6+20+100', 'blind', 'scan',
         'odom+scan', 'twice', 'thrice', 'silent', 'mixed', 'poses', 'sometimes', 'late', 'again',
         'loop', 'once', 'both', 'steer']
FIELD = """
duration: 1.0
rate: 30
lockstep_timeout: 240
cmd_vel_stamped: true
world: {bounds: [0, 0, 40, 40]}
sensors: {scan_beams: 8}
robots:
"""
BUSY = [sys.executable, '-c', """
import itertools, time
for turn in itertools.count():
    end = time.perf_counter() + 0.02
    while time.perf_counter() < end:
        pass
    time.sleep(0.03 * (turn % 7))
"""]


def commands(bag, robot):
    return [(message.stamp_ns, decode(message.payload, message.type))
            for message in Bag(bag).messages([f'/robot_{robot}/cmd_vel'])]


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    """Two runs of all cases at once."""
    folder = tmp_path_factory.mktemp('external')
    path = scenario(folder, CASES)
    for name in ('first', 'second'):
        done = up(path, CASES, '--record', folder / name)
        assert done.returncode == 0, done.stderr
    return folder / 'first', folder / 'second'


def test_after_a_scan_a_node_knows_all_else_of_the_tick(bags):
    found = commands(bags[0], 0)
    assert len(found) == TICKS
    for stamp, command in found:
        knew = command.twist
        assert stamp_ns(command.header.stamp) == stamp  # its own clock
        assert [round(value * 1e9) for value in (
            knew.linear.z, knew.angular.x, knew.angular.y)] == [stamp] * 3


@pytest.mark.parametrize(('robot', 'every'), [(1, 2), (2, 1)])
def test_a_timer_fires_at_each_multiple_of_its_period_and_knows_the_sensors_of_the_tick(
        bags, robot, every):
    found = commands(bags[0], robot)
    tick = 50_000_000
    assert [stamp for stamp, _ in found] == [
        (k + 1) * tick for k in range(TICKS) if (k + 1) % every == 0]
    for stamp, command in found:
        knew = command.twist
        assert stamp_ns(command.header.stamp) == stamp
        assert [round(value * 1e9) for value in (knew.linear.z, knew.angular.x)] == [stamp] * 2
        assert round(knew.angular.y * 1e9) == stamp - tick  # wind is made after /clock


def test_a_node_may_be_silent_where_the_scenario_says_so_and_stops_after_a_while(bags):
    stamps = [stamp for stamp, _ in commands(bags[0], 3)]
    assert stamps == [(k + 1) * 50_000_000 for k in range(TICKS) if (k + 1) % 3 == 0]
    speeds = [decode(message.payload, message.type).twist.twist.linear.x for message in
              Bag(bags[0]).messages(['/robot_3/base_pose_ground_truth'])]
    # A command at the third stamp moves the robot for two ticks, and is 0.1 s old in the next.
    assert [speed > 0.1 for speed in speeds[:9]] == [False] * 3 + [True, True, False] * 2


@pytest.mark.parametrize(('case', 'words'), [  # with a trigger, one command is waited for
    ('twice', 'robot 0: got an unexpected command, expected one after each '
              'base_scan'),
    ('silent', 'robot 0 (/robot_0/witness_0) silent for 4 s (lockstep_timeout; longer: '
               '--set lockstep_timeout=600) at tick 0'),
    ('dies', 'ended the run with exit code 3')])
def test_nodes_that_misbehave_end_the_run_by_name_and_nothing_is_left(tmp_path, case, words):
    cases = {0: (case, {'trigger': 'base_scan'})}
    patience = ['--set', 'lockstep_timeout=4'] if case == 'silent' else []
    done = up(scenario(tmp_path, cases), cases, *patience)
    assert done.returncode == 1
    assert words in done.stderr.splitlines()[-1]
    assert done.stderr.count(words) == 1
    assert not [line for line in running() if f'{NODES} {case} ' in line]


def test_in_one_process_there_are_no_nodes(tmp_path):
    done = run_sbot('run', scenario(tmp_path, {0: ('scan', {}), 1: ('scan', {})}))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        'sbot: robot 0, 1: controller external needs your own node over ROS 2; use sbot up')


@pytest.fixture
def busy():
    """Another process that keeps a processor busy now and then."""
    process = subprocess.Popen(BUSY)
    yield
    process.kill()
    process.wait()


@pytest.mark.usefixtures('busy')
def test_plain_nodes_of_many_makes_are_equal_to_the_bit_without_keys(tmp_path):
    path = tmp_path / 'scenario.yaml'
    path.write_text(FIELD + ''.join(
        f'  - {{pose: [{2 + 6 * (i % 6)}, {2 + 6 * (i // 6)}, 0], controller: external}}\n'
        for i in range(len(PLAIN))))
    nodes = [word for case, i in [*zip(PLAIN, range(len(PLAIN)), strict=True),
                                  ('relay', PLAIN.index('steer'))]
             for word in ('--node', shlex.join([str(PLAIN_NODES), case, str(i), *SIM_TIME]))]

    def sbot(*arguments):
        done = run_sbot(*arguments, *nodes)
        assert done.returncode == 0, done.stdout + done.stderr
        assert 'cannot be repeated' not in done.stderr
    bag = tmp_path / 'bag'
    sbot('up', path, '--record', bag)
    for i, case in enumerate(PLAIN):
        commands = list(Bag(bag).messages([f'/robot_{i}/cmd_vel']))
        assert bool(commands) == (case != 'silent'), case
    sbot('replay', bag)  # each command again, by nodes that are started anew

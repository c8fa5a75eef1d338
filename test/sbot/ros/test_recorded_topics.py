"""Topics of users' nodes in lockstep: recorded with the tick, and compared in a replay."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from external_runs import DEADLINE, SBOT, SIM_TIME

from sbot.bag.compare import compare
from sbot.bag.reader import Bag
from sbot_common.wire.cdr import decode, stamp_ns

pytestmark = [pytest.mark.forked, pytest.mark.ros]

EXAMPLES = Path(__file__).resolve().parents[3] / 'examples' / 'external_node' / 'external_node'
TOPIC = '/robot_0/ekf/odom'
SCENARIO = f"""
duration: 1.0
lockstep_timeout: 240
world: {{bounds: [0, 0, 12, 12], circles: [{{center: [6, 6], radius: 1}}]}}
sensors: {{imu: true, imu_noise_turn_rate: 0.05}}
record_topics: [{TOPIC}]
robots:
  - {{pose: [2, 2, 0], goal: [10, 10], controller: navigate}}
  - {{pose: [2, 8, 0], controller: external}}
"""


def node(name, robot, *parameters):
    return shlex.join([str(EXAMPLES / name), *SIM_TIME, '-r', f'__ns:=/robot_{robot}',
                       *(word for each in parameters for word in ('-p', each))])


def estimate(*parameters):
    return node('estimate.py', 0, *parameters)


def sbot(*arguments):
    return subprocess.run([*SBOT, *map(str, arguments)], timeout=DEADLINE, capture_output=True,
                          text=True, check=False)


@pytest.fixture(scope='module')
def recordings(tmp_path_factory):
    """Two runs: our controller drives robot 0, whose pose a node estimates; another, robot 1."""
    folder = tmp_path_factory.mktemp('recordings')
    (folder / 'scenario.yaml').write_text(SCENARIO)
    for name in ('first', 'second'):
        done = sbot('up', folder / 'scenario.yaml', '--record', folder / name,
                    '--node', estimate(), '--node', node('node.py', 1))
        assert done.returncode == 0, done.stderr
    return folder / 'first', folder / 'second'


def test_what_a_node_says_is_in_the_bag_at_its_tick_and_twice_the_same(recordings):
    first, second = map(Bag, recordings)
    said = list(first.messages([TOPIC]))
    assert len(said) == 31
    for message in said:
        estimated = decode(message.payload, message.type)
        assert stamp_ns(estimated.header.stamp) == message.stamp_ns
    assert compare(first, second).equal


def test_a_changed_constant_is_found_with_tick_topic_and_field(recordings):
    done = sbot('replay', recordings[0], '--node', estimate(), '--compare', TOPIC)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == ('scenario: all 31 messages of 31 ticks agree bit for bit '
                           f'({TOPIC})\n')
    done = sbot('replay', recordings[0], '--node', estimate('gyro_share:=0.51'),
                '--compare', TOPIC)
    assert done.returncode == 1
    first, largest, count = done.stdout.splitlines()
    assert re.fullmatch(rf'first difference: tick 1, {TOPIC}, pose\.pose\.position\.[xy]: '
                        r'recorded [\d.e-]+; now [\d.e-]+', first)
    assert largest.startswith('largest difference: ')
    assert count == f'30 of 31 messages differ ({TOPIC})'


def test_messages_agree_within_tolerances_by_type_and_beside_commands(recordings):
    done = sbot('replay', recordings[0], '--node', estimate('gyro_share:=0.51'),
                '--node', node('node.py', 1), '--compare', TOPIC, '--robot', 1,
                '--tolerance', 'nav_msgs/msg/Odometry=0.1', '--json')
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.splitlines()[-1])  # Fast DDS may print before it
    assert (result['equal'], result['commands']) == (True, 62)
    assert (result['robots'], result['topics']) == ([1], [TOPIC])


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--compare', TOPIC], '--compare needs --node COMMAND'),
    (['--node', 'sleep 9', '--compare', '/robot_0/odom'],
     f"--compare: got '/robot_0/odom', expected a topic of record_topics in the bag: ['{TOPIC}']"),
    (['--node', 'sleep 9', '--compare', TOPIC, '--tolerance', 'angular.z=1'],
     '--tolerance: got')])
def test_bad_arguments_are_refused_in_one_line(recordings, arguments, words):
    done = sbot('replay', recordings[0], *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_topic_of_the_simulation_or_without_nodes_is_refused(tmp_path):
    (tmp_path / 'one.yaml').write_text(SCENARIO)
    done = sbot('up', tmp_path / 'one.yaml', '--set', 'record_topics=[/robot_1/cmd_vel]',
                '--set', 'robots.1.controller=none', '--quiet')
    assert done.returncode == 2
    assert "record_topics: got '/robot_1/cmd_vel', expected a topic of a node of yours" in (
        done.stderr)
    done = sbot('run', tmp_path / 'one.yaml', '--set', 'robots.1.controller=none',
                '--record', tmp_path / 'bag')
    assert done.returncode == 2
    assert f"record_topics: got ['{TOPIC}'], expected [] without nodes" in done.stderr

"""Topics of users' nodes in lockstep: recorded with the tick, compared or played in a replay."""

import json
import re
import shlex
from pathlib import Path

import pytest
from children import run_sbot
from external_runs import SIM_TIME

from sbot.bag.compare import Comparison
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

FOLLOW = """
import contextlib
import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry

def turn(estimate):
    command = Twist()
    command.angular.z = estimate.pose.pose.position.x
    publisher.publish(command)

rclpy.init()
node = rclpy.create_node('follow')
publisher = node.create_publisher(Twist, '/robot_1/cmd_vel', 10)
node.create_subscription(Odometry, '/robot_0/ekf/odom', turn, 10)
with contextlib.suppress(KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
    rclpy.spin(node)
"""


def estimate(*parameters):
    return shlex.join([str(EXAMPLES / 'estimate.py'), *SIM_TIME, '-r', '__ns:=/robot_0',
                       *(word for each in parameters for word in ('-p', each))])


@pytest.fixture(scope='module')
def recordings(tmp_path_factory):
    """Two runs, and a node in them that drives robot 1 by the pose of robot 0.

    A controller of ours drives robot 0, and another node estimates its pose.
    """
    folder = tmp_path_factory.mktemp('recordings')
    (folder / 'scenario.yaml').write_text(SCENARIO)
    (folder / 'follow.py').write_text(FOLLOW)
    follow = shlex.join([str(folder / 'follow.py'), *SIM_TIME])
    for name in ('first', 'second'):
        done = run_sbot('up', folder / 'scenario.yaml', '--record', folder / name,
                        '--node', estimate(), '--node', follow)
        assert done.returncode == 0, done.stderr
    return folder / 'first', folder / 'second', follow


def test_what_a_node_says_is_in_the_bag_at_its_tick_and_twice_the_same(recordings):
    first, second = map(Bag, recordings[:2])
    said = list(first.messages([TOPIC]))
    assert len(said) == 31
    for message in said:
        assert stamp_ns(decode(message.payload, message.type).header.stamp) == message.stamp_ns
    assert Comparison.of(first, second).equal


def test_a_changed_constant_is_found_with_tick_topic_and_field(recordings):
    done = run_sbot('replay', recordings[0], '--node', estimate(), '--compare', TOPIC)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == ('scenario: all 31 messages of 31 ticks agree bit for bit '
                           f'({TOPIC})\n')
    done = run_sbot('replay', recordings[0], '--node', estimate('gyro_share:=0.51'),
                    '--compare', TOPIC)
    assert done.returncode == 1
    first, largest, count = done.stdout.splitlines()
    assert re.fullmatch(rf'first difference: tick 1, {TOPIC}, pose\.pose\.position\.[xy]: '
                        r'recorded [\d.e-]+; now [\d.e-]+', first)
    assert largest.startswith('largest difference: ')
    assert count == f'30 of 31 messages differ ({TOPIC})'


def test_without_options_commands_and_messages_are_compared_within_tolerances(recordings):
    bag, _, follow = recordings
    done = run_sbot('replay', bag, '--node', estimate('gyro_share:=0.51'), '--node', follow,
                    '--json', '--tolerance', 'nav_msgs/msg/Odometry=0.1', '--tolerance',
                    'angular.z=0.1')
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.splitlines()[-1])  # Fast DDS may print before it
    assert (result['equal'], result['commands']) == (True, 62)
    assert (result['robots'], result['topics']) == ([1], [TOPIC])


def test_topics_that_are_not_compared_are_played_to_nodes_that_hear_them(recordings):
    bag, _, follow = recordings
    done = run_sbot('replay', bag, '--node', follow, '--robot', 1)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == 'scenario: all 31 commands of 31 ticks agree bit for bit (robot 1)\n'
    for _ in range(5):  # nobody waits for a node that is not compared: it may come after the end
        done = run_sbot('replay', bag, '--node', follow, '--robot', 1, '--node', estimate(),
                        '--quiet')
        if done.returncode:
            break
    assert done.returncode == 2
    assert f'{TOPIC} has 2 publishers (/robot_0/estimate, /sbot_replay): add --compare' in (
        done.stderr)


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--compare', TOPIC], '--compare needs --node COMMAND'),
    (['--node', 'sleep 9', '--compare', '/robot_0/odom'],
     f"--compare: got '/robot_0/odom', expected a topic of record_topics in the bag: ['{TOPIC}']"),
    (['--node', 'sleep 9', '--compare', TOPIC, '--tolerance', 'angular.z=1'], '--tolerance: got')])
def test_bad_arguments_are_refused_in_one_line(recordings, arguments, words):
    done = run_sbot('replay', recordings[0], *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_topic_of_the_simulation_or_without_nodes_is_refused(tmp_path):
    (tmp_path / 'one.yaml').write_text(SCENARIO)
    done = run_sbot('up', tmp_path / 'one.yaml', '--set', 'record_topics=[/robot_1/cmd_vel]',
                    '--set', 'robots.1.controller=none', '--quiet')
    assert done.returncode == 2
    assert "record_topics: got '/robot_1/cmd_vel', expected a topic of a node of yours" in (
        done.stderr)
    done = run_sbot('run', tmp_path / 'one.yaml', '--set', 'robots.1.controller=none',
                    '--record', tmp_path / 'bag')
    assert done.returncode == 2
    assert f"record_topics: got ['{TOPIC}'], expected [] without nodes" in done.stderr

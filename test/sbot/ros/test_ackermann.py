"""Cars that nodes drive by AckermannDriveStamped: in lockstep, recorded, replayed."""

import importlib.util
import math
import shlex
from pathlib import Path

import numpy as np
import pytest
from children import run_sbot
from external_runs import SIM_TIME

from sbot.bag.compare import Comparison
from sbot.bag.reader import Bag
from sbot.environment.message_package import compilers
from sbot.ros.live_tf import packages_of
from sbot.scenario.load import parse_scenario
from sbot_common.wire.messages import read_scan, read_twist

pytestmark = [
    pytest.mark.forked, pytest.mark.ros, pytest.mark.skipif(
        importlib.util.find_spec('ackermann_msgs') is None and compilers() is None,
        reason='no ackermann_msgs, and no compiler')]

NODE = Path(__file__).with_name('gap_follower.py')
SCENARIO = """
duration: 2.0
rate: 20
lockstep_timeout: 240
world: {bounds: [0, 0, 12, 6], circles: [{center: [6, 2.6], radius: 0.6}]}
robots:
  - {pose: [1, 3, 0], body: f1tenth, controller: external}
  - {pose: [1, 5, 0], body: BODY, controller: OTHER}
"""
TELEOP = """
import rclpy
from geometry_msgs.msg import Twist

rclpy.init()
node = rclpy.create_node('teleop')
node.create_publisher(Twist, 'cmd_vel', 10)
rclpy.spin(node)
"""


def follower(*more):
    return shlex.join([str(NODE), *SIM_TIME, '-r', '__ns:=/robot_0', *more])


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp('cars') / 'cars.yaml'
    path.write_text(SCENARIO.replace('BODY', 's-bot').replace('OTHER', 'none'))
    return path


@pytest.fixture(scope='module')
def bag(path):
    done = run_sbot('up', path, '--node', follower(), '--record', path.with_name('bag'))
    assert done.returncode == 0, done.stderr
    return Bag(path.with_name('bag'))


def test_speed_and_steering_angle_are_the_command_of_the_bicycle_model(bag):
    scans = [read_scan(each.payload)[1] for each in bag.messages(['/robot_0/scan'])]
    twists = [read_twist(each.payload) for each in bag.messages(['/robot_0/cmd_vel'])]
    assert len(twists) == len(scans) == 41
    for scan, twist in zip(scans, twists, strict=True):
        angle = 0.5 * (scan.angle_min + int(np.argmax(scan.ranges)) * scan.angle_increment)
        assert twist == pytest.approx((1.5, 0.0, 1.5 * math.tan(angle) / 0.3302), rel=1e-6)


def test_two_runs_are_equal_to_the_bit_composed_or_not(path, bag):
    again = path.with_name('again')
    done = run_sbot('up', path, '--node', follower(), '--record', again, '--composed')
    assert done.returncode == 0, done.stderr
    result = Comparison.of(bag, Bag(again))
    assert result.first is None, result.first
    assert not result.unpaired


def test_a_replay_asks_the_node_again_and_finds_another_constant(bag):
    done = run_sbot('replay', bag.path, '--node', follower())
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == 'cars: all 41 commands of 41 ticks agree bit for bit (robot 0)\n'
    done = run_sbot('replay', bag.path, '--node', follower('-p', 'gain:=0.51'))
    assert done.returncode == 1
    assert done.stdout.startswith('first difference: tick 0, /robot_0/cmd_vel, angular.z')


def test_a_second_node_on_the_other_topic_ends_the_run(path):
    other = path.with_name('teleop.py')
    other.write_text(TELEOP)
    done = run_sbot('up', path, '--duration', 1000, '--set', 'target_real_time_factor=1', '--node',
                    follower(), '--node', follower().replace(str(NODE), str(other)))
    assert done.returncode == 1
    assert ('/robot_0/cmd_vel or /robot_0/drive has 2 publishers (/robot_0/gap_follower, '
            '/robot_0/teleop)') in done.stderr


@pytest.mark.parametrize(('body', 'controller', 'recorded', 'cars'), [
    ('s-bot', 'external', '', 0), ('f1tenth', 'none', '', 1), ('f1tenth', 'navigate', '', 0),
    ('f1tenth', 'navigate', 'record_topics: [/brake]', 1)])
def test_the_message_is_made_only_for_cars_that_nodes_drive_or_watch(body, controller, recorded,
                                                                      cars):
    text = f"{SCENARIO.replace('body: f1tenth', 'body: s-bot')}\n{recorded}"
    scenario = parse_scenario(text.replace('BODY', body).replace('OTHER', controller), 'text',
                              Path.cwd())
    assert packages_of(scenario) == ['tf2_msgs', *['ackermann_msgs'] * cars]

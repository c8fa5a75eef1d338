"""`sbot up --composed`: all nodes in one process; equal to `sbot run` to the bit."""

import json

import pytest
from children import python, run_sbot

from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

pytestmark = [pytest.mark.forked, pytest.mark.ros]

@pytest.mark.parametrize('name', ['leader_follower', 'single_robot'])
def test_equals_run_to_the_bit(name):
    ran = run_scenario(load_scenario(name, {'duration': 2.0, 'seed': 3}), keep=False).summary
    done = run_sbot('up', '--composed', name, '--duration', 2, '--seed', 3, '--json')
    assert done.returncode == 0, done.stderr
    went_up = json.loads(done.stdout)
    for timing in ('wall_time_s', 'real_time_factor'):
        ran.pop(timing), went_up.pop(timing)
    for robot in ran['robots']:
        robot.pop('invalid_turns')  # over ROS the controllers' nodes know them
    assert went_up == ran


COUNT = """
import sys
import rclpy
from sbot.ros.composed import _make_nodes as make_nodes
from sbot.ros.processes import node_processes
from sbot.scenario.load import load_scenario
from sbot_common import ros
rclpy.init()
scenario = load_scenario(sys.argv[1])
with ros.shared_subscriptions():
    nodes = list(make_nodes(node_processes(scenario)))
    names = [s.topic_name for node in nodes for s in node.subscriptions
             if s.topic_name.endswith('base_pose_ground_truth')]
    print(len(names), len(set(names)), {ros.sharers(name) for name in names})
"""


def test_the_pose_of_each_robot_is_heard_once_for_all_controllers():
    done = python('-c', COUNT, 'leader_follower')
    assert done.stdout == '4 4 {3}\n', done.stderr

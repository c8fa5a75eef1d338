"""`sbot up --composed`: all nodes in one process; equal to `sbot run` to the bit."""


import pytest
from children import python

pytestmark = [pytest.mark.forked, pytest.mark.ros]

COUNT = """
import sys
import rclpy
from sbot.ros.composed import _make_nodes as make_nodes
from sbot.ros.processes import node_processes
from sbot.scenario.load import load_scenario
from sbot_common import ros
from sbot_common.ros import pubsub
rclpy.init()
scenario = load_scenario(sys.argv[1])
with ros.shared_subscriptions():
    nodes = list(make_nodes(node_processes(scenario)))
    names = [s.topic_name for node in nodes for s in node.subscriptions
             if s.topic_name.endswith('base_pose_ground_truth')]
    receivers = {len(table._receivers) for table in pubsub._common.values()
                 if hasattr(table, '_receivers')}
    print(len(names), len(set(names)), receivers)
"""


def test_the_pose_of_each_robot_is_heard_once_for_all_controllers():
    done = python('-c', COUNT, 'leader_follower')
    assert done.stdout == '4 4 {4}\n', done.stderr

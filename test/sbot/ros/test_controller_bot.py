"""The node `controller_bot`, fed by hand: in lockstep, and by a timer on a clock that we set."""

import importlib.util
import json
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing')]

SCRIPT = """
import json, sys
import numpy as np
import rclpy
from rclpy.parameter import Parameter
from sbot.ros.controller_bot import ControllerNode
from sbot_common import ros, topics
from sbot_common.wire import messages
from sbot_common.wire.controller import sources
from sbot_common.wire.templates import OdometryTemplate, ScanTemplate, VectorTemplate

SCENARIO = '''
rate: 10
duration: 9
world: {bounds: [0, 0, 9, 9]}
robots: [{pose: [2, 2, 0], goal: [5, 2], controller: wind_aware}]
wind: {wind_speed_mean: 0.1}
'''
RAW = {
    'base_pose_ground_truth': OdometryTemplate('map', 'base_link'),
    'base_scan': ScanTemplate('laser', 1, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0),
    'wind': VectorTemplate('map')}
NUMBERS = {
    'base_pose_ground_truth': (2.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    'base_scan': (np.zeros(1, np.float32),),
    'wind': (0.0, 0.1, 0.0)}
out, now = [], [10**9]
ros.now_ns = lambda clock: now[0]


class Node(ControllerNode):
    def publish(self, topic, raw):
        read = messages.read_twist if topic == topics.CMD_VEL else messages.read_pose
        out.append([topic.name, *read(raw)])


def feed(node, tick, names=tuple(RAW)):
    stamp = 10**8 * (tick + 1)
    for source in sources(0, 1, ['twist', 'scan', 'wind'], False):
        name = source.topic.name
        if name in names:
            node._on_input(source, RAW[name].fill(stamp, *NUMBERS[name]))


def lockstep(node):
    for tick in (0, 1, 1, 0, 1):  # a repetition, a reset
        feed(node, tick)
        out.append('|')
    node.set_parameters([Parameter('goal_x', value=3.0), Parameter('goal_y', value=3.0)])
    node._on_goal_pose(messages.write_pose(0, 'odom', 1.0, 1.0))
    feed(node, 2)


def timer(node):
    feed(node, 4, ('base_scan', 'wind'))
    node._on_timer()
    out.append('|')
    feed(node, 4)
    node._on_timer()
    out.append('|')
    now[0] += 500_000_001  # ns
    node._on_timer()
    out.append('|')
    feed(node, 5)
    node._on_timer()
    out.append('|')
    feed(node, 3)  # stamps go back
    node._on_timer()
    out.append('|')
    feed(node, 4)
    node._on_timer()


rclpy.init()
node = Node(parameter_overrides=[
    Parameter('scenario_text', value=SCENARIO),
    Parameter('trigger', value='inputs' if sys.argv[1] == 'lockstep' else 'timer')])
globals()[sys.argv[1]](node)
node.destroy_node()
rclpy.shutdown()
print(json.dumps(out))
"""


def drive(trigger: str) -> tuple[list[list], str]:
    """Return what was published between the marks, and the log."""
    done = subprocess.run(
        [sys.executable, '-c', SCRIPT, trigger], timeout=240, capture_output=True, text=True,
        check=False)
    assert done.returncode == 0, done.stderr
    groups: list[list] = [[]]
    for entry in json.loads(done.stdout):
        if entry == '|':
            groups.append([])
        else:
            groups[-1].append(entry)
    return groups, done.stderr


def goal(tick, x, y):
    return ['goal', 10**8 * (tick + 1), 'map', x, y, 0.0]


def test_lockstep():
    first, second, repeated, again, after, moved = drive('lockstep')[0]
    assert first[0] == goal(0, 5.0, 2.0)
    assert first[1][0] == 'cmd_vel'
    assert first[1][2] < 0  # into the wind
    assert len(first) == 2
    assert [entry[0] for entry in second] == ['cmd_vel']
    assert repeated == second
    assert again == first
    assert after == second
    assert moved[0] == goal(2, 3.0, 3.0)
    assert len(moved) == 2


def test_timer():
    groups, log = drive('timer')
    waiting, moving, stale, back, reset, anew = groups
    assert waiting == []
    assert 'waiting for pose of robot 0, twist' in log
    assert moving[0] == goal(4, 5.0, 2.0)
    assert moving[1][:1] == ['cmd_vel']
    assert stale == [['cmd_vel', 0.0, 0.0]]
    assert 'standing still without a new pose of robot 0, twist, scan, wind' in log
    assert back == moving[1:]
    # What came with the older stamps belongs to the new run, which begins with its goal.
    assert reset == [goal(3, 5.0, 2.0), *moving[1:]]
    assert 'the simulation was reset' in log
    assert anew == moving[1:]

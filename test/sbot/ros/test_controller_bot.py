"""The node `controller_bot`, fed by hand: in lockstep, and by a timer on a clock that we set."""

import json

import pytest
from children import python

from sbot.runner.loop import run_scenario
from sbot.scenario.controllers import observed_fields
from sbot.scenario.load import scenario_from_mapping

pytestmark = [pytest.mark.forked, pytest.mark.ros]

SCRIPT = """
import json, sys
import numpy as np
import rclpy
from rclpy.parameter import Parameter
from sbot.ros.controller_bot import ControllerNode
from sbot_common import ros, topics
from sbot_common.ros.controller_host import _sources
from sbot_common.wire import cdr, messages
from sbot_common.wire.templates import NumbersTemplate, OdometryTemplate, ScanTemplate

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
    'wind': NumbersTemplate.of_vector('map')}
NUMBERS = {
    'base_pose_ground_truth': (2.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    'base_scan': (np.zeros(1, np.float32),),
    'wind': (0.0, 0.1, 0.0)}
out, now = [], [10**9]
ros.now_ns = lambda clock: now[0]


class Node(ControllerNode):
    def publish(self, topic, raw):
        if topic == topics.DIAGNOSTICS:
            status, = cdr.decode(raw, topic.type).status
            out.append([topic.name, status.level, status.name, status.message])
            return
        read = messages.read_twist if topic == topics.CMD_VEL else messages.PoseStamped.of_pose
        out.append([topic.name, *read(raw)])


def feed(node, tick, names=tuple(RAW)):
    stamp = 10**8 * (tick + 1)
    for source in _sources(0, 1, ['twist', 'scan', 'wind'], False):
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


def reason(node):
    for tick, text in enumerate(['', 'shut in', 'shut in', '']):
        node._robot.controller.reason = text
        feed(node, tick)
        out.append('|')


def truth(node):
    def tell():
        out.append([node.get_parameter(name).value for name in ('goal_x', 'goal_y')])
        out.append('|')

    feed(node, 0)
    tell()
    node._on_goal_pose(messages.write_pose(0, 'map', 7.0, 6.0))
    feed(node, 1)
    tell()
    node.set_parameters([Parameter('goal_x', value=3.0)])
    feed(node, 2)
    tell()
    feed(node, 0)  # a reset
    tell()


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
    Parameter('trigger', value='timer' if sys.argv[1] == 'timer' else 'inputs')])
globals()[sys.argv[1]](node)
node.destroy_node()
rclpy.shutdown()
print(json.dumps(out))
"""


def drive(trigger: str) -> tuple[list[list], str]:
    done = python('-c', SCRIPT, trigger)
    assert done.returncode == 0, done.stderr
    groups: list[list] = [[]]
    for entry in json.loads(done.stdout.splitlines()[-1]):
        if entry == '|':
            groups.append([])
        else:
            groups[-1].append(entry)
    return groups, done.stderr


def goal(tick, x, y):
    return ['goal', 10**8 * (tick + 1), 'map', x, y, 0.0]


def test_why_a_robot_stands_is_told_when_it_begins_and_ends():
    first, stands, still, moves, _ = drive('reason')[0]
    told = [[entry for entry in group if entry[0] == '/diagnostics']
            for group in (first, stands, still, moves)]
    assert told == [[], [['/diagnostics', 1, 'controller_bot: goal', 'shut in']], [],
                    [['/diagnostics', 0, 'controller_bot: goal', 'on its way']]]


def test_lockstep():
    first, second, repeated, again, after, moved = drive('lockstep')[0]
    assert first[0] == goal(0, 5.0, 2.0)
    assert first[1][0] == 'cmd_vel'
    assert first[1][3] < 0  # into the wind
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
    assert stale == [['cmd_vel', 0.0, 0.0, 0.0]]
    assert 'stopped without a new pose of robot 0, twist, scan, wind' in log
    assert back == moving[1:]
    # What came with the older stamps belongs to the new run, which begins with its goal.
    assert reset == [goal(3, 5.0, 2.0), *moving[1:]]
    assert 'the simulation was reset' in log
    assert anew == moving[1:]


# Prints how many compiled functions are loaded by a node that is ready, and how many after ticks.
LOADED = """
import gc, json, sys
import rclpy
from numba.core.dispatcher import Dispatcher
from rclpy.parameter import Parameter
from potential_field_bot.node import PotentialFieldNode
from sbot.bag.reader import Bag
from sbot.ros.controller_bot import ControllerNode
from sbot_common import topics
from sbot_common.ros.controller_host import _sources

def loaded():
    return {f'{found.py_func.__qualname__}{types}' for found in gc.get_objects()
            if isinstance(found, Dispatcher) for types in found.overloads}

bag = Bag(sys.argv[1])
class_of = PotentialFieldNode if sys.argv[2] == 'potential_field' else ControllerNode
text = {} if class_of is PotentialFieldNode else {'scenario_text': bag.scenario_text}
rclpy.init()
for robot in (0, 1):
    given = {'robot_id': robot, 'num_robots': 2, 'trigger': 'inputs', 'goal_x': 5.0, 'goal_y': 2.0}
    node = class_of(parameter_overrides=[
        Parameter(name, value=value) for name, value in {**given, **text}.items()])
    commands = []
    node.publish = lambda topic, raw: commands.append(topic.name)
    before = loaded()
    heard = {}
    for source in _sources(robot, 2, sys.argv[3].split(','), False):
        heard[source.topic.resolve(source.robot, 2)] = source
    for message in bag.messages():
        if message.name in heard:
            node._on_input(heard[message.name], message.payload)
    print(json.dumps([len(before), sorted(loaded() - before), commands.count('cmd_vel')]))
    node.destroy_node()
rclpy.shutdown()
"""
NEURAL = 'neural_controller.controller:Neural'


@pytest.mark.forked(False)
@pytest.mark.parametrize('controller', ['potential_field', 'wind_aware', 'navigate', NEURAL])
def test_a_node_that_is_ready_has_loaded_its_machine_code(tmp_path, controller):
    scenario = scenario_from_mapping({
        'rate': 10, 'duration': 0.3, 'world': {'bounds': [0, 0, 9, 9]},
        'wind': {'wind_speed_mean': 0.1}, 'sensors': {
            'infrared': True, 'range_and_bearing': True, 'rab_range': 1.0, 'scan_beams': 12},
        'robots': [{'pose': [2, 2, 0], 'goal': [5, 2], 'controller': controller},
                   {'pose': [2, 3, 0], 'controller': controller}],
        **({'controllers': {NEURAL: {'network': 'networks/aggregation.json'}}}
           if controller == NEURAL else {})})
    run_scenario(scenario, record=tmp_path / 'bag', keep=False)
    fields = observed_fields(scenario, scenario.robots[0])
    done = python('-c', LOADED, tmp_path / 'bag', controller, ','.join(fields))
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        if line.startswith('['):
            before, later, commands = json.loads(line)
            assert before > 0
            assert later == []
            assert commands == 4


def test_the_parameters_of_a_goal_are_where_the_robot_heads():
    told = [group[-1] for group in drive('truth')[0] if group]
    # Given, by goal_pose, by one parameter, and after a reset.
    assert told == [[5.0, 2.0], [7.0, 6.0], [3.0, 6.0], [5.0, 2.0]]

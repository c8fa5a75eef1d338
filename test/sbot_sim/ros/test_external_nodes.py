"""Nodes of external robots as the ROS graph shows them: whom a start waits for, and refusals."""

import importlib.util
import math
from types import SimpleNamespace

import pytest

from sbot_common.errors import InputError
from sbot_common.topics import COMMAND_TYPES, DRIVE
from sbot_sim.ros.external import External
from sbot_sim.ros.run_control import AwakeClock

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing')]


def graph(hears, publishes):
    """A node that sees a graph: topics that nodes hear and publish, by node."""
    def publishers(topic):
        return [SimpleNamespace(node_name=name.rpartition('/')[2], topic_type='a/msg/B',
                                node_namespace=name.rpartition('/')[0] or '/')
                for name, topics in publishes.items() if topic in topics]
    return SimpleNamespace(
        get_fully_qualified_name=lambda: '/sbot_sim', get_publishers_info_by_topic=publishers,
        get_subscriber_names_and_types_by_node=lambda own, place: [
            (topic, []) for topic in hears.get(f'{place.rstrip("/")}/{own}', ())])


SIMULATED = {'/sbot_sim': ['/scan', '/clock'], '/ours': ['/goal']}


@pytest.mark.parametrize(('hears', 'publishes', 'drivers', 'expected'), [
    ({'/a': ['/scan', '/clock', '/goal']}, {}, {0: '/a'}, {0: (('/a',), 1)}),
    ({'/a': ['/scan'], '/b': ['/scan']}, {}, {0: '/a', 1: '/b'},
     {0: (('/a',), 1), 1: (('/b',), 1)}),
    ({}, {}, {0: '/a', 1: '/a'}, {0: (('/a',), 1)}),  # one drives both
    ({'/a': ['/x'], '/n/b': ['/y', '/scan'], '/c': ['/scan']},
     {'/n/b': ['/x'], '/c': ['/x', '/y']}, {2: '/a'}, {2: (
         ('/a', '/c', '/n/b'), 3, (('/c', '/a'), ('/n/b', '/a'), ('/c', '/n/b')))}),
    ({'/a': ['/x'], '/b': ['/x']}, {'/c': ['/x']}, {1: '/a', 0: '/b'},
     {0: (('/a', '/b', '/c'), 2, (('/c', '/a'), ('/c', '/b')))}),  # both hear the third
    ({'/a': ['/x']}, {'/a': ['/x']}, {0: '/a'}, {0: (('/a',), 2)}),  # itself
    ({'/a': ['/x'], '/b': ['/y']}, {'/a': ['/y'], '/b': ['/x']}, {0: '/a'},
     {0: (('/a', '/b'), 3, (('/b', '/a'), ('/a', '/b')))}),  # round and round
    ({'/a': ['/goal_pose', '/rosout']}, {'/rviz': ['/goal_pose', '/rosout']}, {0: '/a'},
     {0: (('/a',), 1)})])
def test_a_team_is_all_whose_messages_go_into_a_robots_commands(
        hears, publishes, drivers, expected):
    from sbot_sim.ros.external_nodes import _find_teams, _Team
    found = _find_teams(graph(hears, {**SIMULATED, **publishes}), drivers, ['/ours'])
    assert found == {i: _Team(*team) for i, team in expected.items()}


TWIST, STAMPED = COMMAND_TYPES
NAME, SCAN = '/robot_1/cmd_vel', '/robot_1/base_scan'


class Barrier:
    """Nodes that answer at once; those of ``wall`` have use_sim_time: false."""

    wall = ()

    def __init__(self, *_):
        pass

    def is_there(self, _):
        return True

    def ask(self, _):
        pass

    def silent(self):
        return []

    def on_wall_time(self, name):
        return name in self.wall


@pytest.fixture
def make(monkeypatch):
    """External nodes of robot 1, where the graph has these publishers by topic."""
    from sbot_common import ros
    from sbot_sim.ros import external_nodes
    from sbot_sim.ros.external_nodes import ExternalNodes
    warnings = []
    node = SimpleNamespace(get_logger=lambda: SimpleNamespace(warning=warnings.append),
                           count_publishers=lambda _: 0,
                           count_subscribers={NAME: 1}.get,
                           get_fully_qualified_name=lambda: '/sbot_sim',
                           get_subscriber_names_and_types_by_node=lambda *_: [])

    def made(graph, external=None, wall=(), subscribers=1, remap='', settled=0.0, also=(),
             recorded=()):
        monkeypatch.setattr(ros, 'unheard', lambda _, names, listener: None if subscribers else (
            f'no node subscribes to {names[0]}{remap}', bool(remap)))
        monkeypatch.setattr(ros, 'nodes_that_publish', lambda _, name: graph.get(name, []))
        monkeypatch.setattr(ros, 'Barrier', Barrier)
        node.get_topic_names_and_types = lambda: [
            (name, [kind for _, kind in found]) for name, found in graph.items()]
        monkeypatch.setattr(Barrier, 'wall', wall)
        robots = {} if recorded else {1: {NAME: TWIST, **dict(also)}}
        nodes = ExternalNodes(node, robots, lambda: None,
                              {i: external or External() for i in robots},
                              '; or set cmd_vel_stamped: true', {i: [SCAN] for i in robots},
                              recorded=recorded, listen=lambda *heard: warnings.append(heard))
        monkeypatch.setattr(external_nodes, '_SETTLED_AFTER', settled)
        monkeypatch.setattr(external_nodes, '_MATCHED_AFTER', settled)
        nodes.warnings, nodes.now = warnings, 5.0
        nodes._awake = AwakeClock(lambda: nodes.now, longest=math.inf)
        return nodes
    return made


def test_a_node_without_its_namespace_ends_the_start_if_no_other_comes(make):
    graph = {'/cmd_vel': [('/seeker', TWIST)]}
    nodes = make(graph)
    for nodes.now in (5.0, 14.9):
        nodes.missing()
    nodes.now = 15.1
    with pytest.raises(InputError, match=f'^robot 1 needs a node that publishes {TWIST} on {NAME}'
                                         r'; /seeker publishes /cmd_vel: start it with -r __ns'):
        nodes.missing()
    graph[NAME] = [('/robot_1/seeker', TWIST)]
    assert nodes.missing() == []


def test_a_car_is_driven_on_either_of_its_topics(make):
    both = {'/robot_1/drive': DRIVE.type}
    waiting, = make({}, also=both).missing()
    assert waiting == (f'robot 1 (external: a node that publishes {TWIST} on {NAME} or '
                       f'{DRIVE.type} on /robot_1/drive)')
    nodes = make({'/robot_1/drive': [('/robot_1/x', DRIVE.type)]}, also=both)
    assert nodes.missing() == []
    assert nodes.node_of(1) == '/robot_1/x'
    with pytest.raises(InputError, match='^/robot_1/drive: got a/msg/B from /robot_1/x, expected '
                                         f'{DRIVE.type}$'):
        make({'/robot_1/drive': [('/robot_1/x', 'a/msg/B')]}, also=both).missing()


def test_a_publisher_without_a_node_is_told_while_the_start_waits(make):
    nodes = make({})
    nodes._node.count_publishers = {NAME: 2}.get
    assert nodes.missing() == [
        f'robot 1 (external: {NAME} has 2 publishers, of which one does not tell its node; maybe '
        'its process was left behind, or is in a container without --ipc host)']


def test_the_other_type_of_commands_is_refused_at_once_with_the_key_that_allows_it(make):
    with pytest.raises(InputError, match=f'^{NAME}: got {STAMPED} from /robot_1/x, expected '
                                         f'{TWIST}; or set cmd_vel_stamped: true$'):
        make({NAME: [('/robot_1/x', STAMPED)]}).missing()
    with pytest.raises(InputError, match=r'expected geometry_msgs/msg/Twist$'):
        make({NAME: [('/robot_1/x', 'std_msgs/msg/String')]}).missing()


def test_a_timer_on_the_wall_clock_is_refused(make):
    graph, timed = {NAME: [('/robot_1/x', TWIST)]}, External(period_ns=10)
    with pytest.raises(InputError, match='robot 1: command_period needs simulated time; start '
                                         '/robot_1/x with -p use_sim_time:=true'):
        make(graph, timed, wall=['/robot_1/x']).missing()
    assert make(graph, timed).missing() == []


def test_a_node_on_the_wall_clock_gets_one_warning(make):
    nodes = make({NAME: [('/robot_1/x', TWIST)]}, wall=['/robot_1/x'])
    assert (nodes.missing(), nodes.missing()) == ([], [])
    assert len(nodes.warnings) == 1
    assert 'robot 1: /robot_1/x has use_sim_time: false' in nodes.warnings[0]


def test_a_trigger_that_no_node_subscribes_to_is_refused_before_the_first_tick(make):
    graph, acts = {NAME: [('/robot_1/x', TWIST)]}, External('base_scan')
    with pytest.raises(InputError) as caught:
        make(graph, acts, subscribers=0).missing()
    assert str(caught.value).startswith(
        f'robot 1: no node subscribes to {SCAN}; /robot_1/x is to act on it; without the '
        'parameter trigger it may')
    for each in (acts, None):
        nodes = make(graph, each, subscribers=0, remap=' (-r scan:=base_scan)')
        with pytest.raises(InputError, match=r'scan \(-r scan:=base_scan\)$'):
            nodes.missing()
    assert make(graph, acts).missing() == []
    assert make(graph, subscribers=0).missing() == []


def test_a_node_whose_answer_was_lost_is_asked_again(make, monkeypatch):
    asked = []
    monkeypatch.setattr(Barrier, 'ask', lambda _, names: asked.append((nodes.now, list(names))))
    monkeypatch.setattr(Barrier, 'silent', lambda _: ['/robot_1/x'] * (len(asked) < 3))
    nodes = make({NAME: [('/robot_1/x', TWIST)]})
    for nodes.now in (5.0, 9.9, 10.1, 15.0):
        assert nodes.missing() == ['external node /robot_1/x to run its callbacks']
    nodes.now = 15.2
    assert nodes.missing() == []
    nodes.now = 30.0
    assert nodes.missing() == []
    assert asked == [(now, ['/robot_1/x']) for now in (5.0, 10.1, 15.2)]

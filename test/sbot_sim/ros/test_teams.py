"""Teams of nodes: whose messages go into whose commands."""

import importlib.util
from types import SimpleNamespace

import pytest

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
    from sbot_sim.ros.teams import Team, find_teams
    found = find_teams(graph(hears, {**SIMULATED, **publishes}), drivers, ['/ours'])
    assert found == {i: Team(*team) for i, team in expected.items()}

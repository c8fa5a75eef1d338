"""Publishers of a robot's commands, as the ROS graph shows them."""

from types import SimpleNamespace

import pytest

from sbot_common.topics import CMD_VEL

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(('nodes', 'awaited', 'words'), [
    (['/a'], True, ''),
    (['/a', '/b'], True, '/robot_1/cmd_vel: /a and /b both publish it; for a node of your own set '
                         'robots.1.controller: external'),
    (['/a', '/b', '/c'], False, '/robot_1/cmd_vel: /a and /b and /c all publish it, and lockstep '
                                'needs exactly one')])
def test_several_publishers_of_commands_are_named(monkeypatch, nodes, awaited, words):
    from sbot_common import ros
    from sbot_sim.ros.connections import Connections
    monkeypatch.setattr(ros, 'publishers_of', lambda *_: nodes if len(nodes) > 1 else [])
    connections = Connections.__new__(Connections)
    connections._node = SimpleNamespace(resolve_topic_name=lambda name: name)
    connections._run, connections._cmd_vel, connections._awaited = '', CMD_VEL, [True, awaited]
    assert connections.rivals(1) == words

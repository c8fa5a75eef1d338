"""Conventions of other simulators over real nodes: names and types of topics."""

import importlib.util
import json

import pytest

from sbot.bag.reader import Bag
from sbot.cli.main import main
from sbot_common.wire import cdr

pytestmark = [
    pytest.mark.forked, pytest.mark.ros,
    pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing')]

SCENARIO = """
rate: 20
duration: 2
world: {bounds: [0, 0, 4, 4]}
robots: [{pose: [3.2, 2, 0], controller: 'ahead:Ahead'}]
sensors: {scan_beams: 5}
"""
AHEAD = """
class Ahead:
    def step(self, observation, rng):
        return 0.5, 0.0
"""


def test_turtlebot3s_topics_and_contacts(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'wall.yaml').write_text(SCENARIO)
    (tmp_path / 'ahead.py').write_text(AHEAD)
    assert main(['run', 'wall.yaml', '--record', 'plain', '--quiet', '--json']) == 0
    expected = json.loads(capsys.readouterr().out)
    assert main(['up', 'wall.yaml', '--record', 'bag', '--composed', '--quiet', '--json',
                 '--turtlebot3', '--contact']) == 0
    summary = json.loads(capsys.readouterr().out)
    # The conventions change no bit of what happens.
    assert summary['trajectory_sha256'] == expected['trajectory_sha256']
    scans, names, met, kinds = [], [], [], set()
    for message in Bag('bag').messages():
        if message.name == '/base_scan':
            scans.append(message.payload)
        elif message.name == '/scan':
            names.append(message.payload)
        elif message.name == '/contact':
            met.append(cdr.decode(message.payload, message.type).data)
        elif message.name == '/cmd_vel':
            kinds.add(message.type)
    assert names == scans
    assert len(scans) == 41
    assert kinds == {'geometry_msgs/msg/TwistStamped'}
    # The robot's front reaches the wall, 0.5 m ahead, after a second.
    assert not any(met[:19])
    assert all(met[22:])
    assert sum(met) == expected['robots'][0]['collisions']

"""Conventions of other simulators over real nodes: names and types of topics."""

import json
import signal
import subprocess
import sys
import time

import pytest

from sbot.bag.reader import Bag
from sbot.cli.main import main
from sbot.environment.running import THIS_MACHINE
from sbot.ros.processes import named_robots
from sbot_common.errors import InputError
from sbot_common.wire import cdr

pytestmark = [pytest.mark.forked, pytest.mark.ros]

DEADLINE = 240.0  # s
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


def test_robots_have_names_of_their_own():
    remaps = dict(named_robots('r0, r1', 2, '/arena'))
    assert remaps['/arena/robot_1/cmd_vel'] == '/arena/r1/cmd_vel'
    assert remaps['/arena/robot_0/tf'] == '/arena/r0/tf'
    assert dict(named_robots('rob', 1))['/base_scan'] == '/rob/base_scan'
    assert named_robots('', 2) == []
    for text in ('a', 'a,a', 'a,', 'a,b,c', 'a,2 b'):
        with pytest.raises(InputError, match='--names: got'):
            named_robots(text, 2)


def test_a_run_with_named_robots_is_the_same(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'wall.yaml').write_text(SCENARIO.replace(
        'robots: [', "robots: [{pose: [1, 1, 0], controller: 'ahead:Ahead'}, "))
    (tmp_path / 'ahead.py').write_text(AHEAD)
    assert main(['run', 'wall.yaml', '--quiet', '--json']) == 0
    expected = json.loads(capsys.readouterr().out)
    assert main(['up', 'wall.yaml', '--quiet', '--json', '--names', 'left,right',
                 '--duration', '2', '--record', 'named']) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary['trajectory_sha256'] == expected['trajectory_sha256']
    assert '/robot_1/cmd_vel' in {message.name for message in Bag('named').messages()}


def test_named_robots_are_seen_by_their_names(tmp_path, monkeypatch):
    for name, value in THIS_MACHINE.items():
        monkeypatch.setenv(name, value)
    import rclpy
    path = tmp_path / 'two.yaml'
    path.write_text('duration: 600\nlockstep: false\nworld: {bounds: [0, 0, 9, 9]}\nrobots: '
                    '[{pose: [2, 2, 0], controller: none}, {pose: [5, 2, 0], controller: none}]')
    process = subprocess.Popen([sys.executable, '-m', 'sbot.cli', 'up', str(path), '--composed',
                                '--names', 'left,right', '--quiet'])
    rclpy.init()
    node = rclpy.create_node('observer')
    try:
        end, seen = time.monotonic() + DEADLINE, set()
        while not {'/left/base_scan', '/right/odom', '/right/cmd_vel'} <= seen:
            assert process.poll() is None
            assert time.monotonic() < end, seen
            seen = {name for name, _ in node.get_topic_names_and_types()}
        assert not any(name.startswith('/robot_') for name in seen)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(DEADLINE)
        node.destroy_node()
        rclpy.shutdown()


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

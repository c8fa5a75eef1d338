"""Conventions of other simulators over real nodes: names and types of topics."""

import json
import math
import signal
import subprocess
import sys
import time

import pytest

from sbot.bag.reader import Bag
from sbot.cli.main import main
from sbot.environment.running import THIS_MACHINE
from sbot.ros.up import _named_robots
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


LOOKING = """
class Looking:
    def step(self, observation, rng):
        return 0.3, 0.1 * min(4.0, float(observation.scan.ranges[0]))
"""


def test_robots_have_names_of_their_own():
    remaps = dict(_named_robots('r0, r1', 2, '/arena'))
    assert remaps['/arena/robot_1/cmd_vel'] == '/arena/r1/cmd_vel'
    assert remaps['/arena/robot_0/tf'] == '/arena/r0/tf'
    assert dict(_named_robots('rob', 1))['/base_scan'] == '/rob/base_scan'
    assert _named_robots('', 2) == []
    for text in ('a', 'a,a', 'a,', 'a,b,c', 'a,2 b'):
        with pytest.raises(InputError, match='--names: got'):
            _named_robots(text, 2)


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
    near = ['--set', 'robots.0.pose=[3.8, 2, 0]', '--quiet', '--json']
    assert main(['run', 'wall.yaml', '--set', 'robots.*.body=turtlebot3_burger', *near]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert main(['up', 'wall.yaml', '--record', 'bag', '--composed', '--turtlebot3', '--contact',
                 *near]) == 0
    summary = json.loads(capsys.readouterr().out)
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
    # Its front, 0.038 m ahead of the axle, reaches the wall at 0.22 m/s after 0.85 s.
    assert not any(met[:15])
    assert all(met[20:])
    assert sum(met) == expected['robots'][0]['collisions']


def test_a_body_is_all_that_a_turtlebot3_needs(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'burger.yaml').write_text(
        'duration: 0.5\nworld: {bounds: [0, 0, 4, 4]}\n'
        "robots: [{pose: [2, 2, 0], body: turtlebot3_burger, controller: 'looking:Looking'}]\n")
    (tmp_path / 'looking.py').write_text(LOOKING)
    assert main(['run', 'burger.yaml', '--quiet', '--record', 'alone']) == 0
    assert main(['up', 'burger.yaml', '--quiet', '--composed', '--record', 'nodes']) == 0
    alone, nodes = ({name: [(message.type, message.payload) for message in Bag(bag).messages()
                            if message.name == name] for name in ('/scan', '/cmd_vel')}
                    for bag in ('alone', 'nodes'))
    assert alone == nodes
    assert {kind for kind, _ in nodes['/cmd_vel']} == {'geometry_msgs/msg/TwistStamped'}
    scan = cdr.decode(nodes['/scan'][0][1], 'sensor_msgs/msg/LaserScan')
    assert (scan.angle_min, len(scan.ranges)) == (0.0, 360)
    assert scan.angle_max == pytest.approx(math.radians(359))
    assert scan.ranges[0] == pytest.approx(2.032, abs=0.05)  # the wall ahead, from its laser
    assert [scan.ranges[beam] for beam in (90, 270)] == pytest.approx([2.0, 2.0], abs=0.05)
    assert main(['replay', 'nodes', '--quiet', '--trust']) == 0
    capsys.readouterr()


def test_lasers_of_each_robot_are_sent_with_the_same_bits(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'two.yaml').write_text("""
duration: 0.5
world: {bounds: [0, 0, 6, 6], circles: [{center: [4, 4], radius: 0.5}]}
sensors: {scan_beams: 40, scan_sees_robots: true}
bodies:
  short: {like: robot, sensors: {scan_beams: 7, scan_range_max: 2.0}}
  double:
    like: robot
    lasers: [{scan_beams: 9, laser_x: 0.2}, {scan_beams: 5, laser_yaw: 3.0, laser_x: -0.2}]
robots:
- {pose: [1, 1, 0.5], body: short, controller: 'looking:Looking'}
- {pose: [3, 1, 1.5], body: double, controller: 'looking:Looking'}
- {pose: [2, 3, 0], controller: 'looking:Looking'}
""")
    (tmp_path / 'looking.py').write_text(LOOKING)
    assert main(['run', 'two.yaml', '--quiet', '--record', 'alone']) == 0
    assert main(['up', 'two.yaml', '--quiet', '--composed', '--record', 'nodes']) == 0
    alone, nodes = ({name: [message.payload for message in Bag(bag).messages()
                            if message.name == name] for name in Bag(bag).names()
                     if 'base_scan' in name} for bag in ('alone', 'nodes'))
    assert alone == nodes
    beams = {name: len(cdr.decode(payloads[0], 'sensor_msgs/msg/LaserScan').ranges)
             for name, payloads in nodes.items()}
    assert beams == {'/robot_0/base_scan': 7, '/robot_1/base_scan': 9, '/robot_1/base_scan_0': 9,
                     '/robot_1/base_scan_1': 5, '/robot_2/base_scan': 40}
    assert nodes['/robot_1/base_scan'] == nodes['/robot_1/base_scan_0']
    assert main(['replay', 'nodes', '--quiet', '--trust']) == 0
    capsys.readouterr()

"""`poses_topic: true`: controllers take all poses from `/poses`, and nothing changes by a bit."""


import numpy as np
import pytest
from over_nodes import check_nodes

from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.regression.replay import replay
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot_common.topics import POSES, Topic
from sbot_common.wire import cdr
from sbot_common.wire.messages import PoseStamped, read_poses

pytestmark = pytest.mark.forked

MIXED = """
duration: 2.0
rate: 20
poses_topic: true
world: {bounds: [0, 0, 12, 12], circles: [{center: [6, 6], radius: 0.5}]}
robots:
  - {pose: [2, 2, 0], goal: [9, 9]}
  - {pose: [2, 5, 0]}
  - {pose: [5, 2, 1.0], controller: wind_aware, goal: [9, 5]}
  - {pose: [9, 2, 1.0], controller: none}
sensors: {infrared: true, range_and_bearing: true, scan_sees_robots: true, scan_noise_std: 0.01}
wind: {wind_speed_mean: 0.1, wake: true}
"""


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp('poses') / 'mixed.yaml'
    path.write_text(MIXED)
    return path


@pytest.fixture(scope='module')
def recorded(path):
    directory = path.with_name('bag')
    return run_scenario(load_scenario(str(path)), record=directory), Bag(directory)


def test_the_run_is_that_without_it(path, recorded):
    without = run_scenario(load_scenario(str(path), {'poses_topic': False}))
    assert recorded[0].summary['trajectory_sha256'] == without.summary['trajectory_sha256']
    assert np.array_equal(recorded[0].commands, without.commands)


def test_the_bag_holds_every_robots_pose_before_the_scans(recorded):
    own, ticks, seen_scan = {}, 0, False
    for message in recorded[1].messages():
        seen_scan |= message.name.endswith('base_scan')
        if message.name.endswith('base_pose_ground_truth'):
            own[message.name] = PoseStamped.of_odometry(message.payload)
        elif message.name == '/clock':
            seen_scan = False
        elif message.name == POSES.name:
            assert not seen_scan
            assert cdr.canonical(message.payload, message.type) == message.payload
            stamp_ns, rows = read_poses(message.payload, 4)
            assert stamp_ns == message.stamp_ns
            assert rows.tolist() == [[p.x, p.y, p.yaw] for _, p in sorted(own.items())]
            ticks += 1
    assert ticks == 41


def test_a_replay_agrees_and_takes_the_poses_from_it(recorded, tmp_path):
    bag = recorded[1]
    assert replay(bag).equal
    with Recorder(tmp_path / 'moved', metadata=bag.metadata) as recorder:
        for message in bag.messages():
            payload = message.payload
            if message.name == POSES.name:
                moved = cdr.decode(payload, message.type)
                moved.poses[1].position.x += 0.5
                payload = cdr.encode(moved)
            recorder.write(message.name, Topic(message.name, message.type), message.stamp_ns,
                           payload)
    assert replay(Bag(tmp_path / 'moved')).differences > 0


@pytest.mark.ros
@pytest.mark.parametrize('mode', ['up', 'up --composed'])
def test_nodes_that_take_poses_from_it_do_the_same(path, recorded, tmp_path, mode):
    assert POSES.name in check_nodes(mode, path, recorded, tmp_path).names()

"""What recordings of the shipped scenarios hold, in-process and over ROS."""

import math

import numpy as np
import pytest

from sbot.bag.compare import Comparison
from sbot.bag.reader import Bag
from sbot.regression.replay import replay
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot.scenario.shipped import scenario_names
from sbot_common import topics
from sbot_common.topics import Topic
from sbot_common.wire import cdr

pytestmark = pytest.mark.forked

TABLE = {topic.name: topic for topic in vars(topics).values()
         if isinstance(topic, Topic) and topic != topics.CMD_VEL_STAMPED}
LATCHED = {'/scenario', '/map', '/tf_static', '/wind/field', '/wind/markers', '/robot_0/goal',
           '/goal'}


@pytest.fixture(scope='module', params=scenario_names())
def bag(request, tmp_path_factory):
    path = tmp_path_factory.mktemp('contents') / request.param
    run_scenario(load_scenario(request.param, {'duration': 0.5}), record=path, keep=False)
    return Bag(path)


def own_name(name):
    return name if name in TABLE else name.rpartition('/')[2]


def test_types_are_those_of_the_table(bag):
    for name, type_name in bag.names().items():
        assert type_name == TABLE[own_name(name)].type


def test_every_message_decodes_and_is_canonical(bag):
    for message in bag.messages():
        assert cdr.canonical(message.payload, message.type) == message.payload


def test_log_times_are_stamps_and_never_go_back(bag):
    rate = load_scenario(bag.path.name).rate
    last = 0
    for message in bag.messages():
        assert message.stamp_ns >= last
        last = message.stamp_ns
        assert rate.stamp_ns(rate.tick(last)) == last
    assert last == rate.stamp_ns(rate.ticks(0.5))


def test_latched_topics_are_offered_so(bag):
    from mcap.reader import make_reader
    file, = bag.path.glob('*.mcap')
    with file.open('rb') as stream:
        channels = make_reader(stream).get_summary().channels.values()
    for channel in channels:
        expected = 'transient_local' if channel.topic in LATCHED else 'volatile'
        assert f'durability: {expected}' in channel.metadata['offered_qos_profiles'], channel.topic


def matrix(transform):
    t, q = transform.translation, transform.rotation
    assert q.x == q.y == 0.0
    yaw = 2 * math.atan2(q.z, q.w)
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, t.x], [s, c, t.y], [0, 0, 1]])


def test_tf_is_one_tree_that_leads_to_every_robot(bag):
    robots = len(load_scenario(bag.path.name).robots)
    ticks = 0
    poses = {}
    for message in bag.messages():
        if message.name.endswith('base_pose_ground_truth'):
            odometry = cdr.decode(message.payload, message.type)
            p = odometry.pose.pose.position
            poses[odometry.child_frame_id] = (message.stamp_ns, p.x, p.y)
        if message.name != '/tf':
            continue
        ticks += 1
        parents = {}
        for stamped in cdr.decode(message.payload, message.type).transforms:
            assert stamped.child_frame_id not in parents
            assert cdr.stamp_ns(stamped.header.stamp) == message.stamp_ns
            parents[stamped.child_frame_id] = stamped.header.frame_id, matrix(stamped.transform)
        for robot in range(robots):
            frame = topics.frame('base_link', robot, robots)
            where, chain = frame, np.eye(3)
            while where != 'map':
                where, step = parents[where]
                chain = step @ chain
            stamp, x, y = poses[frame]
            assert stamp == message.stamp_ns
            assert chain[:2, 2] == pytest.approx((x, y), abs=1e-9)
    assert ticks == load_scenario(bag.path.name).rate.ticks(0.5) + 1


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.parametrize('name', [  # a process for each robot: fifty are too many for a test
    name for name in scenario_names() if len(load_scenario(name).robots) <= 8])
def test_nodes_record_what_an_in_process_run_records(tmp_path, name):
    pytest.importorskip('rclpy')
    from sbot.ros.up import run_up
    scenario = load_scenario(name, {'duration': 0.5})
    run_scenario(scenario, record=tmp_path / 'run', keep=False)
    run_up(scenario, record=tmp_path / 'up', output=lambda line: None)
    result = Comparison.of(Bag(tmp_path / 'run'), Bag(tmp_path / 'up'))
    assert result.first is None
    assert result.equal
    assert result.only_first == result.only_second == []
    replayed = replay(Bag(tmp_path / 'up'))
    driven = sum(robot.controller != 'none' for robot in scenario.robots)
    assert replayed.equal
    assert replayed.commands == (scenario.rate.ticks(0.5) + 1) * driven


def test_covariances_of_odometry_are_where_the_message_has_them(tmp_path):
    for noise, expected in ((0.02, True), (0.0, False)):
        bag = tmp_path / str(noise)
        run_scenario(load_scenario('leader_follower', {
            'duration': 0.5, 'sensors.odometry_noise_slip': noise}), record=bag, keep=False)
        last = [m for m in Bag(bag).messages() if m.name == '/robot_1/odom'][-1]
        odometry = cdr.decode(last.payload, last.type)
        for covariance, places in ((odometry.pose.covariance, [0, 1, 5]),
                                   (odometry.twist.covariance, [0, 5])):
            matrix = np.array(covariance).reshape(6, 6)
            np.testing.assert_allclose(matrix, matrix.T, rtol=1e-9, atol=1e-18)
            assert np.any(matrix) == expected
            inner = matrix[np.ix_(places, places)]
            assert np.count_nonzero(matrix) == np.count_nonzero(inner)
            assert np.all(np.diag(inner) > 0) == expected
            assert np.all(np.linalg.eigvalsh(inner) >= -1e-15)

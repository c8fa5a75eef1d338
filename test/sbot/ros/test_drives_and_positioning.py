"""Omnidirectional and steered robots, IMU, GNSS, moving obstacles: run, nodes, replay agree."""

import csv
import io
import math

import numpy as np
import pytest
from over_nodes import check_nodes, run_and_bag, written

from sbot.bag.tables import write_csv
from sbot.regression.replay import replay
from sbot_common import topics
from sbot_common.wire import cdr
from sbot_common.wire.messages import read_twist

pytestmark = pytest.mark.forked

DRIVES = """
duration: 2.0
rate: 20
world: {bounds: [0, 0, 12, 12], circles: [{center: [6, 6], radius: 0.5}],
        polygons: [{corners: [[9, 3.5], [10.5, 5], [9, 6.5], [9.6, 5]]}],
        moving: [{radius: 0.4, path: [[2.8, 5], [2, 8]], speed: 1.0}]}
bodies:
  omni: {drive: omnidirectional}
  car: {drive: ackermann, wheelbase: 0.4}
robots:
  - {pose: [2, 2, 0], goal: [9, 9], controller: navigate}
  - {pose: [2, 5, 0], body: omni, controller: 'waltz:Waltz'}
  - {pose: [5, 2, 1.0], body: car, controller: 'waltz:Waltz', parameters: {lateral: 0}}
  - {pose: [9, 2, 1.0], body: omni, goal: [9, 9], controller: navigate}
sensors: {odometry_noise_radius: 0.01, odometry_noise_slip: 0.001, imu: true, imu_noise_yaw: 0.01,
          imu_noise_acceleration: 0.05, imu_bias_turn_rate: 0.01, gnss: true, gnss_latitude: 47.4,
          gnss_longitude: 8.5, gnss_altitude: 400, gnss_noise: 0.5, gnss_noise_vertical: 1}
wind: {wind_speed_mean: 0.1, wake: true}
"""
WALTZ = """
class Waltz:
    def __init__(self, lateral=0.4):
        self.lateral = lateral

    def step(self, observation, rng):
        speed = 0.5 + 0.01 * observation.odometry.yaw + 0.001 * sum(observation.imu)
        turn = 3.0 * rng.random() + 100.0 * (observation.gnss.latitude - 47.4)
        if not self.lateral:
            return speed, turn
        return speed, self.lateral + 0.1 * observation.odometry.lateral, turn
"""


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    return written(tmp_path_factory.mktemp('drives'), 'drives', DRIVES, 'waltz', WALTZ)


@pytest.fixture(scope='module')
def recorded(path):
    return run_and_bag(path, sense=['odometry', 'imu', 'gnss'])


def test_commands_are_in_the_bag_with_their_speed_to_the_left(recorded):
    run, bag = recorded
    assert run.commands.shape == (41, 4, 3)
    assert np.all(run.commands[:, [0, 2, 3], 1] == 0.0)
    assert np.all(run.commands[:, 1, 1] > 0.3)
    raw = [message.payload for message in bag.messages() if message.name == '/robot_1/cmd_vel']
    assert [list(read_twist(each)) for each in raw] == run.commands[:, 1].tolist()


def test_the_csv_file_has_a_column_for_it(recorded):
    run, bag = recorded
    text = io.StringIO()
    write_csv(bag, text)
    rows = list(csv.DictReader(io.StringIO(text.getvalue())))
    got = [[float(row[name]) for name in ('v_mps', 'lateral_mps', 'omega_radps')] for row in rows]
    assert got == run.commands.reshape(-1, 3).tolist()


def test_the_steered_robot_keeps_its_least_radius(recorded):
    speed, rate = recorded[0].commands[:, 2, 0], recorded[0].commands[:, 2, 2]
    assert np.any(rate > speed * math.tan(0.6) / 0.4 * 1.5)  # it is asked for much less
    steps = np.diff(recorded[0].odometry[:, 2], axis=0)
    ways = np.hypot(steps[:, 0], steps[:, 1])
    assert np.all(np.abs(steps[:, 2]) < 1.3 * math.tan(0.6) / 0.4 * ways + 1e-6)  # with noise
    assert np.max(np.abs(steps[:, 2]) / ways) > 0.8 * math.tan(0.6) / 0.4


def messages_of(bag, name):
    return [cdr.decode(message.payload, message.type) for message in bag.messages()
            if message.name == name]


def test_the_imu_is_in_the_bag(recorded):
    run, bag = recorded
    messages = messages_of(bag, '/robot_1/imu')
    assert len(messages) == 41
    for message, (yaw, turn_rate, forwards, left) in zip(messages, run.imu[:, 1], strict=True):
        assert message.header.frame_id == 'robot_1/imu_link'
        q, acceleration = message.orientation, message.linear_acceleration
        assert math.remainder(2 * math.atan2(q.z, q.w) - yaw, math.tau) == pytest.approx(0.0)
        assert (q.x, q.y) == (0.0, 0.0)
        assert message.angular_velocity.z == turn_rate
        assert (acceleration.x, acceleration.y, acceleration.z) == (forwards, left, 9.80665)
        np.testing.assert_allclose(message.orientation_covariance, [0] * 8 + [1e-4])
        np.testing.assert_allclose(message.angular_velocity_covariance, [0] * 8 + [1e-4])
        np.testing.assert_allclose(message.linear_acceleration_covariance,
                                   np.diag([0.05, 0.05, 0.0]).ravel())  # 0.05^2 * 20 Hz


def test_the_satellite_fix_is_in_the_bag(recorded):
    run, bag = recorded
    messages = messages_of(bag, '/robot_3/gnss')
    assert len(messages) == 41
    for message, place in zip(messages, run.gnss[:, 3], strict=True):
        assert message.header.frame_id == 'robot_3/gnss_link'
        assert [message.latitude, message.longitude, message.altitude] == place.tolist()
        assert (message.status.status, message.position_covariance_type) == (0, 2)
        np.testing.assert_allclose(message.position_covariance, np.diag([0.25, 0.25, 1]).ravel())


def test_obstacles_that_move_are_in_the_bag(recorded):
    messages = messages_of(recorded[1], topics.OBSTACLES.name)
    ways = [math.hypot(message.poses[0].position.x - 2.8, message.poses[0].position.y - 5.0)
            for message in messages]
    np.testing.assert_allclose(ways, 0.05 * np.arange(41), atol=1e-9)
    assert messages[0].header.frame_id == 'map'


def test_a_replay_agrees_and_one_with_another_speed_to_the_left_does_not(recorded):
    assert replay(recorded[1]).equal
    other = replay(recorded[1], {'robots.1.parameters.lateral': 0.5})
    assert other.differences == 41
    assert 'vy = ' in str(other.first)


@pytest.mark.ros
@pytest.mark.parametrize('mode', ['up', 'up --composed'])
def test_nodes_do_the_same(path, recorded, tmp_path, mode):
    live = check_nodes(mode, path, recorded, tmp_path)
    assert {topics.ODOM.name, 'imu', 'gnss', 'obstacles'} <= {
        name.rpartition('/')[2] for name in live.names()}

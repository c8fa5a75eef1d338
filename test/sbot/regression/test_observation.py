"""Inputs of controllers from recorded messages: poses from either topic, fields that are there."""

import numpy as np

from sbot.bag.ticks import Tick
from sbot.regression.observation import recorded_inputs, sensor_topics
from sbot_common.angles import decoded_yaw, quaternion_from_yaw
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, BASE_SCAN, ODOM, frame
from sbot_common.wire.templates import OdometryTemplate
from sbot_sim.sensors.registry import sensors

STAMP = 50_000_000


def odometry(x, y, yaw, name='map'):
    template = OdometryTemplate(name, frame('base_link', 0, 2))
    return template.fill(STAMP, x, y, *quaternion_from_yaw(yaw), 0.1, 0.0, 0.2)


def tick(**more):
    poses = [odometry(1.0, 2.0, 0.5), odometry(3.0, 4.0, -1.0)]
    inputs = {BASE_POSE_GROUND_TRUTH.name: poses, **more}
    fields = {'number': 1, 'stamp_ns': STAMP, 'inputs': inputs, 'commands': [None, None]}
    return Tick(**{name: fields.get(name) for name in Tick._fields})


def test_poses_are_those_of_the_messages_and_cannot_be_written_to():
    inputs = recorded_inputs(tick())
    found = inputs(1, [])
    np.testing.assert_array_equal(found.poses, [[1, 2, decoded_yaw(0.5)],
                                                [3, 4, decoded_yaw(-1.0)]])
    assert not found.poses.flags.writeable
    assert found.stamp_ns == STAMP
    assert found.sensed == {}


def test_a_field_that_was_recorded_is_read_and_another_is_left_out():
    inputs = recorded_inputs(tick(**{ODOM.name: [odometry(5, 6, 0.0, 'odom'), None],
                                     BASE_SCAN.name: [None, None]}))
    assert inputs(0, ['odometry', 'scan']).sensed['odometry'].x == 5.0
    assert list(inputs(0, ['odometry', 'scan']).sensed) == ['odometry']
    assert inputs(1, ['odometry']).sensed == {}


def test_every_sensor_has_a_topic_and_none_is_named_twice():
    topics = sensor_topics()
    assert {sensor.topic for sensor in sensors().values()} == set(topics)
    assert len(set(topics)) == len(topics)

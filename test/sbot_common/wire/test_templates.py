"""Templates against rosbags, on random messages."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sbot_common.wire import cdr
from sbot_common.wire.messages import read_vector
from sbot_common.wire.templates import (
    ARROW,
    CYLINDER,
    NumbersTemplate,
    OdometryTemplate,
    PosesTemplate,
    ScanTemplate,
    Template,
    TransformsTemplate,
    encode_marker_array,
    marker,
)

names = st.text('abc/_é0', max_size=9)
stamps = st.integers(0, 2**31 * 10**9 - 1)
numbers = st.floats(allow_nan=False, width=64)


@given(names, names, stamps, st.lists(numbers, min_size=7, max_size=7))
def test_odometry_is_as_the_message_definition_says(frame, child, stamp, values):
    raw = OdometryTemplate(frame, child).fill(stamp, *values)
    message = cdr.decode(raw, 'nav_msgs/msg/Odometry')
    assert cdr.encode(message) == raw
    pose, twist = message.pose.pose, message.twist.twist
    assert (message.header.frame_id, message.child_frame_id) == (frame, child)
    assert cdr.stamp_ns(message.header.stamp) == stamp
    assert [pose.position.x, pose.position.y, pose.orientation.z, pose.orientation.w,
            twist.linear.x, twist.linear.y, twist.angular.z] == values
    assert not message.pose.covariance.any()


@given(names, stamps, st.lists(st.tuples(*[numbers] * 4), min_size=1, max_size=5))
def test_poses_are_as_the_message_definition_says(frame, stamp, rows):
    raw = PosesTemplate(frame, len(rows)).fill(stamp, rows)
    message = cdr.decode(raw, 'geometry_msgs/msg/PoseArray')
    assert cdr.encode(message) == raw
    assert message.header.frame_id == frame
    assert cdr.stamp_ns(message.header.stamp) == stamp
    assert [(p.position.x, p.position.y, p.orientation.z, p.orientation.w)
            for p in message.poses] == rows


@given(st.lists(st.tuples(names, names), min_size=1, max_size=5), stamps, st.data())
def test_transforms_are_as_the_message_definition_says(frames, stamp, data):
    transforms = [data.draw(st.tuples(*[numbers] * 4)) for _ in frames]
    raw = TransformsTemplate(frames).fill(stamp, transforms)
    message = cdr.decode(raw, 'tf2_msgs/msg/TFMessage')
    assert cdr.encode(message) == raw
    for found, (parent, child), (x, y, z, w) in zip(message.transforms, frames, transforms,
                                                   strict=True):
        assert (found.header.frame_id, found.child_frame_id) == (parent, child)
        t = found.transform
        assert (t.translation.x, t.translation.y, t.rotation.z, t.rotation.w) == (x, y, z, w)
        assert cdr.stamp_ns(found.header.stamp) == stamp


@given(names, stamps, numbers, numbers)
def test_vectors_come_back(frame, stamp, x, y):
    raw = NumbersTemplate.of_vector(frame).fill(stamp, x, y, 0.0)
    assert read_vector(raw) == (stamp, (x, y, 0.0))
    assert cdr.encode(cdr.decode(raw, 'geometry_msgs/msg/Vector3Stamped')) == raw


@given(names, stamps, st.lists(st.floats(width=32, allow_nan=False), max_size=9))
def test_scans_are_as_the_message_definition_says(frame, stamp, ranges):
    raw = ScanTemplate(frame, len(ranges), -1.0, 1.0, 0.5, 0.25, 0.125, 8.0).fill(
        stamp, np.array(ranges, np.float32))
    message = cdr.decode(raw, 'sensor_msgs/msg/LaserScan')
    assert cdr.encode(message) == raw
    assert message.header.frame_id == frame
    assert cdr.stamp_ns(message.header.stamp) == stamp
    assert message.ranges.tolist() == ranges
    assert (message.angle_min, message.angle_increment, message.scan_time, message.range_min,
            message.range_max) == (-1.0, 0.5, 0.25, 0.125, 8.0)


KIND = 'visualization_msgs/msg/MarkerArray'


def test_a_template_is_filled_in_as_markers_are_made():
    given = [marker('a', 0, CYLINDER, (1.0, 1.0, 1.0)),
             marker('b', 1, ARROW, (0.1, 0.2, 0.3), points=[[0, 0, 0], [1, 0, 0]])]
    template = Template(given)
    assert template.to_bytes() == encode_marker_array(given)
    other = template.copy()
    template.set_stamp(3_000_000_007)
    template.set_positions(0, np.array([[1.5, -2.5]]))
    template.set_orientations(np.array([1]), np.array([[0.0, 0.0, 0.6, 0.8]]))
    template.set_colours(1, [(0.5, 0.25, 0.0, 1.0)])
    template.set_points(1, np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    disc, arrow = cdr.decode(template.to_bytes(), KIND).markers
    assert {cdr.stamp_ns(each.header.stamp) for each in (disc, arrow)} == {3_000_000_007}
    assert (disc.pose.position.x, disc.pose.position.y) == (1.5, -2.5)
    assert (arrow.pose.orientation.z, arrow.pose.orientation.w) == (0.6, 0.8)
    assert (disc.color.r, arrow.color.r, arrow.color.g) == (1.0, 0.5, 0.25)
    assert [point.y for point in arrow.points] == [2.0, 5.0]
    assert other.to_bytes() == encode_marker_array(given)

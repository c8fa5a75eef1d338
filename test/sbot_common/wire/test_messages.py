"""The fast readers against rosbags, on random messages."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot_common.angles import yaw_from_quaternion
from sbot_common.errors import InputError
from sbot_common.observation import Twist
from sbot_common.topics import CMD_VEL_STAMPED
from sbot_common.wire import cdr, messages
from sbot_common.wire.controller import write_command
from sbot_common.wire.templates import NumbersTemplate

number = st.floats(allow_nan=False)
single = st.floats(width=32, allow_nan=False)
name = st.text(st.characters(codec='utf-8', exclude_characters='\0'), max_size=40)
stamps = st.integers(0, 2**31 * 10**9 - 1)


def build(type_name, **fields):
    return cdr.message_class(type_name)(**fields)


def point(kind, x, y, z):
    return build(f'geometry_msgs/msg/{kind}', x=x, y=y, z=z)


def odometry(stamp_ns, frame_id, child, position, quaternion):
    zero = point('Vector3', 0.0, 0.0, 0.0)
    pose = build('geometry_msgs/msg/Pose', position=point('Point', *position),
                 orientation=build('geometry_msgs/msg/Quaternion',
                                   **dict(zip('xyzw', quaternion, strict=True))))
    twist = build('geometry_msgs/msg/Twist', linear=zero, angular=zero)
    return cdr.encode(build(
        'nav_msgs/msg/Odometry', header=cdr.header(stamp_ns, frame_id), child_frame_id=child,
        pose=build('geometry_msgs/msg/PoseWithCovariance', pose=pose, covariance=np.zeros(36)),
        twist=build('geometry_msgs/msg/TwistWithCovariance', twist=twist,
                    covariance=np.zeros(36))))


def laser_scan(stamp_ns, frame_id, numbers, ranges):
    fields = ('angle_min', 'angle_max', 'angle_increment', 'time_increment', 'scan_time',
              'range_min', 'range_max')
    return cdr.encode(build(
        'sensor_msgs/msg/LaserScan', header=cdr.header(stamp_ns, frame_id),
        **dict(zip(fields, numbers, strict=True)), ranges=np.array(ranges, np.float32),
        intensities=np.ones(len(ranges), np.float32)))


@settings(max_examples=200)
@given(stamps, name, st.lists(st.tuples(st.tuples(number, number, number),
                                        st.tuples(*[st.floats(-1, 1)] * 4)), min_size=1))
def test_an_array_of_poses_is_read_as_each_of_them(stamp_ns, frame_id, rows):
    raw = cdr.encode(build(messages.POSE_ARRAY, header=cdr.header(stamp_ns, frame_id), poses=[
        build('geometry_msgs/msg/Pose', position=point('Point', *position),
              orientation=build('geometry_msgs/msg/Quaternion',
                                **dict(zip('xyzw', quaternion, strict=True))))
        for position, quaternion in rows]))
    read = messages.read_poses(raw, len(rows))
    assert read[0] == stamp_ns
    each = [messages.PoseStamped.of_odometry(odometry(stamp_ns, frame_id, 'a', *row))
            for row in rows]
    assert read[1].tobytes() == np.array([(p.x, p.y, p.yaw) for p in each]).tobytes()
    assert not read[1].flags.writeable
    with pytest.raises(InputError, match=f'number of poses: got {len(rows)}, expected 77'):
        messages.read_poses(raw, 77)
    for cut in (5, 9, 60):
        with pytest.raises(InputError):
            messages.read_poses(raw[:-cut], len(rows))


@settings(max_examples=200)
@given(stamps, name, name, st.tuples(number, number, number), st.tuples(*[st.floats(-1, 1)] * 4))
def test_odometry(stamp_ns, frame_id, child, position, quaternion):
    read = messages.PoseStamped.of_odometry(
        odometry(stamp_ns, frame_id, child, position, quaternion))
    assert read[:4] == (stamp_ns, frame_id, *position[:2])
    yaw = yaw_from_quaternion(*quaternion)
    assert read.yaw == yaw or (math.isnan(read.yaw) and math.isnan(yaw))


@settings(max_examples=200)
@given(stamps, name, st.tuples(*[single] * 7), st.lists(single, max_size=30))
def test_laser_scan(stamp_ns, frame_id, numbers, ranges):
    read_stamp_ns, scan = messages.read_scan(laser_scan(stamp_ns, frame_id, numbers, ranges))
    assert read_stamp_ns == stamp_ns
    np.testing.assert_array_equal(scan.ranges, np.array(ranges, np.float32))
    assert scan.ranges.dtype == np.float32
    assert scan[1:] == (numbers[0], numbers[2], numbers[5], numbers[6])


@pytest.mark.parametrize('read', [messages.PoseStamped.of_odometry, messages.read_scan])
def test_bad_bytes_are_refused(read):
    raw = (odometry(5, 'map', 'base_link', (1.0, 2.0, 0.0), (0.0, 0.0, 0.0, 1.0))
           if read is messages.PoseStamped.of_odometry
           else laser_scan(5, 'laser', [0.0] * 7, [1.0] * 9))
    read(raw)
    with pytest.raises(InputError, match='little-endian'):
        read(b'\0\0' + raw[2:])
    for length in (0, 3, 4, 9, 15, 20, 40):
        with pytest.raises(InputError):
            read(raw[:length])


@given(number, number)
def test_twist(v, omega):
    raw = messages.write_twist(v, 0.25, omega)
    assert messages.read_twist(raw) == (v, 0.25, omega)
    assert cdr.encode(cdr.decode(raw, 'geometry_msgs/msg/Twist')) == raw


def test_twist_stamped():
    raw = write_command(CMD_VEL_STAMPED, 7_000_000_001, 'base_link', Twist(0.5, 0.25, -1.0))
    assert messages.read_twist(raw, messages.TWIST_STAMPED) == (0.5, 0.25, -1.0)
    message = cdr.decode(raw, 'geometry_msgs/msg/TwistStamped')
    assert cdr.stamp_ns(message.header.stamp) == 7_000_000_001
    assert message.header.frame_id == 'base_link'
    assert (message.twist.linear.x, message.twist.linear.y) == (0.5, 0.25)
    assert message.twist.angular.z == -1.0


@pytest.mark.parametrize('stamp_ns', [-1, -3_000_000_007])
def test_a_negative_clock_is_damaged(stamp_ns):
    seconds, nanoseconds = divmod(stamp_ns, 10**9)
    raw = cdr.encode(cdr.message('rosgraph_msgs/msg/Clock', clock=cdr.message(
        'builtin_interfaces/msg/Time', sec=seconds, nanosec=nanoseconds)))
    with pytest.raises(cdr.DamagedMessage, match=f'got a time of {stamp_ns} ns'):
        messages.read_clock(raw)
    raw = NumbersTemplate.of_vector('map').fill(3_000_000_007, 1.0, 2.0, 3.0)
    assert messages.read_header_stamp(raw) == 3_000_000_007
    assert messages.read_vector(raw) == (3_000_000_007, (1.0, 2.0, 3.0))


def test_pose():
    read = messages.PoseStamped.of_pose(messages.write_pose(3, 'map', 1.5, -2.5, 0.25))
    assert read[:4] == (3, 'map', 1.5, -2.5)
    assert read.yaw == pytest.approx(0.25, abs=1e-15)


@pytest.mark.parametrize('nanoseconds', [10**9, 2**32 - 1])
def test_a_stamp_has_less_than_a_second_beside_its_seconds(nanoseconds):
    """Carried over, the seconds may not fit into 32 bits any more when they are sent again."""
    stamp = cdr.message('builtin_interfaces/msg/Time', sec=2**31 - 1, nanosec=nanoseconds)
    header = cdr.message('std_msgs/msg/Header', stamp=stamp, frame_id='map')
    pose = cdr.encode(cdr.message(messages.POSE_STAMPED, header=header, pose=messages.pose()))
    poses = cdr.encode(cdr.message(messages.POSE_ARRAY, header=header, poses=[messages.pose()]))
    clock = cdr.encode(cdr.message(messages.CLOCK, clock=stamp))
    for read, raw in ((messages.PoseStamped.of_pose, pose), (messages.read_header_stamp, pose),
                      (lambda raw: messages.read_poses(raw, 1), poses),
                      (messages.read_clock, clock)):
        with pytest.raises(cdr.DamagedMessage, match=f'{nanoseconds} ns beside its seconds'):
            read(raw)

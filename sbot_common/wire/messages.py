# SPDX-License-Identifier: Apache-2.0
"""Readers and writers of poses, scans, twists, vectors, clock and strings in CDR.

What arrives at every tick is read straight from the bytes; the rest goes through ``cdr``.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import quaternion_from_yaw, yaw_from_quaternion
from sbot_common.observation import Scan, Twist
from sbot_common.wire import cdr
from sbot_common.wire.cdr import ENCAPSULATION, LITTLE_ENDIAN, Layout, message, struct_of

# Build geometry_msgs: vectors, points, poses and twists, the parts of other messages.

def vector3(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Any:  # noqa: ANN401
    """Return geometry_msgs/Vector3."""
    return message('geometry_msgs/msg/Vector3', x=x, y=y, z=z)


def point(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Any:  # noqa: ANN401
    """Return geometry_msgs/Point (m)."""
    return message('geometry_msgs/msg/Point', x=x, y=y, z=z)


def quaternion(z: float = 0.0, w: float = 1.0) -> Any:  # noqa: ANN401
    """Return the geometry_msgs/Quaternion of a rotation about z."""
    return message('geometry_msgs/msg/Quaternion', x=0.0, y=0.0, z=z, w=w)


def pose(position: Any = None, orientation: Any = None) -> Any:  # noqa: ANN401
    """Return geometry_msgs/Pose; by default the origin, not rotated."""
    return message('geometry_msgs/msg/Pose', position=position or point(),
                   orientation=orientation or quaternion())


def twist(vx: float = 0.0, vy: float = 0.0, omega: float = 0.0) -> Any:  # noqa: ANN401
    """Return geometry_msgs/Twist of linear.x (m/s), angular.z (rad/s) and linear.y (m/s)."""
    return message('geometry_msgs/msg/Twist', linear=vector3(vx, vy), angular=vector3(z=omega))


ODOMETRY = 'nav_msgs/msg/Odometry'
_LASER_SCAN = 'sensor_msgs/msg/LaserScan'
POSE_STAMPED = 'geometry_msgs/msg/PoseStamped'
POSE_ARRAY = 'geometry_msgs/msg/PoseArray'
TWIST = 'geometry_msgs/msg/Twist'
TWIST_STAMPED = 'geometry_msgs/msg/TwistStamped'
_VECTOR = 'geometry_msgs/msg/Vector3Stamped'
CLOCK = 'rosgraph_msgs/msg/Clock'

_HEADER = struct_of('std_msgs/msg/Header', 'stamp.sec', 'stamp.nanosec', 'frame_id#')
_FRAME_ID = ENCAPSULATION + _HEADER.size
_STAMP = struct_of('builtin_interfaces/msg/Time')
_POSE = struct_of('geometry_msgs/msg/Pose')
_TWIST = struct_of(TWIST)
_SCAN_NUMBERS = struct_of(_LASER_SCAN, 'angle_min', 'angle_max', 'angle_increment',
                          'time_increment', 'scan_time', 'range_min', 'range_max', 'ranges#')
_IN_ODOMETRY = Layout(ODOMETRY, 'pose.pose')
_IN_POSES = Layout(POSE_ARRAY, 'poses#', 'poses')
_IN_SCAN = Layout(_LASER_SCAN, 'angle_min', 'ranges')


class PoseStamped(NamedTuple):
    """A robot's pose with its time and frame."""

    stamp_ns: int
    frame_id: str
    x: float  # m
    y: float
    yaw: float  # rad, decoded in the order of operations of tf's getRPY

    @classmethod
    def of_odometry(cls, raw: bytes) -> PoseStamped:
        """Return stamp and pose of a nav_msgs/Odometry.

        Raises
        ------
        DamagedMessage
            if the bytes end too early or are not little-endian CDR.

        """
        try:
            stamp_ns, frame_id = _read_header(raw, ODOMETRY)
            x, y, _, qx, qy, qz, qw = _POSE.unpack_from(raw, *_IN_ODOMETRY.find(raw))
        except struct.error:
            raise _too_short(ODOMETRY, raw) from None
        return cls(stamp_ns, frame_id, x, y, yaw_from_quaternion(qx, qy, qz, qw))

    @classmethod
    def of_pose(cls, raw: bytes, type_name: str = POSE_STAMPED) -> PoseStamped:
        """Return stamp, frame, pose of a geometry_msgs/PoseStamped, …/PoseWithCovarianceStamped.

        Raises
        ------
        DamagedMessage
            if the bytes are no such message.

        """
        message = cdr.decode(raw, type_name)
        pose = message.pose if type_name == POSE_STAMPED else message.pose.pose
        p, q = pose.position, pose.orientation
        return cls(cdr.stamp_ns(message.header.stamp), message.header.frame_id, p.x, p.y,
                   yaw_from_quaternion(q.x, q.y, q.z, q.w))


def read_header_stamp(raw: bytes) -> int:
    """Return the stamp (ns) of a little-endian message that begins with a std_msgs/Header.

    Raises
    ------
    InputError
        if the bytes end before it, or it is no stamp.

    """
    try:
        seconds, nanoseconds = _STAMP.unpack_from(raw, ENCAPSULATION)
    except struct.error:
        raise _too_short('std_msgs/msg/Header', raw) from None
    return cdr.total_ns(seconds, nanoseconds)


def _too_short(type_name: str, raw: bytes) -> cdr.DamagedMessage:
    return cdr.DamagedMessage(f'{type_name}: the message ends after {len(raw)} bytes')


def _read_header(raw: bytes, type_name: str) -> tuple[int, str]:
    """Return stamp (ns) and frame_id."""
    if raw[:2] != LITTLE_ENDIAN[:2]:
        raise cdr.DamagedMessage(
            f'{type_name}: expected little-endian CDR, got bytes {raw[:4].hex()}')
    seconds, nanoseconds, length = _HEADER.unpack_from(raw, ENCAPSULATION)
    frame_id = raw[_FRAME_ID:_FRAME_ID + length].rstrip(b'\0').decode('utf-8', 'replace')
    return cdr.total_ns(seconds, nanoseconds), frame_id


def read_poses(raw: bytes, num_robots: int) -> tuple[int, NDArray[np.float64]]:
    """Return stamp and poses of a geometry_msgs/PoseArray, in order of robot id.

    The poses are (N, 3) x, y (m), yaw (rad) as in ``PoseStamped``; read-only.

    Raises
    ------
    DamagedMessage
        if the bytes end too early or are not little-endian CDR, or for another number of poses.

    """
    try:
        stamp_ns, _ = _read_header(raw, POSE_ARRAY)
        length, begin = _IN_POSES.find(raw)
        count = int.from_bytes(raw[length:length + 4], 'little')
        if count != num_robots:
            raise cdr.DamagedMessage(f'{POSE_ARRAY}: number of poses: got {count}, expected '
                                     f'{num_robots}, one for each robot')
        rows = np.array([(x, y, yaw_from_quaternion(*quaternion)) for x, y, _, *quaternion
                         in _POSE.iter_unpack(raw[begin:begin + count * _POSE.size])])
    except struct.error:
        raise _too_short(POSE_ARRAY, raw) from None
    if len(rows) < count:
        raise _too_short(POSE_ARRAY, raw)
    rows.flags.writeable = False
    return stamp_ns, rows


def read_scan(raw: bytes) -> tuple[int, Scan]:
    """Return stamp and scan of a sensor_msgs/LaserScan; its angles are float32 promoted to double.

    Raises
    ------
    DamagedMessage
        if the bytes end too early or are not little-endian CDR.

    """
    try:
        stamp_ns, _ = _read_header(raw, _LASER_SCAN)
        numbers, begin = _IN_SCAN.find(raw)
        angle_min, _, increment, _, _, range_min, range_max, count = _SCAN_NUMBERS.unpack_from(
            raw, numbers)
    except struct.error:
        raise _too_short(_LASER_SCAN, raw) from None
    if len(raw) < begin + 4 * count:
        raise _too_short(_LASER_SCAN, raw)
    ranges = np.frombuffer(raw, '<f4', count, begin)
    return stamp_ns, Scan(ranges, angle_min, increment, range_min, range_max)


def write_twist(vx: float, vy: float, omega: float) -> bytes:
    """Return geometry_msgs/Twist of linear.x (m/s), linear.y (m/s) and angular.z (rad/s)."""
    return LITTLE_ENDIAN + _TWIST.pack(vx, vy, 0.0, 0.0, 0.0, omega)


def read_twist(raw: bytes, type_name: str = TWIST) -> Twist:
    """Return linear.x, linear.y (m/s) and angular.z (rad/s) of a Twist, or of a TwistStamped."""
    message = cdr.decode(raw, type_name)
    twist = message.twist if type_name == TWIST_STAMPED else message
    return Twist(twist.linear.x, twist.linear.y, twist.angular.z)


def write_pose(stamp_ns: int, frame_id: str, x: float, y: float, yaw: float = 0.0) -> bytes:
    """Return geometry_msgs/PoseStamped of a pose in the plane (m, rad)."""
    return cdr.encode(cdr.message(
        POSE_STAMPED, header=cdr.header(stamp_ns, frame_id), pose=pose(
            point(x, y), quaternion(*quaternion_from_yaw(yaw)))))


def read_vector(raw: bytes) -> tuple[int, tuple[float, float, float]]:
    """Return the stamp (ns) and x, y, z of a geometry_msgs/Vector3Stamped."""
    message = cdr.decode(raw, _VECTOR)
    v = message.vector
    return cdr.stamp_ns(message.header.stamp), (v.x, v.y, v.z)


def write_clock(stamp_ns: int) -> bytes:
    """Return rosgraph_msgs/Clock."""
    return cdr.encode(cdr.message(CLOCK, clock=cdr.stamp(stamp_ns)))


def read_clock(raw: bytes) -> int:
    """Return the nanoseconds of a rosgraph_msgs/Clock.

    Raises
    ------
    DamagedMessage
        if the time is negative: nothing of ROS takes one.

    """
    stamp_ns = cdr.stamp_ns(cdr.decode(raw, CLOCK).clock)
    if stamp_ns < 0:
        raise cdr.DamagedMessage(f'{CLOCK}: got a time of {stamp_ns} ns, expected at least 0')
    return stamp_ns


def write_broadcast(data: bytes) -> bytes:
    """Return std_msgs/UInt8MultiArray of a robot's broadcast: room for its radius, then data."""
    return cdr.encode(cdr.message('std_msgs/msg/UInt8MultiArray', layout=cdr.message(
        'std_msgs/msg/MultiArrayLayout', dim=[], data_offset=0),
        data=np.frombuffer(b'\0' + data, np.uint8)))


def write_string(text: str) -> bytes:
    """Return std_msgs/String."""
    return cdr.encode(cdr.message('std_msgs/msg/String', data=text))

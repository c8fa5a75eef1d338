"""Messages that more than one package reads or writes: bytes to numbers and back.

What arrives at every tick is read straight from the bytes; the rest goes through ``cdr``.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import quaternion_from_yaw, yaw_from_quaternion
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import Scan
from sbot_common.wire import cdr

ODOMETRY = 'nav_msgs/msg/Odometry'
LASER_SCAN = 'sensor_msgs/msg/LaserScan'
POSE_STAMPED = 'geometry_msgs/msg/PoseStamped'
POSE_ARRAY = 'geometry_msgs/msg/PoseArray'

_LITTLE_ENDIAN = b'\x00\x01'
_HEADER = struct.Struct('<iII')  # seconds, nanoseconds, length of frame_id with its NUL
_POSE = struct.Struct('<7d')
_SCAN = struct.Struct('<7fI')
_TWIST = struct.Struct('<4s6d')


class PoseStamped(NamedTuple):
    """A robot's pose with its time and frame."""

    stamp_ns: int
    frame_id: str
    x: float  # m
    y: float
    yaw: float  # rad, decoded in the order of operations of tf's getRPY


class PosesStamped(NamedTuple):
    """Everybody's pose at one time."""

    stamp_ns: int
    frame_id: str
    rows: NDArray[np.float64]  # (N, 3) x, y (m), yaw (rad) as in PoseStamped; cannot be written to


class ScanStamped(NamedTuple):
    """A scan with its time."""

    stamp_ns: int
    scan: Scan


def _too_short(type_name: str, raw: bytes) -> InputError:
    return InputError(f'{type_name}: the message ends after {len(raw)} bytes')


def _read_header(raw: bytes, type_name: str) -> tuple[int, str, int]:
    """Return stamp (ns), frame_id and the offset behind them."""
    if raw[:2] != _LITTLE_ENDIAN:
        raise InputError(f'{type_name}: expected little-endian CDR, got bytes {raw[:4].hex()}')
    seconds, nanoseconds, length = _HEADER.unpack_from(raw, cdr.ENCAPSULATION)
    begin = cdr.ENCAPSULATION + _HEADER.size
    frame_id = bytes(raw[begin:begin + length]).rstrip(b'\0').decode('utf-8', 'replace')
    return seconds * NANOSECONDS + nanoseconds, frame_id, begin + length


def read_odometry(raw: bytes) -> PoseStamped:
    """Return stamp and pose of a nav_msgs/Odometry.

    Raises
    ------
    InputError
        if the bytes end too early or are not little-endian CDR.

    """
    try:
        stamp_ns, frame_id, offset = _read_header(raw, ODOMETRY)
        offset = cdr.aligned(offset, 4)
        offset = cdr.aligned(offset + 4 + int.from_bytes(raw[offset:offset + 4], 'little'), 8)
        x, y, _, qx, qy, qz, qw = _POSE.unpack_from(raw, offset)
    except struct.error:
        raise _too_short(ODOMETRY, raw) from None
    return PoseStamped(stamp_ns, frame_id, x, y, yaw_from_quaternion(qx, qy, qz, qw))


def read_poses(raw: bytes, num_robots: int) -> PosesStamped:
    """Return stamp and poses of a geometry_msgs/PoseArray, in order of robot id.

    Raises
    ------
    InputError
        if the bytes end too early or are not little-endian CDR, or for another number of poses.

    """
    try:
        stamp_ns, frame_id, offset = _read_header(raw, POSE_ARRAY)
        offset = cdr.aligned(offset, 4)
        count = int.from_bytes(raw[offset:offset + 4], 'little')
        if count != num_robots:
            raise bad_value(f'{POSE_ARRAY}: number of poses', count,
                            f'{num_robots}, one for each robot')
        begin = cdr.aligned(offset + 4, 8)
        rows = np.array([(x, y, yaw_from_quaternion(*quaternion)) for x, y, _, *quaternion
                         in _POSE.iter_unpack(raw[begin:begin + count * _POSE.size])])
    except struct.error:
        raise _too_short(POSE_ARRAY, raw) from None
    if len(rows) < count:
        raise _too_short(POSE_ARRAY, raw)
    rows.flags.writeable = False
    return PosesStamped(stamp_ns, frame_id, rows)


def read_scan(raw: bytes) -> ScanStamped:
    """Return stamp and scan of a sensor_msgs/LaserScan; its angles are float32 promoted to double.

    Raises
    ------
    InputError
        if the bytes end too early or are not little-endian CDR.

    """
    try:
        stamp_ns, _, offset = _read_header(raw, LASER_SCAN)
        offset = cdr.aligned(offset, 4)
        angle_min, _, increment, _, _, range_min, range_max, count = _SCAN.unpack_from(raw, offset)
    except struct.error:
        raise _too_short(LASER_SCAN, raw) from None
    offset += _SCAN.size
    if len(raw) < offset + 4 * count:
        raise _too_short(LASER_SCAN, raw)
    ranges = np.frombuffer(raw, '<f4', count, offset)
    return ScanStamped(stamp_ns, Scan(ranges, angle_min, increment, range_min, range_max))


def write_twist(v: float, omega: float) -> bytes:
    """Return geometry_msgs/Twist of linear.x (m/s) and angular.z (rad/s)."""
    return _TWIST.pack(_LITTLE_ENDIAN + b'\0\0', v, 0.0, 0.0, 0.0, 0.0, omega)


def read_twist(raw: bytes) -> tuple[float, float]:
    """Return linear.x (m/s) and angular.z (rad/s) of a geometry_msgs/Twist."""
    message = cdr.decode(raw, 'geometry_msgs/msg/Twist')
    return message.linear.x, message.angular.z


def write_twist_stamped(stamp_ns: int, frame_id: str, v: float, omega: float) -> bytes:
    """Return geometry_msgs/TwistStamped; ``frame_id`` is the robot's own frame."""
    twist = cdr.decode(write_twist(v, omega), 'geometry_msgs/msg/Twist')
    return cdr.encode(cdr.message_class('geometry_msgs/msg/TwistStamped')(
        header=cdr.header(stamp_ns, frame_id), twist=twist))


def write_pose(stamp_ns: int, frame_id: str, x: float, y: float, yaw: float = 0.0) -> bytes:
    """Return geometry_msgs/PoseStamped of a pose in the plane (m, rad)."""
    z, w = quaternion_from_yaw(yaw)
    return cdr.encode(cdr.message_class(POSE_STAMPED)(
        header=cdr.header(stamp_ns, frame_id),
        pose=cdr.message_class('geometry_msgs/msg/Pose')(
            position=cdr.message_class('geometry_msgs/msg/Point')(x=x, y=y, z=0.0),
            orientation=cdr.message_class('geometry_msgs/msg/Quaternion')(x=0.0, y=0.0, z=z, w=w),
        )))


def read_pose(raw: bytes) -> PoseStamped:
    """Return stamp, frame and pose of a geometry_msgs/PoseStamped."""
    message = cdr.decode(raw, POSE_STAMPED)
    p, q = message.pose.position, message.pose.orientation
    return PoseStamped(cdr.stamp_ns(message.header.stamp), message.header.frame_id, p.x, p.y,
                       yaw_from_quaternion(q.x, q.y, q.z, q.w))


def read_twist_stamped(raw: bytes) -> tuple[float, float]:
    """Return linear.x (m/s) and angular.z (rad/s) of a geometry_msgs/TwistStamped."""
    message = cdr.decode(raw, 'geometry_msgs/msg/TwistStamped').twist
    return message.linear.x, message.angular.z


def read_vector(raw: bytes) -> tuple[int, tuple[float, float, float]]:
    """Return the stamp (ns) and x, y, z of a geometry_msgs/Vector3Stamped."""
    message = cdr.decode(raw, 'geometry_msgs/msg/Vector3Stamped')
    v = message.vector
    return cdr.stamp_ns(message.header.stamp), (v.x, v.y, v.z)

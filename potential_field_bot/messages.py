"""Messages of the controller: bytes to numbers and back.

The inputs that arrive at every tick are read straight from the bytes; the rest goes through
``sbot_common.cdr``.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

import numpy as np

from potential_field_bot.controller import Turn
from sbot_common import cdr
from sbot_common.angles import quaternion_from_yaw, yaw_from_quaternion
from sbot_common.errors import InputError
from sbot_common.observation import Scan
from sbot_common.ticks import NANOSECONDS

ODOMETRY = 'nav_msgs/msg/Odometry'
LASER_SCAN = 'sensor_msgs/msg/LaserScan'
POSE_STAMPED = 'geometry_msgs/msg/PoseStamped'

_LITTLE_ENDIAN = b'\x00\x01'
_HEADER = struct.Struct('<iII')  # seconds, nanoseconds, length of frame_id with its NUL
_POSE = struct.Struct('<7d')
_SCAN = struct.Struct('<7fI')
_TWIST = struct.Struct('<4s6d')
_ENCAPSULATION = 4  # bytes before the message proper; alignment counts from behind them


class PoseStamped(NamedTuple):
    """A robot's pose with its time and frame."""

    stamp_ns: int
    frame_id: str
    x: float  # m
    y: float
    yaw: float  # rad, decoded in the order of operations of tf's getRPY


class ScanStamped(NamedTuple):
    """A scan with its time."""

    stamp_ns: int
    scan: Scan


def _aligned(offset: int, size: int) -> int:
    """Return the next place behind ``offset`` for a number of ``size`` bytes."""
    return offset + (_ENCAPSULATION - offset) % size


def _too_short(type_name: str, raw: bytes) -> InputError:
    return InputError(f'{type_name}: the message ends after {len(raw)} bytes')


def _read_header(raw: bytes, type_name: str) -> tuple[int, str, int]:
    """Return stamp (ns), frame_id and the offset behind them."""
    if raw[:2] != _LITTLE_ENDIAN:
        raise InputError(f'{type_name}: expected little-endian CDR, got bytes {raw[:4].hex()}')
    seconds, nanoseconds, length = _HEADER.unpack_from(raw, _ENCAPSULATION)
    begin = _ENCAPSULATION + _HEADER.size
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
        offset = _aligned(offset, 4)
        offset = _aligned(offset + 4 + int.from_bytes(raw[offset:offset + 4], 'little'), 8)
        x, y, _, qx, qy, qz, qw = _POSE.unpack_from(raw, offset)
    except struct.error:
        raise _too_short(ODOMETRY, raw) from None
    return PoseStamped(stamp_ns, frame_id, x, y, yaw_from_quaternion(qx, qy, qz, qw))


def read_scan(raw: bytes) -> ScanStamped:
    """Return stamp and scan of a sensor_msgs/LaserScan; its angles are float32 promoted to double.

    Raises
    ------
    InputError
        if the bytes end too early or are not little-endian CDR.

    """
    try:
        stamp_ns, _, offset = _read_header(raw, LASER_SCAN)
        offset = _aligned(offset, 4)
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
            position=_vector('Point', x, y, 0.0),
            orientation=cdr.message_class('geometry_msgs/msg/Quaternion')(x=0.0, y=0.0, z=z, w=w),
        )))


def read_pose(raw: bytes) -> PoseStamped:
    """Return stamp, frame and pose of a geometry_msgs/PoseStamped."""
    message = cdr.decode(raw, POSE_STAMPED)
    p, q = message.pose.position, message.pose.orientation
    return PoseStamped(cdr.stamp_ns(message.header.stamp), message.header.frame_id, p.x, p.y,
                       yaw_from_quaternion(q.x, q.y, q.z, q.w))


def _vector(name: str, x: float, y: float, z: float) -> object:
    return cdr.message_class(f'geometry_msgs/msg/{name}')(x=x, y=y, z=z)


# Name, components of a Turn, colour (red, green, blue).
_ARROWS = (
    ('attraction', 'attraction_x', 'attraction_y', (0.2, 0.8, 0.2)),
    ('repulsion', 'repulsion_x', 'repulsion_y', (0.9, 0.2, 0.2)),
    ('random', 'random_x', 'random_y', (0.6, 0.6, 0.6)),
    ('total', 'total_x', 'total_y', (0.2, 0.4, 1.0)),
)
_ARROW_ACTION_ADD, _ARROW_TYPE = 0, 0


def arrow_length(force: float) -> float:
    """Return how long to draw a force (m): 0.25 for 1, half a metre more for each factor of ten.

    Forces range from nothing to infinity, so the scale is logarithmic and ends at 3 m.
    """
    return min(3.0, 0.5 * math.log10(1.0 + 2.2 * force)) if force > 0 else 0.0


def write_forces(stamp_ns: int, robot_id: int, x: float, y: float, turn: Turn) -> bytes:
    """Return visualization_msgs/MarkerArray: one arrow in `map` from (x, y) (m) for each force."""
    forces = {**turn._asdict(), 'repulsion_x': turn.laser_x + turn.other_x,
              'repulsion_y': turn.laser_y + turn.other_y}
    marker_class = cdr.message_class('visualization_msgs/msg/Marker')
    colour_class = cdr.message_class('std_msgs/msg/ColorRGBA')
    markers = []
    for number, (name, name_x, name_y, (red, green, blue)) in enumerate(_ARROWS):
        fx, fy = float(forces[name_x]), float(forces[name_y])
        angle = math.atan2(fy, fx)
        length = arrow_length(math.hypot(fx, fy)) if math.isfinite(angle) else 0.0
        tip = (x, y) if length == 0.0 else (x + length * math.cos(angle),
                                            y + length * math.sin(angle))
        markers.append(marker_class(
            header=cdr.header(stamp_ns, 'map'), ns=f'potential_field_{robot_id}/{name}',
            id=number, type=_ARROW_TYPE, action=_ARROW_ACTION_ADD,
            pose=cdr.message_class('geometry_msgs/msg/Pose')(
                position=_vector('Point', 0.0, 0.0, 0.0),
                orientation=cdr.message_class('geometry_msgs/msg/Quaternion')(
                    x=0.0, y=0.0, z=0.0, w=1.0)),
            scale=_vector('Vector3', 0.05, 0.1, 0.15),
            color=colour_class(r=red, g=green, b=blue, a=1.0),
            lifetime=cdr.message_class('builtin_interfaces/msg/Duration')(sec=1, nanosec=0),
            frame_locked=False, points=[_vector('Point', x, y, 0.1),
                                        _vector('Point', *tip, 0.1)],
            colors=[], texture_resource='',
            texture=cdr.message_class('sensor_msgs/msg/CompressedImage')(
                header=cdr.header(0, ''), format='', data=np.empty(0, np.uint8)),
            uv_coordinates=[], text='',
            mesh_resource='', mesh_file=cdr.message_class('visualization_msgs/msg/MeshFile')(
                filename='', data=np.empty(0, np.uint8)),
            mesh_use_embedded_materials=False))
    return cdr.encode(cdr.message_class('visualization_msgs/msg/MarkerArray')(markers=markers))

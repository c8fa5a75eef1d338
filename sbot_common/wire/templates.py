"""Messages whose strings never change: encoded once, then only their numbers are replaced.

A robot's Odometry costs 2 µs this way instead of 20, and the bytes are those of
``sbot_common.wire.cdr``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from sbot_common.clock import NANOSECONDS
from sbot_common.wire import cdr

_STAMP = struct.Struct('<iI')
_POSE = struct.Struct('<7d')
_SIX = struct.Struct('<6d')
_THREE = struct.Struct('<3d')
_DOUBLE = 8
_COVARIANCE = 36 * _DOUBLE


def _message(name: str, **fields: Any) -> Any:  # noqa: ANN401
    return cdr.message_class(name)(**fields)


def vector3(x: float, y: float, z: float) -> Any:  # noqa: ANN401
    """Return geometry_msgs/Vector3."""
    return _message('geometry_msgs/msg/Vector3', x=x, y=y, z=z)


def quaternion(z: float, w: float) -> Any:  # noqa: ANN401
    """Return the geometry_msgs/Quaternion of a rotation about z."""
    return _message('geometry_msgs/msg/Quaternion', x=0.0, y=0.0, z=z, w=w)


def point(x: float, y: float) -> Any:  # noqa: ANN401
    """Return a geometry_msgs/Point in the plane."""
    return _message('geometry_msgs/msg/Point', x=x, y=y, z=0.0)


class _Template:
    """Bytes of one message; its stamp is in the header at the start."""

    def __init__(self, message: Any) -> None:  # noqa: ANN401
        self.raw = bytearray(cdr.encode(message))

    def set_stamp(self, stamp_ns: int, offset: int = cdr.ENCAPSULATION) -> None:
        """Write a stamp (ns)."""
        _STAMP.pack_into(self.raw, offset, *divmod(stamp_ns, NANOSECONDS))

    def behind_header(self) -> int:
        """Return the place behind stamp and frame_id."""
        return cdr.after_string(self.raw, cdr.ENCAPSULATION + _STAMP.size)


class OdometryTemplate(_Template):
    """nav_msgs/Odometry with fixed frames and zero covariances."""

    def __init__(self, frame_id: str, child_frame_id: str) -> None:
        zero = np.zeros(36)
        super().__init__(_message(
            'nav_msgs/msg/Odometry', header=cdr.header(0, frame_id), child_frame_id=child_frame_id,
            pose=_message('geometry_msgs/msg/PoseWithCovariance', covariance=zero, pose=_message(
                'geometry_msgs/msg/Pose', position=point(0.0, 0.0),
                orientation=quaternion(0.0, 1.0))),
            twist=_message(
                'geometry_msgs/msg/TwistWithCovariance', covariance=zero, twist=_message(
                    'geometry_msgs/msg/Twist', linear=vector3(0.0, 0.0, 0.0),
                    angular=vector3(0.0, 0.0, 0.0)))))
        self._pose = cdr.aligned(cdr.after_string(self.raw, self.behind_header()), _DOUBLE)
        self._twist = self._pose + _POSE.size + _COVARIANCE

    def fill(self, stamp_ns: int, x: float, y: float, z: float, w: float,
             vx: float, vy: float, omega: float) -> bytes:
        """Return the message at (x, y), turned by (0, 0, z, w); twist in the child frame."""
        self.set_stamp(stamp_ns)
        _POSE.pack_into(self.raw, self._pose, x, y, 0.0, 0.0, 0.0, z, w)
        _SIX.pack_into(self.raw, self._twist, vx, vy, 0.0, 0.0, 0.0, omega)
        return bytes(self.raw)


class PosesTemplate(_Template):
    """geometry_msgs/PoseArray of N poses in a fixed frame."""

    def __init__(self, frame_id: str, number: int) -> None:
        pose = _message('geometry_msgs/msg/Pose', position=point(0.0, 0.0),
                        orientation=quaternion(0.0, 1.0))
        super().__init__(_message('geometry_msgs/msg/PoseArray', header=cdr.header(0, frame_id),
                                  poses=[pose] * number))
        self._poses = cdr.aligned(cdr.aligned(self.behind_header(), 4) + 4, _DOUBLE)

    def fill(self, stamp_ns: int, rows: Sequence[tuple[float, float, float, float]]) -> bytes:
        """Return the message; each of N rows is x, y (m) and the z, w of a quaternion."""
        self.set_stamp(stamp_ns)
        for place, (x, y, z, w) in enumerate(rows):
            _POSE.pack_into(self.raw, self._poses + place * _POSE.size, x, y, 0.0, 0.0, 0.0, z, w)
        return bytes(self.raw)


class ScanTemplate(_Template):
    """sensor_msgs/LaserScan with fixed frame and geometry, without intensities."""

    def __init__(self, frame_id: str, beams: int, angle_min: float, angle_max: float,
                 angle_increment: float, scan_time: float, range_min: float,
                 range_max: float) -> None:
        super().__init__(_message(
            'sensor_msgs/msg/LaserScan', header=cdr.header(0, frame_id), angle_min=angle_min,
            angle_max=angle_max, angle_increment=angle_increment, time_increment=0.0,
            scan_time=scan_time, range_min=range_min, range_max=range_max,
            ranges=np.zeros(beams, np.float32), intensities=np.zeros(0, np.float32)))
        self._ranges = cdr.aligned(self.behind_header(), 4) + 7 * 4 + 4
        self._size = 4 * beams

    def fill(self, stamp_ns: int, ranges: np.ndarray) -> bytes:
        """Return the message with ranges (beams,) float32 (m)."""
        self.set_stamp(stamp_ns)
        self.raw[self._ranges:self._ranges + self._size] = ranges.tobytes()
        return bytes(self.raw)


class VectorTemplate(_Template):
    """geometry_msgs/Vector3Stamped with a fixed frame."""

    def __init__(self, frame_id: str) -> None:
        super().__init__(_message(
            'geometry_msgs/msg/Vector3Stamped', header=cdr.header(0, frame_id),
            vector=vector3(0.0, 0.0, 0.0)))
        self._vector = cdr.aligned(self.behind_header(), _DOUBLE)

    def fill(self, stamp_ns: int, x: float, y: float, z: float) -> bytes:
        """Return the message with this vector."""
        self.set_stamp(stamp_ns)
        _THREE.pack_into(self.raw, self._vector, x, y, z)
        return bytes(self.raw)


class TransformsTemplate(_Template):
    """tf2_msgs/TFMessage with fixed pairs of frames."""

    def __init__(self, frames: Sequence[tuple[str, str]]) -> None:
        super().__init__(_message('tf2_msgs/msg/TFMessage', transforms=[
            _message('geometry_msgs/msg/TransformStamped', header=cdr.header(0, parent),
                     child_frame_id=child, transform=_message(
                         'geometry_msgs/msg/Transform', translation=vector3(0.0, 0.0, 0.0),
                         rotation=quaternion(0.0, 1.0)))
            for parent, child in frames]))
        self._places: list[tuple[int, int]] = []
        offset = cdr.ENCAPSULATION + 4
        for _ in frames:
            stamp = cdr.aligned(offset, 4)
            strings = cdr.after_string(self.raw, stamp + _STAMP.size)
            numbers = cdr.aligned(cdr.after_string(self.raw, strings), _DOUBLE)
            self._places.append((stamp, numbers))
            offset = numbers + _POSE.size

    def fill(self, stamp_ns: int,
             transforms: Sequence[tuple[float, float, float, float]]) -> bytes:
        """Return the message; each pair of frames has a translation x, y and a quaternion z, w."""
        for (stamp, numbers), (x, y, z, w) in zip(self._places, transforms, strict=True):
            self.set_stamp(stamp_ns, stamp)
            _POSE.pack_into(self.raw, numbers, x, y, 0.0, 0.0, 0.0, z, w)
        return bytes(self.raw)

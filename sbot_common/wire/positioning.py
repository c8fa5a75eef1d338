"""Messages of IMU and GNSS receivers: sensor_msgs/Imu and sensor_msgs/NavSatFix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sbot_common import topics
from sbot_common.angles import yaw_from_quaternion
from sbot_common.observation import Gnss, Imu
from sbot_common.wire import cdr
from sbot_common.wire.geometry import quaternion, vector3
from sbot_common.wire.layout import struct_of
from sbot_common.wire.templates import MessageTemplate

_QUATERNION = struct_of('geometry_msgs/msg/Quaternion')
_VECTOR = struct_of('geometry_msgs/msg/Vector3')
_PLACE = struct_of(topics.GNSS.type, 'latitude', 'longitude', 'altitude')
_FIX, _GPS, _DIAGONAL_KNOWN = 0, 1, 2  # STATUS_FIX, SERVICE_GPS, COVARIANCE_TYPE_DIAGONAL_KNOWN


class ImuTemplate(MessageTemplate):
    """sensor_msgs/Imu with fixed frame, gravity and covariances.

    Parameters
    ----------
    frame_id : of the sensor
    gravity : m/s^2, what an accelerometer at rest reads upwards
    variances : of yaw (rad^2), turn rate, acceleration forwards and to the left; all other
        covariances are zero

    """

    def __init__(self, frame_id: str, gravity: float, variances: Sequence[float]) -> None:
        of_yaw, of_rate, forwards, left = variances
        super().__init__(
            topics.IMU.type, 'orientation', 'angular_velocity', 'linear_acceleration',
            header=cdr.header(0, frame_id), orientation=quaternion(),
            orientation_covariance=_diagonal(0.0, 0.0, of_yaw), angular_velocity=vector3(),
            angular_velocity_covariance=_diagonal(0.0, 0.0, of_rate),
            linear_acceleration=vector3(),
            linear_acceleration_covariance=_diagonal(forwards, left, 0.0))
        self._gravity = gravity
        self._orientation, self._rate, self._acceleration = self.places

    def fill(self, stamp_ns: int, z: float, w: float, turn_rate: float, forwards: float,
             left: float) -> bytes:
        """Return the message turned by the quaternion (0, 0, z, w); rad/s, m/s^2."""
        self.set_stamp(stamp_ns)
        _QUATERNION.pack_into(self.raw, self._orientation, 0.0, 0.0, z, w)
        _VECTOR.pack_into(self.raw, self._rate, 0.0, 0.0, turn_rate)
        _VECTOR.pack_into(self.raw, self._acceleration, forwards, left, self._gravity)
        return bytes(self.raw)


class FixTemplate(MessageTemplate):
    """sensor_msgs/NavSatFix with fixed frame and covariances.

    Parameters
    ----------
    frame_id : of the antenna
    variances : to the east, north and upwards (m^2)

    """

    def __init__(self, frame_id: str, variances: Sequence[float]) -> None:
        super().__init__(
            topics.GNSS.type, 'latitude', header=cdr.header(0, frame_id),
            status=cdr.message('sensor_msgs/msg/NavSatStatus', status=_FIX, service=_GPS),
            latitude=0.0, longitude=0.0, altitude=0.0, position_covariance=_diagonal(*variances),
            position_covariance_type=_DIAGONAL_KNOWN)
        self._place, = self.places

    def fill(self, stamp_ns: int, latitude: float, longitude: float, altitude: float) -> bytes:
        """Return the message (deg, deg, m)."""
        self.set_stamp(stamp_ns)
        _PLACE.pack_into(self.raw, self._place, latitude, longitude, altitude)
        return bytes(self.raw)


def _diagonal(x: float, y: float, z: float) -> np.ndarray:
    return np.array([x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z])


def read_imu(raw: bytes) -> tuple[int, Imu]:
    """Return the stamp (ns) and what an IMU reads in the plane, of a sensor_msgs/Imu."""
    message = cdr.decode(raw, topics.IMU.type)
    q, acceleration = message.orientation, message.linear_acceleration
    return cdr.stamp_ns(message.header.stamp), Imu(
        yaw_from_quaternion(q.x, q.y, q.z, q.w), message.angular_velocity.z, acceleration.x,
        acceleration.y)


def read_fix(raw: bytes) -> tuple[int, Gnss]:
    """Return the stamp (ns) and the position of a sensor_msgs/NavSatFix."""
    message = cdr.decode(raw, topics.GNSS.type)
    return cdr.stamp_ns(message.header.stamp), Gnss(message.latitude, message.longitude,
                                                    message.altitude)

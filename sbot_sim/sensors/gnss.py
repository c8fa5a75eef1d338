# SPDX-License-Identifier: Apache-2.0
"""Satellite navigation (GNSS): latitude, longitude and altitude of each robot, with noise.

Frame `map` is the plane that touches the WGS 84 ellipsoid's normal at the datum: x points east, y
north (REP 103). Positions go from there to Earth-centred coordinates and back to latitude and
longitude. Constants: WGS 84 (NGA.STND.0036, 2014, table 3.1). Latitude: B. R. Bowring,
Transformation from spatial to geographical coordinates, Survey Review 23 (1976).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.elementary import atan2_of, sincos
from sbot_common.params import Param
from sbot_common.topics import Topic
from sbot_sim.sensors.registry import Kernel, Sensor, View

TOPIC = Topic('gnss', 'sensor_msgs/msg/NavSatFix')
NOISE = 7  # purpose of random numbers (``sbot_common.random.numbers``)
_FIX, _GPS, _DIAGONAL_KNOWN = 0, 1, 2  # STATUS_FIX, SERVICE_GPS, COVARIANCE_TYPE_DIAGONAL_KNOWN
SEMI_MAJOR_AXIS = 6378137.0  # m
FLATTENING = 1.0 / 298.257223563
_SEMI_MINOR_AXIS = SEMI_MAJOR_AXIS * (1.0 - FLATTENING)
_ECCENTRICITY_SQUARED = FLATTENING * (2.0 - FLATTENING)
_SECOND_ECCENTRICITY_SQUARED = _ECCENTRICITY_SQUARED / (1.0 - _ECCENTRICITY_SQUARED)
_ITERATIONS = 3  # below 1e-15 rad up to 10 km above the ellipsoid and beyond
_DEGREE = math.pi / 180.0


class Gnss(NamedTuple):
    """What a satellite receiver reads, WGS 84."""

    latitude: float  # deg
    longitude: float  # deg
    altitude: float  # m above the ellipsoid


class _GnssSettings(NamedTuple):
    """The GNSS receiver of all robots; noise 0 is off."""

    gnss: Annotated[bool, Param('', 'Robots have a GNSS receiver: topic `gnss`.')] = False
    gnss_latitude: Annotated[float, Param(
        'deg', 'Latitude of the origin of `map`, on WGS 84.', minimum=-90.0, maximum=90.0)] = 0.0
    gnss_longitude: Annotated[float, Param(
        'deg', 'Longitude of the origin of `map`.', minimum=-180.0, maximum=180.0)] = 0.0
    gnss_altitude: Annotated[float, Param(
        'm', 'Altitude of the origin of `map` above the ellipsoid.', minimum=-1e4,
        maximum=1e5)] = 0.0
    gnss_noise: Annotated[float, Param(
        'm', 'Standard deviation of the noise of each position, to the east and to the north.',
        minimum=0.0)] = 0.0
    gnss_noise_vertical: Annotated[float, Param(
        'm', 'Standard deviation of the noise of each altitude.', minimum=0.0)] = 0.0


def _read(settings: _GnssSettings, view: View, _: Floats) -> Floats:
    """Return readings (N, 3): latitude (deg), longitude (deg), altitude (m)."""
    noise = np.zeros((len(view.pose), 3))
    if settings.gnss_noise > 0.0 or settings.gnss_noise_vertical > 0.0:
        noise = view.normals(NOISE, 3)
    return _geodetic_of(settings,
                        view.pose[:, 0] + settings.gnss_noise * noise[:, 0],
                        view.pose[:, 1] + settings.gnss_noise * noise[:, 1],
                        settings.gnss_noise_vertical * noise[:, 2])


def _geodetic_of(settings: _GnssSettings, east: Floats, north: Floats, up: Floats) -> Floats:
    """Return latitude (deg), longitude (deg), altitude (m), shape (N, 3), of points (N,) m.

    The points are given in the tangent plane at the settings' datum.
    """
    sin_lat, cos_lat = sincos(settings.gnss_latitude * _DEGREE)
    sin_lon, cos_lon = sincos(settings.gnss_longitude * _DEGREE)
    normal = SEMI_MAJOR_AXIS / math.sqrt(1.0 - _ECCENTRICITY_SQUARED * sin_lat * sin_lat)
    outward = cos_lat * (normal + settings.gnss_altitude + up) - sin_lat * north
    return _geodetic_of_earth_centred(
        cos_lon * outward - sin_lon * east, sin_lon * outward + cos_lon * east,
        sin_lat * ((1.0 - _ECCENTRICITY_SQUARED) * normal + settings.gnss_altitude + up)
        + cos_lat * north)


def _geodetic_of_earth_centred(x: Floats, y: Floats, z: Floats) -> Floats:
    """Return latitude (deg), longitude (deg), altitude (m), (N, 3), of Earth-centred (N,) m."""
    axis = np.sqrt(x * x + y * y)  # distance from the Earth's axis
    # Sine and cosine of the parametric latitude, first that of a point on the ellipsoid.
    across, along = SEMI_MAJOR_AXIS * z, _SEMI_MINOR_AXIS * axis
    for _ in range(_ITERATIONS):
        length = np.sqrt(across * across + along * along)
        sine, cosine = across / length, along / length
        over = z + _SECOND_ECCENTRICITY_SQUARED * _SEMI_MINOR_AXIS * sine * sine * sine
        under = axis - _ECCENTRICITY_SQUARED * SEMI_MAJOR_AXIS * cosine * cosine * cosine
        across, along = (1.0 - FLATTENING) * over, under
    length = np.sqrt(over * over + under * under)
    sine, cosine = over / length, under / length
    height = (axis * cosine + z * sine
              - SEMI_MAJOR_AXIS * np.sqrt(1.0 - _ECCENTRICITY_SQUARED * sine * sine))
    latitude, longitude = np.empty(len(x)), np.empty(len(x))
    atan2_of(over, under, latitude)
    atan2_of(y, x, longitude)
    return np.column_stack([latitude / _DEGREE, longitude / _DEGREE, height])


def _encode(settings: _GnssSettings, _: float, frame_id: str) -> Callable[..., bytes]:
    from sbot_common.wire import cdr
    from sbot_common.wire.templates import NumbersTemplate, diagonal
    flat = settings.gnss_noise * settings.gnss_noise
    upwards = settings.gnss_noise_vertical * settings.gnss_noise_vertical
    return NumbersTemplate(
        TOPIC.type, 'latitude', 'longitude', 'altitude', header=cdr.header(0, frame_id),
        status=cdr.message('sensor_msgs/msg/NavSatStatus', status=_FIX, service=_GPS),
        latitude=0.0, longitude=0.0, altitude=0.0,
        position_covariance=diagonal(flat, flat, upwards),
        position_covariance_type=_DIAGONAL_KNOWN).fill


def _decode(raw: bytes) -> tuple[int, Gnss]:
    """Return the stamp (ns) and the position of a sensor_msgs/NavSatFix."""
    from sbot_common.wire import cdr
    message = cdr.decode(raw, TOPIC.type)
    return cdr.stamp_ns(message.header.stamp), Gnss(message.latitude, message.longitude,
                                                    message.altitude)


SENSOR = Sensor(
    'gnss', '(N, 3) latitude (deg), longitude (deg), altitude (m)', TOPIC, _decode, Kernel(
        ('latitude (deg)', 'longitude (deg)', 'altitude (m)'), _read, _encode, Gnss,
        link='gnss_link'),
    _GnssSettings(), 'gnss', order=(40, 40), turned=None)

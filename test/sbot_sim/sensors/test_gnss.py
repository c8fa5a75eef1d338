"""GNSS against the definition of geodetic coordinates in 40 digits, which needs no inverse."""

import math

import mpmath
import numpy as np
import pytest

import sbot
from sbot_sim.sensors.gnss import _geodetic_of, _GnssSettings

A, F = mpmath.mpf(6378137), 1 / mpmath.mpf('298.257223563')  # WGS 84


def earth_centred(latitude, longitude, altitude):
    """Return x, y, z (m): the definition of latitude, longitude (deg) and altitude (m)."""
    phi, theta = (mpmath.mpf(angle) * mpmath.pi / 180 for angle in (latitude, longitude))
    e2 = F * (2 - F)
    normal = A / mpmath.sqrt(1 - e2 * mpmath.sin(phi) ** 2)
    return ((normal + altitude) * mpmath.cos(phi) * mpmath.cos(theta),
            (normal + altitude) * mpmath.cos(phi) * mpmath.sin(theta),
            (normal * (1 - e2) + altitude) * mpmath.sin(phi))


def tangent_plane(datum, latitude, longitude, altitude):
    """Return east, north, up (m) of a place, by its Earth-centred difference to the datum."""
    phi, theta = (mpmath.mpf(angle) * mpmath.pi / 180 for angle in datum[:2])
    dx, dy, dz = (p - q for p, q in zip(earth_centred(latitude, longitude, altitude),
                                        earth_centred(*datum), strict=True))
    east = -mpmath.sin(theta) * dx + mpmath.cos(theta) * dy
    outward = mpmath.cos(theta) * dx + mpmath.sin(theta) * dy
    return (east, -mpmath.sin(phi) * outward + mpmath.cos(phi) * dz,
            mpmath.cos(phi) * outward + mpmath.sin(phi) * dz)


@pytest.mark.parametrize('datum', [
    (0.0, 0.0, 0.0), (47.3667, 8.55, 408.0), (-33.87, 151.21, 58.0), (89.99, -120.0, 2000.0),
    (90.0, 0.0, 0.0), (-90.0, 10.0, 0.0), (12.0, 180.0, -100.0), (-45.0, -180.0, 9000.0)])
def test_the_place_is_where_it_is_in_the_tangent_plane(datum):
    rng = np.random.default_rng(3)
    scale = 10.0 ** rng.integers(-2, 5, 40)  # 1 cm to 100 km
    east, north = rng.uniform(-1, 1, (2, 40)) * scale
    up = rng.uniform(-100, 100, 40)
    with mpmath.workdps(40):
        got = _geodetic_of(_GnssSettings(True, *datum), east, north, up)
        for row, point in zip(got.tolist(), np.column_stack([east, north, up]), strict=True):
            back = tangent_plane(datum, *row)
            # Degrees are doubles: 180 degrees are known to 3 nm.
            assert max(abs(a - b) for a, b in zip(back, point.tolist(), strict=True)) < 1e-8
            assert -180.0 <= row[1] <= 180.0 and -90.0 <= row[0] <= 90.0  # noqa: PT018


def test_a_run_reads_where_the_robot_is():
    run = sbot.run({'rate': 10, 'duration': 1, 'world': {'bounds': [0, 0, 20, 20]},
                    'wind': {'wind_speed_mean': 1.0, 'wind_direction': [0.0, 1.0, 0.0]},
                    'sensors': {'gnss': True, 'gnss_latitude': 10.0, 'gnss_longitude': 20.0,
                                'scan_beams': 1},
                    'robots': [{'pose': [5, 5, 0], 'controller': 'none'}]}, sense=['gnss'])
    expected = _geodetic_of(run.scenario.sensors.gnss, *run.poses[:, 0, :2].T.copy(), np.zeros(11))
    np.testing.assert_array_equal(run.gnss[:, 0], expected)
    assert math.isclose(np.ptp(run.gnss[:, 0, 0]) * 110_600, 0.9, rel_tol=0.01)

"""Fit of a table of infrared readings to measured samples (document 002 section 3.1)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot_common.errors import InputError, bad_value, install_command
from sbot_sim.sensors.infrared.curves import TABLE_RANGE, clipped, exponential, table_distances_cm
from sbot_sim.sensors.rays import TOUCH
from sbot_sim.world.bodies import S_BOT_RADIUS

Floats = NDArray[np.float64]

# Document 002, Table 1 (docs/errata.md S9: 26 distances).
SAMPLE_DISTANCES = tuple((8 + i) / 100 for i in range(26))  # m, centre to wall
ORIENTATIONS = 36
ORIENTATION_STEP = math.radians(10)
FIRST_ORIENTATION = math.radians(-180)


def sampling_angle(m: int, sensor_angle: float, first: float = FIRST_ORIENTATION,
                   step: float = ORIENTATION_STEP) -> float:
    """Return Φ(m, IR_n) of equation (1): the angle (rad) between a beam and the wall's normal.

    Parameters
    ----------
    m : orientation, 1 … 36
    sensor_angle : β of the sensor (rad)
    first, step : θ_0 and Δθ (rad)

    Returns
    -------
    Φ in [-π, π); the sensor faces the wall when it is in (-π/2, π/2).

    """
    turns = (first + (m - 1) * step + sensor_angle + math.pi) / (2 * math.pi)
    return (turns - math.floor(turns)) * 2 * math.pi - math.pi


def distance_to_wall(distance: float, angle: float, radius: float = S_BOT_RADIUS) -> float:
    """Return read(m, IR_n) of equation (2), as repaired in docs/errata.md S8.

    Parameters
    ----------
    distance : d_i (m), from the robot's centre to the wall
    angle : Φ (rad); sin Ψ of the document is cos Φ
    radius : R (m)

    Returns
    -------
    The way (m) from the sensor on the rim along its beam to the wall; inf if it faces away.

    """
    toward = math.cos(angle)
    if toward <= TOUCH:
        return math.inf
    return (distance - radius * toward) / toward


class Averages(NamedTuple):
    """Sampled readings after the two averaging steps."""

    surface_distance: Floats  # (D, A) m, mean of each bin, NaN where nothing was sampled
    surface_reading: Floats  # (D, A) figure 8(a): bins of distance and angle
    distance: Floats  # (K,) m, rising
    reading: Floats  # (K,) figure 8(b)


def average_readings(samples: ArrayLike, sensor_angles: ArrayLike,
                     distances: ArrayLike = SAMPLE_DISTANCES, radius: float = S_BOT_RADIUS,
                     distance_bin: float = 0.01, angle_bin: float = ORIENTATION_STEP,
                     range_max: float = TABLE_RANGE) -> Averages:
    """Return the readings by distance and angle, then by distance alone (figure 8).

    Parameters
    ----------
    samples : (distances, orientations, sensors, samples); orientation m is turned by
        360/orientations degrees, beginning at -180
    sensor_angles : (sensors,) β (rad)
    distances : (distances,) m, centre to wall
    radius : m
    distance_bin, angle_bin : m and rad, what counts as the same distance and angle
    range_max : m; samples from farther are left out

    Raises
    ------
    InputError
        if shapes disagree, a sample is not finite, or nothing was sampled within range.

    """
    raw = np.asarray(samples, np.float64)
    angles = np.asarray(sensor_angles, np.float64)
    centre = np.asarray(distances, np.float64)
    if raw.ndim != 4 or (raw.shape[0], raw.shape[2]) != (centre.size, angles.size):
        raise bad_value('samples', raw.shape, f'the shape ({centre.size} distances, orientations, '
                        f'{angles.size} sensors, samples)')
    if not np.isfinite(raw).all():
        raise InputError('samples: got values that are not finite, expected numbers')
    mean = raw.mean(axis=3)
    step = 2 * math.pi / raw.shape[1]
    columns = round(math.pi / angle_bin)
    rows = math.ceil(range_max / distance_bin)
    count, way, total = (np.zeros((rows, columns)) for _ in range(3))
    for i, d in enumerate(centre):
        for m in range(raw.shape[1]):
            for n, beta in enumerate(angles):
                phi = sampling_angle(m + 1, float(beta), step=step)
                length = distance_to_wall(float(d), phi, radius)
                if not 0.0 <= length <= range_max:
                    continue
                row = min(rows - 1, int(length / distance_bin))
                column = min(columns - 1, int((phi / math.pi + 0.5) * columns))
                count[row, column] += 1
                way[row, column] += length
                total[row, column] += mean[i, m, n]
    if not count.any():
        raise InputError(f'distances: got none within {range_max} m of the wall, expected at '
                         'least one')
    with np.errstate(invalid='ignore'):
        surface_distance, surface_reading = way / count, total / count
    sampled = count.any(axis=1)
    return Averages(surface_distance, surface_reading,
                    np.nanmean(surface_distance[sampled], axis=1),
                    np.nanmean(surface_reading[sampled], axis=1))


def fit_polynomial(distance: Floats, reading: Floats, degree: int = 7) -> Floats:
    """Return the coefficients (degree + 1,) of the least-squares polynomial, lowest power first.

    ``distance`` (K,) is in m; the polynomial is in centimetres, as equation (3).
    """
    if distance.size <= degree:
        raise InputError(f'degree: got {degree}, expected a number < {distance.size}, '
                         'the number of distances sampled')
    polynomial = np.polynomial.Polynomial.fit(distance * 100, reading, degree)
    return np.asarray(polynomial.convert().coef)


def fit_exponential(distance: Floats, reading: Floats) -> tuple[float, float]:
    """Return (a, b) of a * exp(-b * d), d in centimetres, by Levenberg and Marquardt's method.

    ``distance`` (K,) is in m.

    Raises
    ------
    InputError
        if no exponential fits, or scipy is not installed.

    """
    try:
        from scipy.optimize import curve_fit
    except ImportError:
        raise InputError(f'fit_exponential() needs scipy: {install_command("fit")}') from None

    def model(d: Floats, a: float, b: float) -> Floats:
        return np.asarray(a * np.exp(-b * d))

    start = (max(float(np.max(reading)), 1e-6), 0.1)
    try:
        (a, b), _ = curve_fit(model, distance * 100, reading, p0=start, method='lm')
    except (RuntimeError, TypeError) as error:
        raise InputError(f'samples: no exponential fits them ({error})') from None
    return float(a), float(b)


def table_from_samples(samples: ArrayLike, sensor_angles: ArrayLike, model: str = 'exponential',
                       distances: ArrayLike = SAMPLE_DISTANCES,
                       radius: float = S_BOT_RADIUS) -> Floats:
    """Return the 151 readings for sampled data, clipped to [0, reading at 0].

    Parameters
    ----------
    samples, sensor_angles, distances, radius : see ``average_readings``
    model : 'exponential' or 'polynomial'

    """
    averages = average_readings(samples, sensor_angles, distances, radius)
    if model == 'exponential':
        return clipped(exponential(table_distances_cm(),
                                   *fit_exponential(averages.distance, averages.reading)))
    if model == 'polynomial':
        coefficients = fit_polynomial(averages.distance, averages.reading)
        curve = np.polynomial.polynomial.polyval(table_distances_cm(), coefficients)
        return clipped(np.asarray(curve, np.float64))
    raise bad_value('model', model, 'exponential or polynomial')

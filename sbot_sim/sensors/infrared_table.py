# SPDX-License-Identifier: Apache-2.0
"""The look-up tables from distances to infrared readings (document 002 section 3.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sbot_common.arrays import Floats
from sbot_common.elementary import exp
from sbot_common.errors import InputError, bad_value, install_command, read_small
from sbot_sim.sensors.rays import TOUCH
from sbot_sim.world.bodies import S_BOT_RADIUS

_MOST_BYTES = 1 << 20  # of a file

TABLES = ('exponential', 'polynomial', 'as_printed')


def named_table(name: str) -> Floats:
    """Return the table (151,) called exponential, polynomial or as_printed (docs/errata.md S1)."""
    if name == 'exponential':
        return np.array(EXPONENTIAL)
    powers = {'polynomial': CONSECUTIVE_POWERS, 'as_printed': PRINTED_POWERS}[name]
    return _clipped(_equation_3(table_distances_cm(), powers))


def _read_table(path: Path) -> Floats:
    """Return the table (151,) in a text file: numbers >= 0 and white space; # starts a comment.

    Raises
    ------
    InputError
        naming the file and the line, if it cannot be read, a word is not such a number, or there
        are not 151.

    """
    try:
        lines = read_small(path, _MOST_BYTES).decode('utf-8').splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f'{path}: cannot be read as a table of {ENTRIES} readings '
                         f'({error})') from None
    values = []
    for number, line in enumerate(lines, 1):
        for word in line.partition('#')[0].split():
            try:
                value = float(word)
            except ValueError:
                value = math.nan
            if not 0.0 <= value < math.inf:
                raise bad_value(f'{path}:{number}', word, 'a finite number >= 0')
            values.append(value)
    if len(values) != ENTRIES:
        raise bad_value(str(path), len(values), f'{ENTRIES} readings, for 0, 1 … 150 mm')
    return np.array(values)


def load_table(choice: str) -> Floats:
    """Return the table (151,) of a name in ``TABLES`` or of a file's path.

    Raises
    ------
    InputError
        if it is neither, or as ``_read_table``.

    """
    if choice in TABLES:
        return named_table(choice)
    path = Path(choice)
    if not path.is_file():
        raise bad_value('infrared_table', choice, f'one of {", ".join(TABLES)}, or the path of a '
                        f'file with {ENTRIES} readings')
    return _read_table(path)

ENTRIES = 151  # 0 to 15 cm, 1 mm apart (document 002, Table 1 and section 3.1)
TABLE_RANGE = 0.15  # m

# Equation (3), of the distance in centimetres: the numbers as printed, in the order printed.
COEFFICIENTS = (35.76, -16.01, 6.15, -0.8072, -0.0632, 0.0261, -0.0026, 0.0001)
PRINTED_POWERS = (0, 2, 3, 4, 5, 6, 7, 8)
CONSECUTIVE_POWERS = (0, 1, 2, 3, 4, 5, 6, 7)


def table_distances_cm() -> Floats:
    """Return the distances (151,) of the entries in centimetres."""
    return np.arange(ENTRIES) / 10.0


def _equation_3(distance_cm: Floats, powers: Sequence[int] = CONSECUTIVE_POWERS) -> Floats:
    """Return the polynomial of equation (3) at distances in centimetres.

    With ``CONSECUTIVE_POWERS`` it falls as figure 8 shows, up to 7.3 cm, beyond which the rounding
    of its last coefficients lets it grow.
    """
    out = np.zeros_like(distance_cm)
    for coefficient, power in zip(COEFFICIENTS, powers, strict=True):
        term = np.full_like(distance_cm, coefficient)
        for _ in range(power):
            term = term * distance_cm
        out = out + term
    return out


def exponential(distance_cm: Floats, a: float, b: float) -> Floats:
    """Return a * exp(-b * distance), the model of figure 8(c); distances in centimetres."""
    return np.array([a * exp(-b * d) for d in distance_cm])


def _clipped(readings: Floats) -> Floats:
    """Return readings within [0, the first of them]: nothing reads less than nothing there."""
    return np.clip(readings, 0.0, max(0.0, float(readings[0])))

# Reading at 0, 1 … 150 mm.
EXPONENTIAL = (
    30.176144, 29.812503, 29.453245, 29.098316, 28.747664, 28.401238, 28.058986, 27.720858,
    27.386806, 27.056778, 26.730728, 26.408607, 26.090368, 25.775963, 25.465348, 25.158475,
    24.855300, 24.555779, 24.259868, 23.967522, 23.678699, 23.393357, 23.111453, 22.832946,
    22.557795, 22.285961, 22.017402, 21.752079, 21.489953, 21.230987, 20.975141, 20.722378,
    20.472661, 20.225953, 19.982218, 19.741421, 19.503525, 19.268496, 19.036299, 18.806900,
    18.580266, 18.356363, 18.135158, 17.916618, 17.700712, 17.487408, 17.276675, 17.068480,
    16.862795, 16.659588, 16.458831, 16.260492, 16.064543, 15.870956, 15.679702, 15.490752,
    15.304079, 15.119656, 14.937455, 14.757450, 14.579614, 14.403921, 14.230345, 14.058861,
    13.889443, 13.722067, 13.556708, 13.393342, 13.231944, 13.072491, 12.914960, 12.759327,
    12.605570, 12.453665, 12.303591, 12.155325, 12.008846, 11.864133, 11.721163, 11.579916,
    11.440371, 11.302508, 11.166306, 11.031745, 10.898806, 10.767469, 10.637715, 10.509524,
    10.382878, 10.257758, 10.134146, 10.012024, 9.891373, 9.772176, 9.654415, 9.538074,
    9.423134, 9.309580, 9.197394, 9.086560, 8.977062, 8.868883, 8.762007, 8.656420,
    8.552105, 8.449047, 8.347231, 8.246642, 8.147265, 8.049086, 7.952089, 7.856262,
    7.761589, 7.668058, 7.575653, 7.484362, 7.394171, 7.305067, 7.217036, 7.130067,
    7.044145, 6.959259, 6.875396, 6.792543, 6.710689, 6.629821, 6.549928, 6.470997,
    6.393018, 6.315978, 6.239867, 6.164673, 6.090385, 6.016992, 5.944484, 5.872849,
    5.802078, 5.732160, 5.663084, 5.594840, 5.527419, 5.460810, 5.395004, 5.329991,
    5.265762, 5.202306, 5.139615, 5.077680, 5.016491, 4.956039, 4.896316,
)

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


class _Averages(NamedTuple):
    """Sampled readings after the two averaging steps."""

    surface_distance: Floats  # (D, A) m, mean of each bin, NaN where nothing was sampled
    surface_reading: Floats  # (D, A) figure 8(a): bins of distance and angle
    distance: Floats  # (K,) m, rising
    reading: Floats  # (K,) figure 8(b)


def average_readings(samples: ArrayLike, sensor_angles: ArrayLike,
                     distances: ArrayLike = SAMPLE_DISTANCES, radius: float = S_BOT_RADIUS,
                     distance_bin: float = 0.01, angle_bin: float = ORIENTATION_STEP,
                     range_max: float = TABLE_RANGE) -> _Averages:
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
    return _Averages(surface_distance, surface_reading,
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
        return _clipped(exponential(table_distances_cm(),
                                    *fit_exponential(averages.distance, averages.reading)))
    if model == 'polynomial':
        coefficients = fit_polynomial(averages.distance, averages.reading)
        curve = np.polynomial.polynomial.polyval(table_distances_cm(), coefficients)
        return _clipped(np.asarray(curve, np.float64))
    raise bad_value('model', model, 'exponential or polynomial')

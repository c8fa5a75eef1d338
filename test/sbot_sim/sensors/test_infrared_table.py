"""Curves of infrared readings: equation (3) of document 002 term by term, exponentials, bounds."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot_common.errors import InputError
from sbot_sim.sensors.infrared import SENSOR_ANGLES, SENSOR_DEGREES
from sbot_sim.sensors.infrared_table import (
    CONSECUTIVE_POWERS,
    ORIENTATIONS,
    PRINTED_POWERS,
    SAMPLE_DISTANCES,
    TABLE_RANGE,
    TABLES,
    _equation_3,
    _read_table,
    average_readings,
    distance_to_wall,
    exponential,
    fit_exponential,
    fit_polynomial,
    load_table,
    named_table,
    sampling_angle,
    table_distances_cm,
    table_from_samples,
)
from sbot_sim.world.bodies import S_BOT_RADIUS


@pytest.mark.parametrize('name', TABLES)
def test_tables_have_151_readings_between_0_and_the_first(name):
    table = named_table(name)
    assert table.shape == (151,)
    assert table.min() >= 0.0
    assert table.max() == table[0]


def test_the_committed_numbers_are_the_fit_to_the_polynomial():
    cm = np.arange(71) / 10
    a, b = fit_exponential(cm / 100, _equation_3(cm))
    assert a == pytest.approx(30.18, abs=0.005)
    assert b == pytest.approx(0.1212, abs=0.00005)
    np.testing.assert_allclose(named_table('exponential'),
                               exponential(table_distances_cm(), a, b), atol=2e-6)


def test_the_polynomials_are_those_of_the_errata():
    smooth = _equation_3(np.array([0.0, 7.3]), CONSECUTIVE_POWERS)
    assert smooth == pytest.approx([35.76, 11.2], abs=0.01)
    assert (np.diff(_equation_3(np.arange(74) / 10, CONSECUTIVE_POWERS)) < 0).all()
    d = 2.0
    by_hand = (35.76 - 16.01 * d**2 + 6.15 * d**3 - 0.8072 * d**4 - 0.0632 * d**5
               + 0.0261 * d**6 - 0.0026 * d**7 + 0.0001 * d**8)
    assert _equation_3(np.array([d]), PRINTED_POWERS)[0] == pytest.approx(by_hand, abs=1e-12)


def test_a_file_of_readings(tmp_path):
    path = tmp_path / 'table.txt'
    numbers = [30 * math.exp(-i / 80) for i in range(151)]
    path.write_text('# mine\n' + '\n'.join(f'{v!r} # at {i} mm' for i, v in enumerate(numbers)))
    np.testing.assert_array_equal(_read_table(path), numbers)
    np.testing.assert_array_equal(load_table(str(tmp_path / 'table.txt')), numbers)


@pytest.mark.parametrize(('text', 'words'), [
    ('1 2 3', r'table.txt: got 3, expected 151 readings'),
    ('1\n2\nx', r"table.txt:3: got 'x', expected a finite number >= 0"),
    ('1\n-2', r"table.txt:2: got '-2'"),
    ('nan', r"table.txt:1: got 'nan'"),
    ('1 ' * 152, r'got 152')])
def test_bad_files_are_named(tmp_path, text, words):
    path = tmp_path / 'table.txt'
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        _read_table(path)


def test_the_table_has_an_entry_a_millimetre():
    distances = table_distances_cm()
    np.testing.assert_allclose(np.diff(distances), 0.1, atol=1e-12)
    assert distances[-1] / 100 == TABLE_RANGE


def samples_of(reading, count=3):
    """Samples as measured with a noise-free sensor: ``reading(way in m)``."""
    out = np.zeros((len(SAMPLE_DISTANCES), ORIENTATIONS, len(SENSOR_ANGLES), count))
    for i, d in enumerate(SAMPLE_DISTANCES):
        for m in range(ORIENTATIONS):
            for n, beta in enumerate(SENSOR_ANGLES):
                way = distance_to_wall(d, sampling_angle(m + 1, beta))
                if 0 <= way < 0.5:
                    # The samples of one place differ; their mean is the reading.
                    out[i, m, n] = reading(way) + np.arange(count) - (count - 1) / 2
    return out


def test_equation_1():
    assert sampling_angle(1, 0.0) == -math.pi  # θ_0 = -180 degrees
    assert sampling_angle(19, 0.0) == pytest.approx(0.0, abs=1e-15)
    assert sampling_angle(36, 0.0) == pytest.approx(math.radians(170))
    assert sampling_angle(2, math.radians(326)) == pytest.approx(math.radians(156))


@given(st.floats(0.08, 0.33), st.floats(-1.5, 1.5))
def test_equation_2_is_the_way_along_the_beam(d, phi):
    # A wall along y at x = d: the beam from the rim at angle Φ meets it after this way.
    way = distance_to_wall(d, phi)
    assert (S_BOT_RADIUS + way) * math.cos(phi) == pytest.approx(d, rel=1e-12)
    assert way == pytest.approx(distance_to_wall(d, -phi))


def test_averaging_first_over_sensors_then_over_angles():
    averages = average_readings(samples_of(lambda way: 7.0 - 20 * way), SENSOR_ANGLES)
    assert averages.surface_reading.shape == (15, 18)
    # A linear law survives averaging exactly, distances being averaged alike.
    np.testing.assert_allclose(averages.reading, 7.0 - 20 * averages.distance, atol=1e-12)
    assert (np.diff(averages.distance) > 0).all()
    assert averages.distance[0] >= 0.0
    assert averages.distance[-1] <= 0.15
    known = np.isfinite(averages.surface_reading)
    np.testing.assert_allclose(averages.surface_reading[known],
                               7.0 - 20 * averages.surface_distance[known], atol=1e-12)


def test_an_exponential_sensor_is_recovered():
    table = table_from_samples(samples_of(lambda way: 25 * math.exp(-10 * way)), SENSOR_ANGLES)
    # Averaging over bins of 1 cm bends the curve by less than one part in a thousand.
    np.testing.assert_allclose(table, exponential(table_distances_cm(), 25.0, 0.10), rtol=2e-3)


def test_a_polynomial_sensor_is_recovered():
    coefficients = np.array([30.0, -4.0, 0.2, -0.003])
    law = np.polynomial.polynomial.Polynomial(coefficients)
    cm = np.linspace(0, 15, 40)
    np.testing.assert_allclose(fit_polynomial(cm / 100, law(cm), 3), coefficients, rtol=1e-9)
    table = table_from_samples(samples_of(lambda way: law(100 * way)), SENSOR_ANGLES, 'polynomial')
    # Averaging bends the curve a little, and 0 to 2 cm is beyond what can be sampled.
    np.testing.assert_allclose(table, law(table_distances_cm()), atol=0.25)


def test_the_documents_coefficients_come_back_from_its_curve():
    cm = np.arange(71) / 10
    found = fit_polynomial(cm / 100, _equation_3(cm))
    np.testing.assert_allclose(_equation_3(cm), np.polynomial.polynomial.polyval(cm, found),
                               atol=1e-9)


def test_levenberg_marquardt_needs_no_good_start():
    cm = np.arange(151) / 10
    a, b = fit_exponential(cm / 100, 1200 * np.exp(-0.9 * cm))
    assert (a, b) == pytest.approx((1200, 0.9))


@pytest.mark.parametrize(('samples', 'words'), [
    (np.zeros((26, 36, 15)), r'samples: got \(26, 36, 15\)'),
    (np.zeros((25, 36, 15, 1)), r'26 distances'),
    (np.full((26, 36, 15, 1), math.nan), 'not finite')])
def test_bad_samples_are_named(samples, words):
    with pytest.raises(InputError, match=words):
        average_readings(samples, SENSOR_ANGLES)


def test_without_scipy_a_fit_is_refused_in_one_line_and_a_polynomial_needs_none(monkeypatch):
    monkeypatch.setitem(sys.modules, 'scipy.optimize', None)
    cm = np.arange(1.0, 14.0)
    with pytest.raises(InputError, match=r"^fit_exponential\(\) needs scipy: .*'\.\[fit\]'"):
        fit_exponential(cm / 100, 1200 * np.exp(-0.9 * cm))
    assert fit_polynomial(cm / 100, cm, 2)[1] == pytest.approx(1.0)


PAGE = (Path(__file__).parents[3] / 'docs' / 'sensors.md').read_text('utf-8')


def test_the_page_tells_the_angles_and_tables():
    assert ' | '.join(str(d) for d in SENSOR_DEGREES) in PAGE
    for name in TABLES:
        assert f'| `{name}` |' in PAGE
    zero = table_distances_cm()[named_table('as_printed') == 0]
    assert f'0 from {zero.min():.1f} cm to {zero.max():.1f} cm' in PAGE

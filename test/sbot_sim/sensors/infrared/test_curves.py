"""Curves of infrared readings: equation (3) of document 002 term by term, exponentials, bounds."""

import math

import numpy as np
import pytest

from sbot_sim.sensors.infrared.curves import (
    COEFFICIENTS,
    CONSECUTIVE_POWERS,
    PRINTED_POWERS,
    TABLE_RANGE,
    clipped,
    equation_3,
    exponential,
    table_distances_cm,
)


def test_the_table_has_an_entry_a_millimetre():
    distances = table_distances_cm()
    np.testing.assert_allclose(np.diff(distances), 0.1, atol=1e-12)
    assert distances[-1] / 100 == TABLE_RANGE


@pytest.mark.parametrize('powers', [CONSECUTIVE_POWERS, PRINTED_POWERS])
def test_equation_3_is_the_sum_of_its_terms(powers):
    distances = np.array([0.0, 1.0, 2.5, 7.3])
    expected = [math.fsum(c * d ** p for c, p in zip(COEFFICIENTS, powers, strict=True))
                for d in distances]
    np.testing.assert_allclose(equation_3(distances, powers), expected, rtol=1e-12)


def test_consecutive_powers_fall_as_figure_8_does_and_printed_ones_below_zero():
    near = np.arange(0.0, 7.3, 0.1)
    assert (np.diff(equation_3(near)) < 0.0).all()
    assert equation_3(near).min() > 0.0
    assert equation_3(near, PRINTED_POWERS).min() < -100.0


def test_an_exponential_halves_at_its_half_length():
    values = exponential(np.array([0.0, math.log(2.0) / 0.4]), 30.0, 0.4)
    np.testing.assert_allclose(values, [30.0, 15.0], rtol=1e-12)


def test_nothing_reads_less_than_nothing_or_more_than_at_contact():
    assert clipped(np.array([20.0, 25.0, 3.0, -1.0])).tolist() == [20.0, 20.0, 3.0, 0.0]
    assert clipped(np.array([-5.0, 3.0])).tolist() == [0.0, 0.0]

"""Velocity command from force, document 001 section 13."""

import math

import pytest

from potential_field_bot.velocity import angular_velocity, linear_velocity, sgn


def test_signs():
    assert [sgn(value) for value in (-2.0, 0.0, 3.0, math.nan)] == [-1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize(('theta', 'omega'), [(0.5, 1.0), (-0.5, -1.0), (9.0, 3.0), (-9.0, -3.0)])
def test_the_turning_speed_is_capped_on_both_sides(theta, omega):
    assert angular_velocity(2.0, theta, 3.0) == omega


def test_nothing_drives_backwards_and_nothing_faster_than_allowed():
    assert linear_velocity(0.1, 3.0, 4.0, 0.0, 2.0) == pytest.approx(0.5)
    assert linear_velocity(9.0, 3.0, 4.0, 0.0, 2.0) == 2.0
    assert linear_velocity(9.0, 3.0, 4.0, 2.0, 2.0) == 0.0

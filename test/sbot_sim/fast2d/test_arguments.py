"""Arguments of Fast2D's functions: finite numbers, near places, weights whose sum is 1."""

import math

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_sim.fast2d.arguments import MOST_RAYS, checked_weights, coordinate, number, ray_count
from sbot_sim.fast2d.shapes import FARTHEST


class Odd:
    def __float__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize('value', [math.nan, math.inf, '1', [1.0, 2.0], 10**400, Odd(), None])
def test_only_finite_numbers_are_numbers(value):
    assert number('step', 'dt', np.float32(0.5)) == 0.5
    with pytest.raises(InputError, match=r'webots_fast2d_step: dt: .*expected a finite number'):
        number('step', 'dt', value)


def test_places_are_not_too_far():
    assert coordinate('f', 'x', -FARTHEST) == -FARTHEST
    with pytest.raises(InputError, match='x: '):
        coordinate('f', 'x', math.nextafter(FARTHEST, math.inf))


@pytest.mark.parametrize('count', [0, MOST_RAYS + 1, True, 1.0])
def test_counts_of_rays(count):
    assert ray_count('f', np.int64(3)) == 3
    with pytest.raises(InputError, match='num_rays'):
        ray_count('f', count)


@pytest.mark.parametrize('weights', [[1.0], [0.5, 0.4], [1.5, -0.5], [0.5, 0.25, 0.25], 3, 'ab'])
def test_weights(weights):
    assert checked_weights('f', 2, iter([0.25, 0.75])) == (0.25, 0.75)
    with pytest.raises(InputError, match='ray_weights'):
        checked_weights('f', 2, weights)

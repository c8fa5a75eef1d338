"""Handles of objects and sensors."""

import math

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_sim.fast2d.handles import (
    MOST_RAYS,
    Handles,
    checked_weights,
    coordinate,
    number,
    ray_count,
)
from sbot_sim.fast2d.scene import FARTHEST, Sensor


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


def test_objects_are_counted_by_kind_and_belong_to_one_world():
    handles, others = Handles(), Handles()
    robot, solid, second = handles.new_robot(), handles.new_solid(), handles.new_robot()
    assert list(map(repr, (robot, solid, second))) == ['<robot 0>', '<solid 0>', '<robot 1>']
    assert handles.find('step', solid).mass == math.inf
    assert others.get(robot) is None
    with pytest.raises(InputError, match=r'object: got .*, expected a robot or solid of this'):
        others.find('step', robot)


def test_a_sensor_goes_with_the_robot_that_carries_it():
    handles = Handles()
    first, second = (handles.find('step', handles.new_robot()) for _ in range(2))
    sensor = Sensor(0.0, 0.0, 0.0, 1.0, 0.0, [1.0])
    reference = handles.new_sensor(first, sensor)
    assert repr(reference) == '<sensor 0 of robot 0>'
    handles.give(reference, second)
    handles.give(reference, second)
    assert (first.sensors, second.sensors) == ([], [sensor])
    assert handles.sensor('step', reference) == (second, sensor)
    with pytest.raises(InputError, match='sensor: got 3, expected a sensor of this world'):
        handles.sensor('step', 3)

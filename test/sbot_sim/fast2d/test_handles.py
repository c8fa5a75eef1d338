"""Handles of objects and sensors."""

import math

import pytest

from sbot_common.errors import InputError
from sbot_sim.fast2d.handles import Handles
from sbot_sim.fast2d.scene import Sensor


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

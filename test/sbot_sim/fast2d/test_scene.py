"""Fast2D's objects as arrays: what moves, what stands still, and the order of both."""

import math

import numpy as np
import pytest

from sbot_sim.fast2d.scene import Object, Sensor, make_indexed
from sbot_sim.fast2d.shapes import disc, rectangle

BOX = rectangle([0, 1, 1, 0], [0, 0, 0.5, 0.5], '')  # centre at (0.5, 0.25)


def body(name, shape, pose, robot=True, mass=1.0):
    return Object(name, robot, mass, shape, list(pose), added=True)


def test_robots_and_what_has_a_finite_mass_move():
    objects = [body('wall', BOX, (3, 3, 0), False, math.inf), body('a', disc(0.2, ''), (0, 0, 0)),
               body('crate', BOX, (5, 5, 0), False, 4.0),
               body('post', disc(0.1, ''), (8, 8, 0), False, math.inf)]
    indexed = make_indexed(objects)
    assert indexed.names == ['a', 'crate', 'wall', 'post']
    assert [each.row for each in objects] == [-1, 0, 1, -1]
    np.testing.assert_array_equal(indexed.shapes.inverse_mass, [1.0, 0.25])
    assert len(indexed.fixed.boxes) == 2


def test_fixed_objects_stand_where_their_shapes_are_not_their_origins():
    indexed = make_indexed([body('turned', BOX, (3, 3, math.pi / 2), False, math.inf),
                            body('post', disc(0.1, ''), (8, 8, 0), False, math.inf)])
    rectangle_row, disc_row = indexed.fixed.boxes
    np.testing.assert_allclose(rectangle_row[:2], [3 - 0.25, 3 + 0.5], atol=1e-12)
    np.testing.assert_allclose(disc_row[[0, 1, 6]], [8, 8, 0.1])
    assert np.isinf(indexed.fixed.bounds).all(), 'there are no walls around'


def test_sensors_of_all_robots_have_rows():
    robot = body('a', disc(0.2, ''), (0, 0, 0))
    other = body('b', disc(0.2, ''), (2, 0, 0))
    robot.sensors = [Sensor(0.1, 0, 0, 1.5, 0.5, (1.0,)), Sensor(0, 0.1, 0, 2.5, 0.5, (0.5, 0.5))]
    other.sensors = [Sensor(0, 0, 0, 0.5, 0.5, (1.0,))]
    indexed = make_indexed([robot, other])
    assert sorted(each.row for each in (*robot.sensors, *other.sensors)) == [0, 1, 2]
    # Of each robot, from its centre: the second sensor is mounted 0.1 m off it.
    np.testing.assert_allclose(indexed.sensors.reach, [2.6, 0.5])
    assert indexed.scene.reach == pytest.approx(2.6)


def test_an_empty_scene_has_arrays():
    indexed = make_indexed([])
    assert indexed.names == []
    assert len(indexed.shapes.inverse_mass) == len(indexed.fixed.boxes) == 0
    with pytest.raises(ValueError, match='a has no shape'):
        make_indexed([Object('a', True, 1.0)])

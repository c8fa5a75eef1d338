"""Fast2D's objects as arrays: what moves, what stands still, and the order of both."""

import math

import numpy as np
import pytest

from sbot_sim.fast2d.scene import Object, Sensor, disc, make_indexed, rectangle


def corners(width, height, x=0.0, y=0.0, yaw=0.0, first=0):
    c, s = math.cos(yaw), math.sin(yaw)
    flat = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    flat = flat[first:] + flat[:first]
    half = [(0.5 * width * u, 0.5 * height * v) for u, v in flat]
    return zip(*[(x + c * u - s * v, y + s * u + c * v) for u, v in half], strict=True)


@pytest.mark.parametrize('first', range(4))
@pytest.mark.parametrize('yaw', [0.0, 0.3, -0.7, math.pi / 2, 3.0])
def test_a_rectangle_is_the_same_from_any_corner_on(first, yaw):
    shape = rectangle(*corners(2.0, 1.0, 0.5, -0.25, yaw, first), 'here')
    assert (shape.x, shape.y) == (pytest.approx(0.5), pytest.approx(-0.25))
    assert abs(shape.yaw) <= math.pi / 4 + 1e-9, 'the width is the side nearer to the x axis'
    assert {round(2 * shape.half_width, 9), round(2 * shape.half_height, 9)} == {2.0, 1.0}
    assert shape.around == pytest.approx(math.hypot(1.0, 0.5))
    assert shape.within == pytest.approx(0.5)


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

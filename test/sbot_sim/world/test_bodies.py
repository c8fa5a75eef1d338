import math

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_sim.dynamics.motion import drive
from sbot_sim.world.bodies import ROBOT, S_BOT, BodyArrays, _make_shapes, share_equally
from sbot_sim.world.moving import make_box


def test_s_bot_has_the_values_of_table_1():
    assert (S_BOT.radius, S_BOT.collision_distance) == (0.058, 0.03)
    assert S_BOT.safety_radius == pytest.approx(0.088, abs=1e-15)
    assert (S_BOT.wheel_distance, S_BOT.wheel_radius, S_BOT.max_wheel_speed) == (0.095, 0.02, 4.0)


def test_robot_never_saturates_at_the_controllers_fastest_command():
    arrays = BodyArrays.of([ROBOT, ROBOT])
    twist = np.array([[2.0, 0.0, math.pi], [2.0, 0.0, -math.pi]])
    wheels = drive(arrays, twist).rim.T / ROBOT.wheel_radius
    half = math.pi * ROBOT.wheel_distance / 2
    np.testing.assert_allclose(wheels[0], [(2 - half) / 0.1, (2 + half) / 0.1], rtol=1e-15)
    assert np.abs(wheels).max() < ROBOT.max_wheel_speed


@pytest.mark.parametrize(('given', 'message'), [
    ({'radius': -1.0}, r'bodies\.x\.radius: got -1\.0, expected a finite number > 0 \(m\)'),
    ({'radius': 0.0}, 'radius'),
    ({'drive': 'legs'}, 'one of wheels, ackermann, impulse, omnidirectional'),
    ({'raduis': 1.0}, "did you mean 'radius'"),
    ({'name': 'y'}, "unknown name 'name'"),
    ({'mass': math.nan}, 'mass'),
    ({'max_steering_angle': 0.0}, 'max_steering_angle'),
    ({'max_steering_angle': 1.6}, 'max_steering_angle'),
    ({'wheelbase': -0.1}, 'wheelbase')])
def test_bad_values_of_a_body_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        ROBOT.updated(given, 'bodies.x.{}'.format)


CART = ROBOT._replace(length=0.9, width=0.4, offset=0.2, collision_distance=0.05)


def test_discs_alone_share_equally_and_boxes_by_their_masses():
    assert _make_shapes([ROBOT, S_BOT]).equal_discs
    assert not _make_shapes([ROBOT, CART]).equal_discs
    heavy = _make_shapes([ROBOT], [make_box(0.0, 0.0, 0.2, 1.0)])
    assert not heavy.equal_discs
    for shapes in (_make_shapes([ROBOT, S_BOT]), _make_shapes([ROBOT, CART]), heavy):
        assert share_equally.py_func(shapes) == shapes.equal_discs
    np.testing.assert_allclose(heavy.inverse_mass, [0.1, 1.0])
    assert heavy.turn[0] == 0.0 < heavy.turn[1]
    np.testing.assert_allclose(heavy.step_radius, [0.2, 0.2])


def test_what_is_kept_free_is_part_of_the_shape_but_not_of_the_body():
    shapes = _make_shapes([CART, S_BOT])
    np.testing.assert_allclose(shapes.half_size, [[0.45, 0.2], [0, 0]])
    np.testing.assert_allclose(shapes.size, [[0.5, 0.25, 0], [0, 0, 0.088]])
    np.testing.assert_allclose(shapes.inner_radius, [0.25, 0.088])
    assert shapes.outer_radius == pytest.approx([np.hypot(0.5, 0.25), 0.088])


BODY_ARRAYS_CART = ROBOT._replace(length=0.9, width=0.4, offset=0.2, collision_distance=0.05)


def test_rows_of_some_and_of_several_worlds():
    one, other = BodyArrays.of([ROBOT, BODY_ARRAYS_CART]), BodyArrays.of([S_BOT, ROBOT])
    both = BodyArrays.joined([one, other])
    for part, rows in ((one, slice(2)), (other, slice(2, 4))):
        chosen = both.select(rows)
        for a, b in zip((*chosen[:-1], *chosen.shape), (*part[:-1], *part.shape), strict=True):
            np.testing.assert_array_equal(a, b)

import math

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_sim.dynamics.motion import drive
from sbot_sim.world.bodies import ROBOT, S_BOT, updated_body
from sbot_sim.world.body_arrays import body_arrays


def test_s_bot_has_the_values_of_table_1():
    assert (S_BOT.radius, S_BOT.collision_distance) == (0.058, 0.03)
    assert S_BOT.safety_radius == pytest.approx(0.088, abs=1e-15)
    assert (S_BOT.wheel_distance, S_BOT.wheel_radius, S_BOT.max_wheel_speed) == (0.095, 0.02, 4.0)


def test_robot_never_saturates_at_the_controllers_fastest_command():
    arrays = body_arrays([ROBOT, ROBOT])
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
    ({'wheelbase': -0.1}, 'wheelbase'),
])
def test_bad_values_of_a_body_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        updated_body(ROBOT, given, 'bodies.x.{}'.format)

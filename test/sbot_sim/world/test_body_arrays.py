"""Robot bodies as arrays: a row a robot, and the rows of several worlds."""

import numpy as np

from sbot_sim.drives.registry import NAMES
from sbot_sim.world.bodies import ROBOT, S_BOT
from sbot_sim.world.body_arrays import bodies_of_worlds, body_arrays, select_bodies

CART = ROBOT._replace(length=0.9, width=0.4, offset=0.2, collision_distance=0.05)


def test_body_arrays_hold_a_row_a_robot():
    arrays = body_arrays([S_BOT, ROBOT._replace(drive='impulse')])
    np.testing.assert_array_equal(arrays.radius, [0.058, 0.3])
    np.testing.assert_array_equal(arrays.drive, [0, NAMES.index('impulse')])
    np.testing.assert_allclose(arrays.safety_radius, [0.088, 0.3], atol=1e-15)
    one = select_bodies(arrays, np.array([False, True]))
    np.testing.assert_array_equal(one.mass, [ROBOT.mass])
    assert len(body_arrays([]).radius) == 0


def test_rows_of_some_and_of_several_worlds():
    one, other = body_arrays([ROBOT, CART]), body_arrays([S_BOT, ROBOT])
    both = bodies_of_worlds([one, other])
    for part, rows in ((one, slice(2)), (other, slice(2, 4))):
        chosen = select_bodies(both, rows)
        for a, b in zip((*chosen[:-1], *chosen.shape), (*part[:-1], *part.shape), strict=True):
            np.testing.assert_array_equal(a, b)

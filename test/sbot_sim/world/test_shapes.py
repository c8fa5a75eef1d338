"""Shapes of bodies as arrays: sizes with what is kept free, masses, and who is a disc."""

import numpy as np
import pytest

from sbot_sim.world.bodies import ROBOT, S_BOT
from sbot_sim.world.boxes import make_box
from sbot_sim.world.shapes import make_shapes, rectangle_of, share_equally

CART = ROBOT._replace(length=0.9, width=0.4, offset=0.2, collision_distance=0.05)


def test_discs_alone_share_equally_and_boxes_by_their_masses():
    assert make_shapes([ROBOT, S_BOT]).equal_discs
    assert not make_shapes([ROBOT, CART]).equal_discs
    heavy = make_shapes([ROBOT], [make_box(0.0, 0.0, 0.2, 1.0)])
    assert not heavy.equal_discs
    for shapes in (make_shapes([ROBOT, S_BOT]), make_shapes([ROBOT, CART]), heavy):
        assert share_equally.py_func(shapes) == shapes.equal_discs
    np.testing.assert_allclose(heavy.inverse_mass, [0.1, 1.0])
    assert heavy.turn[0] == 0.0 < heavy.turn[1]
    np.testing.assert_allclose(heavy.step_radius, [0.2, 0.2])


def test_what_is_kept_free_is_part_of_the_shape_but_not_of_the_body():
    shapes = make_shapes([CART, S_BOT])
    np.testing.assert_allclose(shapes.half_size, [[0.45, 0.2], [0, 0]])
    np.testing.assert_allclose(shapes.size, [[0.5, 0.25, 0], [0, 0, 0.088]])
    np.testing.assert_allclose(shapes.inner_radius, [0.25, 0.088])
    assert shapes.outer_radius == pytest.approx([np.hypot(0.5, 0.25), 0.088])


def test_sizes_by_robot():
    shapes = make_shapes([CART, ROBOT])
    assert rectangle_of(shapes, 0) == (0.9, 0.4, 0.2)
    assert rectangle_of(shapes, 1) is None

import math

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_sim.collision.placement import placement_error, placement_errors
from sbot_sim.world.bodies import ROBOT, S_BOT
from sbot_sim.world.body_arrays import body_arrays
from sbot_sim.world.geometry import make_world, rectangle_corners

BOUNDS = (-5.0, -4.0, 5.0, 4.0)


def test_segments_are_walls_then_free_segments_then_sides():
    world = make_world(BOUNDS, [(0, 0, 1, 1)], [(2, 2, 0.5)], [(-2, -2, 2, 1, 0.3)])
    assert world.segments.shape == (9, 4)
    np.testing.assert_array_equal(world.segments[0], [-5, -4, 5, -4])
    np.testing.assert_array_equal(world.free_segments, [[0, 0, 1, 1]])
    corners = rectangle_corners(world.rectangles[0])
    np.testing.assert_array_equal(world.segments[5:, :2], corners)
    np.testing.assert_array_equal(world.segments[5:, 2:], np.roll(corners, -1, axis=0))


def test_corners_are_counter_clockwise_and_rotated():
    corners = rectangle_corners([1.0, 2.0, 4.0, 2.0, math.pi / 2])
    np.testing.assert_allclose(corners, [[2, 0], [2, 4], [0, 4], [0, 0]], atol=1e-15)
    x, y = corners.T
    area = 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
    assert area == pytest.approx(8.0)


def test_empty_world():
    world = make_world(BOUNDS)
    assert world.segments.shape == (4, 4)
    assert world.circles.shape == (0, 3)
    assert world.rectangles.shape == (0, 5)
    assert len(world.free_segments) == 0


@pytest.mark.parametrize(('arguments', 'message'), [
    (((1.0, 0.0, 1.0, 2.0),), 'xmin < xmax'),
    (((0.0, 0.0, 1.0),), r'bounds\[0\]: got \[0\.0, 0\.0, 1\.0\], expected 4 finite numbers'),
    ((BOUNDS, [(0, 0, 1, 1), (1, 1, 1, 1)]), r'segments\[1\].*two different ends'),
    ((BOUNDS, [(0, 0, 1, math.nan)]), r'segments\[0\]'),
    ((BOUNDS, [], [(0, 0, 0)]), r'circles\[0\]\.radius: got 0\.0'),
    ((BOUNDS, [], [], [(0, 0, 1, -1, 0)]), r'rectangles\[0\]: got width 1 and height -1'),
    ((BOUNDS, 3), 'segments'),
    ((BOUNDS, [('a', 0, 1, 1)]), r'segments\[0\]'),
])
def test_bad_world_is_refused_naming_the_row(arguments, message):
    with pytest.raises(InputError, match=message):
        make_world(*arguments)


@pytest.mark.parametrize(('xy', 'message'), [
    ((4.95, 0.0), r'robot 0 at \(4\.95, 0\).*0\.038 m too near to the bound xmax = 5'),
    ((9.0, 0.0), 'bound xmax'),
    ((0.5, 0.45), r'segments\[0\] from \(0, 0\) to \(1, 1\)'),
    ((2.0, 2.0), r'circles\[0\]'),
    ((-2.0, -2.0), r'rectangles\[0\] at \(-2, -2\) of 2 x 1'),
    ((3.0, -2.0), r'polygons\[0\] with a corner at \(2, -3\)'),
    ((math.nan, 0.0), 'not finite'),
    ((-4.0, 3.1), r'robot 1 at \(-4, 3\)'),
])
def test_placement_error_says_who_where_and_why(xy, message):
    world = make_world(BOUNDS, [(0, 0, 1, 1)], [(2, 2, 0.5)], [(-2, -2, 2, 1, 0.3)],
                       polygons=[[(2, -3), (4, -3), (3, -1.9)]])
    bodies = body_arrays([S_BOT, S_BOT])
    pose = np.array([[*xy, 0.0], [-4.0, 3.0, 0.0]])
    error = placement_error(world, bodies, pose)
    assert error is not None
    assert len(placement_errors(world, bodies, pose)) == 1
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(error)


def test_free_placement_has_no_error_and_touching_is_free():
    world = make_world(BOUNDS)
    bodies = body_arrays([ROBOT, ROBOT])
    assert placement_error(world, bodies, np.array([[-4.7, 0, 0], [-4.1, 0, 0.0]])) is None

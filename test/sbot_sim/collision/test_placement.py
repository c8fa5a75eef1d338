"""Messages about robots that stand where they cannot: who, how deep, and in what."""

import math

import numpy as np
import pytest

from sbot_sim.collision.placement import placement_error, placement_errors
from sbot_sim.world.bodies import ROBOT
from sbot_sim.world.body_arrays import body_arrays
from sbot_sim.world.boxes import make_box
from sbot_sim.world.geometry import make_world

BODY = ROBOT._replace(radius=0.25)
WORLD = make_world((0, 0, 10, 10), segments=[[5, 0, 5, 4]], circles=[[2, 8, 0.5]],
                   rectangles=[[8, 8, 1.0, 2.0, 0.0]], polygons=[[[7, 2], [9, 2], [8, 4]]])


def errors(*poses, boxes=()):
    bodies = body_arrays([BODY] * (len(poses) - len(boxes)), boxes)
    return placement_errors(WORLD, bodies, np.array(poses, float), len(poses) - len(boxes))


@pytest.mark.parametrize(('pose', 'depth', 'what'), [
    ((0.15, 5, 0), '0.1', 'the bound xmin = 0'),
    ((5, 9.85, 0), '0.1', 'the bound ymax = 10'),
    ((5.15, 2, 0), '0.1', 'segments[0] from (5, 0) to (5, 4)'),
    ((2, 7.3, 0), '0.05', 'circles[0] at (2, 8) of radius 0.5'),
    ((7.3, 8, 0), '0.05', 'rectangles[0] at (8, 8) of 1 x 2'),
    ((8, 1.8, 0), '0.05', 'polygons[0] with a corner at (7, 2)')])
def test_the_object_is_named_with_its_numbers(pose, depth, what):
    line, = errors(pose)
    who = f'robot 0 at ({pose[0]:g}, {pose[1]:g}), collision radius 0.25 m'
    assert line == f'{who}, is {depth} m too near to {what}'


def test_robots_and_boxes_are_told_apart():
    box = make_box(0.4, 0.4, 0.0, 1.0)
    lines = errors((2, 2, 0), (2.4, 2, 0), (2, 2.4, 0), boxes=[box])
    assert lines == [
        'robot 0 at (2, 2), collision radius 0.25 m, is 0.1 m too near to robot 1 at (2.4, 2)',
        'robot 0 at (2, 2), collision radius 0.25 m, is 0.05 m too near to boxes[0] at (2, 2.4)',
        *(line for line in lines if not line.startswith('robot 0'))]
    assert errors((2, 2, 0), (4, 2, 0), (3, 3, 0), boxes=[box]) == []


def test_a_pose_that_is_not_finite_is_named_before_all_else():
    lines = errors((0, 0, 0), (math.nan, 1, 0), (1, 1, math.inf))
    assert lines == ['robot 1: pose [nan, 1.0, 0.0] is not finite',
                     'robot 2: pose [1.0, 1.0, inf] is not finite']


def test_one_line_says_how_many_more_there_are():
    bodies = body_arrays([BODY] * 2)
    both = np.array([[0.1, 5, 0], [9.9, 5, 0]])
    assert placement_error(WORLD, bodies, both) == (
        'robot 0 at (0.1, 5), collision radius 0.25 m, is 0.15 m too near to the bound xmin = 0 '
        '(and 1 more)')
    assert placement_error(WORLD, bodies, np.array([[1.0, 5, 0], [9, 5, 0]])) is None

"""The judge of collisions, itself judged by shapely."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot_sim.collision.overlap import overlaps, placement_error
from sbot_sim.world.bodies import ROBOT, S_BOT, BodyArrays
from sbot_sim.world.geometry import make_world, rectangle_corners
from sbot_sim.world.moving import make_box

BOUNDS = (0.0, 0.0, 6.0, 5.0)


def brute_force(world, bodies, pose):
    """Count by shapely: distances of points from shapes, and of every pair."""
    points = shapely.points(pose[:, :2])
    radius = bodies.safety_radius
    count = 0
    for i, point in enumerate(points):
        x, y = pose[i, :2]
        xmin, ymin, xmax, ymax = world.bounds
        count += sum(radius[i] - room > 1e-9 for room in (x - xmin, y - ymin, xmax - x, ymax - y))
        solids = [shapely.LineString(row.reshape(2, 2)) for row in world.free_segments]
        solids += [shapely.Polygon(rectangle_corners(row)) for row in world.rectangles]
        count += sum(radius[i] - shape.distance(point) > 1e-9 for shape in solids)
        count += sum(radius[i] + r - math.dist((cx, cy), (x, y)) > 1e-9
                     for cx, cy, r in world.circles)
        count += sum(radius[i] + radius[j] - point.distance(points[j]) > 1e-9 for j in range(i))
    return count


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_counts_what_shapely_counts(seed):
    rng = np.random.default_rng(seed)
    world = make_world(BOUNDS, rng.uniform(0, 5, (4, 4)),
                       rng.uniform(0.1, 1, (3, 3)) * [6, 5, 1],
                       rng.uniform(0.1, 1, (3, 5)) * [6, 5, 2, 2, 3])
    bodies = BodyArrays.of([[S_BOT, ROBOT, S_BOT._replace(radius=0.9)][k]
                            for k in rng.integers(0, 3, 15)])
    pose = rng.uniform(-0.5, 6, (15, 3))
    assert overlaps(world, bodies, pose) == brute_force(world, bodies, pose)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 1e4]), st.sampled_from([0, 5, 12]))
def test_ticks_counted_together_are_those_counted_one_by_one(seed, scale, flat):
    rng = np.random.default_rng(seed)
    world = make_world([scale * side for side in BOUNDS],
                       circles=scale * rng.uniform(0.1, 1, (3, 3)) * [6, 5, 1],
                       rectangles=scale * rng.uniform(0.1, 1, (3, 5)) * [6, 5, 2, 2, 3 / scale])
    bodies = BodyArrays.of([ROBOT._replace(radius=scale * radius)
                            for radius in rng.choice([0.06, 0.3, 0.9], 12 - flat)]
                           + [ROBOT._replace(length=0.8 * scale, width=0.4 * scale)] * flat)
    poses = np.concatenate([scale * rng.uniform(-0.5, 6, (9, 12, 2)),
                            rng.uniform(-3, 3, (9, 12, 1))], 2)
    poses[4, 3, 0] = np.nan
    expected = sum(overlaps(world, bodies, pose) for pose in poses)
    assert expected > 9
    assert overlaps(world, bodies, poses) == expected


@pytest.mark.parametrize(('gap', 'count'), [(0.0, 0), (-0.9e-9, 0), (-1.1e-9, 1), (1e-3, 0)])
def test_an_overlap_is_deeper_than_a_nanometre(gap, count):
    bodies = BodyArrays.of([ROBOT, ROBOT])
    pose = np.array([[1.0, 1.0, 0.0], [1.6 + gap, 1.0, 0.0]])
    assert overlaps(make_world(BOUNDS), bodies, pose) == count


def test_lost_robots_count_and_nobody_is_fine():
    world = make_world(BOUNDS)
    pose = np.array([[1.0, 1.0, 0.0], [math.nan, 1.0, 0.0]])
    assert overlaps(world, BodyArrays.of([S_BOT] * 2), pose) == 1
    assert overlaps(world, BodyArrays.of([]), np.zeros((0, 3))) == 0


BODY = ROBOT._replace(radius=0.25)
WORLD = make_world((0, 0, 10, 10), segments=[[5, 0, 5, 4]], circles=[[2, 8, 0.5]],
                   rectangles=[[8, 8, 1.0, 2.0, 0.0]], polygons=[[[7, 2], [9, 2], [8, 4]]])


def error(*poses, boxes=()):
    bodies = BodyArrays.of([BODY] * (len(poses) - len(boxes)), boxes)
    return placement_error(WORLD, bodies, np.array(poses, float), len(poses) - len(boxes))


@pytest.mark.parametrize(('pose', 'depth', 'what'), [
    ((0.15, 5, 0), '0.1', 'the bound xmin = 0'),
    ((5, 9.85, 0), '0.1', 'the bound ymax = 10'),
    ((5.15, 2, 0), '0.1', 'segments[0] from (5, 0) to (5, 4)'),
    ((2, 7.3, 0), '0.05', 'circles[0] at (2, 8) of radius 0.5'),
    ((7.3, 8, 0), '0.05', 'rectangles[0] at (8, 8) of 1 x 2'),
    ((8, 1.8, 0), '0.05', 'polygons[0] with a corner at (7, 2)')])
def test_the_object_is_named_with_its_numbers(pose, depth, what):
    who = f'robot 0 at ({pose[0]:g}, {pose[1]:g}), collision radius 0.25 m'
    assert error(pose) == f'{who}, is {depth} m too near to {what}'


def test_robots_and_boxes_are_told_apart():
    box = make_box(0.4, 0.4, 0.0, 1.0)
    assert error((2, 2, 0), (2.4, 2, 0), (3, 3, 0), boxes=[box]) == (
        'robot 0 at (2, 2), collision radius 0.25 m, is 0.1 m too near to robot 1 at (2.4, 2)')
    assert error((2, 2, 0), (4, 2, 0), (2, 2.4, 0), boxes=[box]) == (
        'robot 0 at (2, 2), collision radius 0.25 m, is 0.05 m too near to boxes[0] at (2, 2.4)')
    assert error((2, 2, 0), (4, 2, 0), (3, 3, 0), boxes=[box]) is None


def test_a_pose_that_is_not_finite_is_named_before_all_else():
    assert error((0, 0, 0), (math.nan, 1, 0), (1, 1, math.inf)) == (
        'robot 1: pose [nan, 1.0, 0.0] is not finite (and 1 more)')


def test_one_line_says_how_many_more_there_are():
    bodies = BodyArrays.of([BODY] * 2)
    both = np.array([[0.1, 5, 0], [9.9, 5, 0]])
    assert placement_error(WORLD, bodies, both) == (
        'robot 0 at (0.1, 5), collision radius 0.25 m, is 0.15 m too near to the bound xmin = 0 '
        '(and 1 more)')
    assert placement_error(WORLD, bodies, np.array([[1.0, 5, 0], [9, 5, 0]])) is None

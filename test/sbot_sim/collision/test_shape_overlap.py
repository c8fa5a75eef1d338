"""Search for pairs that might overlap: all that do are found, and no pair twice."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from outlines import star
from solids import deepest, depth, random_bodies, random_world, rectangular, solid_of

from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.overlap import PAIR, POLYGON, Overlaps
from sbot_sim.collision.separation import separate
from sbot_sim.collision.shape_overlap import (
    _convex_depth,
    _within,
    corners_at,
    depths_of_discs_in_polygons,
    disc_depth,
    joined,
)
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.world.geometry import make_world, rectangle_corners

PLACES = st.lists(st.tuples(st.sampled_from([1.0, 1e-3, 1e4]), st.integers(-9, 9),
                            st.integers(-2, 2)), min_size=1, max_size=40)


@given(PLACES, PLACES, st.sampled_from([1e-3, 0.5, 1.0, 3.0, 1e5]))
def test_the_search_finds_what_is_within_reach_once(points, centres, reach):
    xy, c = (np.array([(scale * x, scale * y) for scale, x, y in places])
             for places in (points, centres))
    near = (np.abs(c[:, None] - xy) <= reach).all(axis=2)
    found = list(zip(*(rows.tolist() for rows in _within(xy, c, reach)), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == set(zip(*(rows.tolist() for rows in np.nonzero(near)), strict=True))


def standing(rng, world, count=24):
    """Return bodies and poses of robots that stand free."""
    bodies = random_bodies(rng, count)
    pose = np.column_stack([rng.uniform(0, 6, (count, 2)), rng.uniform(-3, 3, count)])
    while len(found := judged(world, bodies, pose, 0.0).robot):
        bodies = [body for i, body in enumerate(bodies) if i != found[0]]
        pose = np.delete(pose, found[0], axis=0)
    return bodies, pose


def judged(world, bodies, pose, tolerance=1e-9):
    return Overlaps.find(world, BodyArrays.of(bodies), pose, tolerance)


# The judge.

@settings(max_examples=100)
@given(st.integers(0, 10**6))
def test_depths_are_those_of_the_minkowski_difference(seed):
    rng = np.random.default_rng(seed)
    one, other = (rectangle_corners((*rng.uniform(0, 1.5, 2), *rng.uniform(0.1, 2, 2),
                                     rng.uniform(-3, 3))) for _ in range(2))
    line = rng.uniform(0, 1.5, (2, 2))
    disc = (*rng.uniform(-0.5, 2, 2), rng.uniform(0.1, 0.5))
    solid = shapely.Polygon(one)
    for points, shape in ((other, shapely.Polygon(other)), (line, shapely.LineString(line))):
        expected = depth(solid, shape)
        assert _convex_depth(one, points) == pytest.approx(expected, abs=1e-9) or (
            expected < 0.0 and _convex_depth(one, points) < 0.0)
    assert disc_depth(one, *disc) == pytest.approx(depth(solid, disc), abs=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_the_judge_finds_what_shapely_finds(seed):
    rng = np.random.default_rng(seed)
    world, bodies = random_world(rng), random_bodies(rng, 14)
    pose = np.column_stack([rng.uniform(0, 6, (14, 2)), rng.uniform(-3, 3, 14)])
    found = judged(world, bodies, pose)
    solids = [solid_of(*each) for each in zip(bodies, pose, strict=True)]
    pairs = {(int(i), int(j)): d for i, kind, j, d in zip(*found, strict=True) if kind == PAIR}
    for i in range(14):
        for j in range(i):
            expected = max(0.0, depth(solids[i], solids[j]))
            assert pairs.get((j, i), 0.0) == pytest.approx(expected, abs=1e-8)
    assert (len(found.robot) > 0) == (deepest(world, bodies, pose) > 1e-9)


# Invariants.


def test_the_same_bits_again_and_no_argument_is_changed():
    rng = np.random.default_rng(5)
    world = random_world(rng)
    bodies, pose = standing(rng, world, 40)
    arrays = BodyArrays.of(bodies)
    fixed = FixedObjects.of(world, arrays.safety_radius)
    proposed = pose + rng.normal(0, 0.2, pose.shape)
    before = pose.tobytes(), proposed.tobytes()
    one, again = (separate(fixed, arrays.shape, pose, proposed) for _ in range(2))
    assert one.collided.any()
    assert one.pose.tobytes() == again.pose.tobytes()
    assert (pose.tobytes(), proposed.tobytes()) == before
    # Renumbered robots have the same bits.
    order = rng.permutation(len(pose))
    other = separate(fixed, arrays.select(order).shape, pose[order], proposed[order])
    np.testing.assert_allclose(other.pose, one.pose[order], atol=1e-9)


def step(world, bodies, pose, proposed):
    arrays = BodyArrays.of(bodies)
    fixed = FixedObjects.of(world, arrays.safety_radius)
    return separate(fixed, arrays.shape, np.array(pose, float), np.array(proposed, float))


def test_a_rectangle_stops_at_a_wall_with_its_front():
    world, body = make_world((0, 0, 5, 5)), rectangular(0.8, 0.4, 0.2, 0.05)
    outcome = step(world, [body], [[4.3, 2, 0]], [[4.5, 2, 0]])
    np.testing.assert_allclose(outcome.pose, [[5 - 0.65, 2, 0]], atol=1e-3)
    assert outcome.pose[0, 0] <= 4.35 + 1e-9


def test_a_turn_that_has_no_room_goes_back_or_moves_the_rectangle():
    world, body = make_world((0, 0, 5, 0.5)), rectangular(0.9, 0.4)
    outcome = step(world, [body], [[2, 0.25, 0]], [[2, 0.25, math.pi / 2]])
    assert deepest(world, [body], outcome.pose) <= 1e-9
    assert abs(outcome.pose[0, 2]) < 0.5
    wide = make_world((0, 0, 5, 2))
    outcome = step(wide, [body], [[2, 0.25, 0]], [[2, 0.25, math.pi / 2]])
    np.testing.assert_allclose(outcome.pose, [[2, 0.5, math.pi / 2]], atol=0.05)
    assert deepest(wide, [body], outcome.pose) <= 1e-9


def test_a_turn_over_half_a_turn_goes_the_shorter_way():
    # From 170 to -170 degrees: 20 degrees across the back, where a wall is in nobody's way.
    world = make_world((0, 0, 5, 5), [(2.6, 2.5, 4, 2.5)])
    body = rectangular(1.0, 0.1)
    far = math.radians(170)
    outcome = step(world, [rectangular(1.0, 0.1, 0.45)], [[2.5, 2.5, far]], [[2.5, 2.5, -far]])
    assert not outcome.collided.any()
    np.testing.assert_array_equal(outcome.pose, [[2.5, 2.5, -far]])
    assert deepest(world, [body], [[1.5, 1.0, 0.0]]) <= 1e-9


@pytest.mark.parametrize('width', [0.1, 0.4])
def test_nobody_passes_a_thin_segment_or_a_pole(width):
    world = make_world((-3, -3, 3, 3), [(0, -3, 0, 3)], [(-1.0, 0.0, 0.01)])
    body, rng = rectangular(0.7, width), np.random.default_rng(0)
    for _ in range(60):
        pose = np.array([[-2.0, rng.uniform(-2, 2), rng.uniform(-3, 3)]])
        heading = rng.uniform(-1.0, 1.0)
        for _ in range(8):
            way = 0.5 * np.array([math.cos(heading), math.sin(heading), rng.uniform(-2, 2)])
            pose = step(world, [body], pose, pose + way).pose
            assert deepest(world, [body], pose) <= 1e-9
            assert pose[0, 0] < 0.0


BOX = rectangular(0.5, 0.3)


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_rectangles_overlap_the_polygons_that_shapely_finds(seed):
    rng = np.random.default_rng(seed)
    outlines = [each for each in (star(rng, int(rng.integers(3, 9)), rng.uniform(0, 6, 2), 2.0)
                                  for _ in range(3)) if shapely.Polygon(each).is_valid]
    pose = rng.uniform(-0.5, 6.5, (12, 3))
    bodies = BodyArrays.of([BOX] * len(pose))
    found = Overlaps.find(make_world((0, 0, 6, 6), polygons=outlines), bodies, pose)
    named = {(int(i), int(k)) for i, kind, k, _ in zip(*found, strict=True) if kind == POLYGON}
    corners = corners_at(pose, bodies.shape.offset[:, 0], bodies.shape.size[:, :2])
    for i, row in enumerate(corners):
        for k, outline in enumerate(outlines):
            shared = shapely.Polygon(row).intersection(shapely.Polygon(outline))
            if shared.area > 1e-6:
                assert (i, k) in named
            elif shapely.Polygon(row).distance(shapely.Polygon(outline)) > 0.0:
                assert (i, k) not in named


def test_a_rectangle_within_a_polygon_is_as_deep_as_its_inner_circle_is_wide():
    bodies = BodyArrays.of([BOX])
    found = Overlaps.find(
        make_world((0, 0, 6, 6), polygons=[[(1, 1), (5, 1), (5, 5), (1, 5)]]),
        bodies, np.array([[3.0, 3.0, 0.3]]))
    assert found.kind.tolist() == [POLYGON]
    assert found.depth.tolist() == bodies.shape.inner_radius.tolist()


def test_more_overlaps_than_there_was_room_for():
    square = np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)])
    xy = np.random.default_rng(1).uniform(0.5, 3.5, (100, 2))
    disc, polygon, depth = depths_of_discs_in_polygons(xy, np.full(100, 0.1),
                                                       *joined([square + 9, square]), 1e-9)
    assert disc.tolist() == list(range(100))
    assert (polygon == 1).all()
    np.testing.assert_allclose(depth, 0.1 + np.minimum(xy, 4 - xy).min(axis=1), rtol=0, atol=1e-12)

"""Levers of contacts: arms of simple ones, and of the centroid of what two bodies share."""

import math

import numpy as np
import pytest
import shapely
from fast2d_shapely import kinds, places, shape_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from settling import R, settle
from solids import depth

from sbot_sim.collision.contacts import (
    _fixed_arm,
    _wall_arm,
    body_contact,
    body_levers,
    with_fixed,
)
from sbot_sim.collision.overlap import overlaps
from sbot_sim.fast2d.scene import Indexed, RobotRef, SolidRef, disc, rectangle
from sbot_sim.world.bodies import S_BOT, BodyArrays, boxes_at, centres
from sbot_sim.world.geometry import make_world, rectangle_corners


def rounded_box(x, y, yaw, half_width, half_height, radius=0.0):
    return [x, y, math.cos(yaw), math.sin(yaw), half_width, half_height, radius]


@pytest.mark.parametrize(('other', 'ux', 'uy', 'arm'), [
    (rounded_box(-0.69, 0.2, 0, 0, 0, 0.2), 1, 0, -0.2),  # a disc at the left, above the centre
    (rounded_box(-0.89, 0.2, 0, 0.4, 0.1), 1, 0, -0.2),  # a narrower side: its middle
    (rounded_box(-0.89, 0.5, 0, 0.4, 0.4), 1, 0, -0.2),  # from 0.1 to the corner at 0.3
    (rounded_box(-0.89, 0, 0, 0.4, 2.0), 1, 0, 0.0),  # a wider one
    (rounded_box(-0.2, 0.29, 0, 0.1, 0.0), 0, -1, 0.2),  # a segment: its middle
    (rounded_box(-0.49 - math.sqrt(0.5), 0.1, math.pi / 4, 0.5, 0.5), 1, 0, -0.1),  # a corner
])
def test_the_arm_of_simple_contacts(other, ux, uy, arm):
    boxes = np.array([rounded_box(0, 0, 0, 0.5, 0.3), other])
    got, ease, _ = body_levers(boxes, np.array([4.0, 0.0]), 0, 1, float(ux), float(uy))
    assert _fixed_arm(boxes, 0, boxes, 1, float(ux), float(uy)) == got
    assert got == pytest.approx(arm, abs=1e-9)
    assert ease == pytest.approx(1 + 4 * got ** 2)


@settings(max_examples=300)
@given(st.integers(0, 10**6))
def test_the_arm_is_that_of_the_centroid_by_shapely_seen_from_both(seed):
    rng = np.random.default_rng(seed)
    rows = [(*rng.uniform(-0.3, 0.3, 2), rng.uniform(-3, 3), *rng.uniform(0.05, 0.5, 2))
            for _ in range(2)]
    one, other = (shapely.Polygon(rectangle_corners((x, y, 2 * a, 2 * b, yaw)))
                  for x, y, yaw, a, b in rows)
    shared = one.intersection(other)
    if shared.area < 1e-9:
        return
    boxes, heading = np.array([rounded_box(*row) for row in rows]), rng.uniform(-3, 3)
    ux, uy = math.cos(heading), math.sin(heading)

    def arm(k):
        x, y = shared.centroid.x - rows[k][0], shared.centroid.y - rows[k][1]
        return x * uy - y * ux

    turn = np.array([2.0, 3.0])
    got, ease, ease_other = body_levers(boxes, turn, 0, 1, ux, uy)
    expected = arm(0), 1 + 2 * arm(0) ** 2, 1 + 3 * arm(1) ** 2
    np.testing.assert_allclose((got, ease, ease_other), expected, atol=1e-6)
    back = body_levers(boxes, turn, 1, 0, -ux, -uy)
    np.testing.assert_allclose(back, (-arm(1), ease_other, ease), atol=1e-6)
    np.testing.assert_allclose(_fixed_arm(boxes, 0, boxes, 1, ux, uy), arm(0), atol=1e-6)


@settings(max_examples=100)
@given(st.integers(0, 10**6))
def test_the_arm_at_a_wall_is_that_of_the_centroid_of_what_reaches_beyond(seed):
    rng = np.random.default_rng(seed)
    x, y, yaw, a, b = (*rng.uniform(-3, 3, 3), *rng.uniform(0.05, 0.5, 2))
    solid = shapely.Polygon(rectangle_corners((x, y, 2 * a, 2 * b, yaw)))
    overlap = rng.uniform(1e-3, 0.1)
    wall = solid.bounds[0] + overlap  # all to its left
    beyond = solid.intersection(shapely.box(-9, -9, wall, 9))
    got = _wall_arm(np.array([rounded_box(x, y, yaw, a, b)]), 0, overlap, 1.0, 0.0)
    assert got == pytest.approx(-(beyond.centroid.y - y), abs=1e-6)


@pytest.mark.parametrize(('kind', 'rows', 'at', 'expected'), [
    ('segments', [(-1, 0, 1, 0)], (0.2, R - 0.01), (0, 0.01)),
    ('segments', [(-1, 0, 1, 0)], (0.2, 0.01 - R), (0, -0.01)),
    ('segments', [(-1, 0, 0, 0)], (0.6 * R - 0.006, 0.8 * R - 0.008), (0.006, 0.008)),
    ('circles', [(0, 0, 0.5)], (-0.49 - R, 0), (-0.01, 0)),  # its own radius counts: S2
    ('rectangles', [(0, 0, 1, 0.4, 0)], (0.3, 0.19 + R), (0, 0.01)),
    ('rectangles', [(0, 0, 1, 0.4, 0)], (0.5 + 0.6 * (R - 0.01), 0.2 + 0.8 * (R - 0.01)),
     (0.006, 0.008)),
    ('rectangles', [(0, 0, 1, 0.4, math.pi / 2)], (0.19 + R, 0.3), (0.01, 0)),
])
def test_fixed_objects_do_not_give_way(kind, rows, at, expected):
    world = make_world((-2, -2, 2, 2), **{kind: rows})
    x, y = np.add(at, np.multiply(expected, 2))
    outcome = settle([[*at, 0]], [[x, y, 0]], world)
    np.testing.assert_allclose(outcome.pose[0, :2] - at, expected, atol=1e-14)
    assert overlaps(world, BodyArrays.of([S_BOT]), outcome.pose) == 0


def test_walls_of_several_pieces_push_once():
    pieces = make_world((-2, -2, 2, 2), [(-1, 0, 0.01, 0), (0.01, 0, 1, 0), (0.01, 0, 0.01, -1)],
                        rectangles=[(-0.5, 1, 1, 1, 0), (0.5, 1, 1, 1, 0)])
    for y, direction in ((R - 0.02, 0.02), (0.5 - R + 0.02, -0.02)):
        for x in (-0.03, 0.0, 0.01, 0.02):
            pose = settle([[x, y, 0]], [[x, y + direction, 0]], pieces).pose
            np.testing.assert_allclose(pose, [[x, y + direction, 0]], atol=1e-12)


def described(kind, pose, robot=True):
    shape = disc(kind, '') if isinstance(kind, float) else rectangle(*zip(*kind, strict=True), '')
    kind, mass = (RobotRef, 1.0) if robot else (SolidRef, math.inf)
    return kind('o', mass, shape, list(pose), added=True)


def contacts(first, second):
    """Return (overlap, ux, uy) of the pair: as bodies both ways, and the second one fixed."""
    both = Indexed.of([described(*first), described(*second)])
    boxes = boxes_at(both.shapes, centres(both.shapes, np.array([first[1], second[1]])))
    fixed = Indexed.of([described(*first), described(*second, robot=False)])
    return (body_contact(boxes, 0, 1, 0.0, 0.0), body_contact(boxes, 1, 0, 0.0, 0.0),
            with_fixed(fixed.fixed, 0, boxes, 0, boxes[0, 0], boxes[0, 1]))


@settings(max_examples=300)
@given(kinds(), places, kinds(), places)
def test_overlaps_are_as_deep_as_shapely_says(kind_a, pose_a, kind_b, pose_b):
    # Squares of such distances have few digits, and so has a direction.
    apart = math.dist(pose_a[:2], pose_b[:2])
    assume(apart == 0.0 or apart > 1e-150)
    expected = depth(shape_of(kind_a, pose_a), shape_of(kind_b, pose_b))
    forward, backward, fixed = contacts((kind_a, pose_a), (kind_b, pose_b))
    assert forward[0] == backward[0]
    assert forward[1:] == (-backward[1], -backward[2])
    for overlap, ux, uy in (forward, fixed):
        if expected <= 0.0:
            assert overlap <= 1e-12
            continue
        assert overlap == pytest.approx(expected, abs=1e-12)
        # The direction leads out by that much, so that they touch.
        out = (pose_a[0] + overlap * ux, pose_a[1] + overlap * uy, pose_a[2])
        assert abs(depth(shape_of(kind_a, out), shape_of(kind_b, pose_b))) < 1e-9


@pytest.mark.parametrize(('first', 'second', 'expected'), [
    ((0.5, (0, 0, 0)), (0.2, (0.1, 0, 0)), 0.6),  # nested discs
    (('box', (0, 0, 0)), (0.1, (0.3, 0.1, 0)), 0.3),  # a disc in a box: 0.2 to the side, and 0.1
    (('box', (0, 0, 0)), ('box', (0, 0, 0)), 1.0),  # equal places
    (('box', (0, 0, 0)), ('box', (1.0, 0, 0)), 0.0),  # side to side
    (('box', (0, 0, 0)), ('box', (0.5 + math.sqrt(0.5), 0, math.pi / 4)), 0.0),  # corner to side
    (('box', (0, 0, 0)), (0.5, (0.5 + 0.3, 0.5 + 0.4, 0)), 0.0),  # disc on a corner
    ((0.5, (0, 0, 0)), (0.5, (0, 0, 0)), 1.0),  # coincident centres
])
def test_nested_and_touching(first, second, expected):
    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    pair = [(corners if kind == 'box' else kind, pose) for kind, pose in (first, second)]
    for overlap, ux, uy in contacts(*pair):
        assert max(overlap, 0.0) == pytest.approx(expected, abs=1e-12)
        assert overlap <= 1e-12 or math.hypot(ux, uy) == pytest.approx(1.0)

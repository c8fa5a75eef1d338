"""Overlaps of two bodies against shapely: discs and rectangles, turned, touching, nested."""

import math

import numpy as np
import pytest
from fast2d_shapely import depth, kinds, places, shape_of
from hypothesis import assume, given, settings

from sbot_sim.collision.body_contacts import body_contact, with_fixed
from sbot_sim.fast2d.scene import Object, make_indexed
from sbot_sim.fast2d.shapes import disc, rectangle
from sbot_sim.world.shapes import boxes_at, centres


def described(kind, pose, robot=True):
    shape = disc(kind, '') if isinstance(kind, float) else rectangle(*zip(*kind, strict=True), '')
    return Object('o', robot, 1.0 if robot else math.inf, shape, list(pose), added=True)


def contacts(first, second):
    """Return (overlap, ux, uy) of the pair: as bodies both ways, and the second one fixed."""
    both = make_indexed([described(*first), described(*second)])
    boxes = boxes_at(both.shapes, centres(both.shapes, np.array([first[1], second[1]])))
    fixed = make_indexed([described(*first), described(*second, robot=False)])
    return (body_contact(boxes, 0, 1, 0.0, 0.0), body_contact(boxes, 1, 0, 0.0, 0.0),
            with_fixed(fixed.fixed, 0, boxes, 0, boxes[0, 0], boxes[0, 1]))


@settings(max_examples=300, deadline=None)
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

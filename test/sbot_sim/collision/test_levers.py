"""Levers of contacts: arms of simple ones, and of the centroid of what two bodies share."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot_sim.collision.levers import body_levers, fixed_arm, wall_arm
from sbot_sim.world.geometry import rectangle_corners


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
    assert fixed_arm(boxes, 0, boxes, 1, float(ux), float(uy)) == got
    assert got == pytest.approx(arm, abs=1e-9)
    assert ease == pytest.approx(1 + 4 * got ** 2)


@settings(deadline=None, max_examples=300)
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
    np.testing.assert_allclose(fixed_arm(boxes, 0, boxes, 1, ux, uy), arm(0), atol=1e-6)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**6))
def test_the_arm_at_a_wall_is_that_of_the_centroid_of_what_reaches_beyond(seed):
    rng = np.random.default_rng(seed)
    x, y, yaw, a, b = (*rng.uniform(-3, 3, 3), *rng.uniform(0.05, 0.5, 2))
    solid = shapely.Polygon(rectangle_corners((x, y, 2 * a, 2 * b, yaw)))
    overlap = rng.uniform(1e-3, 0.1)
    wall = solid.bounds[0] + overlap  # all to its left
    beyond = solid.intersection(shapely.box(-9, -9, wall, 9))
    got = wall_arm(np.array([rounded_box(x, y, yaw, a, b)]), 0, overlap, 1.0, 0.0)
    assert got == pytest.approx(-(beyond.centroid.y - y), abs=1e-6)

"""The broad phase queues just those robots that intersect something."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Point, Polygon

from sbot_common.jit import njit
from sbot_sim.collision.broad_phase import queue_touching
from sbot_sim.collision.fixed_objects import make_fixed_objects
from sbot_sim.collision.narrow_phase import Crowd
from sbot_sim.collision.separation import grid_of_crowd
from sbot_sim.world.geometry import make_world, rectangle_corners

SIDE = 10.0
LINES = [(1.0, 1.0, 3.0, 1.5)]
CIRCLES = [(7.0, 7.0, 0.8)]
RECTANGLES = [(5.0, 5.0, 1.5, 0.7, 0.4), (2.0, 8.0, 1.0, 1.0, 0.0)]
WORLD = make_world((0, 0, SIDE, SIDE), LINES, CIRCLES, RECTANGLES)
SOLIDS = [Polygon(rectangle_corners(row)) for row in RECTANGLES]
SOLIDS += [LineString([row[:2], row[2:]]) for row in LINES]


@njit
def queued(fixed, radius, pose):
    """Return the queue, and whom it has marked."""
    n = len(radius)
    marks, queue, back = np.ones(n, np.bool_), np.empty(n, np.int32), np.ones(n, np.int8)
    crowd = Crowd(radius, radius, pose, pose, pose, grid_of_crowd(pose, fixed.largest_radius),
                  marks, np.empty((n, 2)), back, np.zeros(n, np.bool_), np.empty((0, 7)),
                  np.empty(0))
    count = queue_touching(fixed, crowd, np.empty(n), np.empty(n), np.empty(n), queue)
    return queue[:count], marks, back


def touching(pose, radius):
    """Return who intersects anything, by brute force and another library's geometry."""
    gap = np.hypot(*(pose[:, np.newaxis, :2] - pose[np.newaxis, :, :2]).T)
    gap -= radius[:, np.newaxis] + radius
    np.fill_diagonal(gap, 1.0)
    out = set()
    for i, (x, y, _) in enumerate(pose):
        near = [Point(x, y).distance(solid) for solid in SOLIDS]
        near += [np.hypot(x - cx, y - cy) - r for cx, cy, r in CIRCLES]
        if (gap[i].min(initial=1.0) < 0.0 or min(near) < radius[i]
                or min(x, y, SIDE - x, SIDE - y) < radius[i]):
            out.add(i)
    return out


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 7, 60, 400]), st.booleans(),
       st.sampled_from([0.02, 1.0]))
def test_who_intersects_anything_is_queued(seed, count, equal, spread):
    rng = np.random.default_rng(seed)
    radius = np.full(count, 0.1) if equal else rng.uniform(0.05, 0.2, count)
    pose = rng.uniform(0.0, SIDE, (count, 3))
    pose[::2, :2] = 4.0 + spread * (pose[::2, :2] - 4.0)  # a heap, or nobody near
    for i in range(count):  # nobody's centre is inside a rectangle
        if any(solid.contains(Point(*pose[i, :2])) for solid in SOLIDS):
            pose[i, :2] = 9.0
    queue, marks, back = queued(make_fixed_objects(WORLD, radius), radius, pose)
    assert sorted(queue) == sorted(set(queue.tolist())) == np.flatnonzero(marks).tolist()
    assert not back.any()
    if len(queue) < count:  # else everybody, where cells are no wider than robots
        assert set(queue.tolist()) == touching(pose, radius)
    assert set(queue.tolist()) >= touching(pose, radius)

"""Intersecting bodies: shares of an overlap, sums of several, and coincident centres."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from settling import R, settle

from sbot_common.compiled.jit import njit
from sbot_common.spatial import grid_of_points
from sbot_sim.collision.contacts import contact
from sbot_sim.collision.detection import Crowd, touching
from sbot_sim.collision.fixed_objects import FixedObjects, make_fixed_objects
from sbot_sim.collision.separation import FEW, Scratch, make_scratch, shape_of_crowd
from sbot_sim.world.geometry import make_world
from sbot_sim.worlds.batch import only_cell


def test_two_robots_share_their_overlap():
    outcome = settle([[0, 0, 0.3], [2 * R - 0.01, 0, 0]], [[-0.01, 0, 0], [2 * R, 0, 0]])
    np.testing.assert_allclose(outcome.displacement, [[-0.005, 0], [0.005, 0]], atol=1e-15)
    assert outcome.collided.all()
    assert not outcome.reverted.any()
    assert outcome.passes == 1
    assert outcome.pose[0, 2] == 0.3


def test_the_displacement_is_the_sum_over_everything_overlapped():
    # Robot 0 between robot 1 to the west and the wall to the south: half of one, all of the other.
    world = make_world((0, 0, 2, 2))
    outcome = settle([[1.0, R - 0.004, 0], [1.0 - 2 * R + 0.006, R, 0]],
                     [[1.01, R, 0], [1.0 - 2 * R, R, 0]], world)
    # Robot 1 is a little farther north: what its direction and the next pass change is tiny.
    np.testing.assert_allclose(outcome.displacement[0], [0.003, 0.004], atol=2e-4)


def test_coincident_centres_part_as_they_came_or_in_a_fixed_direction():
    outcome = settle([[0, 0, 0], [0, 0, 0]], [[0, 0.03, 0], [0, -0.03, 0]])
    np.testing.assert_allclose(outcome.pose[:, :2], [[0, R], [0, -R]], atol=0.01 * R)
    outcome = settle([[1, 1, 0], [1, 1, 0]], [[0.99, 1, 0], [0.99, 1, 0]])
    assert np.isfinite(outcome.pose).all()


SIDE = 10.0  # m


@njit
def _listed(fixed: FixedObjects, radius: Any, pose: Any, scratch: Scratch) -> int:
    grid = only_cell(scratch.ends, scratch.row)
    if len(pose) > FEW:
        cell, x0, y0, nx, ny = shape_of_crowd(pose, fixed.largest_radius)
        grid = grid_of_points(pose, cell, x0, y0, nx, ny)
    crowd = Crowd(radius, radius, pose, pose, pose, grid, scratch.queued, scratch.shift,
                  scratch.retreats, scratch.stuck, pose[:0], radius[:0], radius[:0])
    return int(touching(fixed, crowd, scratch.place, scratch.queue))


@njit
def _meets_fixed(fixed: FixedObjects, x: float, y: float, radius: float) -> bool:
    for k in range(len(fixed.boxes)):
        if contact(fixed.boxes, k, x, y, radius, x, y)[0] >= 0.0:
            return True
    return False


def _expected(fixed: FixedObjects, radius: Any, pose: Any) -> list[int]:
    found = []
    for i, (x, y) in enumerate(pose[:, :2].tolist()):
        r = float(radius[i])
        gap = np.sum((pose[:, :2] - pose[i, :2]) ** 2, axis=1) - (radius + r) ** 2
        gap[i] = math.inf
        if (gap.min() < 0.0 or min(x, y) < r or max(x, y) > SIDE - r
                or _meets_fixed(fixed, x, y, r)):
            found.append(i)
    return found


@pytest.mark.parametrize('robots', [2, FEW, FEW + 1, 40, 90])
def test_those_are_listed_that_overlap_a_body_a_wall_or_an_obstacle(robots: int) -> None:
    rng = np.random.default_rng(robots)
    world = make_world((0.0, 0.0, SIDE, SIDE), circles=[[2.0, 3.0, 0.4]],
                       rectangles=[[7.0, 7.0, 1.0, 0.5, 0.3], [4.0, 8.0, 0.2, 2.0, -1.0]],
                       segments=[[1.0, 9.0, 3.0, 6.0]])
    counts = []
    for _ in range(20):
        radius = rng.uniform(0.1, 0.3, robots)
        pose = np.column_stack([rng.uniform(0.1, SIDE - 0.1, (robots, 2)), np.zeros(robots)])
        fixed, scratch = make_fixed_objects(world, radius), make_scratch(robots, 2)
        listed = scratch.queue[:_listed(fixed, radius, pose, scratch)]
        assert sorted(listed.tolist()) == _expected(fixed, radius, pose)
        assert np.flatnonzero(scratch.queued).tolist() == sorted(listed.tolist())
        assert not scratch.retreats.any()
        counts.append(len(listed))
    assert 0 < sum(counts) < 20 * robots  # else nothing would be found out


def test_circles_that_touch_at_a_point_are_not_listed() -> None:
    world = make_world((0.0, 0.0, SIDE, SIDE), rectangles=[[5.0, 5.0, 1.0, 1.0, 0.0]])
    radius = np.full(4, 0.25)
    pose = np.array([[1.0, 1.0, 0.0], [1.5, 1.0, 0.0], [0.25, 4.0, 0.0], [5.0, 5.75, 0.0]])
    fixed, scratch = make_fixed_objects(world, radius), make_scratch(4, 2)
    assert _listed(fixed, radius, pose, scratch) == 0
    nudged = pose - [1e-9, 1e-9, 0.0]
    nudged[0, 0] += 2e-9
    count = _listed(fixed, radius, nudged, scratch)
    assert scratch.queue[:count].tolist() == [0, 1, 2, 3]

"""Broad phase: exactly those bodies are listed whose circles overlap something."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sbot_common.compiled.jit import njit
from sbot_sim.collision.broad_phase import touching
from sbot_sim.collision.disc_contacts import contact
from sbot_sim.collision.fixed_objects import FixedObjects, make_fixed_objects
from sbot_sim.collision.narrow_phase import Crowd
from sbot_sim.collision.separation import FEW, Scratch, grid_of_crowd, make_scratch
from sbot_sim.world.geometry import make_world
from sbot_sim.worlds.crowds import only_cell

SIDE = 10.0  # m


@njit
def _listed(fixed: FixedObjects, radius: Any, pose: Any, scratch: Scratch) -> int:
    grid = only_cell(scratch.ends, scratch.row)
    if len(pose) > FEW:
        grid = grid_of_crowd(pose, fixed.largest_radius)
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

"""Spatial index for sensors: cells list what comes within reach, discs are sorted by cell."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.world.geometry import make_world, segments_meet
from sbot_sim.world.scene import Scene, sort_discs


def rows_at(grid, x, y):
    column = min(max(int((x - grid.x0) / grid.cell), 0), grid.nx - 1)
    cell = min(max(int((y - grid.y0) / grid.cell), 0), grid.ny - 1) * grid.nx + column
    return set(grid.items[grid.starts[cell]:grid.starts[cell + 1]].tolist())


@pytest.mark.parametrize('reach', [0.5, 2.0, 30.0])
def test_what_is_within_reach_of_a_point_is_in_its_cell(reach):
    rng = np.random.default_rng(3)
    circles = np.column_stack([rng.uniform(0, 10, (30, 2)), rng.uniform(0.1, 0.5, 30)])
    scene = Scene.of(make_world((0, 0, 10, 10), circles=circles.tolist()), reach)
    for x, y in rng.uniform(0, 10, (50, 2)):
        gap = np.hypot(circles[:, 0] - x, circles[:, 1] - y) - circles[:, 2]
        assert set(np.flatnonzero(gap <= reach).tolist()) <= rows_at(scene.circle_grid, x, y)
        walls = {k for k, distance in enumerate((y, 10 - x, 10 - y, x)) if distance <= reach}
        assert len(walls) <= len(rows_at(scene.segment_grid, x, y))


def test_other_circles_leave_the_segments_as_they_are():
    world = make_world((0, 0, 10, 10), circles=[[2, 2, 0.5]], segments=[[1, 5, 9, 5]])
    before = Scene.of(world, 2.0)
    after = before.with_circles(np.array([[8.0, 8.0, 0.25]]))
    assert after.segment_grid is before.segment_grid
    assert rows_at(after.circle_grid, 8, 8) == {0}
    assert rows_at(after.circle_grid, 2, 2) == set()
    assert before.circles.tolist() == [[2, 2, 0.5]], 'the scene before is as it was'


def test_discs_are_sorted_by_cell_and_know_whose_they_are():
    rng = np.random.default_rng(5)
    pose, radius = rng.uniform(0, 20, (60, 3)), rng.uniform(0.1, 0.4, 60)
    discs = sort_discs(pose, radius, 2.0)
    assert sorted(discs.robot.tolist()) == list(range(60))
    np.testing.assert_array_equal(discs.x, pose[discs.robot, 0])
    np.testing.assert_array_equal(discs.y, pose[discs.robot, 1])
    np.testing.assert_array_equal(discs.radius, radius[discs.robot])
    assert discs.largest == radius.max()
    grid = discs.grid
    for cell in range(grid.nx * grid.ny):
        for k in range(grid.starts[cell], grid.starts[cell + 1]):
            assert int((discs.x[k] - grid.x0) / grid.cell) == cell % grid.nx
            assert int((discs.y[k] - grid.y0) / grid.cell) == cell // grid.nx


class _Walls(NamedTuple):
    bounds: np.ndarray
    segments: np.ndarray
    circles: np.ndarray


@pytest.mark.parametrize('origin', [0.0, 20_000.0])
def test_the_grid_hides_no_wall(origin):
    """Many short walls, and robots on level, upright and nearly level lines, also outside."""
    rng = np.random.default_rng(7)
    ends = origin + rng.uniform(0.0, 20.0, (400, 2))
    walls = _Walls(np.array([origin, origin, origin + 20.0, origin + 20.0]),
                   np.hstack([ends, ends + rng.normal(0.0, 0.2, (400, 2))]), np.empty((0, 3)))
    pose = np.zeros((90, 3))
    pose[:, :2] = origin + rng.uniform(-2.0, 22.0, (90, 2))
    pose[20:40, 1] = pose[20, 1] + rng.choice([0.0, 1e-12, 1e-9, -1e-8], 20)
    pose[40:60, 0] = pose[40, 0] + rng.choice([0.0, 1e-12, 1e-9, -1e-8], 20)
    starts, heard, _, _ = neighbours(pose, 5.0, Scene.of_walls(walls))
    blocked = 0
    for i in range(90):
        for j in range(i + 1, 90):
            if math.dist(pose[i, :2], pose[j, :2]) > 5.0:
                continue
            free = not any(segments_meet(*pose[i, :2], *pose[j, :2], *wall)
                           for wall in walls.segments)
            assert (j in heard[starts[i]:starts[i + 1]]) == free
            blocked += not free
    assert blocked > 100

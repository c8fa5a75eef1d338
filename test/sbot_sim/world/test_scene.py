"""Spatial index for sensors: cells list what comes within reach, discs are sorted by cell."""

import numpy as np
import pytest

from sbot_sim.world.geometry import make_world
from sbot_sim.world.scene import make_scene, sort_discs, with_circles


def rows_at(grid, x, y):
    column = min(max(int((x - grid.x0) / grid.cell), 0), grid.nx - 1)
    row = min(max(int((y - grid.y0) / grid.cell), 0), grid.ny - 1)
    cell = row * grid.nx + column
    return set(grid.items[grid.starts[cell]:grid.starts[cell + 1]].tolist())


@pytest.mark.parametrize('reach', [0.5, 2.0, 30.0])
def test_what_is_within_reach_of_a_point_is_in_its_cell(reach):
    rng = np.random.default_rng(3)
    circles = np.column_stack([rng.uniform(0, 10, (30, 2)), rng.uniform(0.1, 0.5, 30)])
    scene = make_scene(make_world((0, 0, 10, 10), circles=circles.tolist()), reach)
    for x, y in rng.uniform(0, 10, (50, 2)):
        gap = np.hypot(circles[:, 0] - x, circles[:, 1] - y) - circles[:, 2]
        assert set(np.flatnonzero(gap <= reach).tolist()) <= rows_at(scene.circle_grid, x, y)
        walls = {k for k, distance in enumerate((y, 10 - x, 10 - y, x)) if distance <= reach}
        assert len(walls) <= len(rows_at(scene.segment_grid, x, y))


def test_other_circles_leave_the_segments_as_they_are():
    world = make_world((0, 0, 10, 10), circles=[[2, 2, 0.5]], segments=[[1, 5, 9, 5]])
    before = make_scene(world, 2.0)
    after = with_circles(before, np.array([[8.0, 8.0, 0.25]]))
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

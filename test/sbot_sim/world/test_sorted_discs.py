"""Discs that are sorted once a tick: each robot once, and all within reach found."""

import numpy as np
import pytest

from sbot_common.compiled.jit import njit
from sbot_sim.world.scene import (
    discs_of,
    gather_discs,
    number_places,
    room_for_discs,
    row_stretch,
    shape_cells,
    sort_places,
)


@njit
def _sort(room, k, n, pose, radius, cell, middle):
    rows = slice(k * n, (k + 1) * n)
    shape_cells(room, k, pose[rows], radius[rows], cell)
    number_places(room, k, k * n, middle, pose)
    number_places(room, k, middle, (k + 1) * n, pose)
    sort_places(room, k, n)
    gather_discs(room, k * n, middle, k * n, pose, radius)
    gather_discs(room, middle, (k + 1) * n, k * n, pose, radius)


@njit
def _within(room, k, n, x, y, reach):
    discs, found = discs_of(room, k, n), np.zeros(n, np.int64)
    for row in range(discs.grid.ny):
        first, end = row_stretch(discs.grid, row, x, y, reach)
        for place in range(first, end):
            found[discs.robot[place] - k * n] += 1
    return found, discs.x.copy(), discs.y.copy(), discs.radius.copy(), discs.robot.copy()


@pytest.mark.parametrize(('n', 'cell'), [(1, 1.0), (17, 0.4), (400, 0.7), (400, 50.0)])
def test_robots_of_several_worlds(n, cell):
    rng = np.random.default_rng(n)
    room, pose = room_for_discs(2, n), rng.uniform(-8, 20, (2 * n, 3))
    radius = rng.uniform(0.1, 0.3, 2 * n)
    for k in range(2):
        _sort(room, k, n, pose, radius, cell, k * n + n // 3)
    for k in range(2):
        own = pose[k * n:(k + 1) * n]
        for x, y in [*own[:5, :2], (-30.0, 7.0), (6.0, 6.0)]:
            found, at_x, at_y, size, robot = _within(room, k, n, x, y, 2.5)
            assert found.max() <= 1
            near = np.hypot(own[:, 0] - x, own[:, 1] - y) <= 2.5
            assert found[near].all()
        assert sorted(robot) == list(range(k * n, (k + 1) * n))
        assert np.array_equal(np.stack([at_x, at_y], axis=1), pose[robot, :2])
        assert np.array_equal(size, radius[robot])

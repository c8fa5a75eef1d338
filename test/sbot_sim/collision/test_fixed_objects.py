"""Fixed objects as rounded boxes: their rows, and that a robot's cell lists all it may touch."""

import math

import numpy as np
import pytest

from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.world.geometry import make_world


def listed(fixed, x, y):
    column = min(max(int((x - fixed.x0) / fixed.cell), 0), fixed.nx - 1)
    cell = min(max(int((y - fixed.y0) / fixed.cell), 0), fixed.ny - 1) * fixed.nx + column
    return fixed.items[fixed.starts[cell]:fixed.starts[cell + 1]].tolist()


def test_every_shape_is_a_rounded_box():
    fixed = FixedObjects.of(make_world(
        (0, 0, 10, 10), segments=[[1, 1, 4, 5]], circles=[[8, 2, 0.5]],
        rectangles=[[5, 8, 2.0, 1.0, math.pi / 6]]), np.array([0.3]))
    np.testing.assert_allclose(fixed.boxes, [
        [2.5, 3.0, 0.6, 0.8, 2.5, 0.0, 0.0],
        [5.0, 8.0, math.cos(math.pi / 6), 0.5, 1.0, 0.5, 0.0],
        [8.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.5]], atol=1e-12)
    assert fixed.bounds.tolist() == [0, 0, 10, 10]
    assert fixed.largest_radius == 0.3


def test_an_open_world_has_no_walls():
    fixed = FixedObjects.of(make_world((0, 0, 10, 10), has_walls=False), np.array([0.3]))
    assert fixed.bounds.tolist() == [-math.inf, -math.inf, math.inf, math.inf]


@pytest.mark.parametrize('seed', range(4))
def test_a_cell_lists_all_that_a_robot_there_may_touch(seed):
    rng = np.random.default_rng(seed)
    world = make_world(
        (0, 0, 10, 10), circles=np.column_stack([rng.uniform(1, 9, (12, 2)),
                                                 rng.uniform(0.05, 1.0, 12)]).tolist(),
        segments=rng.uniform(0.5, 9.5, (12, 4)).tolist())
    fixed = FixedObjects.of(world, np.array([0.4]))
    for x, y in rng.uniform(0, 10, (60, 2)):
        near = []
        for k, (cx, cy, c, s, half, _, radius) in enumerate(fixed.boxes.tolist()):
            dx, dy = x - cx, y - cy
            along = max(0.0, abs(c * dx + s * dy) - half)
            if math.hypot(along, c * dy - s * dx) < 0.4 + radius:
                near.append(k)
        found = listed(fixed, x, y)
        assert set(near) <= set(found)
        assert found == sorted(set(found)), 'in increasing order, once each'

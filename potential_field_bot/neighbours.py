"""Repulsion between many robots by a bucket grid.

Robots beyond the relevance distance push with exactly zero, and adding zero to a sum that started
at zero changes no bit. So it is enough to visit those in the cells around a robot, as long as they
are visited in order of their numbers, as the document's loop does (section 8).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.forces import (
    Force,
    other_repulsion,
    repulsion_between,
    repulsion_reach,
)
from potential_field_bot.parameters import Parameters
from sbot_common.jit import njit
from sbot_common.spatial import BucketGrid, cell_index, grid_around_points

Numbers = NDArray[np.int64]

LISTS = 9  # cells around a robot, its own included
_LEAST_CELL = 1e-9  # m


@njit
def repulsion_grid(p: Parameters, poses: NDArray[np.float64]) -> BucketGrid:
    """Return the grid of all robots' positions for ``nearby_repulsion``; ``poses`` is (N, 3)."""
    return grid_around_points(poses, max(repulsion_reach(p), _LEAST_CELL))


@njit
def nearby_repulsion(p: Parameters, robot_id: int, poses: NDArray[np.float64], grid: BucketGrid,
                     heads: Numbers, ends: Numbers) -> Force:
    """Return ``forces.other_repulsion`` of one robot, to the bit, from the cells around it.

    Parameters
    ----------
    p : the constants
    robot_id : whom the others push
    poses : (N, 3) x, y (m), yaw (rad) in `map`
    grid : ``repulsion_grid(p, poses)``
    heads, ends : (9,) working memory

    """
    x, y = poses[robot_id, 0], poses[robot_id, 1]
    if not (math.isfinite(x) and math.isfinite(y)):
        return 0.0, 0.0
    if grid.nx <= 3 and grid.ny <= 3:
        return other_repulsion(p, robot_id, poses)
    column = cell_index(x, grid.x0, grid.cell, grid.nx)
    row = cell_index(y, grid.y0, grid.cell, grid.ny)
    lists = 0
    for r in range(max(row - 1, 0), min(row + 2, grid.ny)):
        for c in range(max(column - 1, 0), min(column + 2, grid.nx)):
            heads[lists] = grid.starts[r * grid.nx + c]
            ends[lists] = grid.starts[r * grid.nx + c + 1]
            lists += 1
    fx, fy = 0.0, 0.0
    while True:
        # Merge the lists: the document adds in the order of the robots' numbers.
        nearest = -1
        number = poses.shape[0]
        for k in range(lists):
            if heads[k] < ends[k] and grid.items[heads[k]] < number:
                nearest, number = k, grid.items[heads[k]]
        if nearest < 0:
            break
        heads[nearest] += 1
        if number not in (0, robot_id):  # the leader pushes otherwise (section 5)
            push_x, push_y = repulsion_between(p, x, y, poses[number, 0], poses[number, 1])
            fx += push_x
            fy += push_y
    return fx * p.other_repulsion_factor, fy * p.other_repulsion_factor

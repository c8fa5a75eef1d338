"""The push of the other robots on many robots at once, without looking at every pair.

Robots beyond the relevance distance push with exactly zero, and adding zero to a sum that started
at zero changes no bit; so it is enough to visit those in the cells around a robot, as long as they
are visited in order of their numbers, as the document's loop does (section 8).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.forces import Force, other_repulsion, repulsion_between
from potential_field_bot.parameters import Parameters
from sbot_common.jit import njit

# A cell is a little wider than the reach, so that rounding cannot put a neighbour two cells away.
_MARGIN = 1.0 + 1e-6


Numbers = NDArray[np.int64]


class Cells(NamedTuple):
    """Square cells over the plane; the one at column x, row y has the number y*nx + x."""

    x0: float  # m, lower left corner
    y0: float
    cell: float  # m, side of a cell
    nx: int
    ny: int


@njit
def cell_of(value: float, origin: float, cell: float, count: int) -> int:
    """Return the index of a coordinate (m) along one axis, limited to the cells there are."""
    return min(max(math.floor((value - origin) / cell), 0), count - 1)


@njit
def sort_into_cells(poses: NDArray[np.float64], reach: float) -> tuple[Cells, Numbers, Numbers]:
    """Return robots 1 to N-1 by cells of at least ``reach`` (m).

    ``poses`` is (N, 3); robots without finite x, y are left out. There are at most about twice as
    many cells along an axis as the square root of N.

    Returns
    -------
    cells
    starts : (nx*ny + 1,)
    items : the robots of cell c are ``items[starts[c]:starts[c + 1]]``, in rising order

    """
    n = poses.shape[0]
    x0, y0, x1, y1 = math.inf, math.inf, -math.inf, -math.inf
    for i in range(1, n):
        if math.isfinite(poses[i, 0]) and math.isfinite(poses[i, 1]):
            x0, x1 = min(x0, poses[i, 0]), max(x1, poses[i, 0])
            y0, y1 = min(y0, poses[i, 1]), max(y1, poses[i, 1])
    most = 2.0 * math.sqrt(n) + 1.0
    cell = max(reach, (x1 - x0) / most, (y1 - y0) / most) * _MARGIN
    if not (0.0 < cell < math.inf):  # nobody there, no reach, or wider than numbers go: one cell
        x0, y0, x1, y1, cell = 0.0, 0.0, 0.0, 0.0, 1.0
    nx = int((x1 - x0) / cell) + 1
    ny = int((y1 - y0) / cell) + 1
    where = np.full(n, -1, np.int64)
    starts = np.zeros(nx * ny + 1, np.int64)
    for i in range(1, n):
        if math.isfinite(poses[i, 0]) and math.isfinite(poses[i, 1]):
            where[i] = (cell_of(poses[i, 1], y0, cell, ny) * nx
                        + cell_of(poses[i, 0], x0, cell, nx))
            starts[where[i] + 1] += 1
    for c in range(nx * ny):
        starts[c + 1] += starts[c]
    items = np.empty(starts[nx * ny], np.int64)
    free = starts[:-1].copy()
    for i in range(1, n):
        if where[i] >= 0:
            items[free[where[i]]] = i
            free[where[i]] += 1
    return Cells(x0, y0, cell, nx, ny), starts, items


@njit
def nearby_repulsion(p: Parameters, robot_id: int, poses: NDArray[np.float64],
                     cells: Cells, starts: Numbers, items: Numbers, heads: Numbers,
                     ends: Numbers) -> Force:
    """Return ``forces.other_repulsion`` of one robot, to the bit, from the cells around it.

    ``heads`` and ``ends`` are room for nine numbers each.
    """
    x, y = poses[robot_id, 0], poses[robot_id, 1]
    if not (math.isfinite(x) and math.isfinite(y)):
        return 0.0, 0.0
    if cells.nx <= 3 and cells.ny <= 3:
        return other_repulsion(p, robot_id, poses)
    column = cell_of(x, cells.x0, cells.cell, cells.nx)
    row = cell_of(y, cells.y0, cells.cell, cells.ny)
    lists = 0
    for r in range(max(row - 1, 0), min(row + 2, cells.ny)):
        for c in range(max(column - 1, 0), min(column + 2, cells.nx)):
            heads[lists] = starts[r * cells.nx + c]
            ends[lists] = starts[r * cells.nx + c + 1]
            lists += 1
    fx, fy = 0.0, 0.0
    while True:
        # Merge the lists: the document adds in the order of the robots' numbers.
        nearest = -1
        number = poses.shape[0]
        for k in range(lists):
            if heads[k] < ends[k] and items[heads[k]] < number:
                nearest, number = k, items[heads[k]]
        if nearest < 0:
            break
        heads[nearest] += 1
        if number != robot_id:
            push_x, push_y = repulsion_between(p, x, y, poses[number, 0], poses[number, 1])
            fx += push_x
            fy += push_y
    return fx * p.other_repulsion_factor, fy * p.other_repulsion_factor

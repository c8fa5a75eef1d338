"""Broad phase of overlap resolution: who may intersect anything, looked for in order of place.

Most robots touch nothing. A sweep over the grid's cells finds the others: robots of a cell look at
the same three rows of cells, and at the fixed objects of their place. The narrow phase then looks
at those alone, and finds what it would have found among all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit_inline
from sbot_common.spatial import BucketGrid, cell_of
from sbot_sim.collision.disc_contacts import contact
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.narrow_phase import Crowd, Queue

Array = NDArray[np.float64]

_WIDER = 1.0 + 1e-6  # than two radii: rounding must not put robots that touch two cells apart


@njit_inline
def queue_everybody(crowd: Crowd, first: int, count: int, queue: Queue) -> int:
    """Queue the robots first … first+count-1; return how many there are."""
    for i in range(count):
        queue[i] = first + i
        crowd.queued[first + i] = True
        crowd.retreats[first + i] = 0
    return count


@njit_inline
def queue_touching(fixed: FixedObjects, crowd: Crowd, x: Array, y: Array, radius: Array,
                   queue: Queue) -> int:
    """Queue the discs that intersect anything, of all robots; return how many there are.

    Parameters
    ----------
    fixed : the fixed objects
    crowd : discs, at their poses before the first pass; who is queued is marked in it
    x, y, radius : (N,) room to work in
    queue : (N,) receives the robots

    """
    grid, n = crowd.grid, len(crowd.radius)
    if not grid.cell > _WIDER * 2.0 * fixed.largest_radius:
        return queue_everybody(crowd, 0, n, queue)
    for k in range(n):
        i = grid.items[k]
        x[k], y[k], radius[k] = crowd.pose[i, 0], crowd.pose[i, 1], crowd.radius[i]
    count = 0
    for row in range(grid.ny):
        for column in range(grid.nx):
            cell = row * grid.nx + column
            for k in range(np.uint64(grid.starts[cell]), np.uint64(grid.starts[cell + 1])):
                i = grid.items[k]
                touches = (_meets_robot(grid, row, column, k, x, y, radius)
                           or _meets_fixed(fixed, x[k], y[k], radius[k]))
                queue[count] = i
                count += touches
                crowd.queued[i] = touches
                crowd.retreats[i] = 0
    return count


@njit_inline
def _meets_robot(grid: BucketGrid, row: int, column: int, own: int, x: Array, y: Array,
                 radius: Array) -> bool:
    """Tell whether a disc intersects another; ``own`` is its place in the order of the grid."""
    left, right = max(column - 1, 0), min(column + 1, grid.nx - 1)
    met = False
    for r in range(max(row - 1, 0), min(row + 1, grid.ny - 1) + 1):
        for k in range(np.uint64(grid.starts[r * grid.nx + left]),
                       np.uint64(grid.starts[r * grid.nx + right + 1])):
            dx, dy, apart = x[own] - x[k], y[own] - y[k], radius[own] + radius[k]
            # Without a branch: nobody could foresee it.
            met |= (dx * dx + dy * dy < apart * apart) & (k != own)
    return met


@njit_inline
def _meets_fixed(fixed: FixedObjects, x: float, y: float, radius: float) -> bool:
    """Tell whether a disc intersects a wall or another fixed object."""
    bounds = fixed.bounds
    if max(bounds[0] + radius - x, x + radius - bounds[2], bounds[1] + radius - y,
           y + radius - bounds[3]) > 0.0:
        return True
    cell = cell_of(x, y, fixed.x0, fixed.y0, fixed.cell, fixed.nx, fixed.ny)
    for entry in range(fixed.starts[cell], fixed.starts[cell + 1]):
        if contact(fixed.boxes, fixed.items[entry], x, y, radius, x, y)[0] > 0.0:
            return True
    return False

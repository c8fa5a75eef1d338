"""Broad phase: the bodies whose circles touch anything, before anybody is displaced.

Most touch nothing. So the first pass of ``repositioning`` looks only at those found here, in
arrays that are in the order of place: neighbours lie side by side in memory, and four are compared
together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import by_address, njit_inline
from sbot_common.compiled.vectors import LANES, absolute, bits, greatest, load_until, one_bit
from sbot_common.spatial import cell_index, cell_of
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.narrow_phase import Crowd

Array = NDArray[np.float64]
Queue = NDArray[np.int32]


@by_address
class Places(NamedTuple):
    """Circles of N bodies in the order of place: sorted by the cells of a grid."""

    x: Array  # (N,) m
    y: Array  # (N,) m
    radius: Array  # (N,) m


@njit_inline
def touching(fixed: FixedObjects, crowd: Crowd, places: Places, queue: Queue) -> int:
    """List the bodies whose circles overlap another's or something fixed; return how many.

    Parameters
    ----------
    fixed, crowd : the world; nobody has been displaced. ``crowd.queued`` is set for those listed,
        ``crowd.retreats`` is cleared
    places : room to work in
    queue : receives the bodies in the order of place

    """
    grid, count, n = crowd.grid, 0, len(places.x)
    for k in range(n):
        i = np.uint32(grid.items[k])
        places.x[k], places.y[k], places.radius[k] = (crowd.pose[i, 0], crowd.pose[i, 1],
                                                      crowd.radius[i])
        crowd.retreats[k] = 0
    for k in range(n):
        i = np.uint32(grid.items[k])
        found = (_touches_another(crowd, places, k, fixed.largest_radius)
                 or _touches_fixed(fixed, places.x[k], places.y[k], places.radius[k]))
        crowd.queued[i] = found
        queue[count] = i
        count += found
    return count


@njit_inline
def _touches_another(crowd: Crowd, places: Places, k: int, largest: float) -> bool:
    """Tell whether the circle at place k overlaps that of another, as ``narrow_phase`` tells."""
    grid, x, y, radius = crowd.grid, places.x[k], places.y[k], places.radius[k]
    reach = radius + largest + 1e-9 * grid.cell
    left = cell_index(x - reach, grid.x0, grid.cell, grid.nx)
    right = cell_index(x + reach, grid.x0, grid.cell, grid.nx) + 1
    found = 0
    for row in range(cell_index(y - reach, grid.y0, grid.cell, grid.ny),
                     cell_index(y + reach, grid.y0, grid.cell, grid.ny) + 1):
        i, end = int(grid.starts[row * grid.nx + left]), int(grid.starts[row * grid.nx + right])
        while i < end:
            dx, dy = (load_until(places.x, i, end, math.nan) - x,
                      load_until(places.y, i, end, math.nan) - y)
            apart = load_until(places.radius, i, end, 0.0) + radius
            found |= bits(dx * dx + dy * dy < apart * apart) & ~one_bit(k - i)
            i += LANES
    return found != 0


@njit_inline
def _touches_fixed(fixed: FixedObjects, x: float, y: float, radius: float) -> bool:
    """Tell whether a circle overlaps something fixed, as ``disc_contacts.contact`` tells."""
    bounds, boxes = fixed.bounds, fixed.boxes
    found = not ((bounds[0] + radius - x <= 0.0) & (x + radius - bounds[2] <= 0.0)
                 & (bounds[1] + radius - y <= 0.0) & (y + radius - bounds[3] <= 0.0))
    cell = cell_of(x, y, fixed.x0, fixed.y0, fixed.cell, fixed.nx, fixed.ny)
    for entry in range(np.uint64(fixed.starts[cell]), np.uint64(fixed.starts[cell + 1])):
        k = np.uint32(fixed.items[entry])
        cx, cy, c, s = boxes[k, 0], boxes[k, 1], boxes[k, 2], boxes[k, 3]
        # The same differences and squares, without a branch.
        du = greatest(absolute(c * (x - cx) + s * (y - cy)) - boxes[k, 4], 0.0)
        dv = greatest(absolute(c * (y - cy) - s * (x - cx)) - boxes[k, 5], 0.0)
        reach = radius + boxes[k, 6]
        found |= du * du + dv * dv < reach * reach
    return found

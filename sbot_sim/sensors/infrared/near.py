"""Objects that infrared of a robot may see, found by their distance alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit_inline
from sbot_common.compiled.vectors import LANES, append, bits, load_until, one_bit
from sbot_common.spatial import cell_index
from sbot_sim.sensors.cover import MOST, column_at, first_bits, pad
from sbot_sim.sensors.objects import farther
from sbot_sim.world.scene import Discs, Scene

Indexes = NDArray[np.uint32]


@njit_inline
def walls_near(scene: Scene, cell: int, x: float, y: float, reach: float, near: Indexes) -> int:
    """List the segments of a cell that may be within ``reach`` (m); return how many.

    -1: more than there is room for, perhaps.
    """
    grid, segments = scene.segment_grid, scene.segments
    begin = int(grid.starts[cell])
    listed = int(grid.starts[cell + 1]) - begin
    if listed == 0 or listed > MOST:
        return min(0, MOST - listed)
    for i in range(listed):
        near[i] = grid.items[begin + i]
    pad(near, listed)
    count = 0
    for i in range(0, listed, LANES):
        away = farther(column_at(segments, 0, near, i) - x, column_at(segments, 1, near, i) - y,
                       column_at(segments, 2, near, i) - x, column_at(segments, 3, near, i) - y,
                       reach)
        count = append(near, count, i, ~bits(away) & first_bits(listed - i))
    for i in range(count):
        near[i] = grid.items[begin + int(near[i])]
    return count


@njit_inline
def discs_near(discs: Discs, own: int, x: float, y: float, reach: float, near: Indexes) -> int:
    """List the places among ``discs`` of those within ``reach`` (m) but ``own``; as above."""
    grid, count = discs.grid, 0
    farthest = reach + discs.largest
    left = cell_index(x - farthest, grid.x0, grid.cell, grid.nx)
    right = cell_index(x + farthest, grid.x0, grid.cell, grid.nx)
    first_row = cell_index(y - farthest, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + farthest, grid.y0, grid.cell, grid.ny)
    for row in range(first_row, last_row + 1):
        i, end = (int(grid.starts[row * grid.nx + left]),
                  int(grid.starts[row * grid.nx + right + 1]))
        while True:  # at least once: nobody foresees which rows have no robot
            if count > MOST - LANES:
                return -1
            dx = load_until(discs.x, i, end, math.nan) - x
            dy = load_until(discs.y, i, end, math.nan) - y
            farthest_centre = load_until(discs.radius, i, end, 0.0) + reach
            seen = bits(dx * dx + dy * dy <= farthest_centre * farthest_centre)
            count = append(near, count, i, seen & ~one_bit(own - i))
            i += LANES
            if i >= end:
                break
    return count

# SPDX-License-Identifier: Apache-2.0
"""Fixed objects of a world as arrays for contact queries.

Segments, circles and rectangles are one shape here, a rounded box: an oriented box whose half
height may be 0 (a segment), or both halves (a circle), grown by a radius. One formula serves all.

Everything that a disc of at most ``largest_radius`` may touch is listed in the grid cell of its
centre, so that a query looks at one cell. Moving obstacles are the last rows of the table of a
tick (``with_discs``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit
from sbot_common.elementary import copy_rows, hypot, sincos
from sbot_common.spatial import BucketGrid, grid_of_circles, grid_of_segments, grid_shape
from sbot_sim.world.geometry import SIDES, World

# Cells for each object (more cells: shorter lists, more memory), and the longest side of the grid.
_CELLS_PER_OBJECT = 4
_LEAST_OBJECTS = 16
_LONGEST_SIDE = 4096


class FixedObjects(NamedTuple):
    """Bounds and K rounded boxes, with a grid of them."""

    bounds: Floats  # (4,) xmin, ymin, xmax, ymax (m), infinite where there are no walls
    boxes: Floats  # (K, 7) cx, cy, cos yaw, sin yaw, half width, half height, radius
    grid: BucketGrid  # of the boxes
    largest_radius: float  # m

    @classmethod
    def of(cls, world: World, radius: Floats) -> FixedObjects:
        """Return the table of a world for contacts with discs of ``radius`` (N,) (m).

        Its boxes are free segments, then rectangles, then circles.
        """
        largest = float(radius.max(initial=0.0))
        xmin, ymin, xmax, ymax = (float(v) for v in world.bounds)
        boxes, circles = _boxes(world), world.circles
        area = (xmax - xmin) * (ymax - ymin)
        wanted = max(largest, math.sqrt(
            area / (_CELLS_PER_OBJECT * max(_LEAST_OBJECTS, len(boxes) + len(circles)))))
        cell, nx, ny = grid_shape(xmin, ymin, xmax, ymax, wanted, _LONGEST_SIDE)

        # A robot is never deep inside a rectangle, so its sides find it. Each side is its
        # rectangle.
        lines = np.ascontiguousarray(world.inner_segments)
        free = len(lines) - SIDES * len(world.rectangles)
        box_of_line = np.concatenate(
            [np.arange(free), free + np.repeat(np.arange(len(world.rectangles)), SIDES)])
        grid = grid_of_segments(lines, largest, cell, xmin, ymin, nx, ny)
        cells = np.repeat(np.arange(nx * ny), np.diff(grid.starts))
        # One number for a cell and an item: to sort rows takes eight times as long.
        pairs = np.sort(cells.astype(np.int64) * max(1, len(boxes)) + box_of_line[grid.items])
        # Each once. np.unique would import NumPy's masked arrays, a hundredth of a second.
        listed = pairs[np.diff(pairs, prepend=-1) > 0]
        in_cell, item = np.divmod(listed, max(1, len(boxes)))
        starts = np.searchsorted(in_cell, np.arange(nx * ny + 1)).astype(np.int32)
        limits = np.array(world.bounds if world.has_walls else [-np.inf, -np.inf, np.inf, np.inf])
        fixed = cls(limits, boxes, BucketGrid(xmin, ymin, cell, nx, ny, starts,
                                              item.astype(np.int32)), largest)
        if not len(circles):  # to load its machine code takes a hundredth of a second, too
            return fixed
        return with_discs(fixed, circles[:, :2].copy(), circles[:, 2].copy())


def _boxes(world: World) -> Floats:
    """Return the rounded boxes (K, 7) of free segments, then of rectangles."""
    rows = []
    for x0, y0, x1, y1 in world.free_segments.tolist():
        length = hypot(x1 - x0, y1 - y0)
        rows.append((0.5 * (x0 + x1), 0.5 * (y0 + y1), (x1 - x0) / length, (y1 - y0) / length,
                     0.5 * length, 0.0, 0.0))
    for cx, cy, width, height, yaw in world.rectangles.tolist():
        s, c = sincos(yaw)
        rows.append((cx, cy, c, s, 0.5 * width, 0.5 * height, 0.0))
    return np.array(rows, dtype=np.float64).reshape(-1, 7)


@njit
def with_discs(fixed: FixedObjects, centre: Floats, radius: Floats) -> FixedObjects:
    """Return the table with more discs, as the last of its boxes: centres (M, 2), radii (M,) m."""
    n, m, count, before = len(fixed.boxes), len(radius), 0, fixed.grid
    boxes, discs = np.zeros((n + m, 7)), np.empty((m, 3))
    copy_rows(fixed.boxes, boxes[:n])
    for k in range(m):
        discs[k, 0], discs[k, 1], discs[k, 2] = centre[k, 0], centre[k, 1], radius[k]
        boxes[n + k, 0], boxes[n + k, 1], boxes[n + k, 2] = centre[k, 0], centre[k, 1], 1.0
        boxes[n + k, 6] = radius[k]
    grid = grid_of_circles(discs, fixed.largest_radius, before.cell, before.x0, before.y0,
                           before.nx, before.ny)
    starts = np.empty(len(before.starts), np.int32)
    items = np.empty(len(before.items) + len(grid.items), np.int32)
    for cell in range(len(starts)):
        starts[cell] = count
        if cell + 1 < len(starts):
            for entry in range(before.starts[cell], before.starts[cell + 1]):
                items[count] = before.items[entry]
                count += 1
            for entry in range(grid.starts[cell], grid.starts[cell + 1]):
                items[count] = n + grid.items[entry]
                count += 1
    return FixedObjects(fixed.bounds, boxes, BucketGrid(
        before.x0, before.y0, before.cell, before.nx, before.ny, starts, items),
        fixed.largest_radius)

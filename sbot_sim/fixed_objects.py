"""The fixed objects of a world, laid out for contact queries with discs.

Everything that a disc of at most ``largest_radius`` may touch is listed in the grid cell of its
centre, so that a query looks at one cell. Moving obstacles would go through the same contact
functions; only this table would be rebuilt.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_sim.bodies import BodyArrays
from sbot_sim.grid import grid_of_circles, grid_of_segments, grid_shape
from sbot_sim.world import SIDES, WALLS, World

Array = NDArray[np.float64]

# Cells for each object (more cells: shorter lists, more memory), and the longest side of the grid.
_CELLS_PER_OBJECT = 4
_LEAST_OBJECTS = 16
_LONGEST_SIDE = 4096


class FixedObjects(NamedTuple):
    """Bounds, segments, circles and solid rectangles, with grids as in ``sbot_sim.grid``."""

    bounds: Array  # (4,) xmin, ymin, xmax, ymax (m)
    lines: Array  # (L, 4) free segments, then four sides a rectangle
    line_rectangle: NDArray[np.int32]  # (L,) the rectangle of a side, -1 for a free segment
    circles: Array  # (C, 3) x, y, radius (m)
    rectangles: Array  # (R, 6) cx, cy, cos yaw, sin yaw, half width, half height
    x0: float
    y0: float
    cell: float
    nx: int
    ny: int
    line_starts: NDArray[np.int32]
    line_items: NDArray[np.int32]
    circle_starts: NDArray[np.int32]
    circle_items: NDArray[np.int32]
    largest_radius: float  # m


def fixed_objects(world: World, bodies: BodyArrays) -> FixedObjects:
    """Return the table of ``world`` for collision circles of ``bodies``: build it once a run."""
    largest = float(bodies.safety_radius.max()) if len(bodies.safety_radius) else 0.0
    xmin, ymin, xmax, ymax = (float(v) for v in world.bounds)
    lines = np.ascontiguousarray(world.segments[WALLS:])
    free = len(lines) - SIDES * len(world.rectangles)
    owner = np.full(len(lines), -1, dtype=np.int32)
    owner[free:] = np.repeat(np.arange(len(world.rectangles)), SIDES)

    rectangles = np.array([
        (cx, cy, math.cos(yaw), math.sin(yaw), 0.5 * width, 0.5 * height)
        for cx, cy, width, height, yaw in world.rectangles.tolist()]).reshape(-1, 6)
    objects = max(_LEAST_OBJECTS, len(lines) + len(world.circles))
    area = (xmax - xmin) * (ymax - ymin)
    wanted = max(largest, (area / (_CELLS_PER_OBJECT * objects)) ** 0.5)
    cell, nx, ny = grid_shape(xmin, ymin, xmax, ymax, wanted, _LONGEST_SIDE)
    line_grid = grid_of_segments(lines, largest, cell, xmin, ymin, nx, ny)
    circle_grid = grid_of_circles(world.circles, largest, cell, xmin, ymin, nx, ny)
    return FixedObjects(
        world.bounds, lines, owner, world.circles, rectangles,
        xmin, ymin, cell, nx, ny, line_grid.starts, line_grid.items,
        circle_grid.starts, circle_grid.items, largest)

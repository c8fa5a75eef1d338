"""Line of sight between robots: blocked by walls and obstacles, not by robots."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.spatial import CELL_SLACK, cell_index, segment_span, slab
from sbot_sim.world.scene import Outline, Scene, make_scene

Array = NDArray[np.float64]

class _Nothing(NamedTuple):
    bounds: Array = np.array([0.0, 0.0, 1.0, 1.0])
    segments: Array = np.empty((0, 4))
    circles: Array = np.empty((0, 3))


def make_line_of_sight(world: Outline | None) -> Scene:
    """Return the index of objects that block lines of sight; None: there are none."""
    if world is None:
        world = _Nothing()
    xmin, ymin, xmax, ymax = (float(v) for v in world.bounds)
    objects = len(world.segments) + len(world.circles)
    # About two cells to an object: a line passes few cells, and few objects in each.
    wanted = math.sqrt((xmax - xmin) * (ymax - ymin) / max(1, 2 * objects))
    return make_scene(world, 0.0, wanted)


@njit_inner
def _side(ax: float, ay: float, bx: float, by: float, px: float, py: float) -> float:
    """Return on which side of the line a b the point p lies: > 0 left, < 0 right, 0 on it."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


@njit
def segments_meet(ax: float, ay: float, bx: float, by: float,
                  cx: float, cy: float, dx: float, dy: float) -> bool:
    """Tell whether the segments a b and c d have a point in common; touching counts."""
    if max(ax, bx) < min(cx, dx) or max(cx, dx) < min(ax, bx):
        return False
    if max(ay, by) < min(cy, dy) or max(cy, dy) < min(ay, by):
        return False
    c, d = _side(ax, ay, bx, by, cx, cy), _side(ax, ay, bx, by, dx, dy)
    if (c > 0 and d > 0) or (c < 0 and d < 0):
        return False
    a, b = _side(cx, cy, dx, dy, ax, ay), _side(cx, cy, dx, dy, bx, by)
    return not ((a > 0 and b > 0) or (a < 0 and b < 0))


@njit
def segment_meets_disc(ax: float, ay: float, bx: float, by: float,
                       x: float, y: float, radius: float) -> bool:
    """Tell whether the segment a b comes closer than ``radius`` to (x, y)."""
    ux, uy = bx - ax, by - ay
    square = ux * ux + uy * uy
    t = 0.0
    if square > 0.0:
        t = min(1.0, max(0.0, ((x - ax) * ux + (y - ay) * uy) / square))
    ex, ey = ax + t * ux - x, ay + t * uy - y
    return ex * ex + ey * ey < radius * radius


@njit_inline
def blocked(ax: float, ay: float, bx: float, by: float, scene: Scene) -> bool:
    """Tell whether a wall or a disc of ``make_line_of_sight`` stands between a and b."""
    segments, circles = scene.segments, scene.circles
    walls, discs = scene.segment_grid, scene.circle_grid  # of the same shape
    slack = CELL_SLACK * walls.cell
    first_row = cell_index(min(ay, by) - slack, walls.y0, walls.cell, walls.ny)
    last_row = cell_index(max(ay, by) + slack, walls.y0, walls.cell, walls.ny)
    for row in range(first_row, last_row + 1):
        low, high = slab(row, walls.ny, walls.y0, walls.cell)
        left, right = segment_span(ax, ay, bx, by, low - slack, high + slack)
        first = row * walls.nx + cell_index(left - slack, walls.x0, walls.cell, walls.nx)
        end = row * walls.nx + cell_index(right + slack, walls.x0, walls.cell, walls.nx) + 1
        # Cells of a row are neighbours in memory: one stretch of items.
        for item in range(walls.starts[first], walls.starts[end]):
            s = walls.items[item]
            if segments_meet(ax, ay, bx, by, segments[s, 0], segments[s, 1], segments[s, 2],
                             segments[s, 3]):
                return True
        if len(circles) == 0:
            continue
        for item in range(discs.starts[first], discs.starts[end]):
            c = discs.items[item]
            if segment_meets_disc(ax, ay, bx, by, circles[c, 0], circles[c, 1], circles[c, 2]):
                return True
    return False

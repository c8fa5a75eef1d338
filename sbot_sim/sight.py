"""Lines of sight between robots: walls and obstacles block them, robots do not."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit
from sbot_sim.grid import cell_of
from sbot_sim.scene import Scene, make_scene

if TYPE_CHECKING:
    from sbot_sim.world import World

Array = NDArray[np.float64]

# The last indexes made, newest first, with the arrays they were made from: a run asks for the same
# one every tick. The arrays of a world are never changed, so the same arrays mean the same index.
_REMEMBERED = 4
_recent: list[tuple[Array, Array, float, Scene]] = []


def sight_scene(world: World, reach: float) -> Scene:
    """Return the index of what may block a line of at most ``reach`` (m), made once a world."""
    for segments, circles, known, scene in _recent:
        if segments is world.segments and circles is world.circles and known == reach:
            return scene
    # A cell must have a size, whatever the reach.
    scene = make_scene(world, max(reach, 1e-3))
    _recent.insert(0, (world.segments, world.circles, reach, scene))
    del _recent[_REMEMBERED:]
    return scene


class _Nothing(NamedTuple):
    bounds: Array
    segments: Array
    circles: Array


@cache
def empty_scene() -> Scene:
    """Return the index of a world in which nothing blocks anything."""
    return make_scene(_Nothing(np.array([0.0, 0.0, 1.0, 1.0]), np.empty((0, 4)),
                               np.empty((0, 3))), 1.0)


@njit
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


@njit
def blocked(ax: float, ay: float, bx: float, by: float, scene: Scene) -> bool:
    """Tell whether a wall or a disc stands between a and b, no farther apart than the reach."""
    segments, circles = scene.segments, scene.circles
    grid = scene.segment_grid
    k = cell_of(ax, ay, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for item in range(grid.starts[k], grid.starts[k + 1]):
        s = grid.items[item]
        x0, y0, x1, y1 = segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3]
        if segments_meet(ax, ay, bx, by, x0, y0, x1, y1):
            return True
    grid = scene.circle_grid
    k = cell_of(ax, ay, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for item in range(grid.starts[k], grid.starts[k + 1]):
        c = grid.items[item]
        if segment_meets_disc(ax, ay, bx, by, circles[c, 0], circles[c, 1], circles[c, 2]):
            return True
    return False

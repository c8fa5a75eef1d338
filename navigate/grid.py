"""Distance grid of the obstacles that a robot has seen, in a window that moves with it.

Cells hold how much nearer than ``REACH`` cells the nearest obstacle seen is, so 0 means that none
is known to be near: unknown space counts as free (Stentz, "Optimal and efficient path planning for
partially-known environments", ICRA 1994). Obstacles are never forgotten within the window.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit

SIDE = 256  # cells of the window along x, and along y
REACH = 5  # cells, the greatest distance that is told
HALF_DIAGONAL = 0.70711  # cells, rounded up


class Grid(NamedTuple):
    """The window: cell (row, column) has its centre at origin + (column, row) cells + a half."""

    nearness: NDArray[np.float32]  # (SIDE, SIDE) m, REACH cells minus the distance; >= 0
    origin_x: float  # m, lower left corner
    origin_y: float  # m
    cell: float  # m


@njit
def column_of(grid: Grid, x: float) -> int:
    """Return the column of x (m); not within the window for x outside."""
    return math.floor((x - grid.origin_x) / grid.cell)


@njit
def row_of(grid: Grid, y: float) -> int:
    """Return the row of y (m); not within the window for y outside."""
    return math.floor((y - grid.origin_y) / grid.cell)


@njit
def is_inside(row: int, column: int) -> bool:
    """Tell whether a cell is within the window."""
    return 0 <= row < SIDE and 0 <= column < SIDE


@njit
def distance_at(grid: Grid, x: float, y: float) -> float:
    """Return the distance (m) of a point's cell from obstacles seen, at most REACH cells."""
    row, column = row_of(grid, y), column_of(grid, x)
    if not is_inside(row, column):
        return REACH * grid.cell
    return REACH * grid.cell - np.float64(grid.nearness[row, column])


@njit
def is_marked(grid: Grid, x: float, y: float) -> bool:
    """Tell whether an obstacle in the cell of (x, y) (m) is known, or the window ends before it.

    The centre of a cell with an obstacle is no farther from it than half a diagonal.
    """
    row, column = row_of(grid, y), column_of(grid, x)
    return not is_inside(row, column) or (
        grid.nearness[row, column] > (REACH - HALF_DIAGONAL) * grid.cell)


@njit
def mark(grid: Grid, x: float, y: float) -> None:
    """Note an obstacle at (x, y) (m); the first point in a cell stands for the cell."""
    row, column = row_of(grid, y), column_of(grid, x)
    reach = REACH * grid.cell
    for r in range(max(0, row - REACH), min(SIDE, row + REACH + 1)):
        dy = grid.origin_y + (r + 0.5) * grid.cell - y
        for c in range(max(0, column - REACH), min(SIDE, column + REACH + 1)):
            dx = grid.origin_x + (c + 0.5) * grid.cell - x
            near = np.float32(reach - math.sqrt(dx * dx + dy * dy))
            if near > grid.nearness[r, c]:
                grid.nearness[r, c] = near


@njit
def is_free_line(grid: Grid, x0: float, y0: float, x1: float, y1: float, clearance: float,
                 skip: float) -> bool:
    """Tell whether all obstacles seen are at least ``clearance`` (m) from a line (m).

    Its first ``skip`` metres do not count. Points are tried a cell apart.
    """
    dx, dy = x1 - x0, y1 - y0
    length = math.sqrt(dx * dx + dy * dy)
    if not length > skip:
        return True
    steps = math.ceil((length - skip) / grid.cell)
    entered = False
    for k in range(steps + 1):
        t = (skip + (length - skip) * k / steps) / length
        row, column = row_of(grid, y0 + t * dy), column_of(grid, x0 + t * dx)
        if is_inside(row, column):
            entered = True
            if REACH * grid.cell - np.float64(grid.nearness[row, column]) < clearance:
                return False
        elif REACH * grid.cell < clearance:
            return False
        elif entered:  # and left for good: a goal may be a billion metres away
            return True
    return True


@njit
def shifted(grid: Grid, x: float, y: float) -> tuple[float, float]:
    """Move the window by whole cells so that (x, y) (m) is in its middle; return its new origin.

    What leaves the window is forgotten.
    """
    right = column_of(grid, x) - SIDE // 2
    up = row_of(grid, y) - SIDE // 2
    old = grid.nearness.copy()
    grid.nearness[:] = 0.0
    for row in range(max(0, -up), min(SIDE, SIDE - up)):
        for column in range(max(0, -right), min(SIDE, SIDE - right)):
            grid.nearness[row, column] = old[row + up, column + right]
    return grid.origin_x + right * grid.cell, grid.origin_y + up * grid.cell

"""Distance grid of the obstacles that a robot has seen, in a window that moves with it.

Cells hold how much nearer than ``REACH`` cells the nearest obstacle seen is, so 0 means that none
is known to be near: unknown space counts as free (Stentz, "Optimal and efficient path planning for
partially-known environments", ICRA 1994). ``navigate.ways.occupancy`` says which cells are
obstacles.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.parameters import REACH, SIDE
from sbot_common.compiled.jit import njit, njit_inner

HALF_DIAGONAL = 0.70711  # cells, rounded up
NEARER = 2.0 ** -400  # of a way whose square is no number any more


class Grid(NamedTuple):
    """The window: cell (row, column) has its centre at origin + (column, row) cells + a half."""

    nearness: NDArray[np.float32]  # (SIDE, SIDE) m, REACH cells minus the distance; >= 0
    evidence: NDArray[np.int8]  # (SIDE, SIDE) > 0: an obstacle
    hits: NDArray[np.float32]  # (SIDE, SIDE, 2) cells, where in an obstacle's cell it was seen
    origin_x: float  # m, lower left corner
    origin_y: float  # m
    cell: float  # m


def make_grid(origin_x: float, origin_y: float, cell: float) -> Grid:
    """Return an empty window; pages that are never written to take no memory."""
    return Grid(np.zeros((SIDE, SIDE), np.float32), np.zeros((SIDE, SIDE), np.int8),
                np.zeros((SIDE, SIDE, 2), np.float32), origin_x, origin_y, cell)


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
    """Tell whether the cell of (x, y) (m) holds an obstacle, or the window ends before it."""
    row, column = row_of(grid, y), column_of(grid, x)
    return not is_inside(row, column) or grid.evidence[row, column] > 0


@njit_inner
def _spread(grid: Grid, row: int, column: int, low_row: int, end_row: int, low_column: int,
            end_column: int) -> None:
    """Write distances from the obstacle in a cell to the cells of a block."""
    reach = REACH * grid.cell
    across, up = np.float64(grid.hits[row, column, 0]), np.float64(grid.hits[row, column, 1])
    for r in range(max(low_row, row - REACH), min(end_row, row + REACH + 1)):
        dy = r + 0.5 - row - up
        for c in range(max(low_column, column - REACH), min(end_column, column + REACH + 1)):
            dx = c + 0.5 - column - across
            near = np.float32(reach - grid.cell * math.sqrt(dx * dx + dy * dy))
            grid.nearness[r, c] = max(near, grid.nearness[r, c])


@njit
def mark(grid: Grid, x: float, y: float, evidence: int = 1) -> None:
    """Note an obstacle at (x, y) (m) within the window; the point stands for its cell."""
    row, column = row_of(grid, y), column_of(grid, x)
    if is_inside(row, column):
        grid.evidence[row, column] = evidence
        grid.hits[row, column, 0] = (x - grid.origin_x) / grid.cell - column
        grid.hits[row, column, 1] = (y - grid.origin_y) / grid.cell - row
        _spread(grid, row, column, 0, SIDE, 0, SIDE)


@njit
def unmark(grid: Grid, row: int, column: int) -> None:
    """Forget the obstacle in a cell, and compute the distances around it again."""
    grid.evidence[row, column] = 0
    low_row, end_row = max(0, row - REACH), min(SIDE, row + REACH + 1)
    low_column, end_column = max(0, column - REACH), min(SIDE, column + REACH + 1)
    for r in range(low_row, end_row):
        for c in range(low_column, end_column):
            grid.nearness[r, c] = 0.0
    for r in range(max(0, row - 2 * REACH), min(SIDE, row + 2 * REACH + 1)):
        for c in range(max(0, column - 2 * REACH), min(SIDE, column + 2 * REACH + 1)):
            if grid.evidence[r, c] > 0:
                _spread(grid, r, c, low_row, end_row, low_column, end_column)


@njit
def is_free_line(grid: Grid, x0: float, y0: float, x1: float, y1: float, clearance: float,
                 skip: float) -> bool:
    """Tell whether all obstacles seen are at least ``clearance`` (m) from a line (m).

    Its first ``skip`` metres do not count. Points are tried a cell apart, or farther where the
    distance says that nothing is near.
    """
    dx, dy = x1 - x0, y1 - y0
    length = math.sqrt(dx * dx + dy * dy)
    if not length > skip or math.isinf(dx) or math.isinf(dy):
        return True
    while length == math.inf:  # its square is too large a number: a nearer place that way will do
        dx, dy = dx * NEARER, dy * NEARER
        length = math.sqrt(dx * dx + dy * dy)
    reach, at, entered = REACH * grid.cell, skip, False
    while True:
        t = min(1.0, at / length)
        row, column = row_of(grid, y0 + t * dy), column_of(grid, x0 + t * dx)
        step = grid.cell
        if is_inside(row, column):
            entered = True
            distance = reach - np.float64(grid.nearness[row, column])
            if distance < clearance:
                return False
            step = max(step, distance - clearance - grid.cell)
        elif reach < clearance:
            return False
        elif entered:  # and left for good: a goal may be a billion metres away
            return True
        else:
            step = max(step, length / SIDE)
        if at >= length:
            return True
        at = min(length, at + step)


@njit
def shifted(grid: Grid, x: float, y: float) -> tuple[float, float]:
    """Move the window by whole cells so that (x, y) (m) is in its middle half; return its origin.

    What leaves the window is forgotten.
    """
    right, up = column_of(grid, x) - SIDE // 2, row_of(grid, y) - SIDE // 2
    right, up = _sparing(right), _sparing(up)
    old, evidence, hits = grid.nearness.copy(), grid.evidence.copy(), grid.hits.copy()
    grid.nearness[:] = 0.0
    grid.evidence[:] = 0
    for row in range(max(0, -up), min(SIDE, SIDE - up)):
        for column in range(max(0, -right), min(SIDE, SIDE - right)):
            grid.nearness[row, column] = old[row + up, column + right]
            grid.evidence[row, column] = evidence[row + up, column + right]
            grid.hits[row, column, 0] = hits[row + up, column + right, 0]
            grid.hits[row, column, 1] = hits[row + up, column + right, 1]
    return grid.origin_x + right * grid.cell, grid.origin_y + up * grid.cell


@njit_inner
def _sparing(cells: int) -> int:
    """Return by how much to move for a robot so far from the middle: no more than needed."""
    spare = SIDE // 8
    if cells > spare:
        return cells if cells > SIDE // 2 else cells - spare
    if cells < -spare:
        return cells if cells < -SIDE // 2 else cells + spare
    return 0

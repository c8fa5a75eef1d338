# SPDX-License-Identifier: Apache-2.0
"""Map of a robot: distance grid of obstacles, occupancy of cells, a map known from the start."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.parameters import (
    BANNED,
    HIT,
    LEAST,
    MOST,
    NEUTRAL,
    PASS,
    REACH,
    SIDE,
)
from sbot_common.compiled.jit import njit, njit_inner

# Distance grid of the obstacles that a robot has seen, in a window that moves with it.
#
# Cells hold how much nearer than ``REACH`` cells the nearest obstacle seen is, so 0 means that
# none is known to be near: unknown space counts as free (Stentz, "Optimal and efficient path
# planning for partially-known environments", ICRA 1994). Occupancy, below, says which cells are
# obstacles.

HALF_DIAGONAL = 0.70711  # cells, rounded up


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
def _unmark(grid: Grid, row: int, column: int) -> None:
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
    if not skip < length < math.inf:
        return True
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
    """Move the window by whole cells so that (x, y) (m) is in its middle; return its origin.

    What leaves the window is forgotten.
    """
    right, up = column_of(grid, x) - SIDE // 2, row_of(grid, y) - SIDE // 2
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


# Occupancy of cells: evidence for and against obstacles, beam by beam.
#
# The occupancy grid of Moravec and Elfes, "High resolution maps from wide angle sonar" (ICRA
# 1985), with whole numbers: the end of a beam adds to its cell, and each cell that a beam passes
# loses. So noise cannot build up before a wall, and what has moved away is forgotten. 0 is a cell
# that no beam has told of. So a cell without an obstacle holds one less than its evidence.

@njit_inner
def _evidence(held: int) -> int:
    """Return the evidence of a cell that holds a number."""
    return held - NEUTRAL if held < 0 else held


@njit_inner
def _held(evidence: int) -> int:
    """Return what a cell holds that beams have told of."""
    return evidence if evidence > 0 else evidence + NEUTRAL


@njit
def add_hit(grid: Grid, x: float, y: float) -> bool:
    """Count a beam that ends at (x, y) (m); tell whether an obstacle is new."""
    row, column = row_of(grid, y), column_of(grid, x)
    if not is_inside(row, column):
        return False
    before = _evidence(grid.evidence[row, column])
    if before >= MOST:
        return False
    after = min(MOST, before + HIT)
    if before <= 0 < after:
        mark(grid, x, y, after)
        return True
    grid.evidence[row, column] = _held(after)
    return False


@njit
def clear(grid: Grid, x: float, y: float, ahead: float, aside: float, length: float,
          budget: int) -> int:
    """Count a beam that passes from (x, y) (m) along a unit vector for ``length`` (m).

    At most ``budget`` obstacles are forgotten; returns what is left of it.
    """
    steps = math.floor(length / grid.cell)
    column, row = (x - grid.origin_x) / grid.cell, (y - grid.origin_y) / grid.cell
    for k in range(1, steps):
        r, c = math.floor(row + k * aside), math.floor(column + k * ahead)
        if not is_inside(r, c):
            break
        before = _evidence(grid.evidence[r, c])
        if before <= LEAST or before == BANNED:
            continue
        after = before - PASS
        if before > 0 >= after:
            if budget == 0:
                continue
            budget -= 1
            _unmark(grid, r, c)
        grid.evidence[r, c] = _held(after)
    return budget


@njit
def fill(grid: Grid, x: float, y: float, radius: float, full: bool) -> None:
    """Mark all of a disc (m) as an obstacle, or take its marks away."""
    cells, row, column = math.ceil(radius / grid.cell), row_of(grid, y), column_of(grid, x)
    for r in range(row - cells, row + cells + 1):
        for c in range(column - cells, column + cells + 1):
            at_x = grid.origin_x + (c + 0.5) * grid.cell
            at_y = grid.origin_y + (r + 0.5) * grid.cell
            dx, dy = at_x - x, at_y - y
            if is_inside(r, c) and dx * dx + dy * dy < radius * radius:
                if full and grid.evidence[r, c] <= 0:
                    mark(grid, at_x, at_y, MOST)
                elif not full and grid.evidence[r, c] > 0:
                    _unmark(grid, r, c)
                    grid.evidence[r, c] = NEUTRAL


@njit
def mark_line(grid: Grid, x0: float, y0: float, x1: float, y1: float) -> None:
    """Mark the cells between two points (m) that hold no obstacle yet, within the window."""
    dx, dy = x1 - x0, y1 - y0
    rows, columns = grid.evidence.shape
    first, last = part_within(x0 - grid.origin_x, dx, columns * grid.cell, 0.0, 1.0)
    first, last = part_within(y0 - grid.origin_y, dy, rows * grid.cell, first, last)
    if not first <= last:
        return
    share = last - first
    part_x, part_y = share * dx, share * dy
    steps = math.ceil(math.sqrt(part_x * part_x + part_y * part_y) / (0.5 * grid.cell))
    for k in range(steps + 1):
        t = first + share * (k / max(1, steps))
        x, y = x0 + t * dx, y0 + t * dy
        row, column = row_of(grid, y), column_of(grid, x)
        if is_inside(row, column) and grid.evidence[row, column] <= 0:
            mark(grid, x, y, MOST)


@njit
def part_within(start: float, way: float, side: float, first: float, last: float,
          ) -> tuple[float, float]:
    """Return the part of ``first`` ... ``last`` in which start + t*way is from 0 to ``side``."""
    if way == 0.0:
        return (first, last) if 0.0 <= start <= side else (1.0, 0.0)
    a, b = -start / way, (side - start) / way
    return max(first, min(a, b)), min(last, max(a, b))

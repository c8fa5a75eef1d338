"""Occupancy of cells: evidence for and against obstacles, beam by beam.

The occupancy grid of Moravec and Elfes, "High resolution maps from wide angle sonar" (ICRA 1985),
with whole numbers: the end of a beam adds to its cell, and each cell that a beam passes loses. So
noise cannot build up before a wall, and what has moved away is forgotten. 0 is a cell that no beam
has told of. So a cell without an obstacle holds one less than its evidence.
"""

from __future__ import annotations

import math

from navigate.parameters import BANNED, HIT, LEAST, MOST, NEUTRAL, PASS
from navigate.ways.grid import Grid, column_of, is_inside, mark, row_of, unmark
from sbot_common.compiled.jit import njit, njit_inner


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
            unmark(grid, r, c)
        grid.evidence[r, c] = _held(after)
    return budget

"""Fixed obstacles that a robot knows from the start: outlines of a map, marked in its grid."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.parameters import MOST
from navigate.ways.grid import Grid, column_of, is_inside, mark, row_of
from sbot_common.compiled.jit import njit
from sbot_common.elementary import sincos

_DEVIATION = 0.05  # cells between a circle and the polygon that stands for it
_SIDES = 100_000  # of that polygon, at most


class Known(NamedTuple):
    """Outlines of obstacles, in the frame of ``Grid``."""

    segments: NDArray[np.float64]  # (S, 4) x0, y0, x1, y1 (m)
    circles: NDArray[np.float64]  # (C, 3) x, y, radius (m)


def nothing_known() -> Known:
    """Return no outlines."""
    return Known(np.empty((0, 4)), np.empty((0, 3)))


@njit
def mark_known(grid: Grid, known: Known) -> None:
    """Mark the cells that outlines pass, as far as they are in the window."""
    for i in range(len(known.segments)):
        _mark_line(grid, known.segments[i, 0], known.segments[i, 1], known.segments[i, 2],
                   known.segments[i, 3])
    for i in range(len(known.circles)):
        x, y, radius = known.circles[i, 0], known.circles[i, 1], known.circles[i, 2]
        sides = 2.0 * math.pi * math.sqrt(radius / (8.0 * _DEVIATION * grid.cell))
        count = math.ceil(min(float(_SIDES), max(8.0, sides)))
        before_x, before_y = x + radius, y
        for k in range(1, count + 1):
            sine, cosine = sincos(2.0 * math.pi * k / count)
            next_x, next_y = x + radius * cosine, y + radius * sine
            _mark_line(grid, before_x, before_y, next_x, next_y)
            before_x, before_y = next_x, next_y


@njit
def _mark_line(grid: Grid, x0: float, y0: float, x1: float, y1: float) -> None:
    """Mark the cells between two points (m) that hold no obstacle yet."""
    dx, dy = x1 - x0, y1 - y0
    rows, columns = grid.evidence.shape
    first, last = _part(x0 - grid.origin_x, dx, columns * grid.cell, 0.0, 1.0)
    first, last = _part(y0 - grid.origin_y, dy, rows * grid.cell, first, last)
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
def _part(start: float, way: float, side: float, first: float, last: float,
          ) -> tuple[float, float]:
    """Return the part of ``first`` ... ``last`` in which start + t*way is from 0 to ``side``."""
    if way == 0.0:
        return (first, last) if 0.0 <= start <= side else (1.0, 0.0)
    a, b = -start / way, (side - start) / way
    return max(first, min(a, b)), min(last, max(a, b))

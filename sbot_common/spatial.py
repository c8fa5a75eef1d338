# SPDX-License-Identifier: Apache-2.0
"""Uniform bucket grids for neighbour queries of points, segments and circles.

A grid is two arrays (compressed rows): the items of cell ``(ix, iy)`` are
``items[starts[k]:starts[k + 1]]`` with ``k = iy * nx + ix``, in increasing order. Border cells
reach to infinity, so that nothing is ever outside a grid: what lies beyond is kept in, and looked
up from, the nearest border cell.

With a ``margin`` an item is listed in every cell that comes within ``margin`` of it: then *one*
cell, the one of a point, holds everything within ``margin`` of that point, each item once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner, njit_or_python
from sbot_common.elementary import copy_rows

# Slack on margins as a fraction of a cell: rounding must never hide an item.
CELL_SLACK = 1e-9
_ROUNDING = 2.0 ** -50  # of a coordinate
_WIDER = 1.0 + 1e-6


class BucketGrid(NamedTuple):
    """Buckets of square cells; see the module's text."""

    x0: float  # m, lower left corner
    y0: float  # m
    cell: float  # m, side of a cell
    nx: int
    ny: int
    starts: NDArray[np.int32]  # (nx*ny + 1,)
    items: NDArray[np.int32]  # (starts[-1],)


@njit
def cell_index(value: float, origin: float, cell: float, count: int) -> int:
    """Return the column of x (or row of y), in 0 … count-1; NaN goes to 0."""
    if count == 1:  # a division is the slowest part of a query in a small world
        return 0
    position = (value - origin) / cell
    if not position > 0.0:
        return 0
    if position >= count:
        return count - 1
    return int(position)


@njit
def cell_of(x: float, y: float, x0: float, y0: float, cell: float, nx: int, ny: int) -> int:
    """Return the number of the cell of a point (m): the index into ``starts``."""
    return cell_index(y, y0, cell, ny) * nx + cell_index(x, x0, cell, nx)


@njit
def grid_shape(xmin: float, ymin: float, xmax: float, ymax: float, cell: float,
               limit: int) -> tuple[float, int, int]:
    """Return (cell, nx, ny) covering a box; the cell is widened to keep nx, ny <= ``limit``."""
    widened = max(cell, (xmax - xmin) / limit, (ymax - ymin) / limit)
    nx = min(limit, max(1, math.ceil((xmax - xmin) / widened)))
    ny = min(limit, max(1, math.ceil((ymax - ymin) / widened)))
    return widened, nx, ny


@njit
def bounding_box(xy: Floats) -> tuple[float, float, float, float]:
    """Return xmin, ymin, xmax, ymax (m) of the finite points of (N, 2) or wider; 0 for none."""
    xmin, ymin, xmax, ymax = math.inf, math.inf, -math.inf, -math.inf
    for i in range(xy.shape[0]):
        if math.isfinite(xy[i, 0]) and math.isfinite(xy[i, 1]):
            xmin, xmax = min(xmin, xy[i, 0]), max(xmax, xy[i, 0])
            ymin, ymax = min(ymin, xy[i, 1]), max(ymax, xy[i, 1])
    if not xmin <= xmax:
        return 0.0, 0.0, 0.0, 0.0
    return xmin, ymin, xmax, ymax


@njit_inner
def shape_around_points(xy: Floats, cell: float) -> tuple[float, float, float, int, int]:
    """Return (cell, x0, y0, nx, ny) of the grid of points over their bounding box.

    It has a few cells a point at most. Cells are a little wider than ``cell`` (m), which is > 0,
    so that rounding cannot put points that near to each other two cells apart; much wider where
    few points are far apart.
    """
    xmin, ymin, xmax, ymax = bounding_box(xy)
    if not max(xmax - xmin, ymax - ymin) < math.inf:
        return 1.0, 0.0, 0.0, 1, 1
    cell, nx, ny = grid_shape(xmin, ymin, xmax, ymax, cell * _WIDER, most_columns(xy.shape[0]))
    return cell, xmin, ymin, nx, ny


@njit_or_python
def most_columns(points: int) -> int:
    """Return how many columns, and rows, a grid of so many points has at most."""
    return 1 + 2 * int(math.sqrt(points))


@njit
def grid_around_points(xy: Floats, cell: float) -> BucketGrid:
    """Return the grid of points whose shape is that of ``shape_around_points``."""
    cell, x0, y0, nx, ny = shape_around_points(xy, cell)
    return grid_of_points(xy, cell, x0, y0, nx, ny)


@njit
def grid_of_points(xy: Floats, cell: float, x0: float, y0: float, nx: int, ny: int) -> BucketGrid:
    """Return the grid of points, each in one cell.

    Parameters
    ----------
    xy : (N, 2) or wider; columns 0 and 1 are x and y (m)
    cell, x0, y0 : side of a cell and lower left corner (m)
    nx, ny : columns and rows

    """
    n = xy.shape[0]
    starts, cells, items = (np.empty(nx * ny + 1, np.int32), np.empty(n, np.int32),
                            np.empty(n, np.int32))
    number_cells(xy, cell, x0, y0, nx, ny, cells)
    sort_by_cell(cells, starts, items)
    return BucketGrid(x0, y0, cell, nx, ny, starts, items)


@njit_inner
def number_cells(xy: Floats, cell: float, x0: float, y0: float, nx: int, ny: int,
                 cells: NDArray[np.int32]) -> None:
    """Write the number of each point's cell to ``cells`` (N,); as for ``grid_of_points``."""
    for i in range(cells.shape[0]):
        cells[i] = cell_of(xy[i, 0], xy[i, 1], x0, y0, cell, nx, ny)


@njit_inner
def sort_by_cell(cells: NDArray[np.int32], starts: NDArray[np.int32],
                 items: NDArray[np.int32]) -> None:
    """Write the compressed rows of a grid; ``cells`` (N,) are the items' cells."""
    starts[:] = 0
    n, last = cells.shape[0], starts.shape[0] - 1
    for i in range(n):
        starts[cells[i]] += 1
    for k in range(1, last):
        starts[k] += starts[k - 1]
    starts[last] = n
    # Filling backwards makes each end of a cell its start, and each cell in increasing order.
    for i in range(n - 1, -1, -1):
        k = cells[i]
        starts[k] -= 1
        items[starts[k]] = i


@njit_inner
def _slab(row: int, count: int, origin: float, cell: float) -> tuple[float, float]:
    """Return the y extent of a row of cells (m); the first and last row reach to infinity."""
    low = -math.inf if row == 0 else origin + row * cell
    high = math.inf if row == count - 1 else origin + (row + 1) * cell
    return low, high


@njit_inner
def _segment_span(x0: float, y0: float, x1: float, y1: float,
                 low: float, high: float) -> tuple[float, float]:
    """Return the least and greatest x of the part of a segment with y in [low, high] (m)."""
    if y1 < y0:
        x0, y0, x1, y1 = x1, y1, x0, y0
    xa, xb, blur = x0, x1, 0.0
    if y1 > y0:
        slope = (x1 - x0) / (y1 - y0)
        blur = abs(slope) * _ROUNDING * (abs(y0) + abs(y1))
        if low > y0:
            xa = x0 + slope * (min(low, y1) - y0)
        if high < y1:
            xb = x0 + slope * (max(high, y0) - y0)
    # Rounding may lead just past an end.
    left, right = min(x0, x1), max(x0, x1)
    return max(left, min(xa, xb) - blur), min(right, max(xa, xb) + blur)


@njit_inner
def _grid_of_runs(runs: NDArray[np.int32], cell: float, x0: float, y0: float, nx: int,
                  ny: int) -> BucketGrid:
    """Return the grid of items that fill runs of cells.

    ``runs`` is (K, 3): item, first and last cell, by increasing item.
    """
    starts = np.zeros(nx * ny + 1, np.int32)
    for r in range(runs.shape[0]):
        for k in range(runs[r, 1], runs[r, 2] + 1):
            starts[k + 1] += 1
    for k in range(nx * ny):
        starts[k + 1] += starts[k]
    items = np.empty(starts[nx * ny], np.int32)
    ends = starts[:-1].copy()
    for r in range(runs.shape[0]):
        for k in range(runs[r, 1], runs[r, 2] + 1):
            items[ends[k]] = runs[r, 0]
            ends[k] += 1
    return BucketGrid(x0, y0, cell, nx, ny, starts, items)


@njit_inner
def _add_run(runs: NDArray[np.int32], count: int, item: int, first: int,
             last: int) -> NDArray[np.int32]:
    """Write row ``count`` of the runs; return them, moved to a longer array if they were full."""
    if count == runs.shape[0]:
        longer = np.empty((2 * count, 3), np.int32)
        copy_rows(runs, longer[:count])
        runs = longer
    runs[count, 0], runs[count, 1], runs[count, 2] = item, first, last
    return runs


@njit
def grid_of_segments(segments: Floats, margin: float, cell: float, x0: float, y0: float,
                     nx: int, ny: int) -> BucketGrid:
    """Return the grid of segments, each in all cells within ``margin`` (m) of it.

    Parameters
    ----------
    segments : (S, 4) x0 y0 x1 y1 (m)
    margin, cell, x0, y0, nx, ny : see ``grid_of_points`` and the module's text

    """
    reach = margin + CELL_SLACK * cell
    runs, count = np.empty((segments.shape[0] + 1, 3), np.int32), 0
    for i in range(segments.shape[0]):
        ax, ay, bx, by = segments[i, 0], segments[i, 1], segments[i, 2], segments[i, 3]
        first_row = cell_index(min(ay, by) - reach, y0, cell, ny)
        last_row = cell_index(max(ay, by) + reach, y0, cell, ny)
        for row in range(first_row, last_row + 1):
            low, high = _slab(row, ny, y0, cell)
            left, right = _segment_span(ax, ay, bx, by, low - reach, high + reach)
            runs = _add_run(runs, count, i, row * nx + cell_index(left - reach, x0, cell, nx),
                            row * nx + cell_index(right + reach, x0, cell, nx))
            count += 1
    return _grid_of_runs(runs[:count], cell, x0, y0, nx, ny)


@njit
def grid_of_circles(circles: Floats, margin: float, cell: float, x0: float, y0: float,
                    nx: int, ny: int) -> BucketGrid:
    """Return the grid of discs, each in all cells within ``margin`` (m) of it.

    Parameters
    ----------
    circles : (C, 3) x y radius (m)
    margin, cell, x0, y0, nx, ny : see ``grid_of_points`` and the module's text

    """
    runs, count = np.empty((circles.shape[0] + 1, 3), np.int32), 0
    for i in range(circles.shape[0]):
        x, y = circles[i, 0], circles[i, 1]
        reach = circles[i, 2] + margin + CELL_SLACK * cell
        first_row = cell_index(y - reach, y0, cell, ny)
        last_row = cell_index(y + reach, y0, cell, ny)
        for row in range(first_row, last_row + 1):
            low, high = _slab(row, ny, y0, cell)
            away = max(0.0, low - y, y - high)
            half = math.sqrt(max(0.0, reach * reach - away * away))
            runs = _add_run(runs, count, i, row * nx + cell_index(x - half, x0, cell, nx),
                            row * nx + cell_index(x + half, x0, cell, nx))
            count += 1
    return _grid_of_runs(runs[:count], cell, x0, y0, nx, ny)

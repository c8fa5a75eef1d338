"""Search for pairs that might overlap: circles among each other, and robots near objects.

For ``overlap``, which judges ``separation``: it shares no code with that one's broad phase.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_or_python

Array = NDArray[np.float64]
Indexes = NDArray[np.intp]

# Cells of the search: a little wider than the reach, so that rounding cannot put what is within
# reach two cells away.
_SLACK = 1e-6


def _size_classes(size: Array) -> list[Indexes]:
    """Return the rows of ``size`` (m) in groups of about the same size."""
    if size.min() == size.max():
        return [np.arange(len(size))]
    classes = np.frexp(np.maximum(size, 1e-12))[1]  # powers of two
    # np.unique would import NumPy's masked arrays, a tenth of what loading a scenario takes.
    return [np.flatnonzero(classes == value) for value in sorted(set(classes.tolist()))]


@njit_or_python
def within(points: Array, centres: Array, reach: float) -> tuple[Indexes, Indexes]:
    """Return (centre, point) of every two that are at most ``reach`` (m) apart along x and y.

    Points are sorted by square cells at least as wide as the reach, about half a point in each.
    In a column of cells, those of a centre's row and its two neighbours follow each other.
    """
    n, low, high = len(points), np.empty(2), np.empty(2)
    for axis in range(2):
        low[axis], high[axis] = np.inf, -np.inf
        for i in range(n):
            low[axis] = min(low[axis], points[i, axis])
            high[axis] = max(high[axis], points[i, axis])
    width, height = high[0] - low[0], high[1] - low[1]
    cell = max(reach * (1.0 + _SLACK), math.sqrt(width / (2 * n) * height),
               (width + height) / (2 * n), 1e-12)
    columns, rows = math.floor(width / cell) + 1, math.floor(height / cell) + 1
    cell_of_point, starts = np.empty(n, np.intp), np.zeros(columns * rows + 2, np.intp)
    for i in range(n):
        cell_of_point[i] = (_cell(points[i, 0], low[0], cell, columns) * rows
                            + _cell(points[i, 1], low[1], cell, rows))
        starts[cell_of_point[i] + 2] += 1
    for c in range(1, len(starts)):
        starts[c] += starts[c - 1]
    order = np.empty(n, np.intp)
    for i in range(n):  # now starts[c + 1] is where cell c begins; then, where it ends
        order[starts[cell_of_point[i] + 1]] = i
        starts[cell_of_point[i] + 1] += 1
    room = n + len(centres) + 16
    centre, point, count = np.empty(room, np.intp), np.empty(room, np.intp), 0
    for c in range(len(centres)):
        x, y = centres[c, 0], centres[c, 1]
        column, row = _cell(x, low[0], cell, columns), _cell(y, low[1], cell, rows)
        bottom, top = max(row - 1, 0), min(row + 1, rows - 1)
        if top < bottom:
            continue
        for left in range(max(column - 1, 0), min(column + 1, columns - 1) + 1):
            for k in range(starts[left * rows + bottom], starts[left * rows + top + 1]):
                i = order[k]
                if abs(x - points[i, 0]) <= reach and abs(y - points[i, 1]) <= reach:
                    if count == len(centre):
                        centre, point = _with_more_room(centre), _with_more_room(point)
                    centre[count], point[count] = c, i
                    count += 1
    return centre[:count].copy(), point[:count].copy()


@njit
def _with_more_room(values: Indexes) -> Indexes:
    """Return the numbers in an array of twice the length; np.append takes longer to compile."""
    out = np.empty(2 * len(values), np.intp)
    for i in range(len(values)):
        out[i] = values[i]
    return out


@njit
def _cell(value: float, low: float, cell: float, count: int) -> int:
    """Return the column or row; of what is beyond the points' cells, two away from them."""
    return math.floor(min(max((value - low) / cell, -2.0), count + 1.0))


def near_pairs(xy: Array, radius: Array) -> tuple[Indexes, Indexes]:
    """Return every pair (i, j), i < j, whose circles might overlap, and perhaps some more."""
    groups = _size_classes(radius)
    first: list[Indexes] = []
    second: list[Indexes] = []
    for a, group in enumerate(groups):
        for b, other in enumerate(groups[:a + 1]):
            centre, point = within(xy[other], xy[group],
                                    float(radius[group].max() + radius[other].max()))
            i, j = group[centre], other[point]
            once = i < j if a == b else np.full(len(i), True)
            first.append(i[once])
            second.append(j[once])
    i, j = np.concatenate(first), np.concatenate(second)
    return np.minimum(i, j), np.maximum(i, j)


def near_objects(xy: Array, centres: Array, reach: Array) -> tuple[Indexes, Indexes]:
    """Return (object, robot) of every robot that might be within ``reach`` of an object's centre.

    ``reach`` is (M,) in m, M > 0; there may be some more.
    """
    found = []
    for group in _size_classes(reach):
        centre, robot = within(xy, centres[group], float(reach[group].max()))
        found.append((group[centre], robot))
    return (np.concatenate([entry for entry, _ in found]),
            np.concatenate([robot for _, robot in found]))

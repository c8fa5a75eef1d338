# SPDX-License-Identifier: Apache-2.0
"""Overlaps of rectangles and polygons, and the search for near pairs: parts of ``overlap``.

It shares no code with ``fixed_objects``, whose polygons are sides without an inside: here a
crossing of the outline says what is inside, and the nearest side how deep.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sbot_common.arrays import Floats, Indexes
from sbot_common.compiled.jit import njit, njit_inline, njit_inner, njit_or_python
from sbot_common.elementary import copy_numbers, hypot, sincos

# Search for pairs that might overlap: circles among each other, and robots near objects.
#
# For ``overlap``, which judges ``separation``: it shares no code with that one's broad phase.


# Cells of the search: a little wider than the reach, so that rounding cannot put what is within
# reach two cells away.
_SLACK = 1e-6


def _size_classes(size: Floats) -> list[Indexes]:
    """Return the rows of ``size`` (m) in groups of about the same size."""
    if size.min() == size.max():
        return [np.arange(len(size))]
    classes = np.frexp(np.maximum(size, 1e-12))[1]  # powers of two
    # np.unique would import NumPy's masked arrays, a tenth of what loading a scenario takes.
    return [np.flatnonzero(classes == value) for value in sorted(set(classes.tolist()))]


@njit_or_python
def _within(points: Floats, centres: Floats, reach: float) -> tuple[Indexes, Indexes]:
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
def _with_more_room(values: Any) -> Any:  # noqa: ANN401 - an array of one dimension
    """Return the numbers in an array of twice the length; np.append takes longer to compile."""
    out = np.empty(2 * len(values), values.dtype)
    for i in range(len(values)):
        out[i] = values[i]
    return out


@njit
def _cell(value: float, low: float, cell: float, count: int) -> int:
    """Return the column or row; of what is beyond the points' cells, two away from them."""
    return math.floor(min(max((value - low) / cell, -2.0), count + 1.0))


def near_pairs(xy: Floats, radius: Floats) -> tuple[Indexes, Indexes]:
    """Return every pair (i, j), i < j, whose circles might overlap, and perhaps some more."""
    groups = _size_classes(radius)
    first: list[Indexes] = []
    second: list[Indexes] = []
    for a, group in enumerate(groups):
        for b, other in enumerate(groups[:a + 1]):
            centre, point = _within(xy[other], xy[group],
                                    float(radius[group].max() + radius[other].max()))
            i, j = group[centre], other[point]
            once = i < j if a == b else np.full(len(i), True)
            first.append(i[once])
            second.append(j[once])
    i, j = np.concatenate(first), np.concatenate(second)
    return np.minimum(i, j), np.maximum(i, j)


def near_objects(xy: Floats, centres: Floats, reach: Floats) -> tuple[Indexes, Indexes]:
    """Return (object, robot) of every robot that might be within ``reach`` of an object's centre.

    ``reach`` is (M,) in m, M > 0; there may be some more.
    """
    found = []
    for group in _size_classes(reach):
        centre, robot = _within(xy, centres[group], float(reach[group].max()))
        found.append((group[centre], robot))
    return (np.concatenate([entry for entry, _ in found]),
            np.concatenate([robot for _, robot in found]))


# Overlaps of rectangular robots, by their corners: part of the check in ``overlap``.
#
# It shares no code with ``body_contacts``, which it judges: shapes are lists of corners here, and
# the shadows of all corners on the normals of all sides decide.


@njit_inline
def _noted(row: Indexes, other: Indexes, depth: Floats, found: int, i: int, k: int,
          deep: float) -> tuple[Indexes, Indexes, Floats]:
    """Return three lists with (i, k, deep) at place ``found``; full ones are twice as long."""
    if found == len(row):
        row, other, depth = (_with_more_room(row), _with_more_room(other), _with_more_room(depth))
    row[found], other[found], depth[found] = i, k, deep
    return row, other, depth


@njit
def corners_at(pose: Floats, offset: Floats, size: Floats) -> Floats:
    """Return the corners (R, 4, 2) m, counter-clockwise, of rectangles of robots.

    Parameters
    ----------
    pose : (R, 3) of the robots: x, y (m), yaw (rad)
    offset : (R,) m, of the centres ahead of them
    size : (R, 2 or more) m, half length and half width

    """
    out = np.empty((len(pose), 4, 2))
    for i in range(len(pose)):
        s, c = sincos(pose[i, 2])
        for k in range(4):
            x = offset[i] + (size[i, 0] if k in (1, 2) else -size[i, 0])
            y = size[i, 1] if k > 1 else -size[i, 1]
            out[i, k, 0] = pose[i, 0] + (c * x - s * y)
            out[i, k, 1] = pose[i, 1] + (s * x + c * y)
    return out


def corners_of(rectangles: Floats) -> Floats:
    """Return the corners (R, 4, 2) m, counter-clockwise, of (R, 5) cx, cy, width, height, yaw."""
    return corners_at(np.ascontiguousarray(rectangles[:, [0, 1, 4]]), np.zeros(len(rectangles)),
                      0.5 * rectangles[:, 2:4])


@njit_inner
def _shadow(corners: Floats, nx: float, ny: float) -> tuple[float, float]:
    """Return the least and the greatest of corners (P, 2) along a direction."""
    low = high = corners[0, 0] * nx + corners[0, 1] * ny
    for k in range(1, len(corners)):
        along = corners[k, 0] * nx + corners[k, 1] * ny
        low, high = min(low, along), max(high, along)
    return low, high


@njit
def _convex_depth(a: Floats, b: Floats) -> float:
    """Return how deep two convex outlines (P, 2) and (Q, 2) overlap (m), negative if apart.

    Two corners are a segment.
    """
    least = math.inf
    for shape in range(2):
        outline = a if shape == 0 else b
        for k in range(len(outline)):
            end = (k + 1) % len(outline)
            nx = outline[end, 1] - outline[k, 1]
            ny = outline[k, 0] - outline[end, 0]
            length = hypot(nx, ny)
            nx, ny = nx / length, ny / length
            a_low, a_high = _shadow(a, nx, ny)
            b_low, b_high = _shadow(b, nx, ny)
            least = min(least, a_high - b_low, b_high - a_low)
    return least


@njit
def disc_depth(corners: Floats, x: float, y: float, radius: float) -> float:
    """Return how deep a disc overlaps a convex outline (P, 2), counter-clockwise (m)."""
    inside, nearest = math.inf, math.inf
    for k in range(len(corners)):
        end = (k + 1) % len(corners)
        ex, ey = corners[end, 0] - corners[k, 0], corners[end, 1] - corners[k, 1]
        px, py = x - corners[k, 0], y - corners[k, 1]
        length = hypot(ex, ey)
        inside = min(inside, (ex * py - ey * px) / length)
        t = min(1.0, max(0.0, (px * ex + py * ey) / (length * length)))
        nearest = min(nearest, hypot(px - t * ex, py - t * ey))
    return radius + inside if inside > 0.0 else radius - nearest


@njit_inner
def _box(corners: Floats) -> tuple[float, float, float, float]:
    """Return xmin, ymin, xmax, ymax of corners (P, 2)."""
    x_min, x_max = _shadow(corners, 1.0, 0.0)
    y_min, y_max = _shadow(corners, 0.0, 1.0)
    return x_min, y_min, x_max, y_max


@njit_inner
def _boxes(outlines: Floats) -> Floats:
    """Return ``_box`` (K, 4) of outlines (K, P, 2)."""
    out = np.empty((len(outlines), 4))
    for k in range(len(outlines)):
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = _box(outlines[k])
    return out


@njit
def depths_of_outlines(corners: Floats, others: Floats, tick: Indexes,
                       other_tick: Indexes | None = None) -> tuple[Indexes, Indexes, Floats]:
    """Return (row, other, depth) of rectangles (R, 4, 2) that overlap outlines (K, P, 2), m.

    ``tick`` (R,) and ``other_tick`` (K,) are when they are there; None: always.
    """
    row, other, depth = np.empty(16, np.intp), np.empty(16, np.intp), np.empty(16)
    found, mine, theirs = 0, _boxes(corners), _boxes(others)
    for i in range(len(corners)):
        for k in range(len(others)):
            if other_tick is not None and tick[i] != other_tick[k]:
                continue
            if (mine[i, 0] < theirs[k, 2] and theirs[k, 0] < mine[i, 2]
                    and mine[i, 1] < theirs[k, 3] and theirs[k, 1] < mine[i, 3]):
                deep = _convex_depth(corners[i], others[k])
                if deep > 0.0:
                    row, other, depth = _noted(row, other, depth, found, i, k, deep)
                    found += 1
    return row[:found].copy(), other[:found].copy(), depth[:found].copy()


@njit
def depths_of_discs(corners: Floats, discs: Floats, tick: Indexes,
                    disc_tick: Indexes | None = None) -> tuple[Indexes, Indexes, Floats]:
    """Return (row, disc, depth) of rectangles (R, 4, 2) that overlap discs (K, 3), all in m.

    ``tick`` (R,) and ``disc_tick`` (K,) are when they are there; None: always.
    """
    row, other, depth = np.empty(16, np.intp), np.empty(16, np.intp), np.empty(16)
    found = 0
    for i in range(len(corners)):
        for k in range(len(discs)):
            if disc_tick is not None and tick[i] != disc_tick[k]:
                continue
            deep = disc_depth(corners[i], discs[k, 0], discs[k, 1], discs[k, 2])
            if deep > 0.0:
                row, other, depth = _noted(row, other, depth, found, i, k, deep)
                found += 1
    return row[:found].copy(), other[:found].copy(), depth[:found].copy()


def joined(polygons: Sequence[Floats]) -> tuple[Floats, Indexes]:
    """Return the corners of all polygons in one array (S, 2), and where each begins, (K + 1,)."""
    starts = np.zeros(len(polygons) + 1, np.intp)
    np.cumsum([len(corners) for corners in polygons], out=starts[1:])
    return np.concatenate(polygons), starts


@njit_inner
def _is_inside(corners: Floats, x: float, y: float) -> bool:
    """Tell whether a point is inside: a ray along x crosses the outline an odd number of times."""
    inside = False
    for k in range(len(corners)):
        end = (k + 1) % len(corners)
        x0, y0, x1, y1 = corners[k, 0], corners[k, 1], corners[end, 0], corners[end, 1]
        if y0 != y1 and (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            inside = not inside
    return inside


@njit_inner
def _distance(corners: Floats, x: float, y: float) -> float:
    """Return how far a point is from the outline (m)."""
    nearest = math.inf
    for k in range(len(corners)):
        end = (k + 1) % len(corners)
        ex, ey = corners[end, 0] - corners[k, 0], corners[end, 1] - corners[k, 1]
        along = (x - corners[k, 0]) * ex + (y - corners[k, 1]) * ey
        t = min(1.0, max(0.0, along / (ex * ex + ey * ey)))
        nearest = min(nearest, hypot(x - (corners[k, 0] + t * ex), y - (corners[k, 1] + t * ey)))
    return nearest


@njit
def depths_of_discs_in_polygons(xy: Floats, radius: Floats, corners: Floats, starts: Indexes,
                                tolerance: float) -> tuple[Indexes, Indexes, Floats]:
    """Return (disc, polygon, depth) of discs deeper than ``tolerance`` (m) in solid polygons.

    Parameters
    ----------
    xy : (N, 2) m
    radius : (N,) m
    corners, starts : of K polygons, from ``joined``
    tolerance : m, >= 0

    """
    disc, polygon, depth = np.empty(16, np.intp), np.empty(16, np.intp), np.empty(16)
    found, largest = 0, 0.0
    for i in range(len(radius)):
        largest = max(largest, radius[i])
    for k in range(len(starts) - 1):
        outline = corners[starts[k]:starts[k + 1]]
        x_min, y_min, x_max, y_max = _box(outline)
        for i in range(len(xy)):
            x, y = xy[i, 0], xy[i, 1]
            if (x >= x_min - largest and x <= x_max + largest
                    and y >= y_min - largest and y <= y_max + largest):
                distance = _distance(outline, x, y)
                deep = radius[i] + distance if _is_inside(outline, x, y) else radius[i] - distance
                if deep > tolerance:
                    disc, polygon, depth = _noted(disc, polygon, depth, found, i, k, deep)
                    found += 1
    return disc[:found].copy(), polygon[:found].copy(), depth[:found].copy()


@njit
def depths_of_rectangles_in_polygons(
    rectangles: Floats, inner: Floats, corners: Floats, starts: Indexes, tolerance: float
) -> tuple[Indexes, Indexes, Floats]:
    """Return (row, polygon, depth) of rectangles deeper than ``tolerance`` (m) in solid polygons.

    One whose centre is inside is as deep as its inner circle is wide, at least.

    Parameters
    ----------
    rectangles : (R, 4, 2) m, corners
    inner : (R,) m, radius of the circle in each
    corners, starts : of K polygons, from ``joined``
    tolerance : m, >= 0

    """
    row, polygon, depth = np.empty(16, np.intp), np.empty(16, np.intp), np.empty(16)
    found, side = 0, np.empty((2, 2))
    for k in range(len(starts) - 1):
        outline = corners[starts[k]:starts[k + 1]]
        x_min, y_min, x_max, y_max = _box(outline)
        for i in range(len(rectangles)):
            x_low, y_low, x_high, y_high = _box(rectangles[i])
            if not (x_low < x_max and x_high > x_min and y_low < y_max and y_high > y_min):
                continue  # NaN: it is not there
            middle_x = 0.5 * (rectangles[i, 0, 0] + rectangles[i, 2, 0])
            middle_y = 0.5 * (rectangles[i, 0, 1] + rectangles[i, 2, 1])
            deepest = inner[i] if _is_inside(outline, middle_x, middle_y) else -1.0
            for s in range(len(outline)):
                copy_numbers(outline[s], side[0])
                copy_numbers(outline[(s + 1) % len(outline)], side[1])
                deepest = max(deepest, _convex_depth(rectangles[i], side))
            if deepest > tolerance:
                row, polygon, depth = _noted(row, polygon, depth, found, i, k, deepest)
                found += 1
    return row[:found].copy(), polygon[:found].copy(), depth[:found].copy()

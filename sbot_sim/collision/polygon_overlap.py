"""Overlaps of robots with solid polygons: part of the check in ``overlap``.

It shares no code with ``fixed_objects``, whose polygons are sides without an inside: here a
crossing of the outline says what is inside, and the nearest side how deep.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import hypot
from sbot_common.elementary.copying import copy_numbers
from sbot_sim.collision.rectangle_overlap import convex_depth, noted

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


def joined(polygons: Sequence[Array]) -> tuple[Array, Rows]:
    """Return the corners of all polygons in one array (S, 2), and where each begins, (K + 1,)."""
    starts = np.zeros(len(polygons) + 1, np.intp)
    np.cumsum([len(corners) for corners in polygons], out=starts[1:])
    return np.concatenate(polygons), starts


@njit_inner
def _box(corners: Array) -> tuple[float, float, float, float]:
    """Return xmin, ymin, xmax, ymax of corners (P, 2)."""
    x_min, y_min, x_max, y_max = math.inf, math.inf, -math.inf, -math.inf
    for k in range(len(corners)):
        x_min, x_max = min(x_min, corners[k, 0]), max(x_max, corners[k, 0])
        y_min, y_max = min(y_min, corners[k, 1]), max(y_max, corners[k, 1])
    return x_min, y_min, x_max, y_max


@njit_inner
def _is_inside(corners: Array, x: float, y: float) -> bool:
    """Tell whether a point is inside: a ray along x crosses the outline an odd number of times."""
    inside = False
    for k in range(len(corners)):
        end = (k + 1) % len(corners)
        x0, y0, x1, y1 = corners[k, 0], corners[k, 1], corners[end, 0], corners[end, 1]
        if y0 != y1 and (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            inside = not inside
    return inside


@njit_inner
def _distance(corners: Array, x: float, y: float) -> float:
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
def depths_of_discs_in_polygons(xy: Array, radius: Array, corners: Array, starts: Rows,
                                tolerance: float) -> tuple[Rows, Rows, Array]:
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
                    disc, polygon, depth = noted(disc, polygon, depth, found, i, k, deep)
                    found += 1
    return disc[:found].copy(), polygon[:found].copy(), depth[:found].copy()


@njit
def depths_of_rectangles_in_polygons(rectangles: Array, inner: Array, corners: Array,
                                     starts: Rows, tolerance: float) -> tuple[Rows, Rows, Array]:
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
            if x_low >= x_max or x_high <= x_min or y_low >= y_max or y_high <= y_min:
                continue
            middle_x = 0.5 * (rectangles[i, 0, 0] + rectangles[i, 2, 0])
            middle_y = 0.5 * (rectangles[i, 0, 1] + rectangles[i, 2, 1])
            deepest = inner[i] if _is_inside(outline, middle_x, middle_y) else -1.0
            for s in range(len(outline)):
                copy_numbers(outline[s], side[0])
                copy_numbers(outline[(s + 1) % len(outline)], side[1])
                deepest = max(deepest, convex_depth(rectangles[i], side))
            if deepest > tolerance:
                row, polygon, depth = noted(row, polygon, depth, found, i, k, deepest)
                found += 1
    return row[:found].copy(), polygon[:found].copy(), depth[:found].copy()

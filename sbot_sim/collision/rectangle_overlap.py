"""Overlaps of rectangular robots, by their corners: part of the check in ``overlap``.

It shares no code with ``body_contacts``, which it judges: shapes are lists of corners here, and
the shadows of all corners on the normals of all sides decide.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary import hypot, sincos

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


@njit_inline
def noted(row: Rows, other: Rows, depth: Array, found: int, i: int, k: int,
          deep: float) -> tuple[Rows, Rows, Array]:
    """Return three lists with (i, k, deep) at place ``found``; full ones are twice as long."""
    if found == len(row):
        row, other = np.append(row, row), np.append(other, other)
        depth = np.append(depth, depth)
    row[found], other[found], depth[found] = i, k, deep
    return row, other, depth


@njit
def corners_at(pose: Array, offset: Array, size: Array) -> Array:
    """Return the corners (R, 4, 2) m, counter-clockwise, of rectangles of robots.

    Parameters
    ----------
    pose : (R, 3) of the robots: x, y (m), yaw (rad)
    offset : (R,) m, of the centres ahead of them
    size : (R, 2) m, half length and half width

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


@njit
def corners_of(rectangles: Array) -> Array:
    """Return the corners (R, 4, 2) m, counter-clockwise, of (R, 5) cx, cy, width, height, yaw."""
    out = np.empty((len(rectangles), 4, 2))
    for i in range(len(rectangles)):
        s, c = sincos(rectangles[i, 4])
        for k in range(4):
            x = (0.5 if k in (1, 2) else -0.5) * rectangles[i, 2]
            y = (0.5 if k > 1 else -0.5) * rectangles[i, 3]
            out[i, k, 0] = rectangles[i, 0] + (x * c - y * s)
            out[i, k, 1] = rectangles[i, 1] + (x * s + y * c)
    return out


@njit_inner
def _shadow(corners: Array, nx: float, ny: float) -> tuple[float, float]:
    """Return the least and the greatest of corners (P, 2) along a direction."""
    low = high = corners[0, 0] * nx + corners[0, 1] * ny
    for k in range(1, len(corners)):
        along = corners[k, 0] * nx + corners[k, 1] * ny
        low, high = min(low, along), max(high, along)
    return low, high


@njit
def convex_depth(a: Array, b: Array) -> float:
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
def disc_depth(corners: Array, x: float, y: float, radius: float) -> float:
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
def _bounds(outlines: Array) -> Array:
    """Return xmin, ymin, xmax, ymax (K, 4) of outlines (K, P, 2)."""
    out = np.empty((len(outlines), 4))
    for k in range(len(outlines)):
        out[k, 0], out[k, 2] = _shadow(outlines[k], 1.0, 0.0)
        out[k, 1], out[k, 3] = _shadow(outlines[k], 0.0, 1.0)
    return out


@njit
def depths_of_outlines(corners: Array, others: Array) -> tuple[Rows, Rows, Array]:
    """Return (row, other, depth) of rectangles (R, 4, 2) that overlap outlines (K, P, 2), m."""
    row, other, depth = np.empty(16, np.intp), np.empty(16, np.intp), np.empty(16)
    found, mine, theirs = 0, _bounds(corners), _bounds(others)
    for i in range(len(corners)):
        for k in range(len(others)):
            if (mine[i, 0] < theirs[k, 2] and theirs[k, 0] < mine[i, 2]
                    and mine[i, 1] < theirs[k, 3] and theirs[k, 1] < mine[i, 3]):
                deep = convex_depth(corners[i], others[k])
                if deep > 0.0:
                    row, other, depth = noted(row, other, depth, found, i, k, deep)
                    found += 1
    return row[:found].copy(), other[:found].copy(), depth[:found].copy()


@njit
def depths_of_discs(corners: Array, discs: Array) -> tuple[Rows, Rows, Array]:
    """Return (row, disc, depth) of rectangles (R, 4, 2) that overlap discs (K, 3), all in m."""
    row, other, depth = np.empty(16, np.intp), np.empty(16, np.intp), np.empty(16)
    found = 0
    for i in range(len(corners)):
        for k in range(len(discs)):
            deep = disc_depth(corners[i], discs[k, 0], discs[k, 1], discs[k, 2])
            if deep > 0.0:
                row, other, depth = noted(row, other, depth, found, i, k, deep)
                found += 1
    return row[:found].copy(), other[:found].copy(), depth[:found].copy()

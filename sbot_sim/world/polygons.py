"""Polygon obstacles: simple outlines, convex or not, and what is inside them."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_sim.world.line_of_sight import segments_meet

Array = NDArray[np.float64]

LEAST_CORNERS = 3


def outline_error(corners: Array) -> str | None:
    """Return why corners (P, 2) m make no simple polygon, None where they do.

    A simple polygon has three corners or more, and no two of its sides have a point in common but
    for neighbours, which share their corner.
    """
    if len(corners) < LEAST_CORNERS:
        return f'{len(corners)} corners'
    first, second = meeting_sides(np.ascontiguousarray(corners))
    if first < 0:
        return None
    return f'sides {first} and {second} meet' if first != second else f'side {first} has no length'


@njit
def meeting_sides(corners: Array) -> tuple[int, int]:
    """Return the first two sides of an outline (P, 2) that meet where they must not; -1, -1: none.

    Side k goes from corner k to the next; twice the same number: it has no length.
    """
    n = len(corners)
    for i in range(n):
        ax, ay = corners[i, 0], corners[i, 1]
        bx, by = corners[(i + 1) % n, 0], corners[(i + 1) % n, 1]
        if ax == bx and ay == by:
            return i, i
        cx, cy = corners[(i + 2) % n, 0] - bx, corners[(i + 2) % n, 1] - by
        # The next side goes back over this one.
        if (bx - ax) * cy == (by - ay) * cx and (bx - ax) * cx + (by - ay) * cy < 0.0:
            return i, (i + 1) % n
    for i in range(n):
        for j in range(i + 2, n - (i == 0)):
            if segments_meet(corners[i, 0], corners[i, 1], corners[i + 1, 0], corners[i + 1, 1],
                             corners[j, 0], corners[j, 1], corners[(j + 1) % n, 0],
                             corners[(j + 1) % n, 1]):
                return i, j
    return -1, -1


def counter_clockwise(corners: Array) -> Array:
    """Return the corners (P, 2) of a simple polygon, the other way round if they are clockwise."""
    twice_area, from_first = 0.0, (corners - corners[0]).tolist()
    for (x0, y0), (x1, y1) in itertools.pairwise(from_first):
        twice_area += x0 * y1 - x1 * y0
    return corners if twice_area > 0.0 else np.ascontiguousarray(corners[::-1])


def inside_polygon(corners: Array, points: Array) -> NDArray[np.bool_]:
    """Tell for each point (M, 2) m whether it is inside the polygon of corners (P, 2) m.

    A ray along x crosses the outline an odd number of times. On the outline it may be either.
    """
    inside = np.zeros(len(points), np.bool_)
    x, y = points[:, 0], points[:, 1]
    for (x0, y0), (x1, y1) in zip(corners.tolist(), np.roll(corners, -1, axis=0).tolist(),
                                  strict=True):
        if y0 != y1:
            spans = (y0 > y) != (y1 > y)
            inside ^= spans & (x < x0 + (y - y0) / (y1 - y0) * (x1 - x0))
    return inside

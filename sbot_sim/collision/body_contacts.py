"""Intersection detection among moving bodies, and of moving rectangles with fixed objects.

Bodies are rounded boxes, as fixed objects are: rows (cx, cy, cos yaw, sin yaw, half width, half
height, radius), where a disc has no half width and a rectangle no radius. Whatever involves a disc
is ``contacts.contact``; two rectangles are separated along one of their four axes, or not at all.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import sincos
from sbot_common.jit import njit, njit_inner
from sbot_common.spatial import cell_of
from sbot_sim.collision.disc_contacts import contact
from sbot_sim.collision.fixed_objects import FixedObjects

Array = NDArray[np.float64]


@njit_inner
def rectangle_contact(a: Array, b: Array, from_dx: float,
                      from_dy: float) -> tuple[float, float, float]:
    """Return (overlap, ux, uy) of two rectangles: u leads ``a`` out of ``b`` the shortest way.

    Convex polygons are apart, or touch, exactly if the normal of one of their sides separates
    them, and the shortest way out of an overlap is along such a normal.

    Parameters
    ----------
    a, b : (7,) rounded boxes without radius; a half height may be 0 (a segment)
    from_dx, from_dy : vector from b's centre to a's a tick ago (m); it decides where the centres
        do not differ along that normal, and then a fixed direction

    Returns
    -------
    Overlap (m; -1 if apart) and direction.

    """
    dx, dy = a[0] - b[0], a[1] - b[1]
    c, s = abs(a[2] * b[2] + a[3] * b[3]), abs(a[3] * b[2] - a[2] * b[3])
    least, ux, uy, toward = math.inf, 0.0, 0.0, 0.0
    for side in range(4):
        if side < 2:  # a normal of b's sides
            nx, ny = (b[2], b[3]) if side == 0 else (-b[3], b[2])
            reach = b[4 + side] + (a[4] * c + a[5] * s if side == 0 else a[4] * s + a[5] * c)
        else:
            nx, ny = (a[2], a[3]) if side == 2 else (-a[3], a[2])
            reach = a[2 + side] + (b[4] * c + b[5] * s if side == 2 else b[4] * s + b[5] * c)
        along = dx * nx + dy * ny
        overlap = reach - abs(along)
        if overlap <= 0.0:
            return -1.0, 0.0, 0.0
        if overlap < least:
            least, ux, uy, toward = overlap, nx, ny, along
    if toward == 0.0:
        toward = from_dx * ux + from_dy * uy
    if toward < 0.0:
        ux, uy = -ux, -uy
    return least, ux, uy


@njit
def body_contact(boxes: Array, i: int, j: int, from_dx: float,
                 from_dy: float) -> tuple[float, float, float]:
    """Return (overlap, ux, uy) of two bodies: u leads body ``i`` out of body ``j``.

    Parameters
    ----------
    boxes : (N, 7) rounded boxes
    from_dx, from_dy : vector from j's centre to i's a tick ago (m)

    Returns
    -------
    Overlap (m, negative when apart) and direction; from i and from j the exact opposite.

    """
    sign = 1.0
    if i > j:
        i, j, from_dx, from_dy, sign = j, i, -from_dx, -from_dy, -1.0
    a, b = boxes[i], boxes[j]
    if a[4] > 0.0 and b[4] > 0.0:
        overlap, ux, uy = rectangle_contact(a, b, from_dx, from_dy)
    elif a[4] > 0.0:
        overlap, ux, uy, _, _ = contact(boxes, i, b[0], b[1], b[6], a[0] - from_dx, a[1] - from_dy)
        sign = -sign
    else:
        overlap, ux, uy, _, _ = contact(boxes, j, a[0], a[1], a[6], b[0] + from_dx, b[1] + from_dy)
    return overlap, sign * ux, sign * uy


@njit
def with_fixed(fixed: FixedObjects, k: int, boxes: Array, i: int, from_x: float,
               from_y: float) -> tuple[float, float, float]:
    """Return (overlap, ux, uy) of a body with a fixed object: u leads the body out.

    Parameters
    ----------
    fixed, k : the fixed object
    boxes, i : the body
    from_x, from_y : where the body's centre was a tick ago (m)

    """
    body, other = boxes[i], fixed.boxes[k]
    if body[4] == 0.0:
        overlap, ux, uy, _, _ = contact(fixed.boxes, k, body[0], body[1], body[6], from_x, from_y)
        return overlap, ux, uy
    if other[4] > 0.0:
        return rectangle_contact(body, other, from_x - other[0], from_y - other[1])
    overlap, ux, uy, _, _ = contact(boxes, i, other[0], other[1], other[6],
                                    body[0] + other[0] - from_x, body[1] + other[1] - from_y)
    return overlap, -ux, -uy


@njit_inner
def fixed_displacement_of_box(fixed: FixedObjects, boxes: Array, i: int, from_x: float,
                              from_y: float, tolerance: float,
                              margin: float) -> tuple[float, float, float]:
    """Return (dx, dy, deepest), as ``contacts.fixed_displacement``, for a rectangle.

    What one object's displacement does for the next one is not done twice: walls of several
    pieces push once.
    """
    x, y, bounds = boxes[i, 0], boxes[i, 1], fixed.bounds
    more = margin * (boxes[i, 4] + boxes[i, 5])
    c, s = abs(boxes[i, 2]), abs(boxes[i, 3])
    reach_x, reach_y = c * boxes[i, 4] + s * boxes[i, 5], s * boxes[i, 4] + c * boxes[i, 5]
    west, east = bounds[0] + reach_x - x, x + reach_x - bounds[2]
    south, north = bounds[1] + reach_y - y, y + reach_y - bounds[3]
    dx, dy, deepest = 0.0, 0.0, max(west, east, south, north)
    if west > tolerance:
        dx += west + more
    if east > tolerance:
        dx -= east + more
    if south > tolerance:
        dy += south + more
    if north > tolerance:
        dy -= north + more
    cell = cell_of(x, y, fixed.x0, fixed.y0, fixed.cell, fixed.nx, fixed.ny)
    for entry in range(fixed.starts[cell], fixed.starts[cell + 1]):
        overlap, ux, uy = with_fixed(fixed, int(fixed.items[entry]), boxes, i, from_x, from_y)
        deepest = max(deepest, overlap)
        if overlap > tolerance:
            left = overlap + more - max(0.0, dx * ux + dy * uy)
            if left > 0.0:
                dx += left * ux
                dy += left * uy
    return dx, dy, deepest


@njit
def place(boxes: Array, i: int, x: float, y: float, yaw: float) -> None:
    """Put the body ``i`` at a pose (m, m, rad)."""
    boxes[i, 0], boxes[i, 1] = x, y
    if boxes[i, 4] > 0.0:
        boxes[i, 3], boxes[i, 2] = sincos(yaw)


@njit_inner
def share_of(weight_i: float, weight_j: float) -> float:
    """Return what share of an overlap body ``i`` makes room for, from inverse masses (1/kg).

    Two infinitely heavy bodies share equally, as two of equal mass do.
    """
    both = weight_i + weight_j
    return weight_i / both if both > 0.0 else 0.5

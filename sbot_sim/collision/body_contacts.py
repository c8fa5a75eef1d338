"""Intersection detection among moving bodies, and of moving rectangles with fixed objects.

Bodies are rounded boxes, as fixed objects are: rows (cx, cy, cos yaw, sin yaw, half width, half
height, radius), where a disc has no half width and a rectangle no radius. Whatever involves a disc
is ``disc_contacts.contact``; two rectangles are separated along one of their four axes, or not at
all.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.spatial import cell_of
from sbot_sim.collision.disc_contacts import contact
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.levers import fixed_arm, wall_arm

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
def fixed_displacement_of_box(fixed: FixedObjects, boxes: Array, i: int, turn: float,
                              from_x: float, from_y: float, tolerance: float,
                              margin: float) -> tuple[float, float, float, float]:
    """Return (dx, dy, angle, deepest), as ``disc_contacts.fixed_displacement``, for a rectangle.

    What one object's displacement does for the next one is not done twice: walls of several
    pieces push once. ``turn`` is that of ``Shapes``; the angle (rad) is 0 if it is.
    """
    x, y, bounds = boxes[i, 0], boxes[i, 1], fixed.bounds
    more = margin * (boxes[i, 4] + boxes[i, 5])
    c, s = abs(boxes[i, 2]), abs(boxes[i, 3])
    reach_x, reach_y = c * boxes[i, 4] + s * boxes[i, 5], s * boxes[i, 4] + c * boxes[i, 5]
    west, east = bounds[0] + reach_x - x, x + reach_x - bounds[2]
    south, north = bounds[1] + reach_y - y, y + reach_y - bounds[3]
    dx, dy, angle, arm, deepest = 0.0, 0.0, 0.0, 0.0, max(west, east, south, north)
    if deepest > tolerance:
        for side in range(4):
            overlap = west if side == 0 else east if side == 1 else south if side == 2 else north
            sign = 1.0 if side % 2 == 0 else -1.0
            ux, uy = (sign, 0.0) if side < 2 else (0.0, sign)
            if overlap > tolerance:
                if turn > 0.0:
                    arm = wall_arm(boxes, i, overlap, ux, uy)
                dx, dy, angle = _pushed(dx, dy, angle, overlap + more, ux, uy, arm, turn)
    cell = cell_of(x, y, fixed.x0, fixed.y0, fixed.cell, fixed.nx, fixed.ny)
    for entry in range(fixed.starts[cell], fixed.starts[cell + 1]):
        k = int(fixed.items[entry])
        overlap, ux, uy = with_fixed(fixed, k, boxes, i, from_x, from_y)
        deepest = max(deepest, overlap)
        if overlap > tolerance:
            if turn > 0.0:
                arm = fixed_arm(boxes, i, fixed.boxes, k, ux, uy)
            dx, dy, angle = _pushed(dx, dy, angle, overlap + more, ux, uy, arm, turn)
    return dx, dy, angle, deepest


@njit_inner
def _pushed(dx: float, dy: float, angle: float, way: float, ux: float, uy: float, arm: float,
            turn: float) -> tuple[float, float, float]:
    """Return a displacement (m, m, rad) to which a push by ``way`` (m) along u was added.

    ``arm`` (m) is the lever of u about the centre, ``turn`` that of ``Shapes`` (1/m^2).
    """
    left = way - max(0.0, dx * ux + dy * uy + angle * arm)
    if left > 0.0:
        left /= 1.0 + arm * arm * turn
        dx += left * ux
        dy += left * uy
        angle += left * arm * turn
    return dx, dy, angle


@njit_inner
def share_of(weight_i: float, weight_j: float) -> float:
    """Return the share of an overlap by which body ``i`` moves, from inverse masses (1/kg).

    Two infinitely heavy bodies share equally, as two of equal mass do.
    """
    both = weight_i + weight_j
    return weight_i / both if both > 0.0 else 0.5

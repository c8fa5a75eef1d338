"""Intersection detection: a disc against fixed objects (document 002 section 5.1).

A contact is (overlap, ux, uy, px, py): how deep the disc intersects the object (m, negative when
apart), the unit vector u that leads the disc out, and the object's point p (m) that it leads from.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit_inline, njit_inner
from sbot_common.spatial import cell_of
from sbot_sim.collision.fixed_objects import FixedObjects

Array = NDArray[np.float64]

# A point this near to an object (m) belongs to it: the joints of walls made of several objects.
JOINT = 1e-11


@njit_inner
def contact(boxes: Array, k: int, x: float, y: float, radius: float, from_x: float,
            from_y: float) -> tuple[float, float, float, float, float]:
    """Return the contact (overlap, ux, uy, px, py) of a disc with the rounded box ``k``.

    The radius of a circular object counts, unlike in document 002's text (docs/errata.md S2). A
    centre inside a rectangle is led out through the nearest side.

    Parameters
    ----------
    boxes : (K, 7) rounded boxes, see ``fixed_objects``
    x, y, radius : the disc (m)
    from_x, from_y : where the disc came from (m); it decides when (x, y) is on a segment or the
        centre of a circle, and then, if that is the same point, a fixed direction

    """
    cx, cy, c, s = boxes[k, 0], boxes[k, 1], boxes[k, 2], boxes[k, 3]
    half_w, half_h, own = boxes[k, 4], boxes[k, 5], boxes[k, 6]
    u, v = c * (x - cx) + s * (y - cy), c * (y - cy) - s * (x - cx)
    qu, qv = min(max(u, -half_w), half_w), min(max(v, -half_h), half_h)
    du, dv = u - qu, v - qv
    square, reach = du * du + dv * dv, radius + own
    if square >= reach * reach:
        return -1.0, 0.0, 0.0, 0.0, 0.0
    distance = math.sqrt(square)
    if distance == 0.0:
        du, dv = c * (from_x - cx) + s * (from_y - cy), c * (from_y - cy) - s * (from_x - cx)
        if half_w > 0.0:
            inside_u, inside_v = half_w - abs(u), half_h - abs(v)
            if inside_u < inside_v:
                du, dv, distance = math.copysign(1.0, u), 0.0, -inside_u
                qu = half_w * du
            else:
                du, dv, distance = 0.0, math.copysign(1.0, v if v != 0.0 else dv), -inside_v
                qv = half_h * dv
        length = math.sqrt(du * du + dv * dv)
        if length == 0.0:
            du, length = 1.0, 1.0
    else:
        length = distance
    du, dv = du / length, dv / length
    ux, uy = c * du - s * dv, s * du + c * dv
    return (reach - distance, ux, uy, cx + (c * qu - s * qv) + own * ux,
            cy + (s * qu + c * qv) + own * uy)


@njit_inner
def _is_joint(fixed: FixedObjects, cell: int, k: int, overlap: float, px: float, py: float,
              x: float, y: float, radius: float) -> bool:
    """Tell whether a contact's point belongs to another object too, whose contact stands for both.

    Where walls meet end to end, pushing away from each of them would push twice. An object that
    owns the point is at least as near, so the deeper of the two is the one to keep.
    """
    bounds = fixed.bounds
    for axis in range(2):
        value, point = (x, px) if axis == 0 else (y, py)
        if point - bounds[axis] <= JOINT and bounds[axis] + radius - value >= overlap:
            return True
        if bounds[axis + 2] - point <= JOINT and value + radius - bounds[axis + 2] >= overlap:
            return True
    for entry in range(fixed.starts[cell], fixed.starts[cell + 1]):
        other = fixed.items[entry]
        if other != k and contact(fixed.boxes, other, px, py, JOINT, x, y)[0] > 0.0:
            depth = contact(fixed.boxes, other, x, y, radius, x, y)[0]
            if depth > overlap or (depth == overlap and other < k):
                return True
    return False


@njit_inline
def fixed_displacement(fixed: FixedObjects, x: float, y: float, radius: float, from_x: float,
                       from_y: float, tolerance: float,
                       margin: float) -> tuple[float, float, float]:
    """Return (dx, dy, deepest) that moves a disc out of fixed objects, by the sum of 5.2.

    Parameters
    ----------
    fixed : the objects
    x, y, radius : the disc (m)
    from_x, from_y : where it came from (m)
    tolerance : contacts up to this deep (m) are left alone
    margin : by what share of its radius the disc is displaced too far

    Returns
    -------
    The sum over all contacts of overlap times direction (m), and the greatest overlap (m), which
    is not above ``tolerance`` when there is nothing to do.

    """
    bounds = fixed.bounds
    west, east = bounds[0] + radius - x, x + radius - bounds[2]
    south, north = bounds[1] + radius - y, y + radius - bounds[3]
    deepest = max(west, east, south, north)
    dx, dy, more = 0.0, 0.0, margin * radius
    if deepest > tolerance:
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
        k = fixed.items[entry]
        overlap, ux, uy, px, py = contact(fixed.boxes, k, x, y, radius, from_x, from_y)
        deepest = max(deepest, overlap)
        if overlap > tolerance and not _is_joint(fixed, cell, k, overlap, px, py, x, y, radius):
            dx += (overlap + more) * ux
            dy += (overlap + more) * uy
    return dx, dy, deepest

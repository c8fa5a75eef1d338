"""Intersection detection: a disc against fixed objects (document 002 section 5.1).

A contact is (overlap, ux, uy, px, py): how deep the disc intersects the object (m, negative when
apart), the object's point p nearest to the disc's centre, and the unit vector u from p to the
centre, the direction that frees the disc.
"""

from __future__ import annotations

import math

from sbot_common.jit import njit
from sbot_sim.fixed_objects import FixedObjects
from sbot_sim.grid import cell_of

# A point this near to an object (m) belongs to it: the joints of walls made of several objects.
JOINT = 1e-11
_APART = (-1.0, 0.0, 0.0, 0.0, 0.0)


@njit
def line_contact(fixed: FixedObjects, k: int, x: float, y: float, radius: float,
                 from_x: float, from_y: float) -> tuple[float, float, float, float, float]:
    """Return (overlap, ux, uy, px, py) of a disc with segment ``k``.

    ``from_x, from_y`` is where the disc came from: it decides the side when the centre is on the
    line.
    """
    x0, y0 = fixed.lines[k, 0], fixed.lines[k, 1]
    ex, ey = fixed.lines[k, 2] - x0, fixed.lines[k, 3] - y0
    t = ((x - x0) * ex + (y - y0) * ey) / (ex * ex + ey * ey)
    t = min(max(t, 0.0), 1.0)
    px, py = x0 + t * ex, y0 + t * ey
    dx, dy = x - px, y - py
    square = dx * dx + dy * dy
    if square >= radius * radius:
        return _APART
    distance = math.sqrt(square)
    if distance > 0.0:
        return radius - distance, dx / distance, dy / distance, px, py
    length = math.sqrt(ex * ex + ey * ey)
    side = 1.0 if (from_y - y0) * ex - (from_x - x0) * ey >= 0.0 else -1.0
    return radius, -side * ey / length, side * ex / length, px, py


@njit
def rectangle_contact(fixed: FixedObjects, k: int, x: float, y: float,
                      radius: float) -> tuple[float, float, float, float, float]:
    """Return (overlap, ux, uy, px, py) of a disc with the solid rectangle ``k``.

    A centre inside is led out through the nearest side.
    """
    cx, cy = fixed.rectangles[k, 0], fixed.rectangles[k, 1]
    c, s = fixed.rectangles[k, 2], fixed.rectangles[k, 3]
    half_w, half_h = fixed.rectangles[k, 4], fixed.rectangles[k, 5]
    dx, dy = x - cx, y - cy
    u, v = c * dx + s * dy, c * dy - s * dx
    qu = min(max(u, -half_w), half_w)
    qv = min(max(v, -half_h), half_h)
    du, dv = u - qu, v - qv
    square = du * du + dv * dv
    if square >= radius * radius:
        return _APART
    if square > 0.0:
        distance = math.sqrt(square)
        overlap = radius - distance
        du /= distance
        dv /= distance
    elif half_w - abs(u) < half_h - abs(v):
        du, dv = (1.0 if u >= 0.0 else -1.0), 0.0
        qu = half_w * du
        overlap = radius + abs(u - qu)
    else:
        du, dv = 0.0, (1.0 if v >= 0.0 else -1.0)
        qv = half_h * dv
        overlap = radius + abs(v - qv)
    return (overlap, c * du - s * dv, s * du + c * dv,
            cx + c * qu - s * qv, cy + s * qu + c * qv)


@njit
def circle_contact(fixed: FixedObjects, k: int, x: float, y: float, radius: float,
                   from_x: float, from_y: float) -> tuple[float, float, float, float, float]:
    """Return (overlap, ux, uy, px, py) of a disc with the solid circle ``k``.

    The object's own radius counts, unlike in document 002's text (docs/errata.md S2).
    """
    cx, cy, own = fixed.circles[k, 0], fixed.circles[k, 1], fixed.circles[k, 2]
    dx, dy = x - cx, y - cy
    reach = radius + own
    square = dx * dx + dy * dy
    if square >= reach * reach:
        return _APART
    distance = math.sqrt(square)
    if distance == 0.0:
        dx, dy = from_x - cx, from_y - cy
        length = math.sqrt(dx * dx + dy * dy)
        if length == 0.0:
            dx, length = 1.0, 1.0
    else:
        length = distance
    ux, uy = dx / length, dy / length
    return reach - distance, ux, uy, cx + own * ux, cy + own * uy


@njit
def _object_contact(fixed: FixedObjects, kind: int, k: int, x: float, y: float, radius: float,
                    from_x: float, from_y: float) -> tuple[float, float, float, float, float]:
    """Return the contact with entry ``k`` of the grid of lines (kind 0) or of circles (kind 1)."""
    if kind == 1:
        return circle_contact(fixed, k, x, y, radius, from_x, from_y)
    rectangle = fixed.line_rectangle[k]
    if rectangle >= 0:
        return rectangle_contact(fixed, rectangle, x, y, radius)
    return line_contact(fixed, k, x, y, radius, from_x, from_y)


@njit
def _is_joint(fixed: FixedObjects, cell: int, kind: int, k: int, overlap: float,
              px: float, py: float, x: float, y: float, radius: float) -> bool:
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
    for other_kind in range(2):
        starts, items = fixed.line_starts, fixed.line_items
        if other_kind == 1:
            starts, items = fixed.circle_starts, fixed.circle_items
        for entry in range(starts[cell], starts[cell + 1]):
            other = items[entry]
            if other_kind == kind:
                if other == k:
                    continue
                if kind == 0 and fixed.line_rectangle[k] >= 0 and (
                        fixed.line_rectangle[other] == fixed.line_rectangle[k]):
                    continue
            owns = _object_contact(fixed, other_kind, other, px, py, JOINT, x, y)[0] > 0.0
            if owns:
                depth = _object_contact(fixed, other_kind, other, x, y, radius, x, y)[0]
                if depth > overlap:
                    return True
                earlier = other_kind < kind or (other_kind == kind and other < k)
                if depth == overlap and earlier:
                    return True
    return False


@njit
def fixed_displacement(fixed: FixedObjects, x: float, y: float, radius: float, from_x: float,
                       from_y: float, tolerance: float) -> tuple[float, float, float]:
    """Return (dx, dy, deepest): what leads a disc out of everything fixed, by the sum of 5.2.

    Parameters
    ----------
    fixed : the objects
    x, y, radius : the disc (m)
    from_x, from_y : where it came from (m)
    tolerance : contacts up to this deep (m) are left alone

    Returns
    -------
    The sum over all contacts of overlap times direction (m), and the greatest overlap (m), which
    is not above ``tolerance`` when there is nothing to do.

    """
    dx, dy, deepest = 0.0, 0.0, 0.0
    bounds = fixed.bounds
    for axis in range(2):
        value = x if axis == 0 else y
        low = bounds[axis] + radius - value
        high = value + radius - bounds[axis + 2]
        push = 0.0
        if low > tolerance:
            push += low
        if high > tolerance:
            push -= high
        deepest = max(deepest, low, high)
        if axis == 0:
            dx += push
        else:
            dy += push

    cell = cell_of(x, y, fixed.x0, fixed.y0, fixed.cell, fixed.nx, fixed.ny)
    for kind in range(2):
        starts, items = fixed.line_starts, fixed.line_items
        if kind == 1:
            starts, items = fixed.circle_starts, fixed.circle_items
        last_rectangle = -1
        for entry in range(starts[cell], starts[cell + 1]):
            k = items[entry]
            if kind == 0 and fixed.line_rectangle[k] >= 0:
                # The sides of a rectangle follow each other: one contact for all of them.
                if fixed.line_rectangle[k] == last_rectangle:
                    continue
                last_rectangle = fixed.line_rectangle[k]
            overlap, ux, uy, px, py = _object_contact(fixed, kind, k, x, y, radius, from_x, from_y)
            deepest = max(deepest, overlap)
            if overlap > tolerance and not _is_joint(fixed, cell, kind, k, overlap, px, py,
                                                     x, y, radius):
                dx += overlap * ux
                dy += overlap * uy
    return dx, dy, deepest

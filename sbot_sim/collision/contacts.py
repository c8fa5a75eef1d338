# SPDX-License-Identifier: Apache-2.0
"""Contacts: discs, rectangles and fixed objects that intersect, and the levers of pushes.

Bodies are rounded boxes, as fixed objects are: rows (cx, cy, cos yaw, sin yaw, half width, half
height, radius), where a disc has no half width and a rectangle no radius. Whatever involves a disc
is ``contacts.contact``; two rectangles are separated along one of their four axes, or not at
all.
"""

from __future__ import annotations

import math

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inline, njit_inner, stack_floats
from sbot_common.elementary import hypot
from sbot_common.spatial import cell_of
from sbot_sim.collision.fixed_objects import FixedObjects

# Levers of contacts: how far from a body's centre a push acts, and how easily it gives way.
#
# A push along the unit vector u at r from the centre turns a body that rests on the floor. With an
# ellipsoidal limit surface (Goyal, Ruina, Papadopoulos, *Planar sliding with dry friction*, Wear
# 143, 1991; Lynch, Mason, *Stable pushing*, IJRR 15, 1996) a force f u moves it by (f u, f a/c^2)
# times a factor, where a = r x u and c is its characteristic length. So if the point of contact is
# to go d along u, the centre goes d/(1 + a^2/c^2) and the body turns by that times a/c^2; and a
# body gives way 1 + a^2/c^2 times as easily there as at its centre.
#
# Bodies are rounded boxes (``body_contacts``). Rectangles touch at the centroid of what they
# share.

_MOST = 16  # corners of what two rectangles share: at most 8, and rounding


@njit_inner
def _clipped(a: Floats, x: Floats, y: Floats) -> int:
    """Cut the outline (x, y), four corners in the frame of rectangle ``a``, to that rectangle.

    Return how many corners are left.
    """
    more_x, more_y, count = stack_floats(16), stack_floats(16), 4
    for plane in range(4):
        sign, half = (1.0 if plane % 2 == 0 else -1.0), a[4 + plane // 2]
        made = 0
        for k in range(count):
            end = (k + 1) % count
            p = sign * (x[k] if plane < 2 else y[k]) - half
            q = sign * (x[end] if plane < 2 else y[end]) - half
            if p <= 0.0 and made < _MOST:
                more_x[made], more_y[made] = x[k], y[k]
                made += 1
            if p * q < 0.0 and made < _MOST:
                share = p / (p - q)
                more_x[made] = x[k] + share * (x[end] - x[k])
                more_y[made] = y[k] + share * (y[end] - y[k])
                made += 1
        count = made
        for k in range(count):
            x[k], y[k] = more_x[k], more_y[k]
    return count


@njit_inner
def _place(a: Floats, b: Floats, ux: float, uy: float) -> float:
    """Return where along t = (-uy, ux) a contact is, from the centre of ``a`` (m).

    ``a``, ``b`` are (7,), and only ``b`` may be a segment; what involves a disc is on the line
    through its centre.
    """
    dx, dy = b[0] - a[0], b[1] - a[1]
    if a[4] == 0.0:
        return 0.0
    if b[4] == 0.0:
        along: float = dy * ux - dx * uy
        return along
    # The corners of b in the frame of a.
    x, y = stack_floats(16), stack_floats(16)
    c, s = a[2] * b[2] + a[3] * b[3], a[2] * b[3] - a[3] * b[2]
    for k in range(4):
        u = b[4] if k in (0, 3) else -b[4]
        v = b[5] if k < 2 else -b[5]
        x[k] = a[2] * dx + a[3] * dy + (c * u - s * v)
        y[k] = a[2] * dy - a[3] * dx + (s * u + c * v)
    count = _clipped(a, x, y)
    if count == 0:
        return 0.0
    tx, ty = a[3] * ux - a[2] * uy, a[2] * ux + a[3] * uy
    first: float = x[0] * tx + y[0] * ty
    low, high, area, moment = 0.0, 0.0, 0.0, 0.0
    for k in range(1, count):
        place = x[k] * tx + y[k] * ty - first
        low, high = min(low, place), max(high, place)
        if k > 1:
            before = x[k - 1] * tx + y[k - 1] * ty - first
            part = ((x[k - 1] - x[0]) * (y[k] - y[0]) - (y[k - 1] - y[0]) * (x[k] - x[0]))
            area += part
            moment += part * (before + place) / 3.0
    if b[5] == 0.0 or area <= 0.0:
        return first + 0.5 * (low + high)
    middle: float = first + min(max(moment / area, low), high)
    return middle


@njit
def body_levers(boxes: Floats, turn: Floats, i: int, j: int, ux: float,
                uy: float) -> tuple[float, float, float]:
    """Return (arm and ease of body ``i``, ease of ``j``) in a contact: u leads i out of j.

    Parameters
    ----------
    boxes : (N, 7) rounded boxes
    turn : (N,) 1/c^2 (1/m^2); 0: turns for nobody
    ux, uy : direction of the push on ``i``

    Returns
    -------
    The arm r x u (m), and 1 + (r x u)^2/c^2 of both.

    """
    if i < j:
        place = _place(boxes[i], boxes[j], ux, uy)
        place_j = place + (boxes[i, 0] - boxes[j, 0]) * -uy + (boxes[i, 1] - boxes[j, 1]) * ux
    else:
        place_j = _place(boxes[j], boxes[i], ux, uy)
        place = place_j + (boxes[j, 0] - boxes[i, 0]) * -uy + (boxes[j, 1] - boxes[i, 1]) * ux
    return -place, 1.0 + place * place * turn[i], 1.0 + place_j * place_j * turn[j]


@njit
def _fixed_arm(boxes: Floats, i: int, others: Floats, k: int, ux: float, uy: float) -> float:
    """Return the arm r x u (m) of body ``i`` where u leads it out of the fixed box ``k``."""
    return -_place(boxes[i], others[k], ux, uy)


@njit
def _wall_arm(boxes: Floats, i: int, overlap: float, ux: float, uy: float) -> float:
    """Return the arm r x u (m) of rectangle ``i`` where a wall with normal u leads it out.

    ``overlap`` (m) is how far it reaches beyond the wall.
    """
    a, wall = boxes[i], stack_floats(7)
    size = hypot(a[4], a[5])
    reach = a[4] * abs(a[2] * ux + a[3] * uy) + a[5] * abs(a[2] * uy - a[3] * ux)
    away = overlap - reach - size  # of the middle of a piece of wall, along u
    wall[0], wall[1], wall[2], wall[3] = a[0] + away * ux, a[1] + away * uy, ux, uy
    wall[4], wall[5], wall[6] = size, 2.0 * size, 0.0
    return -_place(a, wall, ux, uy)


# Intersection detection: a disc against fixed objects (document 002 section 5.1).
#
# A contact is (overlap, ux, uy, px, py): how deep the disc intersects the object (m, negative when
# apart), the unit vector u that leads the disc out, and the object's point p (m) that it leads
# from.

# A point this near to an object (m) belongs to it: the joints of walls made of several objects.
JOINT = 1e-11


@njit_inner
def contact(boxes: Floats, k: int, x: float, y: float, radius: float, from_x: float,
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
    bounds, grid = fixed.bounds, fixed.grid
    for axis in range(2):
        value, point = (x, px) if axis == 0 else (y, py)
        if point - bounds[axis] <= JOINT and bounds[axis] + radius - value >= overlap:
            return True
        if bounds[axis + 2] - point <= JOINT and value + radius - bounds[axis + 2] >= overlap:
            return True
    for entry in range(grid.starts[cell], grid.starts[cell + 1]):
        other = grid.items[entry]
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
    bounds, grid = fixed.bounds, fixed.grid
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

    if fixed.boxes.shape[0] == 0:
        return dx, dy, deepest
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for entry in range(grid.starts[cell], grid.starts[cell + 1]):
        k = grid.items[entry]
        overlap, ux, uy, px, py = contact(fixed.boxes, k, x, y, radius, from_x, from_y)
        deepest = max(deepest, overlap)
        if overlap > tolerance and not _is_joint(fixed, cell, k, overlap, px, py, x, y, radius):
            dx += (overlap + more) * ux
            dy += (overlap + more) * uy
    return dx, dy, deepest


@njit_inner
def _rectangle_contact(a: Floats, b: Floats, from_dx: float,
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
def body_contact(boxes: Floats, i: int, j: int, from_dx: float,
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
        overlap, ux, uy = _rectangle_contact(a, b, from_dx, from_dy)
    elif a[4] > 0.0:
        overlap, ux, uy, _, _ = contact(boxes, i, b[0], b[1], b[6], a[0] - from_dx, a[1] - from_dy)
        sign = -sign
    else:
        overlap, ux, uy, _, _ = contact(boxes, j, a[0], a[1], a[6], b[0] + from_dx, b[1] + from_dy)
    return overlap, sign * ux, sign * uy


@njit
def with_fixed(fixed: FixedObjects, k: int, boxes: Floats, i: int, from_x: float,
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
        return _rectangle_contact(body, other, from_x - other[0], from_y - other[1])
    overlap, ux, uy, _, _ = contact(boxes, i, other[0], other[1], other[6],
                                    body[0] + other[0] - from_x, body[1] + other[1] - from_y)
    return overlap, -ux, -uy


@njit_inner
def fixed_displacement_of_box(fixed: FixedObjects, boxes: Floats, i: int, turn: float,
                              from_x: float, from_y: float, tolerance: float,
                              margin: float) -> tuple[float, float, float, float]:
    """Return (dx, dy, angle, deepest), as ``contacts.fixed_displacement``, for a rectangle.

    What one object's displacement does for the next one is not done twice: walls of several
    pieces push once. ``turn`` is that of ``Shapes``; the angle (rad) is 0 if it is.
    """
    x, y, bounds, grid = boxes[i, 0], boxes[i, 1], fixed.bounds, fixed.grid
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
                    arm = _wall_arm(boxes, i, overlap, ux, uy)
                dx, dy, angle = _pushed(dx, dy, angle, overlap + more, ux, uy, arm, turn)
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for entry in range(grid.starts[cell], grid.starts[cell + 1]):
        k = int(grid.items[entry])
        overlap, ux, uy = with_fixed(fixed, k, boxes, i, from_x, from_y)
        deepest = max(deepest, overlap)
        if overlap > tolerance:
            if turn > 0.0:
                arm = _fixed_arm(boxes, i, fixed.boxes, k, ux, uy)
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

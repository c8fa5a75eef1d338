"""Levers of contacts: how far from a body's centre a push acts, and how easily it gives way.

A push along the unit vector u at r from the centre turns a body that rests on the floor. With an
ellipsoidal limit surface (Goyal, Ruina, Papadopoulos, *Planar sliding with dry friction*, Wear
143, 1991; Lynch, Mason, *Stable pushing*, IJRR 15, 1996) a force f u moves it by (f u, f a/c^2)
times a factor, where a = r x u and c is its characteristic length. So if the point of contact is
to go d along u, the centre goes d/(1 + a^2/c^2) and the body turns by that times a/c^2; and a body
gives way 1 + a^2/c^2 times as easily there as at its centre.

Bodies are rounded boxes (``body_contacts``). Rectangles touch at the centroid of what they share.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner, stack_floats
from sbot_common.elementary import hypot

Array = NDArray[np.float64]

_MOST = 16  # corners of what two rectangles share: at most 8, and rounding


@njit_inner
def _clipped(a: Array, x: Array, y: Array) -> int:
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
def _place(a: Array, b: Array, ux: float, uy: float) -> float:
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
def body_levers(boxes: Array, turn: Array, i: int, j: int, ux: float,
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
def fixed_arm(boxes: Array, i: int, others: Array, k: int, ux: float, uy: float) -> float:
    """Return the arm r x u (m) of body ``i`` where u leads it out of the fixed box ``k``."""
    return -_place(boxes[i], others[k], ux, uy)


@njit
def wall_arm(boxes: Array, i: int, overlap: float, ux: float, uy: float) -> float:
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

"""Levers of contacts: how far from a body's centre a push acts, and how easily it gives way.

A push along the unit vector u at r from the centre turns a body that rests on the floor. With an
ellipsoidal limit surface (Goyal, Ruina, Papadopoulos, *Planar sliding with dry friction*, Wear
143, 1991; Lynch, Mason, *Stable pushing*, IJRR 15, 1996) a force f u moves it by (f u, f a/c^2)
times a factor, where a = r x u and c is its characteristic length. So if the point of contact is
to go d along u, the centre goes d/(1 + a^2/c^2) and the body turns by that times a/c^2; and a body
gives way 1 + a^2/c^2 times as easily there as at its centre.

Bodies are rounded boxes (``body_contacts``). A contact of two sides is in the middle of what they
share.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit, njit_inner

Array = NDArray[np.float64]

_SLACK = 1e-12  # m: sides that lie on each other share them


@njit_inner
def _widened(a: Array, b: Array, tx: float, ty: float, low: float,
             high: float) -> tuple[float, float]:
    """Return [low, high], widened to where the sides of ``a`` run within ``b``.

    Both (7,) are rectangles, or segments; places (m) are along t, from the centre of ``a``.
    """
    for side in range(4):
        # From one corner of a, in its own frame, to the next.
        u0 = a[4] if side in (0, 3) else -a[4]
        v0 = a[5] if side < 2 else -a[5]
        u1, v1 = (-u0, v0) if side % 2 == 0 else (u0, -v0)
        x0, y0 = a[2] * u0 - a[3] * v0, a[3] * u0 + a[2] * v0
        wx, wy = a[2] * u1 - a[3] * v1 - x0, a[3] * u1 + a[2] * v1 - y0
        first, last = 0.0, 1.0
        for axis in range(2):  # of b: |place + share * way| <= half
            nx, ny = (b[2], b[3]) if axis == 0 else (-b[3], b[2])
            place = (a[0] + x0 - b[0]) * nx + (a[1] + y0 - b[1]) * ny
            way, half = wx * nx + wy * ny, b[4 + axis] + _SLACK
            if way == 0.0:
                if abs(place) > half:
                    last = -1.0
            else:
                one, two = (-half - place) / way, (half - place) / way
                first, last = max(first, min(one, two)), min(last, max(one, two))
        if first <= last:
            start = x0 * tx + y0 * ty
            along = wx * tx + wy * ty
            one, two = start + first * along, start + last * along
            low, high = min(low, one, two), max(high, one, two)
    return low, high


@njit_inner
def _place(a: Array, b: Array, ux: float, uy: float) -> float:
    """Return where along t = (-uy, ux) a contact is, from the centre of ``a`` (m).

    ``a``, ``b`` are (7,); what involves a disc is on the line through its centre.
    """
    tx, ty = -uy, ux
    if a[4] == 0.0:
        return 0.0
    between: float = (b[0] - a[0]) * tx + (b[1] - a[1]) * ty
    if b[4] == 0.0:
        return between
    low, high = _widened(a, b, tx, ty, math.inf, -math.inf)
    low, high = _widened(b, a, tx, ty, low - between, high - between)
    return between + 0.5 * (low + high) if low <= high else 0.0


@njit
def body_levers(boxes: Array, turn: Array, i: int, j: int, ux: float,
                uy: float) -> tuple[float, float, float]:
    """Return (arm of body ``i``, its ease, that of ``j``) in a contact: u leads i out of j.

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
    a = boxes[i]
    low, high = math.inf, -math.inf
    reach = -math.inf
    for corner in range(4):
        reach = max(reach, -_corner(a, corner, ux, uy))
    for corner in range(4):
        one, two = _corner(a, corner, ux, uy), _corner(a, (corner + 1) % 4, ux, uy)
        s_one, s_two = _corner(a, corner, -uy, ux), _corner(a, (corner + 1) % 4, -uy, ux)
        edge = overlap - reach  # along u, of the wall
        if one <= edge + _SLACK:
            low, high = min(low, s_one), max(high, s_one)
        if (one < edge) != (two < edge):
            at = s_one + (edge - one) / (two - one) * (s_two - s_one)
            low, high = min(low, at), max(high, at)
    return -0.5 * (low + high) if low <= high else 0.0


@njit_inner
def _corner(a: Array, corner: int, nx: float, ny: float) -> float:
    """Return where along a direction a corner of rectangle ``a`` is, from its centre (m)."""
    u = a[4] if corner in (0, 3) else -a[4]
    v = a[5] if corner < 2 else -a[5]
    along: float = (a[2] * u - a[3] * v) * nx + (a[3] * u + a[2] * v) * ny
    return along

"""Ray casting of one beam: intersection rules, which the kernels share with their test oracle.

A sensor stands at a point and turns by a yaw; objects are expressed in its frame, where beam i has
the direction ``(cos, sin)`` of a table computed once. Ranges are distances from the sensor (m);
inf: no hit.

The conventions, for all sensors here:

* Ends of segments belong to them, and a tangent hits its circle.
* Circles are solid: a sensor inside one, or within ``TOUCH`` of its rim, reads 0 in every
  direction.
* A sensor within ``TOUCH`` of a segment stands on it and reads 0 in every direction. (Collisions
  leave things that touch up to 1e-9 m inside each other: this keeps sensors from looking through
  walls.)
* A segment whose line passes within ``TOUCH`` of the sensor is seen end-on: only its nearer end
  can be hit, by a beam along it.
* A corner that two segments share lets no beam through: both compare the very same cross product.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.compiled.vectors import select
from sbot_common.elementary import sincos

Floats = NDArray[np.float64]

TOUCH = 1e-9  # m
FACING, END_ON, TOUCHED = range(3)


class SegmentView(NamedTuple):
    """A segment from a to b as a sensor sees it, counter-clockwise, in the sensor's frame (m)."""

    kind: int  # FACING, END_ON or TOUCHED
    ax: float
    ay: float
    bx: float
    by: float
    ex: float  # b - a, rotated on its own: exact for short segments far away
    ey: float
    cross: float  # m^2, a x e > 0: distance of the line times the length


@njit
def turned(x: float, y: float, cos_yaw: float, sin_yaw: float) -> tuple[float, float]:
    """Return a vector in a frame that is turned by yaw."""
    return x * cos_yaw + y * sin_yaw, y * cos_yaw - x * sin_yaw


@njit_inner
def segment_frame(x0: float, y0: float, x1: float, y1: float, cos_yaw: float, sin_yaw: float,
                  ) -> tuple[float, float, float, float, float, float, float]:
    """Return (ax, ay, bx, by, ex, ey, cross) of ``SegmentView``.

    The ends are given relative to the sensor (m); numbers or vectors of them.
    """
    ex, ey = x1 - x0, y1 - y0
    cross = x0 * ey - y0 * ex
    back = cross < 0.0
    ax, ay = turned(select(back, x1, x0), select(back, y1, y0), cos_yaw, sin_yaw)
    bx, by = turned(select(back, x0, x1), select(back, y0, y1), cos_yaw, sin_yaw)
    ex, ey = turned(select(back, -ex, ex), select(back, -ey, ey), cos_yaw, sin_yaw)
    return ax, ay, bx, by, ex, ey, select(back, -cross, cross)


@njit_inner
def in_line(x0: float, y0: float, x1: float, y1: float, cross: float) -> bool:
    """Tell whether a segment's line passes within TOUCH of the sensor; see ``segment_frame``."""
    ex, ey = x1 - x0, y1 - y0
    return cross * cross <= TOUCH * TOUCH * (ex * ex + ey * ey)


@njit_inner
def segment_view(x0: float, y0: float, x1: float, y1: float, cos_yaw: float,
                 sin_yaw: float) -> SegmentView:
    """Return a segment, whose ends are given relative to the sensor (m), in the sensor's frame."""
    ax, ay, bx, by, ex, ey, cross = segment_frame(x0, y0, x1, y1, cos_yaw, sin_yaw)
    kind = FACING
    if in_line(x0, y0, x1, y1, cross):
        dx, dy = x1 - x0, y1 - y0
        if x0 * dy - y0 * dx < 0.0:  # from a to b, as above
            x0, y0, x1, y1, dx, dy = x1, y1, x0, y0, -dx, -dy
        along = -(x0 * dx + y0 * dy)
        length2 = dx * dx + dy * dy
        nearest2 = min(x0 * x0 + y0 * y0, x1 * x1 + y1 * y1)
        on_it = (0.0 <= along <= length2 and length2 > 0.0) or nearest2 <= TOUCH * TOUCH
        kind = TOUCHED if on_it else END_ON
    return SegmentView(kind, ax, ay, bx, by, ex, ey, cross)


@njit_inner
def facing_range(ax: float, ay: float, bx: float, by: float, ex: float, ey: float, cross: float,
                 ux: float, uy: float) -> float:
    """Return the range (m) at which the beam of direction u hits a FACING segment, inf if none.

    The direction may be a vector: of four beams.
    """
    # From a to b is less than half a turn, so u is between them if a x u >= 0 >= b x u.
    hit = (ax * uy - ay * ux >= 0.0) & (bx * uy - by * ux <= 0.0)
    t: float = select(hit, cross / (ux * ey - uy * ex), math.inf)
    return t


@njit_inner
def end_on_range(ax: float, ay: float, bx: float, by: float, ux: float, uy: float) -> float:
    """Return the range (m) at which the beam of direction u hits an END_ON one, inf if none."""
    side_a, side_b = ax * uy - ay * ux, bx * uy - by * ux
    t = min(ax * ux + ay * uy, bx * ux + by * uy)
    if t >= 0.0 and min(side_a, side_b) <= 0.0 <= max(side_a, side_b):
        return t
    return math.inf


@njit_inner
def circle_touched(x: float, y: float, radius: float) -> bool:
    """Tell whether a sensor at the origin is in the disc at (x, y) or within TOUCH of it (m)."""
    reach = radius + TOUCH
    return x * x + y * y <= reach * reach


@njit_inner
def circle_range(x: float, y: float, radius2: float, ux: float, uy: float) -> float:
    """Return the range (m) at which the beam of direction u hits a circle that is not touched.

    NaN and negative ranges are misses.
    """
    side = x * uy - y * ux
    return (x * ux + y * uy) - math.sqrt(radius2 - side * side)


@njit_inner
def nearer(best: float, t: float) -> float:
    """Return the lesser range (m), of numbers or vectors; ``best`` if t is NaN.

    The sum changes nothing, as ranges are no negative zeros. Without it LLVM sees that a beam that
    keeps its range need not be written, and writes some lanes of a vector, which takes AMD's
    processors several times as long as writing all.
    """
    kept = best + 0.0
    least_of_both: float = select(t < kept, t, kept)
    return least_of_both


@njit
def beam_directions(beams: int, angle_min: float, angle_increment: float) -> Floats:
    """Return (2, beams): cosine and sine of each beam's angle in the sensor's frame."""
    directions = np.empty((2, beams))
    for i in range(beams):
        angle = angle_min + i * angle_increment
        directions[1, i], directions[0, i] = sincos(angle)
    return directions

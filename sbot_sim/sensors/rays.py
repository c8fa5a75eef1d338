# SPDX-License-Identifier: Apache-2.0
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
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sbot_common.arrays import Flags, Floats, Integers
from sbot_common.compiled.jit import (
    LANES,
    absolute,
    by_address,
    ceiling,
    greatest,
    least,
    njit,
    njit_inline,
    njit_inner,
    rounded_down,
    select,
    splat,
)
from sbot_common.elementary import sincos, sincos_of

TOUCH = 1e-9  # m
FACING, END_ON, TOUCHED = range(3)


class _SegmentView(NamedTuple):
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
    """Return (ax, ay, bx, by, ex, ey, cross) of ``_SegmentView``.

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
                 sin_yaw: float) -> _SegmentView:
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
    return _SegmentView(kind, ax, ay, bx, by, ex, ey, cross)


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

ANGLE_ERROR = 1e-5  # rad, bound of quick_angle's error
TURN = 2 * math.pi
BACKWARDS = 1e-6  # pi/2 as a float32 is a little more than a quarter turn
_SAME_BEAM = 1e-9  # rad, a smaller increment is none


@njit
def _quick_angle(x: float, y: float) -> float:
    """Return atan2(y, x) within ANGLE_ERROR: good enough to choose beams, several times faster."""
    ax, ay = absolute(x), absolute(y)
    ratio = least(ax, ay) / greatest(greatest(ax, ay), 1e-300)
    z = ratio * ratio
    angle = ratio * (0.9999772180920592 + z * (-0.33262280369428054 + z * (
        0.1935402157066464 + z * (-0.11642605800391888 + z * (
            0.052646869668668966 - z * 0.011718939367152653)))))
    angle = select(ay > ax, TURN / 4 - angle, angle)
    angle = select(x < 0.0, TURN / 2 - angle, angle)
    signed: float = select(y < 0.0, -angle, angle)
    return signed


@njit_inner
def circle_arc(x: float, y: float, radius: float) -> tuple[float, float]:
    """Return (start, width) in rad of an arc that holds a circle at (x, y), not much wider."""
    ratio = radius / math.sqrt(x * x + y * y)
    # Not less than asin(ratio), equal at 0 and 1.
    half = ratio * (1.0 + (TURN / 4 - 1.0) * ratio * ratio)
    return _quick_angle(x, y) - half, 2.0 * half


@njit_inner
def segment_arc(ax: float, ay: float, bx: float, by: float) -> tuple[float, float]:
    """Return (start, width) in rad of the arc from a counter-clockwise to b."""
    start = _quick_angle(ax, ay)
    width = _quick_angle(bx, by) - start
    # Just below 0 it is a sliver, and not a whole turn.
    width = select(width < -4.0 * ANGLE_ERROR, width + TURN, width)
    return start, greatest(width, 0.0)


class Fan(NamedTuple):
    """The beams of a kind of sensor; beam i points at ``angle_min + i * angle_increment``.

    With ``per_radian`` 0 every beam is tried for every object, and beams may point anywhere.
    """

    directions: Floats  # (2, beams padded to a multiple of LANES) cosines and sines
    beams: int
    angle_min: float  # rad
    per_radian: float  # beams, 1 / angle_increment
    period: float  # beams to a whole turn, inf if per_radian is 0
    forward: bool  # no beam points backwards

    @classmethod
    def even(cls, beams: int, angle_min: float, angle_increment: float) -> Fan:
        """Return the table of beams at ``angle_min + i * angle_increment`` (rad)."""
        padded = -(-beams // LANES) * LANES
        directions = beam_directions(padded, angle_min, angle_increment)
        per_radian = 0.0 if abs(angle_increment) < _SAME_BEAM else 1.0 / angle_increment
        forward = bool((directions[0, :beams] >= -BACKWARDS).all())
        period = TURN * abs(per_radian) if per_radian else math.inf
        return cls(directions, beams, angle_min, per_radian, period, forward)

    @classmethod
    def uneven(cls, angles: Sequence[float]) -> Fan:
        """Return the table of a few beams at any angles (rad)."""
        beams = len(angles)
        directions = np.ones((2, -(-beams // LANES) * LANES))
        sincos_of(np.array(angles, np.float64), directions[1, :beams], directions[0, :beams])
        return cls(directions, beams, 0.0, 0.0, math.inf, False)


@by_address
class Fans(NamedTuple):
    """F fans, as arrays of their fields."""

    directions: Floats  # (F, 2, padded beams of the widest)
    beams: Integers  # (F,)
    angle_min: Floats  # (F,) rad
    per_radian: Floats  # (F,)
    period: Floats  # (F,)
    forward: Flags  # (F,)

    @classmethod
    def of(cls, fans: Sequence[Fan]) -> Fans:
        """Return the tables of several fans."""
        widest = max((fan.directions.shape[1] for fan in fans), default=0)
        directions = np.ones((len(fans), 2, widest))
        for row, fan in zip(directions, fans, strict=True):
            row[:, :fan.directions.shape[1]] = fan.directions
        return cls(directions, np.array([fan.beams for fan in fans], np.int64),
                   np.array([fan.angle_min for fan in fans], np.float64),
                   np.array([fan.per_radian for fan in fans], np.float64),
                   np.array([fan.period for fan in fans], np.float64),
                   np.array([fan.forward for fan in fans], np.bool_))


@njit_inline
def fan_of(fans: Fans, k: int) -> Fan:
    """Return fan k, as views."""
    return Fan(fans.directions[k], fans.beams[k], fans.angle_min[k], fans.per_radian[k],
               fans.period[k], fans.forward[k])


@njit
def beam_interval(start: float, width: float, fan: Fan) -> tuple[float, float]:
    """Return (first, last) in numbers of beams, unrounded, of an arc seen by a sensor.

    The arc begins at ``start`` and extends ``width`` counter-clockwise (rad). It repeats every
    ``fan.period`` beams; this is the earliest repetition that ends at beam 0 or later.
    """
    if fan.per_radian == 0.0:
        return splat(0.0, start), splat(fan.beams - 1.0, start)
    one = (start - ANGLE_ERROR - fan.angle_min) * fan.per_radian
    other = (start + width + ANGLE_ERROR - fan.angle_min) * fan.per_radian
    first, last = least(one, other), greatest(one, other)
    shift = fan.period * ceiling(-last / fan.period)
    return first + shift, last + shift


@njit
def lanes(first: float, last: float, beams: int) -> tuple[float, float]:
    """Return the whole lanes [low, high) that hold the beams first … last: multiples of LANES.

    They are within the table of a fan, whatever the arguments are, even NaN.
    """
    final = beams - 1.0
    low = LANES * rounded_down(greatest(least(ceiling(first), final), 0.0) / LANES)
    high = LANES * rounded_down(least(rounded_down(last), final) / LANES) + LANES
    return low, select(first <= final, greatest(high, low), low)

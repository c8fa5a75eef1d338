"""Table of beam directions, arcs that objects cover, and the range of beams that an arc covers.

Functions of coordinates and angles take numbers or vectors of four.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.compiled.vectors import (
    LANES,
    absolute,
    ceiling,
    greatest,
    least,
    rounded_down,
    select,
    splat,
)
from sbot_common.elementary import sincos_of
from sbot_sim.sensors.rays import beam_directions

Floats = NDArray[np.float64]

ANGLE_ERROR = 1e-5  # rad, bound of quick_angle's error
TURN = 2 * math.pi
BACKWARDS = 1e-6  # pi/2 as a float32 is a little more than a quarter turn
_SAME_BEAM = 1e-9  # rad, a smaller increment is none


@njit
def quick_angle(x: float, y: float) -> float:
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
    return quick_angle(x, y) - half, 2.0 * half


@njit_inner
def segment_arc(ax: float, ay: float, bx: float, by: float) -> tuple[float, float]:
    """Return (start, width) in rad of the arc from a counter-clockwise to b."""
    start = quick_angle(ax, ay)
    width = quick_angle(bx, by) - start
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


def make_fan(beams: int, angle_min: float, angle_increment: float) -> Fan:
    """Return the table of beams at ``angle_min + i * angle_increment`` (rad)."""
    padded = -(-beams // LANES) * LANES
    directions = beam_directions(padded, angle_min, angle_increment)
    per_radian = 0.0 if abs(angle_increment) < _SAME_BEAM else 1.0 / angle_increment
    forward = bool((directions[0, :beams] >= -BACKWARDS).all())
    period = TURN * abs(per_radian) if per_radian else math.inf
    return Fan(directions, beams, angle_min, per_radian, period, forward)


def make_irregular_fan(angles: Sequence[float]) -> Fan:
    """Return the table of a few beams at any angles (rad)."""
    beams = len(angles)
    directions = np.ones((2, -(-beams // LANES) * LANES))
    sincos_of(np.array(angles, np.float64), directions[1, :beams], directions[0, :beams])
    return Fan(directions, beams, 0.0, 0.0, math.inf, False)


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

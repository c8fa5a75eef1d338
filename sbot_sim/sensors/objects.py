"""One object at a time: the beams that it covers, and the ranges at which they hit it.

For sensors with few objects in view; ``cover`` looks at many together.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit_inline, njit_inner
from sbot_common.compiled.vectors import least
from sbot_sim.sensors.beams import BACKWARDS, Fan, beam_interval, circle_arc, lanes, segment_arc
from sbot_sim.sensors.rays import (
    END_ON,
    TOUCHED,
    circle_range,
    circle_touched,
    end_on_range,
    facing_range,
    nearer,
    segment_view,
    turned,
)

Floats = NDArray[np.float64]


@njit_inner
def farther(x0: float, y0: float, x1: float, y1: float, reach: float) -> bool:
    """Tell whether a segment lies farther than ``reach`` (m) from the origin, certainly.

    The ends are numbers or vectors of them.
    """
    ex, ey = x1 - x0, y1 - y0
    along = -(x0 * ex + y0 * ey)
    cross = x0 * ey - y0 * ex
    length2 = ex * ex + ey * ey
    reach2 = reach * reach
    # Beyond the nearer end, and beyond the line if its foot is between the ends.
    nearest2: float = least(x0 * x0 + y0 * y0, x1 * x1 + y1 * y1)
    return (nearest2 > reach2) & (
        (along <= 0.0) | (along >= length2) | (cross * cross > reach2 * length2))


@njit_inner
def cover_circle(x: float, y: float, radius: float, fan: Fan, best: Floats) -> None:
    """Lower ``best`` where beams hit a circle at (x, y) in the sensor's frame."""
    start, width = circle_arc(x, y, radius)
    first, last = beam_interval(start, width, fan)
    radius2 = radius * radius
    while first <= fan.beams - 1:
        low, high = lanes(first, last, fan.beams)
        for i in range(np.uint64(low), np.uint64(high)):
            t = circle_range(x, y, radius2, fan.directions[0, i], fan.directions[1, i])
            # NaN and negative ranges are misses.
            best[i] = nearer(best[i], t if t >= 0.0 else math.inf)
        first += fan.period
        last += fan.period


@njit_inner
def cover_segment(ax: float, ay: float, bx: float, by: float, ex: float, ey: float, cross: float,
                  fan: Fan, best: Floats) -> None:
    """Lower ``best`` where beams hit a FACING segment."""
    start, width = segment_arc(ax, ay, bx, by)
    first, last = beam_interval(start, width, fan)
    while first <= fan.beams - 1:
        low, high = lanes(first, last, fan.beams)
        for i in range(np.uint64(low), np.uint64(high)):
            t = facing_range(ax, ay, bx, by, ex, ey, cross, fan.directions[0, i],
                             fan.directions[1, i])
            best[i] = nearer(best[i], t)
        first += fan.period
        last += fan.period


@njit_inner
def cover_end(ax: float, ay: float, bx: float, by: float, fan: Fan, best: Floats) -> None:
    """Lower ``best`` where beams hit an END_ON segment; rare, so every beam is tried."""
    for i in range(fan.beams):
        t = end_on_range(ax, ay, bx, by, fan.directions[0, i], fan.directions[1, i])
        best[i] = min(best[i], t)


@njit_inline
def look_at_segment(x0: float, y0: float, x1: float, y1: float, cos_yaw: float, sin_yaw: float,
                    fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by a segment whose ends are relative to the sensor (m); tell if it touches.

    Parameters
    ----------
    x0, y0, x1, y1 : ends of the segment relative to the sensor (m), in frame `map`
    cos_yaw, sin_yaw : how the sensor is turned
    fan : its beams
    reach : how far it sees (m)
    best : the least range of each beam so far (m)

    """
    if farther(x0, y0, x1, y1, reach):
        return False
    v = segment_view(x0, y0, x1, y1, cos_yaw, sin_yaw)
    if v.kind == TOUCHED:
        return True
    if fan.forward and max(v.ax, v.bx) < -BACKWARDS * reach:
        return False
    if v.kind == END_ON:
        cover_end(v.ax, v.ay, v.bx, v.by, fan, best)
    else:
        cover_segment(v.ax, v.ay, v.bx, v.by, v.ex, v.ey, v.cross, fan, best)
    return False


@njit_inline
def look_at_circle(dx: float, dy: float, radius: float, cos_yaw: float, sin_yaw: float, fan: Fan,
                   reach: float, best: Floats) -> bool:
    """Lower ``best`` by a circle at (dx, dy) relative to the sensor (m); tell if it touches.

    The rest as for ``look_at_segment``.
    """
    if circle_touched(dx, dy, radius):
        return True
    x, y = turned(dx, dy, cos_yaw, sin_yaw)
    if not (fan.forward and x + radius < -BACKWARDS * reach):
        cover_circle(x, y, radius, fan, best)
    return False

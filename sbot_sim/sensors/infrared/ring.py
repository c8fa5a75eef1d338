"""Beams of a ring against a few objects: every beam is tried for each of them.

A ring has few beams, at any angles, so the arcs that objects cover would cost more than the
intersections that they save. Results are those of ``cover``, bit by bit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit_inline, stack_floats
from sbot_common.compiled.vectors import LANES, bits, load, select, store
from sbot_sim.sensors.beams import Fan
from sbot_sim.sensors.cover import (
    CAPACITY,
    column_at,
    cover_in_line,
    first_bits,
    pad,
    values_at,
)
from sbot_sim.sensors.rays import (
    circle_range,
    circle_touched,
    facing_range,
    in_line,
    nearer,
    segment_frame,
    turned,
)

Floats = NDArray[np.float64]
Indexes = NDArray[np.uint32]


@njit_inline
def ring_to_segments(segments: Floats, near: Indexes, count: int, x: float, y: float,
                     cos_yaw: float, sin_yaw: float, fan: Fan, best: Floats) -> bool:
    """Lower ``best`` by some segments; tell whether the sensor touches one.

    Parameters as for ``cover.cover_segments``.
    """
    ax, ay, bx, by = (stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY),
                      stack_floats(CAPACITY))
    ex, ey, cross = stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY)
    pad(near, count)
    rare = 0
    for i in range(0, count, LANES):
        x0, y0 = column_at(segments, 0, near, i) - x, column_at(segments, 1, near, i) - y
        x1, y1 = column_at(segments, 2, near, i) - x, column_at(segments, 3, near, i) - y
        a_x, a_y, b_x, b_y, e_x, e_y, area = segment_frame(x0, y0, x1, y1, cos_yaw, sin_yaw)
        end_on = in_line(x0, y0, x1, y1, area)
        store(ax, i, a_x)
        store(ay, i, a_y)
        store(bx, i, b_x)
        store(by, i, b_y)
        store(ex, i, e_x)
        store(ey, i, e_y)
        store(cross, i, select(end_on, math.nan, area))  # then nothing is hit below
        rare |= bits(end_on) & first_bits(count - i)
    if rare and cover_in_line(segments, near, count, x, y, cos_yaw, sin_yaw, fan, best):
        return True
    for beam in range(0, best.shape[0], LANES):
        ux, uy = load(fan.directions[0], beam), load(fan.directions[1], beam)
        least = load(best, beam)
        for k in range(count):
            least = nearer(least, facing_range(ax[k], ay[k], bx[k], by[k], ex[k], ey[k],
                                               cross[k], ux, uy))
        store(best, beam, least)
    return False


@njit_inline
def ring_to_circles(centre_x: Floats, centre_y: Floats, radius: Floats, near: Indexes, count: int,
                    x: float, y: float, cos_yaw: float, sin_yaw: float, fan: Fan,
                    best: Floats) -> bool:
    """Lower ``best`` by some circles; tell whether the sensor touches one.

    Parameters as for ``cover.cover_circles``.
    """
    cx, cy, radius2 = stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY)
    pad(near, count)
    touched = 0
    for i in range(0, count, LANES):
        dx, dy = values_at(centre_x, near, i) - x, values_at(centre_y, near, i) - y
        r = values_at(radius, near, i)
        touched |= bits(circle_touched(dx, dy, r)) & first_bits(count - i)
        c_x, c_y = turned(dx, dy, cos_yaw, sin_yaw)
        store(cx, i, c_x)
        store(cy, i, c_y)
        store(radius2, i, r * r)
    if touched:
        return True
    for beam in range(0, best.shape[0], LANES):
        ux, uy = load(fan.directions[0], beam), load(fan.directions[1], beam)
        least = load(best, beam)
        for k in range(count):
            t = circle_range(cx[k], cy[k], radius2[k], ux, uy)
            # NaN and negative ranges are misses.
            least = nearer(least, select(t >= 0.0, t, math.inf))
        store(best, beam, least)
    return False

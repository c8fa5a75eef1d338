# SPDX-License-Identifier: Apache-2.0
"""Many objects at a time: the beams that each covers, and the ranges at which they hit it.

Four objects are turned into the sensor's frame and get their intervals of beams together, in
vectors and without a branch that depends on them; then each object's beams are intersected with
it, four together. What is not worth that, walls in line with the sensor, is left to ``objects``.
"""

from __future__ import annotations

import math

from sbot_common.arrays import Floats, Words
from sbot_common.compiled.jit import (
    LANES,
    append,
    bits,
    greatest,
    load,
    load_until,
    njit_inline,
    njit_inner,
    one_bit,
    select,
    stack_floats,
    stack_indexes,
    store,
    store_whole,
    vector,
)
from sbot_common.spatial import cell_index, cell_of
from sbot_sim.sensors.objects import cover_end, farther
from sbot_sim.sensors.rays import (
    BACKWARDS,
    END_ON,
    TOUCH,
    TOUCHED,
    Fan,
    beam_interval,
    circle_arc,
    circle_range,
    circle_touched,
    facing_range,
    in_line,
    lanes,
    nearer,
    segment_arc,
    segment_frame,
    segment_view,
    turned,
)
from sbot_sim.world.scene import Discs, Scene, row_stretch

MOST = 32  # objects that are looked at together
CAPACITY = MOST + 2 * LANES  # of their arrays, which are filled by whole vectors


@njit_inline
def values_at(values: Floats, near: Words, i: int) -> float:
    """Return the vector of the values of objects near[i] … near[i + 3]."""
    four: float = vector(values[near[i]], values[near[i + 1]], values[near[i + 2]],
                         values[near[i + 3]])
    return four


@njit_inline
def column_at(table: Floats, column: int, near: Words, i: int) -> float:
    """Return the vector of a column of rows near[i] … near[i + 3] of a table."""
    four: float = vector(table[near[i], column], table[near[i + 1], column],
                         table[near[i + 2], column], table[near[i + 3], column])
    return four


@njit_inline
def first_bits(count: int) -> int:
    """Return a mask of the first ``count`` lanes, all if there are more."""
    return (1 << min(count, LANES)) - 1


@njit_inline
def pad(near: Words, count: int) -> None:
    """Fill the last vector of a list of objects, which is not empty, with one of them."""
    for i in range(LANES):
        near[count + i] = near[0]


@njit_inline
def _put_interval(i: int, start: float, width: float, fan: Fan, first: Floats, last: Floats,
                  low: Words, high: Words) -> int:
    """Store the lanes of beams of the arcs of objects i … i+3; tell which come round again.

    Parameters
    ----------
    i : the first object
    start, width : vectors of the arcs (rad)
    fan : the beams
    first, last : where ``beam_interval`` is stored
    low, high : where ``lanes`` is stored

    """
    begin, end = beam_interval(start, width, fan)
    store(first, i, begin)
    store(last, i, end)
    from_beam, to_beam = lanes(begin, end, fan.beams)
    store_whole(low, i, from_beam)
    store_whole(high, i, to_beam)
    again: int = bits(begin + fan.period <= fan.beams - 1.0)
    return again


@njit_inline
def _go_round(count: int, fan: Fan, first: Floats, last: Floats, low: Words,
              high: Words) -> int:
    """Move all intervals on by a whole turn; return whether any comes round again."""
    again = 0
    for i in range(0, count, LANES):
        begin, end = load(first, i) + fan.period, load(last, i) + fan.period
        store(first, i, begin)
        store(last, i, end)
        from_beam, to_beam = lanes(begin, end, fan.beams)
        store_whole(low, i, from_beam)
        store_whole(high, i, to_beam)
        again |= bits(begin + fan.period <= fan.beams - 1.0) & first_bits(count - i)
    return again


@njit_inline
def _cover_segments(segments: Floats, near: Words, count: int, x: float, y: float,
                   cos_yaw: float, sin_yaw: float, fan: Fan, best: Floats) -> bool:
    """Lower ``best`` by some segments; tell whether the sensor touches one.

    Parameters
    ----------
    segments : (S, 4) x0 y0 x1 y1 (m), all there are
    near : which of them to look at, with room for another vector
    count : how many
    x, y, cos_yaw, sin_yaw : where the sensor is (m) and how it is turned
    fan : its beams
    best : the least range of each beam so far (m)

    """
    ax, ay, bx, by = (stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY),
                      stack_floats(CAPACITY))
    ex, ey, cross = stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY)
    first, last = stack_floats(CAPACITY), stack_floats(CAPACITY)
    low, high = stack_indexes(CAPACITY), stack_indexes(CAPACITY)
    pad(near, count)
    rare = again = 0
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
        start, width = segment_arc(a_x, a_y, b_x, b_y)
        rare |= bits(end_on) & first_bits(count - i)
        again |= _put_interval(i, start, width, fan, first, last, low, high)
    if rare and cover_in_line(segments, near, count, x, y, cos_yaw, sin_yaw, fan, best):
        return True
    while True:
        for k in range(count):
            beam, end = int(low[k]), int(high[k])
            while beam < end:
                t = facing_range(ax[k], ay[k], bx[k], by[k], ex[k], ey[k], cross[k],
                                 load(fan.directions[0], beam), load(fan.directions[1], beam))
                store(best, beam, nearer(load(best, beam), t))
                beam += LANES
        if again == 0:
            return False
        again = _go_round(count, fan, first, last, low, high)


@njit_inner
def cover_in_line(segments: Floats, near: Words, count: int, x: float, y: float,
                  cos_yaw: float, sin_yaw: float, fan: Fan, best: Floats) -> bool:
    """Lower ``best`` by those segments that are in line with the sensor; tell if it touches one.

    Parameters as for ``_cover_segments``.
    """
    for i in range(count):
        k = near[i]
        v = segment_view(segments[k, 0] - x, segments[k, 1] - y, segments[k, 2] - x,
                         segments[k, 3] - y, cos_yaw, sin_yaw)
        if v.kind == TOUCHED:
            return True
        if v.kind == END_ON:
            cover_end(v.ax, v.ay, v.bx, v.by, fan, best)
    return False


@njit_inline
def _cover_circles(centre_x: Floats, centre_y: Floats, radius: Floats, near: Words, count: int,
                  x: float, y: float, cos_yaw: float, sin_yaw: float, fan: Fan,
                  best: Floats) -> bool:
    """Lower ``best`` by some circles; tell whether the sensor touches one.

    Parameters
    ----------
    centre_x, centre_y, radius : (C,) m, all there are
    near, count, x, y, cos_yaw, sin_yaw, fan, best : see ``_cover_segments``

    """
    cx, cy, radius2 = stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY)
    first, last = stack_floats(CAPACITY), stack_floats(CAPACITY)
    low, high = stack_indexes(CAPACITY), stack_indexes(CAPACITY)
    pad(near, count)
    touched = again = 0
    for i in range(0, count, LANES):
        dx, dy = values_at(centre_x, near, i) - x, values_at(centre_y, near, i) - y
        r = values_at(radius, near, i)
        touched |= bits(circle_touched(dx, dy, r)) & first_bits(count - i)
        c_x, c_y = turned(dx, dy, cos_yaw, sin_yaw)
        store(cx, i, c_x)
        store(cy, i, c_y)
        store(radius2, i, r * r)
        start, width = circle_arc(c_x, c_y, r)
        again |= _put_interval(i, start, width, fan, first, last, low, high)
    if touched:
        return True
    while True:
        for k in range(count):
            beam, end = int(low[k]), int(high[k])
            while beam < end:
                t = circle_range(cx[k], cy[k], radius2[k], load(fan.directions[0], beam),
                                 load(fan.directions[1], beam))
                # NaN and negative ranges are misses.
                store(best, beam, nearer(load(best, beam), select(t >= 0.0, t, math.inf)))
                beam += LANES
        if again == 0:
            return False
        again = _go_round(count, fan, first, last, low, high)


@njit_inline
def _rear(fan: Fan, reach: float) -> float:
    """Return the x (m) in the sensor's frame behind which nothing is hit or touched."""
    return -max(BACKWARDS * reach, 2 * TOUCH) if fan.forward else -math.inf


@njit_inline
def cover_static(scene: Scene, x: float, y: float, cos_yaw: float, sin_yaw: float,
                 fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by walls and fixed circles; tell whether the sensor touches one."""
    return (_cover_walls(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
            or _cover_fixed_circles(scene, x, y, cos_yaw, sin_yaw, fan, reach, best))


@njit_inline
def _cover_walls(scene: Scene, x: float, y: float, cos_yaw: float, sin_yaw: float,
                 fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by segments; tell whether the sensor touches one."""
    grid, segments, behind = scene.segment_grid, scene.segments, _rear(fan, reach)
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    begin, end = int(grid.starts[cell]), int(grid.starts[cell + 1])
    listed, near = stack_indexes(CAPACITY), stack_indexes(CAPACITY)
    while begin < end:
        some = min(end - begin, MOST)
        for i in range(some):
            listed[i] = grid.items[begin + i]
        for i in range(some, some + LANES):
            listed[i] = listed[0]
        begin += some
        count = 0
        for i in range(0, some, LANES):
            x0, y0 = column_at(segments, 0, listed, i) - x, column_at(segments, 1, listed, i) - y
            x1, y1 = column_at(segments, 2, listed, i) - x, column_at(segments, 3, listed, i) - y
            ahead = greatest(x0 * cos_yaw + y0 * sin_yaw, x1 * cos_yaw + y1 * sin_yaw) >= behind
            seen = bits(ahead) & ~bits(farther(x0, y0, x1, y1, reach)) & first_bits(some - i)
            count = append(near, count, i, seen)
        for i in range(count):
            near[i] = listed[near[i]]
        if count > 0 and _cover_segments(segments, near, count, x, y, cos_yaw, sin_yaw, fan, best):
            return True
    return False


@njit_inline
def _cover_fixed_circles(scene: Scene, x: float, y: float, cos_yaw: float, sin_yaw: float,
                         fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by fixed circles; tell whether the sensor touches one."""
    grid, circles = scene.circle_grid, scene.circles
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    near, count = stack_indexes(CAPACITY), 0
    end = grid.starts[cell + 1]
    for item in range(grid.starts[cell], end):
        k = grid.items[item]
        dx, dy, farthest = circles[k, 0] - x, circles[k, 1] - y, reach + circles[k, 2]
        near[count] = k
        count += dx * dx + dy * dy <= farthest * farthest
        if count == MOST or (item == end - 1 and count > 0):
            if _cover_circles(circles[:, 0], circles[:, 1], circles[:, 2], near, count, x, y,
                             cos_yaw, sin_yaw, fan, best):
                return True
            count = 0
    return False


@njit_inline
def cover_discs(discs: Discs, own: int, x: float, y: float, cos_yaw: float, sin_yaw: float,
                fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by the robots' discs but one's own; tell whether the sensor touches one.

    ``own`` is its place among ``discs``.
    """
    grid, behind = discs.grid, _rear(fan, reach)
    farthest = reach + discs.largest
    first_row = cell_index(y - farthest, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + farthest, grid.y0, grid.cell, grid.ny)
    near, count = stack_indexes(CAPACITY), 0
    for row in range(first_row, last_row + 1):
        i, end = row_stretch(grid, row, x, y, farthest)
        while i < end:
            dx = load_until(discs.x, i, end, math.nan) - x
            dy = load_until(discs.y, i, end, math.nan) - y
            radius = load_until(discs.radius, i, end, 0.0)
            ahead, _ = turned(dx, dy, cos_yaw, sin_yaw)
            seen = bits((dx * dx + dy * dy <= (reach + radius) * (reach + radius))
                        & (ahead + radius >= behind))
            count = append(near, count, i, seen & ~one_bit(own - i))
            i += LANES
            if count > MOST - LANES:
                if _cover_circles(discs.x, discs.y, discs.radius, near, count, x, y, cos_yaw,
                                 sin_yaw, fan, best):
                    return True
                count = 0
    return count > 0 and _cover_circles(discs.x, discs.y, discs.radius, near, count, x, y, cos_yaw,
                                       sin_yaw, fan, best)

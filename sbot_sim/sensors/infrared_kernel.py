# SPDX-License-Identifier: Apache-2.0
"""Infrared of all robots in compiled loops: distances along the beams, and readings."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Words
from sbot_common.compiled.jit import (
    LANES,
    TOGETHER,
    append,
    bits,
    greatest,
    load,
    load_until,
    njit,
    njit_inline,
    njit_inner,
    one_bit,
    prefetch,
    select,
    stack_floats,
    stack_indexes,
    store,
)
from sbot_common.elementary import sincos
from sbot_common.random import INFRARED
from sbot_common.random.numbers import WORDS, fill_block
from sbot_common.spatial import cell_index, cell_of
from sbot_sim.sensors.cover import (
    CAPACITY,
    MOST,
    column_at,
    cover_discs,
    cover_in_line,
    cover_static,
    first_bits,
    pad,
    values_at,
)
from sbot_sim.sensors.objects import farther
from sbot_sim.sensors.rays import (
    Fan,
    circle_range,
    circle_touched,
    facing_range,
    in_line,
    nearer,
    segment_frame,
    turned,
)
from sbot_sim.world.scene import Discs, Scene

BLIND_FRACTION = 0.3  # document 002 section 3.1
_ENTRIES_PER_METRE = 1000.0


class InfraredView(NamedTuple):
    """What the robots look at, and with which beams."""

    scene: Scene
    discs: Discs  # the robots that are seen, sorted by place; or none
    pose: Floats  # (N, 3) x, y (m), yaw (rad)
    radius: Floats  # (N,) m
    fan: Fan
    range_max: float  # m, from the rim


class Readout(NamedTuple):
    """How distances become readings."""

    table: Floats  # (151,) readings, one a millimetre
    noise: float  # greatest, as a fraction of the reading; 0: nothing is drawn
    seed: int
    tick: int


@njit_inline
def _place_of(own: int, discs: Discs, pose: Floats, radius: Floats) -> tuple[float, float, float]:
    """Return x, y and radius (m) of a robot by its place: neighbours stand there side by side."""
    if discs.robot.shape[0] > 0:
        return discs.x[own], discs.y[own], discs.radius[own]
    return pose[own, 0], pose[own, 1], radius[own]


@njit_inline
def _distances_of(j: int, own: int, scene: Scene, discs: Discs, pose: Floats, radius: Floats,
                  fan: Fan, range_max: float, best: Floats) -> int:
    """Fill ``best`` with robot j's distances from the rim (m); return a mask of those that see.

    Of a robot that sees nothing they may be anything. ``own`` is its place among ``discs``.
    """
    x, y, own_radius = _place_of(own, discs, pose, radius)
    # What is farther than this by rounding only is still intersected, and judged then.
    reach = (own_radius + range_max) * (1.0 + 1e-9)
    grid = scene.segment_grid
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    walls, pillars, others = (stack_indexes(CAPACITY), stack_indexes(CAPACITY),
                              stack_indexes(CAPACITY))
    wall_count = _walls_near(scene, cell, x, y, reach, walls)
    pillar_count = 0
    if scene.circles.shape[0] > 0:
        pillar_count = _circles_near(scene, cell, x, y, reach, pillars)
    other_count = _discs_near(discs, own, x, y, reach, others)
    if wall_count == 0 and pillar_count == 0 and other_count == 0:
        return 0
    for i in range(best.shape[0]):
        best[i] = math.inf
    sin_yaw, cos_yaw = sincos(pose[j, 2])
    touched = False
    if min(wall_count, pillar_count, other_count) < 0:  # rare: as lasers do it, list by list
        touched = (cover_static(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
                   or cover_discs(discs, own, x, y, cos_yaw, sin_yaw, fan, reach, best))
    else:
        if wall_count > 0:
            touched = _ring_to_segments(scene.segments, walls, wall_count, x, y, cos_yaw, sin_yaw,
                                        fan, best)
        if pillar_count > 0 and not touched:
            circles = scene.circles
            touched = _ring_to_circles(circles[:, 0], circles[:, 1], circles[:, 2], pillars,
                                       pillar_count, x, y, cos_yaw, sin_yaw, fan, best)
        if other_count > 0 and not touched:
            touched = _ring_to_circles(discs.x, discs.y, discs.radius, others, other_count, x, y,
                                       cos_yaw, sin_yaw, fan, best)
    return _from_rim(own_radius, range_max, touched, fan.beams, best)


@njit_inline
def _from_rim(radius: float, range_max: float, touched: bool, beams: int, best: Floats) -> int:
    """Turn distances from the centre (m) into those from the rim; return which are in range."""
    if touched:
        for i in range(best.shape[0]):
            best[i] = 0.0
    seeing = 0
    for i in range(0, best.shape[0], LANES):
        distance = greatest(load(best, i) - radius, 0.0)
        in_range = distance <= range_max
        store(best, i, select(in_range, distance, math.inf))
        seeing |= bits(in_range) << i
    return seeing & ((1 << beams) - 1)


@njit
def _entry(distance: float, table: Floats) -> float:
    """Return the reading of the nearest millimetre, half up; the last one of what is farther."""
    entry = min(distance * _ENTRIES_PER_METRE + 0.5, table.shape[0] - 1.0)
    return float(table[np.uint64(entry)])


@njit_inner
def _reading(distances: Floats, sensors: int, i: int, table: Floats) -> float:
    """Return what sensor i reads: the table's entry, or what a blind beam makes of two others.

    ``distances`` (m) are those of ``sensors`` beams on a ring.
    """
    before = distances[i - 1 if i > 0 else sensors - 1]
    after = distances[i + 1 if i + 1 < sensors else 0]
    # Looked up in any case: whether a beam sees anything is not foreseen, as a branch would be.
    entry = _entry(distances[i], table)
    blind = distances[i] == math.inf
    if blind and before < math.inf and after < math.inf:
        return BLIND_FRACTION * ((_entry(before, table) + _entry(after, table)) / 2.0)
    return 0.0 if blind else entry


@njit_inner
def _noise(noise: float, uniform: float) -> float:
    """Return the factor of a reading's noise; ``uniform`` is in [0, 1)."""
    return 1.0 + noise * (2.0 * uniform - 1.0)


@njit_inline
def _ask_for(first: int, scene: Scene, discs: Discs, pose: Floats, radius: Floats,
             out: NDArray[np.float32]) -> None:
    """Ask for what the robots from ``first`` on, TOGETHER of them, look at first and write."""
    grid, cells = scene.segment_grid, stack_indexes(TOGETHER)
    for i in range(TOGETHER):
        x, y, _ = _place_of(first + i, discs, pose, radius)
        j = discs.robot[first + i] if discs.robot.shape[0] else first + i
        prefetch(pose, j)
        prefetch(out, j)
        cells[i] = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
        prefetch(grid.starts, cells[i])
    for i in range(TOGETHER):
        prefetch(grid.items, grid.starts[cells[i]])


@njit_inline
def sense_rows(first: int, end: int, view: InfraredView, readout: Readout, robot_0: int,
               best: Floats, uniform: Floats, out: NDArray[np.float32]) -> None:
    """Write (N, sensors, 2) distances and readings of the robots first ... end-1.

    The distance is that from the rim along the beam to the nearest wall, circle or body; 0 if that
    reaches into the robot's own body, +inf if there is nothing within range. The reading is the
    table's entry of the nearest millimetre (half up); a beam that sees nothing reads 0, or, if
    both its neighbours on the ring see something, 0.3 times the mean of their readings
    (docs/errata.md S5). Noise multiplies by 1 + noise * u, u uniform in [-1, 1) (S4 there).

    Robots are counted in the order of ``discs``, if there are any: neighbours in turn find what
    they look at in the processor's cache. The index of a number drawn is that of its sensor.
    Arrays are borrowed; two have room for the beams. ``robot_0`` is the row of the world's first
    robot.
    """
    scene, discs, pose, radius, fan, range_max = view
    for k in range(first, end):
        if (k - first) % TOGETHER == 0 and k + TOGETHER <= end:
            _ask_for(k, scene, discs, pose, radius, out)
        j = discs.robot[k] if discs.robot.shape[0] else k
        seeing = _distances_of(j, k, scene, discs, pose, radius, fan, range_max, best)
        for i in range(fan.beams):
            out[j, i, 0], out[j, i, 1] = np.float32(math.inf), np.float32(0.0)
        if seeing != 0:
            _read(seeing, fan.beams, readout, j - robot_0, best, uniform, out[j])


@njit_inline
def _read(seeing: int, beams: int, readout: Readout, robot: int, best: Floats, uniform: Floats,
          out: NDArray[np.float32]) -> None:
    """Write the distances and readings of those sensors of a robot that read anything.

    ``seeing`` is a mask of those with a distance in ``best``; a blind one between two reads, too.
    """
    table, noise, seed, tick = readout
    after = (seeing >> 1) | (seeing << (beams - 1))
    before = (seeing << 1) | (seeing >> (beams - 1))
    reading = seeing | (after & before & ((1 << beams) - 1))
    chosen, count = stack_indexes(CAPACITY), 0
    for block in range(uniform.shape[0] // WORDS):
        members = reading >> (WORDS * block) & ((1 << WORDS) - 1)
        count = append(chosen, count, WORDS * block, members)
        if noise > 0.0 and members != 0:
            fill_block(seed, INFRARED, robot, tick, block, uniform)
    for c in range(count):
        i = int(chosen[c])
        value = _reading(best, beams, i, table)
        if noise > 0.0:
            value *= _noise(noise, uniform[i])
        out[i, 0], out[i, 1] = np.float32(best[i]), np.float32(value)


@njit_inline
def _walls_near(scene: Scene, cell: int, x: float, y: float, reach: float, near: Words) -> int:
    """List the segments of a cell that may be within ``reach`` (m); return how many.

    -1: more than there is room for, perhaps.
    """
    grid, segments = scene.segment_grid, scene.segments
    begin = int(grid.starts[cell])
    listed = int(grid.starts[cell + 1]) - begin
    if listed == 0 or listed > MOST:
        return min(0, MOST - listed)
    for i in range(listed):
        near[i] = grid.items[begin + i]
    pad(near, listed)
    count = 0
    for i in range(0, listed, LANES):
        away = farther(column_at(segments, 0, near, i) - x, column_at(segments, 1, near, i) - y,
                       column_at(segments, 2, near, i) - x, column_at(segments, 3, near, i) - y,
                       reach)
        count = append(near, count, i, ~bits(away) & first_bits(listed - i))
    for i in range(count):
        near[i] = grid.items[begin + int(near[i])]
    return count


@njit_inline
def _circles_near(scene: Scene, cell: int, x: float, y: float, reach: float, near: Words) -> int:
    """List the circles of a cell that are within ``reach`` (m); as above."""
    grid, circles, count = scene.circle_grid, scene.circles, 0
    for entry in range(grid.starts[cell], grid.starts[cell + 1]):
        k = grid.items[entry]
        dx, dy, farthest = circles[k, 0] - x, circles[k, 1] - y, circles[k, 2] + reach
        if dx * dx + dy * dy <= farthest * farthest:
            if count == MOST:
                return -1
            near[count] = k
            count += 1
    return count


@njit_inline
def _discs_near(discs: Discs, own: int, x: float, y: float, reach: float, near: Words) -> int:
    """List the places among ``discs`` of those within ``reach`` (m) but ``own``; as above."""
    grid, count = discs.grid, 0
    farthest = reach + discs.largest
    left = cell_index(x - farthest, grid.x0, grid.cell, grid.nx)
    right = cell_index(x + farthest, grid.x0, grid.cell, grid.nx)
    first_row = cell_index(y - farthest, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + farthest, grid.y0, grid.cell, grid.ny)
    for row in range(first_row, last_row + 1):
        i, end = (int(grid.starts[row * grid.nx + left]),
                  int(grid.starts[row * grid.nx + right + 1]))
        while True:  # at least once: nobody foresees which rows have no robot
            if count > MOST - LANES:
                return -1
            dx = load_until(discs.x, i, end, math.nan) - x
            dy = load_until(discs.y, i, end, math.nan) - y
            farthest_centre = load_until(discs.radius, i, end, 0.0) + reach
            seen = bits(dx * dx + dy * dy <= farthest_centre * farthest_centre)
            count = append(near, count, i, seen & ~one_bit(own - i))
            i += LANES
            if i >= end:
                break
    return count


@njit_inline
def _ring_to_segments(segments: Floats, near: Words, count: int, x: float, y: float,
                      cos_yaw: float, sin_yaw: float, fan: Fan, best: Floats) -> bool:
    """Lower ``best`` by some segments; tell whether the sensor touches one.

    Parameters as for ``cover._cover_segments``.
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
def _ring_to_circles(centre_x: Floats, centre_y: Floats, radius: Floats, near: Words, count: int,
                     x: float, y: float, cos_yaw: float, sin_yaw: float, fan: Fan,
                     best: Floats) -> bool:
    """Lower ``best`` by some circles; tell whether the sensor touches one.

    Parameters as for ``cover._cover_circles``.
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

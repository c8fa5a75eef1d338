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
    columns_at,
    greatest,
    least,
    load,
    load_until,
    njit,
    njit_inline,
    njit_inner,
    one_bit,
    prefetch,
    select,
    splat,
    stack_floats,
    stack_indexes,
    store,
    store_pairs,
    store_whole,
    vector,
)
from sbot_common.elementary import sincos
from sbot_common.observation import INFRARED_SENSORS
from sbot_common.random import INFRARED
from sbot_common.random.numbers import WORDS, block_vector, fill_block
from sbot_common.spatial import BucketGrid, cell_index, cell_of
from sbot_sim.sensors.cover import (
    CAPACITY,
    MOST,
    cover_discs,
    cover_static,
    first_bits,
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
PADDED = -(-INFRARED_SENSORS // LANES) * LANES  # beams, to whole vectors


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
    cell = np.uint64(cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny))
    walls, others = _listed(grid, cell), stack_indexes(CAPACITY)
    pillars = _listed(scene.circle_grid, cell) if scene.circles.shape[0] > 0 else 0
    other_count = _discs_near(discs, own, x, y, reach, others)
    if walls | pillars | other_count == 0:
        return 0
    for i in range(PADDED):
        best[i] = math.inf
    sin_yaw, cos_yaw = sincos(pose[j, 2])
    touched = False
    if (walls > MOST or other_count < 0
            or _ring_to_walls(scene, cell, walls, x, y, cos_yaw, sin_yaw, fan, reach, best)):
        # Rare: as lasers do it, list by list.
        touched = (cover_static(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
                   or cover_discs(discs, own, x, y, cos_yaw, sin_yaw, fan, reach, best))
    else:
        circles, pillar_grid = scene.circles, scene.circle_grid
        for i in range(pillars):
            k = np.uint64(pillar_grid.items[pillar_grid.starts[cell] + i])
            dx, dy, r = circles[k, 0] - x, circles[k, 1] - y, circles[k, 2]
            if dx * dx + dy * dy <= (r + reach) * (r + reach):
                touched |= _ring_to_circle(dx, dy, r, cos_yaw, sin_yaw, fan, best)
        for i in range(other_count):
            k = np.uint64(others[np.uint64(i)])
            touched |= _ring_to_circle(discs.x[k] - x, discs.y[k] - y, discs.radius[k], cos_yaw,
                                       sin_yaw, fan, best)
    return _from_rim(own_radius, range_max, touched, fan.beams, best)


@njit_inline
def _listed(grid: BucketGrid, cell: np.uint64) -> int:
    """Return how many objects a cell of a grid lists."""
    return int(grid.starts[cell + np.uint64(1)]) - int(grid.starts[cell])


@njit_inline
def _from_rim(radius: float, range_max: float, touched: bool, beams: int, best: Floats) -> int:
    """Turn distances from the centre (m) into those from the rim; return which are in range."""
    if touched:
        for i in range(PADDED):
            best[i] = 0.0
    seeing = 0
    for i in range(0, PADDED, LANES):
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
def _clear(row: int, out: NDArray[np.float32]) -> None:
    """Write the distances and readings of a robot that sees nothing."""
    nothing, zero = vector(math.inf, math.inf, math.inf, math.inf), vector(0.0, 0.0, 0.0, 0.0)
    for i in range(0, PADDED, LANES):
        store_pairs(out, 2 * (INFRARED_SENSORS * row + i), INFRARED_SENSORS - i, nothing, zero)


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
               out: NDArray[np.float32]) -> None:
    """Write (N, sensors, 2) distances and readings of the robots first ... end-1.

    The distance is that from the rim along the beam to the nearest wall, circle or body; 0 if that
    reaches into the robot's own body, +inf if there is nothing within range. The reading is the
    table's entry of the nearest millimetre (half up); a beam that sees nothing reads 0, or, if
    both its neighbours on the ring see something, 0.3 times the mean of their readings
    (docs/errata.md S5). Noise multiplies by 1 + noise * u, u uniform in [-1, 1) (S4 there).

    Robots are counted in the order of ``discs``, if there are any: neighbours in turn find what
    they look at in the processor's cache. The index of a number drawn is that of its sensor.
    Arrays are borrowed. ``robot_0`` is the row of the world's first robot.
    """
    scene, discs, pose, radius, fan, range_max = view
    best = stack_floats(PADDED)
    for k in range(first, end):
        if (k - first) % TOGETHER == 0 and k + TOGETHER <= end:
            _ask_for(k, scene, discs, pose, radius, out)
        j = discs.robot[k] if discs.robot.shape[0] else k
        seeing = _distances_of(j, k, scene, discs, pose, radius, fan, range_max, best)
        if seeing != 0:
            _read(seeing, readout, j - robot_0, best, j, out)
        else:
            _clear(j, out)


@njit_inline
def _read(seeing: int, readout: Readout, robot: int, best: Floats, row: int,
          out: NDArray[np.float32]) -> None:
    """Write the distances and readings of a robot's sensors to a row of ``out``.

    ``seeing`` is a mask of those with a distance in ``best``; a blind one between two reads, too.
    """
    table, noise, seed, tick = readout
    values, uniform, entries = stack_floats(PADDED), stack_floats(PADDED), stack_indexes(LANES)
    for block in range(PADDED // WORDS):
        i = WORDS * block
        distance = load(best, i)
        value = splat(0.0, distance)
        if seeing >> i & ((1 << WORDS) - 1):
            entry = least(distance * _ENTRIES_PER_METRE + 0.5, table.shape[0] - 1.0)
            store_whole(entries, 0, entry)
            value = select(distance < math.inf, values_at(table, entries, 0), 0.0)
            if noise > 0.0:
                value = value * _noise(noise, block_vector(seed, INFRARED, robot, tick, block))
        store(values, i, value)
    after = (seeing >> 1) | (seeing << (INFRARED_SENSORS - 1))
    before = (seeing << 1) | (seeing >> (INFRARED_SENSORS - 1))
    between = after & before & ~seeing & ((1 << INFRARED_SENSORS) - 1)
    if between:  # rare
        for i in range(INFRARED_SENSORS):
            if between >> i & 1:
                values[i] = _reading(best, INFRARED_SENSORS, i, table)
                if noise > 0.0:
                    fill_block(seed, INFRARED, robot, tick, i // WORDS, uniform)
                    values[i] *= _noise(noise, uniform[i])
    for i in range(0, PADDED, LANES):
        store_pairs(out, 2 * (INFRARED_SENSORS * row + i), INFRARED_SENSORS - i, load(best, i),
                    load(values, i))


@njit_inline
def _discs_near(discs: Discs, own: int, x: float, y: float, reach: float, near: Words) -> int:
    """List the places among ``discs`` of those within ``reach`` (m) but ``own``; return how many.

    -1: more than there is room for, perhaps.
    """
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
def _ring_to_walls(scene: Scene, cell: np.uint64, listed: int, x: float, y: float, cos_yaw: float,
                   sin_yaw: float, fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by those segments of a cell that may be within ``reach`` (m).

    Returns whether one of them is in line with the sensor, whose range ``best`` may lack then.

    Parameters
    ----------
    scene, cell, listed : the segments, and how many the cell lists, ``MOST`` at most
    x, y, cos_yaw, sin_yaw, fan, best : see ``cover._cover_segments``

    """
    ax, ay, bx, by = (stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY),
                      stack_floats(CAPACITY))
    ex, ey, cross = stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY)
    grid, near = scene.segment_grid, stack_indexes(CAPACITY)
    begin, rare, count = int(grid.starts[cell]), 0, 0
    for i in range(0, listed, LANES):
        x0, y0, x1, y1 = columns_at(scene.segments, grid.items, begin + i, begin + listed - 1)
        x0, y0, x1, y1 = x0 - x, y0 - y, x1 - x, y1 - y
        a_x, a_y, b_x, b_y, e_x, e_y, area = segment_frame(x0, y0, x1, y1, cos_yaw, sin_yaw)
        store(ax, i, a_x)
        store(ay, i, a_y)
        store(bx, i, b_x)
        store(by, i, b_y)
        store(ex, i, e_x)
        store(ey, i, e_y)
        store(cross, i, area)
        seen = ~bits(farther(x0, y0, x1, y1, reach)) & first_bits(listed - i)
        rare |= bits(in_line(x0, y0, x1, y1, area)) & seen
        count = append(near, count, i, seen)
    for beam in range(0, PADDED, LANES):
        ux, uy = load(fan.directions[0], beam), load(fan.directions[1], beam)
        t = load(best, beam)
        for i in range(count):
            k = near[np.uint64(i)]
            t = nearer(t, facing_range(ax[k], ay[k], bx[k], by[k], ex[k], ey[k], cross[k], ux, uy))
        store(best, beam, t)
    return rare != 0


@njit_inline
def _ring_to_circle(dx: float, dy: float, radius: float, cos_yaw: float, sin_yaw: float, fan: Fan,
                    best: Floats) -> bool:
    """Lower ``best`` by a circle at (dx, dy) from the sensor (m); tell whether that touches it."""
    x, y = turned(dx, dy, cos_yaw, sin_yaw)
    for beam in range(0, PADDED, LANES):
        t = circle_range(x, y, radius * radius, load(fan.directions[0], beam),
                         load(fan.directions[1], beam))
        # NaN and negative ranges are misses.
        store(best, beam, nearer(load(best, beam), select(t >= 0.0, t, math.inf)))
    return circle_touched(dx, dy, radius)

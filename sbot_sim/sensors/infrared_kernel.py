# SPDX-License-Identifier: Apache-2.0
"""Infrared of all robots in compiled loops: distances along the beams, and readings."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Integers, Words
from sbot_common.compiled.jit import (
    LANES,
    LONG,
    TOGETHER,
    append,
    bits,
    columns_at,
    greatest,
    least,
    load,
    load_long,
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
from sbot_common.elementary import sincos_of
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
PADDED = -(-INFRARED_SENSORS // LONG) * LONG  # beams, to whole vectors
ROWS, OTHERS, DISTANCES = TOGETHER + 1, TOGETHER * CAPACITY, TOGETHER * PADDED  # room
_ONE = np.uint64(1)


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
    noise: Floats  # (K,) greatest, as a fraction of the reading; 0: nothing is drawn
    seed: Integers  # (K,)
    tick: Integers  # (K,)
    robots: int  # of a world


class Near(NamedTuple):
    """Robots that have something near, and what: TOGETHER of them at most."""

    place: Words  # of each
    world: Words
    cell: Words  # of the scene's grids
    crowded: Words  # 1: more robots are near than there is room for, perhaps
    begin: Words  # where the robots near begin, of each and of one more; the first is 0
    others: Words  # their places
    seen_by: Words  # whom each is near: its number here


@njit_inline
def _place_of(own: int, discs: Discs, pose: Floats, radius: Floats) -> tuple[float, float, float]:
    """Return x, y and radius (m) of a robot by its place: neighbours stand there side by side."""
    if discs.robot.shape[0] > 0:
        return discs.x[own], discs.y[own], discs.radius[own]
    return pose[own, 0], pose[own, 1], radius[own]


@njit_inline
def _reach_of(own_radius: float, range_max: float) -> float:
    """Return how far from its centre a robot looks at objects (m).

    What is farther than the range by rounding only is still intersected, and judged then.
    """
    return (own_radius + range_max) * (1.0 + 1e-9)


@njit_inline
def find_rows(first: int, end: int, world: int, view: InfraredView, near: Near, count: int,
              out: NDArray[np.float32]) -> int:
    """Add those of the robots first ... end-1 to ``near`` that have something near.

    Robots are counted in the order of ``discs``, if there are any: neighbours in turn find what
    they look at in the processor's cache. ``count`` are there before; returns how many are then.
    All read nothing in ``out`` first.
    """
    scene, discs, pose, radius, _, range_max = view
    if end - first == TOGETHER:
        _ask_for(first, scene, discs, pose, radius, out)
    for k in range(first, end):
        _clear(discs.robot[k] if discs.robot.shape[0] else k, out)
        x, y, own_radius = _place_of(k, discs, pose, radius)
        grid, c, reach = scene.segment_grid, np.uint64(count), _reach_of(own_radius, range_max)
        cell = np.uint64(cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny))
        near.place[c], near.world[c], near.cell[c], near.crowded[c] = k, world, cell, 0
        listed = _fixed_in(scene, cell) | _discs_near(discs, k, x, y, reach, near, c)
        count += listed != 0
    return count


@njit_inline
def _listed(grid: BucketGrid, cell: np.uint64) -> int:
    """Return how many objects a cell of a grid lists."""
    return int(grid.starts[cell + _ONE]) - int(grid.starts[cell])


@njit_inline
def _fixed_in(scene: Scene, cell: np.uint64) -> int:
    """Return 0 if a cell lists neither a segment nor a circle."""
    circles = _listed(scene.circle_grid, cell) if scene.circles.shape[0] > 0 else 0
    return _listed(scene.segment_grid, cell) | circles


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
def sense_near(count: int, view: InfraredView, readout: Readout, near: Near,
               out: NDArray[np.float32]) -> None:
    """Write (N, sensors, 2) distances and readings of the robots of ``near``.

    The distance is that from the rim along the beam to the nearest wall, circle or body; 0 if that
    reaches into the robot's own body, +inf if there is nothing within range. The reading is the
    table's entry of the nearest millimetre (half up); a beam that sees nothing reads 0, or, if
    both its neighbours on the ring see something, 0.3 times the mean of their readings
    (docs/errata.md S5). Noise multiplies by 1 + noise * u, u uniform in [-1, 1) (S4 there).

    The index of a number drawn is that of its sensor. Arrays are borrowed.
    """
    row, seeing, distances = (stack_indexes(TOGETHER), stack_indexes(TOGETHER),
                              stack_floats(DISTANCES))
    _distances_of(count, view, near, row, seeing, distances)
    for c in range(count):
        if seeing[c] != 0:
            _read(seeing[c], readout, near.world[c], distances, PADDED * c, row[c], out)


@njit_inline
def _distances_of(count: int, view: InfraredView, near: Near, row: Words, seeing: Words,
                  distances: Floats) -> None:
    """Write the rows of robots, masks of their beams that see, and distances from the rim (m).

    Those of robot c begin at element PADDED * c. One kind of object after the other: so loops are
    long and alike, and what one robot waits for is no delay for the next.
    """
    scene, discs, pose, radius, fan, range_max = view
    yaw, sine, cosine = stack_floats(TOGETHER), stack_floats(TOGETHER), stack_floats(TOGETHER)
    touched, fixed, some = stack_indexes(TOGETHER), stack_indexes(TOGETHER), 0
    for c in range(count):
        k, fixed[np.uint64(some)] = near.place[c], c
        some += _fixed_in(scene, np.uint64(near.cell[c])) != 0
        row[c] = discs.robot[k] if discs.robot.shape[0] else k
        yaw[c], touched[c] = pose[row[c], 2], 0
    sincos_of(yaw[:count], sine[:count], cosine[:count])
    for i in range(PADDED * count):
        distances[i] = math.inf
    for i in range(some):
        c = fixed[i]
        x, y, own_radius = _place_of(near.place[c], discs, pose, radius)
        touched[c] = _ring_to_fixed(scene, np.uint64(near.cell[c]), x, y, cosine[c], sine[c], fan,
                                    _reach_of(own_radius, range_max), distances, PADDED * c)
    for i in range(near.begin[count]):
        c, k = near.seen_by[i], near.others[i]
        x, y, _ = _place_of(near.place[c], discs, pose, radius)
        touched[c] |= _ring_to_circle(discs.x[k] - x, discs.y[k] - y, discs.radius[k], cosine[c],
                                      sine[c], fan, distances, PADDED * c)
    for c in range(count):
        x, y, own_radius = _place_of(near.place[c], discs, pose, radius)
        if near.crowded[c]:  # rare: as lasers do it
            touched[c] |= cover_discs(discs, near.place[c], x, y, cosine[c], sine[c], fan,
                                      _reach_of(own_radius, range_max),
                                      distances[PADDED * c:PADDED * (c + 1)])
        seeing[c] = _from_rim(own_radius, range_max, touched[c] != 0, distances, PADDED * c)


@njit_inline
def _ring_to_fixed(scene: Scene, cell: np.uint64, x: float, y: float, cos_yaw: float,
                   sin_yaw: float, fan: Fan, reach: float, best: Floats, at: int) -> bool:
    """Lower ``best`` by the objects of a cell; tell whether the sensor touches one.

    Parameters
    ----------
    scene, cell : the objects
    x, y, cos_yaw, sin_yaw, fan : see ``cover._cover_segments``
    reach : how far to look (m)
    best, at : ranges (m), and which element is that of the first beam

    """
    if not _ring_to_walls(scene, cell, x, y, cos_yaw, sin_yaw, fan, reach, best, at):
        # Rare: as lasers do it.
        return cover_static(scene, x, y, cos_yaw, sin_yaw, fan, reach, best[at:at + PADDED])
    touched, circles, grid = False, scene.circles, scene.circle_grid
    if circles.shape[0] > 0:
        for entry in range(grid.starts[cell], grid.starts[cell + _ONE]):
            k = np.uint64(grid.items[entry])
            dx, dy, r = circles[k, 0] - x, circles[k, 1] - y, circles[k, 2]
            if dx * dx + dy * dy <= (r + reach) * (r + reach):
                touched |= _ring_to_circle(dx, dy, r, cos_yaw, sin_yaw, fan, best, at)
    return touched


@njit_inline
def _from_rim(radius: float, range_max: float, touched: bool, distances: Floats, at: int) -> int:
    """Turn distances from the centre (m), from element ``at`` on, into those from the rim.

    Returns a mask of those in range.
    """
    seeing = 0
    for i in range(0, PADDED, LONG):
        distance = greatest(load_long(distances, at + i) - radius, 0.0)
        if touched:
            distance = splat(0.0, distance)
        in_range = distance <= range_max
        store(distances, at + i, select(in_range, distance, math.inf))
        seeing |= bits(in_range) << i
    return seeing & ((1 << INFRARED_SENSORS) - 1)


@njit_inline
def _read(seeing: int, readout: Readout, world: int, distances: Floats, at: int, row: int,
          out: NDArray[np.float32]) -> None:
    """Write the distances and readings of a robot's sensors to a row of ``out``.

    ``seeing`` is a mask of those with a distance, from element ``at`` on of ``distances``; a blind
    one between two reads, too.
    """
    table, noise, seed, tick = (readout.table, readout.noise[world], readout.seed[world],
                                readout.tick[world])
    robot = row - world * readout.robots
    values, uniform, entries = stack_floats(PADDED), stack_floats(PADDED), stack_indexes(LANES)
    for block in range(PADDED // WORDS):
        i = WORDS * block
        distance = load(distances, at + i)
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
                values[i] = _reading(distances[at:], INFRARED_SENSORS, i, table)
                if noise > 0.0:
                    fill_block(seed, INFRARED, robot, tick, i // WORDS, uniform)
                    values[i] *= _noise(noise, uniform[i])
    for i in range(0, PADDED, LANES):
        store_pairs(out, 2 * (INFRARED_SENSORS * row + i), INFRARED_SENSORS - i,
                    load(distances, at + i), load(values, i))


@njit_inline
def _discs_near(discs: Discs, own: int, x: float, y: float, reach: float, near: Near,
                c: np.uint64) -> int:
    """List ``discs`` but ``own`` that are within ``reach`` (m) of robot c; return 0 if none is."""
    grid = discs.grid
    begin = count = np.int64(near.begin[c])
    farthest = reach + discs.largest
    left = cell_index(x - farthest, grid.x0, grid.cell, grid.nx)
    right = cell_index(x + farthest, grid.x0, grid.cell, grid.nx)
    first_row = cell_index(y - farthest, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + farthest, grid.y0, grid.cell, grid.ny)
    for row in range(first_row, last_row + 1):
        i, end = (int(grid.starts[np.uint64(row * grid.nx + left)]),
                  int(grid.starts[np.uint64(row * grid.nx + right + 1)]))
        while True:  # at least once: nobody foresees which rows have no robot
            if count - begin > MOST - LANES:
                near.crowded[c], near.begin[c + _ONE] = 1, begin
                return 1
            dx = load_until(discs.x, i, end, math.nan) - x
            dy = load_until(discs.y, i, end, math.nan) - y
            farthest_centre = load_until(discs.radius, i, end, 0.0) + reach
            seen = (bits(dx * dx + dy * dy <= farthest_centre * farthest_centre)
                    & ~one_bit(own - i))
            if seen:
                store_whole(near.seen_by, count, splat(float(c), dx))
                count = append(near.others, count, i, seen)
            i += LANES
            if i >= end:
                break
    near.begin[c + _ONE] = count
    return int(count - begin)


@njit_inline
def _ring_to_walls(scene: Scene, cell: np.uint64, x: float, y: float, cos_yaw: float,
                   sin_yaw: float, fan: Fan, reach: float, best: Floats, at: int) -> bool:
    """Lower ``best`` by the segments of a cell; tell whether by all.

    Else there are too many, or one is in line with the sensor. Parameters as above.
    """
    ax, ay, bx, by = (stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY),
                      stack_floats(CAPACITY))
    ex, ey, cross = stack_floats(CAPACITY), stack_floats(CAPACITY), stack_floats(CAPACITY)
    grid, near = scene.segment_grid, stack_indexes(CAPACITY)
    begin, listed, rare, count = int(grid.starts[cell]), _listed(grid, cell), 0, 0
    if listed > MOST:
        return False
    if listed <= LANES:  # all: what follows need not wait for which of them are near
        count = append(near, 0, 0, first_bits(listed))
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
        away = farther(x0, y0, x1, y1, reach)
        store(cross, i, select(away, math.nan, area))  # then nothing is hit below
        seen = ~bits(away) & first_bits(listed - i)
        rare |= bits(in_line(x0, y0, x1, y1, area)) & seen
        if listed > LANES:
            count = append(near, count, i, seen)
    if rare:
        return False
    for beam in range(0, PADDED, LONG):
        ux, uy = load_long(fan.directions[0], beam), load_long(fan.directions[1], beam)
        t = load_long(best, at + beam)
        for i in range(count):
            k = near[np.uint64(i)]
            t = nearer(t, facing_range(ax[k], ay[k], bx[k], by[k], ex[k], ey[k], cross[k], ux, uy))
        store(best, at + beam, t)
    return True


@njit_inline
def _ring_to_circle(dx: float, dy: float, radius: float, cos_yaw: float, sin_yaw: float, fan: Fan,
                    best: Floats, at: int) -> bool:
    """Lower ``best`` by a circle at (dx, dy) from the sensor (m); tell whether that touches it.

    Parameters as above.
    """
    x, y = turned(dx, dy, cos_yaw, sin_yaw)
    for beam in range(0, PADDED, LONG):
        t = circle_range(x, y, radius * radius, load_long(fan.directions[0], beam),
                         load_long(fan.directions[1], beam))
        # NaN and negative ranges are misses.
        store(best, at + beam, nearer(load_long(best, at + beam), select(t >= 0.0, t, math.inf)))
    return circle_touched(dx, dy, radius)

"""Infrared of all robots in compiled loops: distances along the beams, and readings."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import (
    TOGETHER,
    borrowed,
    njit,
    njit_inline,
    njit_inner,
    prefetch,
    stack_indexes,
)
from sbot_common.compiled.vectors import LANES, append, bits, load_until, one_bit
from sbot_common.elementary import sincos
from sbot_common.random.numbers import fill_uniforms
from sbot_common.random.purposes import INFRARED
from sbot_common.spatial import cell_index, cell_of
from sbot_sim.sensors.beams import Fan
from sbot_sim.sensors.cover import (
    CAPACITY,
    MOST,
    column_at,
    cover_circles,
    cover_segments,
    first_bits,
    pad,
)
from sbot_sim.sensors.objects import farther
from sbot_sim.sensors.scan_kernel import cover_discs, cover_static
from sbot_sim.world.scene import Discs, Scene

Floats = NDArray[np.float64]
Indexes = NDArray[np.uint32]

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
def _walls_near(scene: Scene, cell: int, x: float, y: float, reach: float, near: Indexes) -> int:
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
def _discs_near(discs: Discs, own: int, x: float, y: float, reach: float, near: Indexes) -> int:
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
        while i < end:
            if count > MOST - LANES:
                return -1
            dx = load_until(discs.x, i, end, math.nan) - x
            dy = load_until(discs.y, i, end, math.nan) - y
            farthest_centre = load_until(discs.radius, i, end, 0.0) + reach
            seen = bits(dx * dx + dy * dy <= farthest_centre * farthest_centre)
            count = append(near, count, i, seen & ~one_bit(own - i))
            i += LANES
    return count


@njit_inline
def _distances_of(j: int, own: int, scene: Scene, discs: Discs, pose: Floats, radius: float,
                  fan: Fan, range_max: float, best: Floats) -> bool:
    """Fill ``best`` with robot j's distances from the rim (m); false if it sees nothing at all.

    ``own`` is its place among ``discs``.
    """
    x, y = pose[j, 0], pose[j, 1]
    # What is farther than this by rounding only is still intersected, and judged then.
    reach = (radius + range_max) * (1.0 + 1e-9)
    grid = scene.segment_grid
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    walls, others = stack_indexes(CAPACITY), stack_indexes(CAPACITY)
    wall_count = _walls_near(scene, cell, x, y, reach, walls)
    other_count = _discs_near(discs, own, x, y, reach, others)
    circles = scene.circles.shape[0] > 0 and (scene.circle_grid.starts[cell]
                                              < scene.circle_grid.starts[cell + 1])
    if wall_count == 0 and other_count == 0 and not circles:
        return False
    for i in range(best.shape[0]):
        best[i] = math.inf
    sin_yaw, cos_yaw = sincos(pose[j, 2])
    touched = False
    if wall_count < 0 or other_count < 0 or circles:  # rare: as lasers do it, list by list
        touched = (cover_static(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
                   or cover_discs(discs, own, x, y, cos_yaw, sin_yaw, fan, reach, best))
    else:
        if wall_count > 0:
            touched = cover_segments(scene.segments, walls, wall_count, x, y, cos_yaw, sin_yaw,
                                     fan, best)
        if other_count > 0 and not touched:
            touched = cover_circles(discs.x, discs.y, discs.radius, others, other_count, x, y,
                                    cos_yaw, sin_yaw, fan, best)
    for i in range(fan.beams):
        distance = 0.0 if touched else max(0.0, best[i] - radius)
        best[i] = distance if distance <= range_max else math.inf
    return True


@njit
def distances_of_all(view: InfraredView) -> Floats:
    """Return (N, sensors) distances from the rim (m); see ``sensor.infrared_distances``."""
    scene, discs, pose, radius, fan, range_max = view
    out = np.empty((pose.shape[0], fan.beams))
    best = np.empty(fan.directions.shape[1])
    for k in range(pose.shape[0]):
        j = discs.robot[k] if discs.robot.shape[0] else k
        near = _distances_of(j, k, scene, discs, pose, radius[j], fan, range_max, best)
        for i in range(fan.beams):
            out[j, i] = best[i] if near else math.inf
    return out


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


@njit
def readings_of_all(distances: Floats, table: Floats, noise: float, uniform: Floats) -> Floats:
    """Return (N, sensors) readings; see ``sensor.infrared_readings``.

    Parameters
    ----------
    distances : (N, sensors) m, +inf for nothing
    table : (151,) readings, one a millimetre
    noise : greatest, as a fraction of the reading
    uniform : (N, sensors) numbers in [0, 1)

    """
    out = np.empty(distances.shape)
    n, sensors = distances.shape
    for j in range(n):
        for i in range(sensors):
            out[j, i] = _reading(distances[j], sensors, i, table) * _noise(noise, uniform[j, i])
    return out


@njit
def sense_block(first: int, end: int, view: InfraredView, readout: Readout,
                out: NDArray[np.float32]) -> None:
    """Write (N, sensors, 2) distances and readings of the robots first ... end-1.

    They are counted in the order of ``discs``, if there are any: neighbours in turn find what they
    look at in the processor's cache. See ``distances_of_all`` and ``readings_of_all``.
    The index of a number drawn is that of its sensor.
    """
    beams = view.fan.directions.shape[1]
    best, uniform = np.empty(beams), np.empty(beams)
    sense_rows(first, end, borrowed(view), borrowed(readout), 0, borrowed(best),
               borrowed(uniform), borrowed(out))
    best[0] = uniform[0] = 0.0  # keeps these alive until here


@njit_inline
def _ask_for(first: int, scene: Scene, discs: Discs, pose: Floats, radius: Floats) -> None:
    """Ask for what the robots from ``first`` on, TOGETHER of them, look at first."""
    grid, cells = scene.segment_grid, stack_indexes(TOGETHER)
    sorted_by_place = discs.robot.shape[0] > 0
    for i in range(TOGETHER):
        j = discs.robot[first + i] if sorted_by_place else first + i
        prefetch(pose, j)
        prefetch(radius, j)
    for i in range(TOGETHER):
        j = discs.robot[first + i] if sorted_by_place else first + i
        cells[i] = cell_of(pose[j, 0], pose[j, 1], grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
        prefetch(grid.starts, cells[i])
    for i in range(TOGETHER):
        prefetch(grid.items, grid.starts[cells[i]])


@njit_inline
def sense_rows(first: int, end: int, view: InfraredView, readout: Readout, robot_0: int,
               best: Floats, uniform: Floats, out: NDArray[np.float32]) -> None:
    """Do the work of ``sense_block`` on borrowed arrays; two have room for the beams.

    ``robot_0`` is the row of the world's first robot.
    """
    scene, discs, pose, radius, fan, range_max = view
    table, noise, seed, tick = readout
    noisy = noise > 0.0
    for k in range(first, end):
        if (k - first) % TOGETHER == 0 and k + TOGETHER <= end:
            _ask_for(k, scene, discs, pose, radius)
        j = discs.robot[k] if discs.robot.shape[0] else k
        seen = 0  # sensors up to the last that may read anything
        if _distances_of(j, k, scene, discs, pose, radius[j], fan, range_max, best):
            for i in range(fan.beams):
                if best[i] < math.inf:
                    seen = min(fan.beams, i + 2)  # the next may be a blind beam
        if noisy:
            fill_uniforms(seed, INFRARED, j - robot_0, tick, seen, uniform)
        for i in range(seen):
            reading = _reading(best, fan.beams, i, table)
            if noisy:
                reading *= _noise(noise, uniform[i])
            out[j, i, 0], out[j, i, 1] = np.float32(best[i]), np.float32(reading)
        for i in range(seen, fan.beams):
            out[j, i, 0], out[j, i, 1] = np.float32(math.inf), np.float32(0.0)

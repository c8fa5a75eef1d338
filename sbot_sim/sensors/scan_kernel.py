"""Fast ray caster: for each object, the beams that it covers.

For each sensor, each object that a coarse grid finds within range gets the interval of beams that
may hit it, a little too wide; exactly those beams are intersected with it, by the formulas of
``rays.py``, and the minimum is kept. A minimum does not depend on order, so neither cells nor
threads can change a bit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import borrowed, njit, njit_inline, stack_indexes
from sbot_common.compiled.threads import in_blocks
from sbot_common.compiled.vectors import LANES, append, bits, greatest, load_until, one_bit
from sbot_common.elementary import sincos
from sbot_common.spatial import cell_index, cell_of
from sbot_sim.sensors.beams import BACKWARDS, Fan
from sbot_sim.sensors.cover import (
    CAPACITY,
    MOST,
    column_at,
    cover_circles,
    cover_segments,
    first_bits,
)
from sbot_sim.sensors.objects import farther
from sbot_sim.sensors.rays import TOUCH, turned
from sbot_sim.world.scene import Discs, Scene, row_stretch, sort_discs

Floats = NDArray[np.float64]


@njit_inline
def rear(fan: Fan, reach: float) -> float:
    """Return the x (m) in the sensor's frame behind which nothing is hit or touched."""
    return -max(BACKWARDS * reach, 2 * TOUCH) if fan.forward else -math.inf


@njit_inline
def cover_static(scene: Scene, x: float, y: float, cos_yaw: float, sin_yaw: float,
                 fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by walls and fixed circles; tell whether the sensor touches one."""
    return (cover_walls(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
            or cover_fixed_circles(scene, x, y, cos_yaw, sin_yaw, fan, reach, best))


@njit_inline
def cover_walls(scene: Scene, x: float, y: float, cos_yaw: float, sin_yaw: float,
                fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by segments; tell whether the sensor touches one."""
    grid, segments, behind = scene.segment_grid, scene.segments, rear(fan, reach)
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
        if count > 0 and cover_segments(segments, near, count, x, y, cos_yaw, sin_yaw, fan, best):
            return True
    return False


@njit_inline
def cover_fixed_circles(scene: Scene, x: float, y: float, cos_yaw: float, sin_yaw: float,
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
            if cover_circles(circles[:, 0], circles[:, 1], circles[:, 2], near, count, x, y,
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
    grid, behind = discs.grid, rear(fan, reach)
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
                if cover_circles(discs.x, discs.y, discs.radius, near, count, x, y, cos_yaw,
                                 sin_yaw, fan, best):
                    return True
                count = 0
    return count > 0 and cover_circles(discs.x, discs.y, discs.radius, near, count, x, y, cos_yaw,
                                       sin_yaw, fan, best)


@njit
def cast_block(first: int, end: int, scene: Scene, discs: Discs, pose: Floats, fan: Fan,
               range_min: float, range_max: float, out: NDArray[np.float32]) -> None:
    """Write the scans of sensors first … end-1 in the order of ``discs``, if there are any.

    Neighbours in turn find what they look at in the processor's cache.
    """
    best = np.empty(fan.directions.shape[1])
    cast_rows(first, end, borrowed(scene), borrowed(discs), borrowed(pose), borrowed(fan),
              range_min, range_max, borrowed(best), borrowed(out))
    best[0] = 0.0  # keeps it alive until here


@njit_inline
def cast_rows(first: int, end: int, scene: Scene, discs: Discs, pose: Floats, fan: Fan,
              range_min: float, range_max: float, best: Floats,
              out: NDArray[np.float32]) -> None:
    """Do the work of ``cast_block`` on borrowed arrays; ``best`` has room for a sensor's beams."""
    # What is farther than this by rounding only is still intersected, and judged then.
    reach = range_max * (1.0 + 1e-9)
    for k in range(first, end):
        j = discs.robot[k] if discs.robot.shape[0] else k
        x, y = pose[j, 0], pose[j, 1]
        sin_yaw, cos_yaw = sincos(pose[j, 2])
        best[:] = math.inf
        touched = cover_static(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
        touched = touched or cover_discs(discs, k, x, y, cos_yaw, sin_yaw, fan, reach, best)
        if touched:
            best[:] = 0.0
        for i in range(fan.beams):
            t = best[i]
            t = math.inf if t > range_max else t
            out[j, i] = np.float32(-math.inf if t < range_min else t)


@njit
def mounted(pose: Floats, x: float, y: float, yaw: float) -> Floats:
    """Return (N, 3) poses of sensors mounted at (x, y, yaw) of robots at ``pose``."""
    out = np.empty((pose.shape[0], 3))
    for j in range(pose.shape[0]):
        sin_yaw, cos_yaw = sincos(pose[j, 2])
        out[j, 0] = pose[j, 0] + (x * cos_yaw - y * sin_yaw)
        out[j, 1] = pose[j, 1] + (x * sin_yaw + y * cos_yaw)
        out[j, 2] = pose[j, 2] + yaw
    return out


def cast_all(threads: int, scene: Scene, robots: Floats, radius: Floats, sensors: Floats,
             fan: Fan, range_min: float, range_max: float) -> NDArray[np.float32]:
    """Return the scans (N, beams); see ``scan.cast_scans``.

    Parameters
    ----------
    threads : how many to use; no bit of the result depends on it
    robots, radius : (M, 3) and (M,) of the discs that are seen: all robots (M = N), or none
    sensors : (N, 3) poses of the sensors

    """
    n = sensors.shape[0]
    out = np.empty((n, fan.beams), np.float32)
    discs = sort_discs(robots, radius, range_max / 2)
    in_blocks(threads, n, cast_block, scene, discs, sensors, fan, range_min, range_max, out)
    return out

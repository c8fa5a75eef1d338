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

from sbot_common.elementary import sincos
from sbot_common.jit import borrowed, njit, njit_inline, njit_inner
from sbot_common.spatial import cell_index, cell_of
from sbot_common.threads import in_blocks
from sbot_sim.sensors.beams import (
    ANGLE_ERROR,
    BACKWARDS,
    TURN,
    Fan,
    beam_interval,
    lanes,
    quick_angle,
)
from sbot_sim.sensors.rays import (
    END_ON,
    TOUCHED,
    circle_range,
    circle_touched,
    end_on_range,
    facing_range,
    segment_view,
    turned,
)
from sbot_sim.world.scene import Discs, Scene, row_stretch, sort_discs

Floats = NDArray[np.float64]


@njit_inner
def circle_arc(x: float, y: float, radius: float) -> tuple[float, float]:
    """Return (start, width) in rad of an arc that holds a circle at (x, y), not much wider."""
    ratio = radius / math.sqrt(x * x + y * y)
    # Not less than asin(ratio), equal at 0 and 1.
    half = ratio * (1.0 + (TURN / 4 - 1.0) * ratio * ratio)
    return quick_angle(x, y) - half, 2 * half


@njit_inner
def segment_arc(ax: float, ay: float, bx: float, by: float) -> tuple[float, float]:
    """Return (start, width) in rad of the arc from a counter-clockwise to b."""
    start = quick_angle(ax, ay)
    width = quick_angle(bx, by) - start
    # Just below 0 it is a sliver, and not a whole turn.
    if width < -4 * ANGLE_ERROR:
        width += TURN
    return start, max(width, 0.0)


@njit_inner
def cover_circle(x: float, y: float, radius: float, fan: Fan, best: Floats) -> None:
    """Lower ``best`` where beams hit a circle at (x, y) in the sensor's frame."""
    start, width = circle_arc(x, y, radius)
    first, last = beam_interval(start, width, fan)
    radius2 = radius * radius
    while first <= fan.beams - 1:
        low, high = lanes(first, last, fan.beams)
        for i in range(low, high):
            t = circle_range(x, y, radius2, fan.directions[0, i], fan.directions[1, i])
            # NaN, a miss, fails every comparison.
            best[i] = t if (t >= 0.0) & (t < best[i]) else best[i]
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
        for i in range(low, high):
            t = facing_range(ax, ay, bx, by, ex, ey, cross, fan.directions[0, i],
                             fan.directions[1, i])
            best[i] = t if t < best[i] else best[i]
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


@njit_inline
def cover_static(scene: Scene, x: float, y: float, cos_yaw: float, sin_yaw: float,
                 fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by walls and fixed circles; tell whether the sensor touches one."""
    grid = scene.segment_grid
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for item in range(grid.starts[cell], grid.starts[cell + 1]):
        k = grid.items[item]
        if look_at_segment(scene.segments[k, 0] - x, scene.segments[k, 1] - y,
                           scene.segments[k, 2] - x, scene.segments[k, 3] - y, cos_yaw, sin_yaw,
                           fan, reach, best):
            return True
    grid = scene.circle_grid
    for item in range(grid.starts[cell], grid.starts[cell + 1]):
        k = grid.items[item]
        dx, dy, radius = scene.circles[k, 0] - x, scene.circles[k, 1] - y, scene.circles[k, 2]
        if dx * dx + dy * dy > (reach + radius) * (reach + radius):
            continue
        if look_at_circle(dx, dy, radius, cos_yaw, sin_yaw, fan, reach, best):
            return True
    return False


@njit_inner
def farther(x0: float, y0: float, x1: float, y1: float, reach: float) -> bool:
    """Tell whether a segment lies farther than ``reach`` (m) from the origin, certainly."""
    ex, ey = x1 - x0, y1 - y0
    along = -(x0 * ex + y0 * ey)
    length2 = ex * ex + ey * ey
    reach2 = reach * reach
    if along <= 0.0:
        return x0 * x0 + y0 * y0 > reach2
    if along >= length2:
        return x1 * x1 + y1 * y1 > reach2
    cross = x0 * ey - y0 * ex
    return cross * cross > reach2 * length2


@njit_inline
def cover_discs(discs: Discs, own: int, x: float, y: float, cos_yaw: float, sin_yaw: float,
                fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by the robots' discs but one's own; tell whether the sensor touches one."""
    grid = discs.grid
    farthest = reach + discs.largest
    first_row = cell_index(y - farthest, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + farthest, grid.y0, grid.cell, grid.ny)
    for row in range(first_row, last_row + 1):
        start, end = row_stretch(grid, row, x, y, farthest)
        for k in range(start, end):
            dx, dy, radius = discs.x[k] - x, discs.y[k] - y, discs.radius[k]
            if dx * dx + dy * dy > (reach + radius) * (reach + radius) or discs.robot[k] == own:
                continue
            if look_at_circle(dx, dy, radius, cos_yaw, sin_yaw, fan, reach, best):
                return True
    return False


@njit
def cast_block(first: int, end: int, scene: Scene, discs: Discs, pose: Floats, fan: Fan,
               range_min: float, range_max: float, out: NDArray[np.float32]) -> None:
    """Write the scans of sensors first … end-1 in the order of ``discs``, if there are any.

    Neighbours in turn find what they look at in the processor's cache.
    """
    best = np.empty(fan.directions.shape[1])
    _cast_block(first, end, borrowed(scene), borrowed(discs), borrowed(pose), borrowed(fan),
                range_min, range_max, borrowed(best), borrowed(out))
    best[0] = 0.0  # keeps it alive until here


@njit_inline
def _cast_block(first: int, end: int, scene: Scene, discs: Discs, pose: Floats, fan: Fan,
                range_min: float, range_max: float, best: Floats,
                out: NDArray[np.float32]) -> None:
    # What is farther than this by rounding only is still intersected, and judged then.
    reach = range_max * (1.0 + 1e-9)
    for k in range(first, end):
        j = discs.robot[k] if discs.robot.shape[0] else k
        x, y = pose[j, 0], pose[j, 1]
        sin_yaw, cos_yaw = sincos(pose[j, 2])
        best[:] = math.inf
        touched = cover_static(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
        touched = touched or cover_discs(discs, j, x, y, cos_yaw, sin_yaw, fan, reach, best)
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

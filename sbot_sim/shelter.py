"""Wakes of thousands of robots: the shelter of each, without hearing everybody.

Equal, to the bit, to ``wind_model.wake.reductions`` of what ``neighbours`` hears.
A robot's shelter is the greatest score among those that it hears, so one that cannot score more
than another found before needs neither angles nor a line of sight. Scores are bounded from
positions, with a margin far above what rounding may do to them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import wrap_angle
from sbot_common.jit import njit
from sbot_sim.grid import Grid, cell_index
from sbot_sim.scene import Discs, Scene, sort_discs
from sbot_sim.sight import blocked
from wind_model.parameters import WakeParameters
from wind_model.wake import CALM, NOWHERE, blocker_radius, combine, gate_of, score_of, width_of

Array = NDArray[np.float64]

_MARGIN = 1e-9  # relative, and in metres
_LEVEL = 1e-6  # of a direction's part: less is level, as far as cells can tell
_CELLS_PER_REACH = 4.0
_STRIP = 2.0  # widths of a wake; beyond, hardly anybody shelters more than those within


@njit
def _strip_span(grid: Grid, row: int, x: float, y: float, far_x: float, far_y: float,
                ux: float, uy: float, side: float) -> tuple[float, float]:
    """Return the x extent (m) of what a row of cells may hold of a strip.

    The strip's axis leads from (x, y) against (ux, uy) to (far_x, far_y); ``side`` is half its
    width. Border rows reach to infinity.
    """
    low = -math.inf if row == 0 else grid.y0 + row * grid.cell - abs(ux) * side
    high = math.inf if row == grid.ny - 1 else grid.y0 + (row + 1) * grid.cell + abs(ux) * side
    xa, xb = x, far_x
    if abs(uy) > _LEVEL:
        slope = ux / uy
        bottom, top = max(low, min(y, far_y)), min(high, max(y, far_y))
        xa, xb = x + (bottom - y) * slope, x + (top - y) * slope
    slack = abs(uy) * side + _MARGIN * grid.cell
    return min(xa, xb) - slack, max(xa, xb) + slack


@njit
def _candidates(i: int, parameters: WakeParameters, reach: float, discs: Discs, pose: Array,
                ux: float, uy: float, half: float, advertised_mm: NDArray[np.uint8],
                own_radius: float, robots: NDArray[np.int64], offsets: Array) -> int:
    """Find whom robot i may hear upwind, at most ``half`` (m) off the axis; return how many.

    Parameters
    ----------
    i, parameters, reach, pose, advertised_mm, own_radius : as in ``shelters``
    discs : the robots, sorted
    ux, uy : direction of the wind
    half : m
    robots, offsets : room for all; filled with ids and squares of the least lateral offsets, in
        widths, that rounding leaves possible

    """
    x, y = pose[i, 0], pose[i, 1]
    grid = discs.grid
    near = reach * (1.0 + _MARGIN) + _MARGIN
    # The strip's corners, and a little more: rounding must not hide a cell.
    side = half + _MARGIN * grid.cell
    far_x, far_y = x - near * ux, y - near * uy
    first_row = cell_index(min(y, far_y) - abs(ux) * side, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(max(y, far_y) + abs(ux) * side, grid.y0, grid.cell, grid.ny)
    count = 0
    for row in range(first_row, last_row + 1):
        left, right = _strip_span(grid, row, x, y, far_x, far_y, ux, uy, side)
        first = grid.starts[row * grid.nx + cell_index(left, grid.x0, grid.cell, grid.nx)]
        end = grid.starts[row * grid.nx + cell_index(right, grid.x0, grid.cell, grid.nx) + 1]
        for k in range(first, end):
            dx, dy = discs.x[k] - x, discs.y[k] - y
            along = -dx * ux - dy * uy
            lateral = abs(dx * uy - dy * ux)
            if along < 0.0 or lateral > half or dx * dx + dy * dy > near * near:
                continue
            margin = _MARGIN * (1.0 + along + lateral)
            radius = blocker_radius(advertised_mm[discs.robot[k]], own_radius)
            if along + margin < gate_of(parameters, radius) or discs.robot[k] == i:
                continue
            offset = max(0.0, lateral - margin) / width_of(parameters, radius)
            robots[count], offsets[count] = discs.robot[k], offset * offset
            count += 1
    return count


@njit
def _shelter_of(i: int, parameters: WakeParameters, reach: float, scene: Scene, walls: bool,
                pose: Array, ux: float, uy: float, advertised_mm: NDArray[np.uint8],
                own_radius: float, robots: NDArray[np.int64], offsets: Array,
                count: int) -> float:
    """Return the greatest score among the first ``count`` candidates that robot i hears."""
    strongest, limit = 0.0, math.inf
    while True:
        # The nearest to the axis first: what it scores, few others can.
        best, nearest = -1, limit
        for c in range(count):
            if offsets[c] < nearest:
                best, nearest = c, offsets[c]
        if best < 0:
            return strongest
        j = robots[best]
        offsets[best] = math.inf
        dx, dy = pose[j, 0] - pose[i, 0], pose[j, 1] - pose[i, 1]
        distance = math.sqrt(dx * dx + dy * dy)
        if not distance <= reach or distance <= NOWHERE:
            continue
        bearing = wrap_angle(math.atan2(dy, dx) - pose[i, 2])
        score = score_of(parameters, distance, bearing, pose[i, 2], ux, uy,
                         blocker_radius(advertised_mm[j], own_radius))[2]
        if not score > strongest:
            continue
        # From the lower id to the higher, as neighbours() looks.
        a, b = min(i, j), max(i, j)
        if walls and blocked(pose[a, 0], pose[a, 1], pose[b, 0], pose[b, 1], scene):
            continue
        strongest = score
        if not parameters.power_boost:
            # Whoever is farther off the axis scores less, whatever its ramp.
            limit = -2.0 * math.log(strongest) * (1.0 + _MARGIN) + _MARGIN


@njit
def shelters(parameters: WakeParameters, reach: float, scene: Scene, walls: bool, pose: Array,
             wind_xy: Array, advertised_mm: NDArray[np.uint8], own_radius: Array) -> Array:
    """Return the reduction of each robot (N,), in [0, 1].

    Parameters
    ----------
    parameters : of the wake; without ``wake`` all are 0
    reach : m, how far robots hear
    scene : from ``sight_scene`` with that reach
    walls : whether what is in ``scene`` stops a broadcast
    pose : (N, 3) x, y (m), yaw (rad), frame `map`
    wind_xy : (N, 2) m/s, the wind at each receiver
    advertised_mm : (N,) the byte that each robot broadcasts
    own_radius : (N,) m, clamped as in ``clamped_radius``

    """
    count = pose.shape[0]
    reductions = np.zeros(count)
    if not parameters.wake or count == 0:
        return reductions
    discs = sort_discs(pose, own_radius, max(reach / _CELLS_PER_REACH, 1e-3))
    robots, offsets = np.empty(count, np.int64), np.empty(count)
    widest = 0.0
    for i in range(count):
        widest = max(widest, width_of(parameters, blocker_radius(advertised_mm[i], 0.0)),
                     width_of(parameters, own_radius[i]))
    strip = _STRIP * widest
    # The score of a robot at the strip's edge, a little more: those outside have less.
    enough = math.exp(-0.5 * _STRIP * _STRIP) * (1.0 + 1e-6)
    for k in range(count):
        i = discs.robot[k]  # neighbours in turn: what they look at is in the cache
        speed = math.sqrt(wind_xy[i, 0] * wind_xy[i, 0] + wind_xy[i, 1] * wind_xy[i, 1])
        if speed < CALM:
            continue
        ux, uy = wind_xy[i, 0] / speed, wind_xy[i, 1] / speed
        # Most find their shelter near the axis; the rest look everywhere.
        strongest = 0.0
        for half in (strip, reach + 1.0):
            upwind = _candidates(i, parameters, reach, discs, pose, ux, uy, half, advertised_mm,
                                 own_radius[i], robots, offsets)
            strongest = _shelter_of(i, parameters, reach, scene, walls, pose, ux, uy,
                                    advertised_mm, own_radius[i], robots, offsets, upwind)
            if not parameters.power_boost and strongest > enough:
                break
        reductions[i] = combine(parameters, strongest)
    return reductions

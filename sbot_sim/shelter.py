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
from sbot_sim.grid import cell_index
from sbot_sim.scene import Discs, Scene, row_stretch, sort_discs
from sbot_sim.sight import blocked
from wind_model.parameters import WakeParameters
from wind_model.wake import CALM, NOWHERE, blocker_radius, combine, gate_of, score_of, width_of

Array = NDArray[np.float64]

_MARGIN = 1e-9  # relative, and in metres
_CELLS_PER_REACH = 2.0


@njit
def _candidates(i: int, parameters: WakeParameters, reach: float, discs: Discs, pose: Array,
                ux: float, uy: float, advertised_mm: NDArray[np.uint8], own_radius: float,
                robots: NDArray[np.int64], offsets: Array) -> int:
    """Find whom robot i may hear upwind; return how many.

    Parameters
    ----------
    i, parameters, reach, discs, pose, ux, uy, advertised_mm, own_radius : as in ``shelters``
    robots, offsets : room for all; filled with ids and squares of the least lateral offsets, in
        widths, that rounding leaves possible

    """
    x, y = pose[i, 0], pose[i, 1]
    grid = discs.grid
    near = reach * (1.0 + _MARGIN) + _MARGIN
    first_row = cell_index(y - near, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + near, grid.y0, grid.cell, grid.ny)
    count = 0
    for row in range(first_row, last_row + 1):
        first, end = row_stretch(grid, row, x, y, near)
        for k in range(first, end):
            dx, dy = discs.x[k] - x, discs.y[k] - y
            along = -dx * ux - dy * uy
            if along < 0.0 or dx * dx + dy * dy > near * near:
                continue
            lateral = abs(dx * uy - dy * ux)
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
    for i in range(count):
        speed = math.sqrt(wind_xy[i, 0] * wind_xy[i, 0] + wind_xy[i, 1] * wind_xy[i, 1])
        if speed < CALM:
            continue
        ux, uy = wind_xy[i, 0] / speed, wind_xy[i, 1] / speed
        upwind = _candidates(i, parameters, reach, discs, pose, ux, uy, advertised_mm,
                             own_radius[i], robots, offsets)
        strongest = _shelter_of(i, parameters, reach, scene, walls, pose, ux, uy, advertised_mm,
                                own_radius[i], robots, offsets, upwind)
        reductions[i] = combine(parameters, strongest)
    return reductions

# SPDX-License-Identifier: Apache-2.0
"""Wake kernel: wind reductions of many robots without computing every pair.

Equal, bit for bit, to ``wind_model.wake.reductions`` of what ``neighbours`` hears.
A robot's reduction follows from the greatest score among those that it hears. So one that cannot
score more than another found before needs neither angles nor a line of sight, and where the boost
makes one blocker take all wind, nobody else matters. Scores are bounded from
positions, with a margin far above what rounding may do to them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import wrap_angle
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import (
    LANES,
    TOGETHER,
    absolute,
    append,
    bits,
    borrowed,
    load_until,
    njit,
    njit_inline,
    njit_inner,
    prefetch,
    select,
)
from sbot_common.elementary import atan2, exp, log
from sbot_common.spatial import BucketGrid, cell_index, cell_of
from sbot_sim.world.scene import Discs, Scene, blocked, sort_discs
from wind_model.parameters import FADE_OUT, LINEAR, WakeParameters
from wind_model.wake import (
    CALM,
    NOWHERE,
    blocker_radius,
    combine,
    gate_of,
    score_of,
    shadow_length_of,
    width_of,
)

_MARGIN = 1e-9  # relative, and in metres
_LEVEL = 1e-3  # of a direction's part: less is level, as far as cells can tell
_ROUNDING = 2.0 ** -50  # of a coordinate
_CELLS_PER_REACH = 6.0
_STRIP = 3.0  # widths of a wake; beyond, scores are hardly ever greater than within
_MORE = 1.0 + 1e-6
_NOTHING = 1e-7  # a reduction that ``combine`` makes 0


class _Reductions(NamedTuple):
    """What others take from N robots."""

    share: Floats  # (N,) of their wind
    blocker: NDArray[np.int64]  # (N,) who takes all of it, of perhaps several; -1: nobody


class _Scratch(NamedTuple):
    """Working memory: whom a robot may hear upwind, with room for all."""

    places: NDArray[np.uint32]  # in the order of the sorted discs
    robots: NDArray[np.int64]
    # Squares of the least lateral offsets, in widths, that rounding leaves possible; inf for those
    # that take all wind.
    offsets: Floats
    # Squares of distances (m^2) of those that take all wind, whatever rounding does, or inf.
    ways: Floats


@njit_inner
def _strip_span(grid: BucketGrid, row: int, x: float, y: float, far_x: float, far_y: float,
                ux: float, uy: float, side: float, rounding: float) -> tuple[float, float]:
    """Return the x extent (m) of what a row of cells may hold of a strip.

    The strip's axis leads from (x, y) against (ux, uy) to (far_x, far_y); ``side`` is half its
    width, ``rounding`` that of coordinates. Border rows reach to infinity.
    """
    low = -math.inf if row == 0 else grid.y0 + row * grid.cell - abs(ux) * side
    high = math.inf if row == grid.ny - 1 else grid.y0 + (row + 1) * grid.cell + abs(ux) * side
    xa, xb, slack = x, far_x, abs(uy) * side + _MARGIN * grid.cell + rounding
    if abs(uy) > _LEVEL:
        slope = ux / uy
        bottom, top = max(low, min(y, far_y)), min(high, max(y, far_y))
        xa, xb = x + (bottom - y) * slope, x + (top - y) * slope
        slack += abs(slope) * rounding
    return min(xa, xb) - slack, max(xa, xb) + slack


@njit_inline
def _candidates(i: int, parameters: WakeParameters, reach: float, discs: Discs, pose: Floats,
                ux: float, uy: float, half: float, full: float,
                advertised_mm: NDArray[np.uint8], own_radius: float, scratch: _Scratch) -> int:
    """Find whom robot i may hear upwind, at most ``half`` (m) off the axis; return how many.

    Parameters
    ----------
    i, parameters, reach, pose, advertised_mm, own_radius : as in ``reduce_rows``
    discs : the robots, sorted
    ux, uy : direction of the wind
    half : m
    full : ``_full_offset(parameters)``
    scratch : written

    """
    x, y, places = pose[i, 0], pose[i, 1], scratch.places
    grid = discs.grid
    near = reach * (1.0 + _MARGIN) + _MARGIN
    # The strip's corners, and a little more: rounding must not hide a cell.
    rounding = _ROUNDING * (abs(x) + abs(y) + near)
    side = half + _MARGIN * grid.cell + rounding
    far_x, far_y = x - near * ux, y - near * uy
    first_row = cell_index(min(y, far_y) - abs(ux) * side, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(max(y, far_y) + abs(ux) * side, grid.y0, grid.cell, grid.ny)
    count = 0
    for row in range(first_row, last_row + 1):
        left, right = _strip_span(grid, row, x, y, far_x, far_y, ux, uy, side,
                                  rounding)
        first = int(grid.starts[row * grid.nx
                                + cell_index(left, grid.x0, grid.cell, grid.nx)])
        end = int(grid.starts[row * grid.nx
                              + cell_index(right, grid.x0, grid.cell, grid.nx) + 1])
        while True:  # at least once: nobody foresees which rows have no robot
            dx = load_until(discs.x, first, end, math.nan) - x
            dy = load_until(discs.y, first, end, math.nan) - y
            count = append(places, count, first, bits(
                (-dx * ux - dy * uy >= 0.0) & (absolute(dx * uy - dy * ux) <= half)
                & (dx * dx + dy * dy <= near * near)))
            first += LANES
            if first >= end:
                break
    found = 0
    for c in range(count):
        k = places[c]
        dx, dy, robot = discs.x[k] - x, discs.y[k] - y, discs.robot[k]
        along, lateral = -dx * ux - dy * uy, abs(dx * uy - dy * ux)
        margin = _MARGIN * (1.0 + along + lateral)
        radius = blocker_radius(advertised_mm[robot], own_radius)
        offset = max(0.0, lateral - margin) / width_of(parameters, radius)
        takes_all = _takes_all(parameters, full, along, lateral, margin, radius)
        scratch.robots[found] = robot
        # Without a branch, as all here: nobody could foresee it.
        scratch.ways[found] = select(takes_all, dx * dx + dy * dy, math.inf)
        scratch.offsets[found] = select(takes_all, math.inf, offset * offset)
        found += (along + margin >= gate_of(parameters, radius)) & (robot != i)
    return found


@njit_inner
def _full_offset(parameters: WakeParameters) -> float:
    """Return the offset (widths) within which a whole shadow takes all wind, less if none does."""
    linear_ramp = parameters.wake_fade != FADE_OUT and parameters.wake_boost == LINEAR
    if not linear_ramp or parameters.gamma_boost <= 1.0:
        return -1.0
    return math.sqrt(2.0 * log(parameters.gamma_boost)) - _MARGIN


@njit_inline
def _takes_all(parameters: WakeParameters, full: float, along: float, lateral: float,
               margin: float, radius: float) -> bool:
    """Tell whether a blocker takes all wind, whatever rounding does.

    ``full`` is ``_full_offset(parameters)``.
    """
    shadowed = along - margin >= (gate_of(parameters, radius)
                                  + shadow_length_of(parameters, radius))
    return shadowed & (lateral + margin <= full * width_of(parameters, radius))


@njit_inline
def _still_takes_all(i: int, j: int, parameters: WakeParameters, full: float, reach: float,
                     walls: Scene, pose: Floats, ux: float, uy: float,
                     advertised_mm: NDArray[np.uint8], own_radius: float) -> bool:
    """Tell whether robot i hears robot j, which takes all its wind."""
    dx, dy = pose[j, 0] - pose[i, 0], pose[j, 1] - pose[i, 1]
    along, lateral = -dx * ux - dy * uy, abs(dx * uy - dy * ux)
    return (_takes_all(parameters, full, along, lateral, _MARGIN * (1.0 + along + lateral),
                       blocker_radius(advertised_mm[j], own_radius))
            and _hears(i, j, pose, reach, walls))


@njit_inline
def _hears(i: int, j: int, pose: Floats, reach: float, walls: Scene) -> bool:
    """Tell whether robot i hears robot j, as ``neighbours`` decides it."""
    # From the lower id to the higher, as neighbours() looks.
    a, b = min(i, j), max(i, j)
    dx, dy = pose[b, 0] - pose[a, 0], pose[b, 1] - pose[a, 1]
    if not math.sqrt(dx * dx + dy * dy) <= reach:
        return False
    return not blocked(pose[a, 0], pose[a, 1], pose[b, 0], pose[b, 1], walls)


@njit_inline
def _full_blocker(i: int, pose: Floats, reach: float, walls: Scene,
                  robots: NDArray[np.int64], ways: Floats, count: int) -> int:
    """Return the nearest robot that robot i hears and that takes all wind, -1 for none."""
    while True:
        # The nearest first: hardly anything stands between.
        best, nearest = -1, math.inf
        for c in range(count):
            if ways[c] < nearest:
                best, nearest = c, ways[c]
        if best < 0:
            return -1
        if _hears(i, robots[best], pose, reach, walls):
            return int(robots[best])
        ways[best] = math.inf


@njit_inline
def _strongest_score(i: int, parameters: WakeParameters, reach: float, walls: Scene,
                     pose: Floats, ux: float, uy: float, advertised_mm: NDArray[np.uint8],
                     own_radius: float, robots: NDArray[np.int64], offsets: Floats,
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
        if distance <= NOWHERE or not _hears(i, j, pose, reach, walls):
            continue
        bearing = wrap_angle(atan2(dy, dx) - pose[i, 2])
        score = score_of(parameters, distance, bearing, pose[i, 2], ux, uy,
                         blocker_radius(advertised_mm[j], own_radius))[2]
        if not score > strongest:
            continue
        strongest = score
        if parameters.wake_boost == LINEAR:
            # Whoever is farther off the axis scores less, whatever its ramp.
            limit = -2.0 * log(strongest) * (1.0 + _MARGIN) + _MARGIN


@njit_inline
def _last_strip(parameters: WakeParameters, strongest: float) -> float:
    """Return how far off the axis (widths) a score may be that matters beside ``strongest``."""
    if parameters.wake_boost != LINEAR:
        return math.inf
    score = max(strongest, _NOTHING / max(1.0, parameters.gamma_boost))
    return math.sqrt(-2.0 * log(score)) * _MORE


@njit_inline
def _reduction_of(i: int, parameters: WakeParameters, widths: tuple[float, float], reach: float,
                  discs: Discs, walls: Scene, pose: Floats, ux: float, uy: float,
                  advertised_mm: NDArray[np.uint8], own_radius: float,
                  scratch: _Scratch) -> tuple[float, int]:
    """Return the reduction of robot i, and who takes all its wind (-1: nobody).

    Parameters are those of ``reduce_rows`` and ``_candidates``; ``widths`` are ``full`` of
    these, and ``_widest_wake``.
    """
    full, widest = widths
    strip, strongest, last = max(_STRIP, full), 0.0, False
    while True:
        half = min(strip * widest + _MARGIN * (1.0 + reach), reach + 1.0)
        count = _candidates(i, parameters, reach, discs, pose, ux, uy, half, full, advertised_mm,
                            own_radius, scratch)
        if not last:  # all who take all wind are in the first strip
            blocker = _full_blocker(i, pose, reach, walls, scratch.robots, scratch.ways, count)
            if blocker >= 0:
                return 1.0, blocker
        strongest = _strongest_score(i, parameters, reach, walls, pose, ux, uy, advertised_mm,
                                     own_radius, scratch.robots, scratch.offsets, count)
        # Those outside score less than one at the strip's edge.
        edge = exp(-0.5 * strip * strip)
        if last or (parameters.wake_boost == LINEAR and strongest > edge * _MORE):
            return combine(parameters, strongest), -1
        strip, last = _last_strip(parameters, strongest), True


@njit
def _widest_wake(parameters: WakeParameters, advertised_mm: NDArray[np.uint8],
                 own_radius: Floats) -> float:
    """Return the greatest width (m) of a wake that anybody may feel."""
    widest = 0.0
    for i in range(own_radius.shape[0]):
        widest = max(widest, width_of(parameters, blocker_radius(advertised_mm[i], 0.0)),
                     width_of(parameters, own_radius[i]))
    return widest


@njit_inline
def _ask_for(first: int, discs: Discs, walls: Scene, pose: Floats, wind_xy: Floats,
             own_radius: Floats, blockers: NDArray[np.int64]) -> None:
    """Ask for what the robots from ``first`` on, TOGETHER of them, look at first."""
    for k in range(first, first + TOGETHER):
        i = discs.robot[k]
        prefetch(pose, i)
        prefetch(wind_xy, i)
        prefetch(own_radius, i)
        prefetch(blockers, i)
    grid = walls.segment_grid
    for k in range(first, first + TOGETHER):
        prefetch(pose, blockers[discs.robot[k]])
        prefetch(grid.starts, cell_of(discs.x[k], discs.y[k], grid.x0, grid.y0, grid.cell,
                                      grid.nx, grid.ny))


@njit
def _reduce_block(first: int, end: int, parameters: WakeParameters, reach: float, discs: Discs,
                  walls: Scene, pose: Floats, wind_xy: Floats,
                  advertised_mm: NDArray[np.uint8], own_radius: Floats, widest: float,
                  found: _Reductions) -> None:
    """Write the reductions of the robots first ... end-1 in the order of ``discs``.

    Neighbours in turn find what they look at in the processor's cache. ``found.blocker`` is
    brought up to date.
    """
    discs, walls, pose = borrowed(discs), borrowed(walls), borrowed(pose)
    wind_xy, advertised_mm = borrowed(wind_xy), borrowed(advertised_mm)
    own_radius, out, blockers = (borrowed(own_radius), borrowed(found.share),
                                 borrowed(found.blocker))
    n, full = pose.shape[0], _full_offset(parameters)
    # A little more: what is not listed is written, too.
    room = _Scratch(np.empty(n + LANES, np.uint32), np.empty(n + 1, np.int64), np.empty(n + 1),
                   np.empty(n + 1))
    scratch = borrowed(room)
    for k in range(first, end):
        if (k - first) % TOGETHER == 0 and k + TOGETHER <= end:
            _ask_for(k, discs, walls, pose, wind_xy, own_radius, blockers)
        i = discs.robot[k]
        speed = math.sqrt(wind_xy[i, 0] * wind_xy[i, 0] + wind_xy[i, 1] * wind_xy[i, 1])
        out[i] = 0.0
        # Without a direction of its own a robot knows no bearings, as reductions() has it.
        if not speed >= CALM or not math.isfinite(pose[i, 2]):
            continue
        ux, uy = wind_xy[i, 0] / speed, wind_xy[i, 1] / speed
        if blockers[i] >= 0 and _still_takes_all(i, blockers[i], parameters, full, reach, walls,
                                                 pose, ux, uy, advertised_mm, own_radius[i]):
            out[i] = 1.0
            continue
        out[i], blockers[i] = _reduction_of(
            i, parameters, (full, widest), reach, discs, walls, pose, ux, uy, advertised_mm,
            own_radius[i], scratch)
    # Keeps these alive until here.
    room.places[0], room.robots[0], room.offsets[0], room.ways[0] = 0, 0, 0.0, 0.0


@njit_inner
def reduce_rows(
    first: int,
    end: int,
    parameters: WakeParameters,
    reach: float,
    walls: Scene,
    pose: Floats,
    wind_xy: Floats,
    advertised_mm: NDArray[np.uint8],
    own_radius: Floats,
    blockers: NDArray[np.int64],
    out: Floats,
) -> None:
    """Write the reductions, in [0, 1], and the blockers of the robots first … end-1 by place.

    A blocker is who takes all wind from a robot, one of perhaps several, -1 for none. ``blockers``
    holds those of the tick before, where to look first; no reduction depends on them.

    Parameters
    ----------
    first, end : of the robots, sorted by place
    parameters : of the wake
    reach : m, how far robots hear
    walls : what stops a broadcast, from ``Scene.of_walls``
    pose : (N, 3) x, y (m), yaw (rad), frame `map`
    wind_xy : (N, 2) m/s, the wind at each receiver
    advertised_mm : (N,) the byte that each robot broadcasts
    own_radius : (N,) m, clamped as in ``clamped_radius``
    blockers, out : (N,) changed

    """
    discs = sort_discs(pose, own_radius, _cell_of_reach(reach))
    _reduce_block(first, end, parameters, reach, discs, walls, pose, wind_xy, advertised_mm,
                  own_radius, _widest_wake(parameters, advertised_mm, own_radius),
                  _Reductions(out, blockers))


@njit
def _cell_of_reach(reach: float) -> float:
    """Return the side of the cells (m) in which robots are sorted."""
    return max(reach / _CELLS_PER_REACH, 1e-3)

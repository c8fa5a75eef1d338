"""Infrared of all robots in compiled loops: distances along the beams, and readings."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import sincos
from sbot_common.jit import borrowed, njit, njit_inline, njit_inner
from sbot_common.spatial import cell_index, cell_of
from sbot_sim.sensors.beams import Fan
from sbot_sim.sensors.objects import farther
from sbot_sim.sensors.rng_array import Jump, States, next_uniform, skip_uniforms
from sbot_sim.sensors.scan_kernel import cover_discs, cover_static
from sbot_sim.world.scene import Discs, Scene

Floats = NDArray[np.float64]

BLIND_FRACTION = 0.3  # document 002 section 3.1
_ENTRIES_PER_METRE = 1000.0


@njit_inline
def _sees_nothing(scene: Scene, discs: Discs, own: int, x: float, y: float,
                  reach: float) -> bool:
    """Tell whether all walls, circles and other robots' discs are farther than ``reach`` (m)."""
    grid = scene.segment_grid
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for item in range(grid.starts[cell], grid.starts[cell + 1]):
        k = grid.items[item]
        if not farther(scene.segments[k, 0] - x, scene.segments[k, 1] - y,
                       scene.segments[k, 2] - x, scene.segments[k, 3] - y, reach):
            return False
    if scene.circle_grid.starts[cell] < scene.circle_grid.starts[cell + 1]:
        return False
    grid = discs.grid
    farthest = reach + discs.largest
    left = cell_index(x - farthest, grid.x0, grid.cell, grid.nx)
    right = cell_index(x + farthest, grid.x0, grid.cell, grid.nx)
    first_row = cell_index(y - farthest, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + farthest, grid.y0, grid.cell, grid.ny)
    for row in range(first_row, last_row + 1):
        for k in range(grid.starts[row * grid.nx + left], grid.starts[row * grid.nx + right + 1]):
            dx, dy = discs.x[k] - x, discs.y[k] - y
            if dx * dx + dy * dy <= farthest * farthest and discs.robot[k] != own:
                return False
    return True


@njit_inline
def _distances_of(j: int, own: int, scene: Scene, discs: Discs, pose: Floats, radius: float,
                  fan: Fan, range_max: float, best: Floats) -> bool:
    """Fill ``best`` with robot j's distances from the rim (m); false if it sees nothing at all.

    ``own`` is its place among ``discs``.
    """
    x, y = pose[j, 0], pose[j, 1]
    # What is farther than this by rounding only is still intersected, and judged then.
    reach = (radius + range_max) * (1.0 + 1e-9)
    if _sees_nothing(scene, discs, j, x, y, reach):
        return False
    for i in range(best.shape[0]):
        best[i] = math.inf
    sin_yaw, cos_yaw = sincos(pose[j, 2])
    touched = cover_static(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
    touched = touched or cover_discs(discs, own, x, y, cos_yaw, sin_yaw, fan, reach, best)
    for i in range(fan.beams):
        distance = 0.0 if touched else max(0.0, best[i] - radius)
        best[i] = distance if distance <= range_max else math.inf
    return True


@njit
def distances_of_all(scene: Scene, discs: Discs, pose: Floats, radius: Floats, fan: Fan,
                     range_max: float) -> Floats:
    """Return (N, sensors) distances from the rim (m); see ``infrared.infrared_distances``."""
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
    """Return (N, sensors) readings; see ``infrared.infrared_readings``.

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
def sense_block(first: int, end: int, scene: Scene, discs: Discs, pose: Floats, radius: Floats,
                fan: Fan, range_max: float, table: Floats, noise: float, states: States,
                blind: Jump, out: NDArray[np.float32]) -> None:
    """Write (N, sensors, 2) distances and readings of the robots first ... end-1.

    They are counted in the order of ``discs``, if there are any: neighbours in turn find what they
    look at in the processor's cache. See ``distances_of_all`` and ``readings_of_all``.

    ``states`` are the robots' generators, or none: no noise; ``blind`` skips the draws of a robot
    that sees nothing.
    """
    best, uniform = np.empty(fan.directions.shape[1]), np.empty(fan.directions.shape[1])
    sense_rows(first, end, borrowed(scene), borrowed(discs), borrowed(pose), borrowed(radius),
               borrowed(fan), range_max, borrowed(table), noise, borrowed(states), blind,
               borrowed(best), borrowed(uniform), borrowed(out))
    best[0] = uniform[0] = 0.0  # keeps these alive until here


@njit_inline
def sense_rows(first: int, end: int, scene: Scene, discs: Discs, pose: Floats, radius: Floats,
               fan: Fan, range_max: float, table: Floats, noise: float, states: States,
               blind: Jump, best: Floats, uniform: Floats, out: NDArray[np.float32]) -> None:
    """Do the work of ``sense_block`` on borrowed arrays; two have room for the beams."""
    noisy = states.shape[0] > 0
    for k in range(first, end):
        j = discs.robot[k] if discs.robot.shape[0] else k
        seen = 0  # sensors up to the last that may read anything
        if _distances_of(j, k, scene, discs, pose, radius[j], fan, range_max, best):
            for i in range(fan.beams):
                if best[i] < math.inf:
                    seen = min(fan.beams, i + 2)  # the next may be a blind beam
        if noisy:
            high, low = states[j, 0], states[j, 1]
            for i in range(seen):  # on their own: nothing unforeseen interrupts them
                uniform[i] = next_uniform(states, j)
            states[j, 0], states[j, 1] = high, low
            skip_uniforms(states, j, blind)  # as many draws, whatever is seen
        for i in range(seen):
            reading = _reading(best, fan.beams, i, table)
            if noisy:
                reading *= _noise(noise, uniform[i])
            out[j, i, 0], out[j, i, 1] = np.float32(best[i]), np.float32(reading)
        for i in range(seen, fan.beams):
            out[j, i, 0], out[j, i, 1] = np.float32(math.inf), np.float32(0.0)

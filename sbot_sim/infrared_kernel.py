"""Infrared of all robots in compiled loops: distances along the beams, and readings."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit
from sbot_sim.beams import Fan
from sbot_sim.scan_kernel import cover_discs, cover_static
from sbot_sim.scene import Scene, sort_discs

Floats = NDArray[np.float64]

BLIND_FRACTION = 0.3  # document 002 section 3.1
_ENTRIES_PER_METRE = 1000.0


@njit
def distances_of_all(scene: Scene, pose: Floats, radius: Floats, fan: Fan, range_max: float,
                     reach: float, seen: int) -> Floats:
    """Return (N, sensors) distances from the rim (m); see ``infrared.infrared_distances``.

    ``reach`` (m) is the farthest that any sees from its centre; ``seen`` is N, or 0 if robots are
    not seen.
    """
    n = pose.shape[0]
    out = np.empty((n, fan.beams))
    discs = sort_discs(pose[:seen], radius[:seen], reach)
    best = np.empty(fan.directions.shape[1])
    for k in range(n):
        j = discs.robot[k] if seen else k  # neighbours in turn: what they look at is in the cache
        x, y = pose[j, 0], pose[j, 1]
        cos_yaw, sin_yaw = math.cos(pose[j, 2]), math.sin(pose[j, 2])
        # What is farther than this by rounding only is still intersected, and judged then.
        own_reach = (radius[j] + range_max) * (1.0 + 1e-9)
        best[:] = math.inf
        touched = cover_static(scene, x, y, cos_yaw, sin_yaw, fan, own_reach, best)
        touched = touched or cover_discs(discs, j, x, y, cos_yaw, sin_yaw, fan, own_reach, best)
        for i in range(fan.beams):
            distance = 0.0 if touched else max(0.0, best[i] - radius[j])
            out[j, i] = distance if distance <= range_max else math.inf
    return out


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
    n, sensors = distances.shape
    out = np.zeros((n, sensors))
    for j in range(n):
        for i in range(sensors):
            if distances[j, i] < math.inf:
                entry = math.floor(distances[j, i] * _ENTRIES_PER_METRE + 0.5)
                out[j, i] = table[min(entry, table.shape[0] - 1)]
        for i in range(sensors):
            before, after = (i - 1) % sensors, (i + 1) % sensors
            if (distances[j, i] == math.inf and distances[j, before] < math.inf
                    and distances[j, after] < math.inf):
                out[j, i] = BLIND_FRACTION * ((out[j, before] + out[j, after]) / 2.0)
        for i in range(sensors):
            out[j, i] *= 1.0 + noise * (2.0 * uniform[j, i] - 1.0)
    return out

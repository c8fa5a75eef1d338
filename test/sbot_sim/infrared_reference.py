"""Infrared's distances and readings in double, which readings round: for tests alone."""

import math

import numpy as np

from sbot_common.compiled.jit import TOGETHER, njit
from sbot_common.random import INFRARED
from sbot_common.random.numbers import uniforms
from sbot_sim.sensors.infrared import SENSORS, infrared_reach, ring
from sbot_sim.sensors.infrared_kernel import (
    DISTANCES,
    OTHERS,
    PADDED,
    ROWS,
    InfraredView,
    Near,
    _distances_of,
    _noise,
    _reading,
    find_rows,
)
from sbot_sim.world.scene import Scene, sort_discs


@njit
def distances_of_all(view):
    """Return (N, sensors) distances from the rim (m); see ``infrared_distances``."""
    n = view.pose.shape[0]
    found, readings = np.full((n, SENSORS), math.inf), np.empty((n, SENSORS, 2), np.float32)
    rows, others = np.zeros((7, ROWS), np.uint32), np.zeros((2, OTHERS), np.uint32)
    near = Near(rows[0], rows[1], rows[2], rows[3], rows[4], others[0], others[1])
    row, seeing, distances = rows[5], rows[6], np.empty(DISTANCES)
    for k in range(0, n, TOGETHER):
        count = find_rows(k, min(k + TOGETHER, n), 0, view, near, 0, readings)
        _distances_of(count, view, near, row, seeing, distances)
        for c in range(count):
            found[row[c]] = distances[PADDED * c:PADDED * c + SENSORS]
    return found


@njit
def readings_of_all(distances, table, noise, uniform):
    """Return (N, sensors) readings for distances (m) and numbers in [0, 1) of the noise."""
    out = np.empty(distances.shape)
    n, sensors = distances.shape
    for j in range(n):
        for i in range(sensors):
            out[j, i] = _reading(distances[j], sensors, i, table) * _noise(noise, uniform[j, i])
    return out


def infrared_distances(world, pose, radius, parameters):
    """Return (N, 15) m from the rim along each beam, 0 within the own body, +inf for nothing."""
    reach, seen = infrared_reach(radius, parameters), len(pose) * parameters.sees_robots
    return distances_of_all(InfraredView(
        Scene.of(world, reach), sort_discs(pose[:seen], radius[:seen], reach), pose, radius,
        ring(), parameters.range))


def infrared_readings(distances, parameters, draw):
    """Return readings (N, 15): table, blind-beam rule (docs/errata.md S5), noise (S4)."""
    if draw is None:
        return readings_of_all(distances, parameters.table, 0.0, np.zeros(distances.shape))
    return readings_of_all(distances, parameters.table, parameters.noise,
                           uniforms(draw[0], INFRARED, np.arange(len(distances)), draw[1],
                                    SENSORS))

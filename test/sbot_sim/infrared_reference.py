"""Infrared's distances and readings in double, which readings round: for tests alone."""

import math

import numpy as np

from sbot_common.compiled.jit import njit
from sbot_common.random import INFRARED
from sbot_common.random.numbers import uniforms
from sbot_sim.sensors.infrared import SENSORS, infrared_reach, ring
from sbot_sim.sensors.infrared_kernel import InfraredView, _distances_of, _noise, _reading
from sbot_sim.world.scene import Scene, sort_discs


@njit
def distances_of_all(view):
    """Return (N, sensors) distances from the rim (m); see ``infrared_distances``."""
    scene, discs, pose, radius, fan, range_max = view
    out = np.empty((pose.shape[0], fan.beams))
    best = np.empty(fan.directions.shape[1])
    for k in range(pose.shape[0]):
        j = discs.robot[k] if discs.robot.shape[0] else k
        seeing = _distances_of(j, k, scene, discs, pose, radius, fan, range_max, best)
        for i in range(fan.beams):
            out[j, i] = best[i] if seeing != 0 else math.inf
    return out


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

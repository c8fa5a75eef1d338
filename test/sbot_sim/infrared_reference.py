"""Infrared's distances and readings in double, which ``sense`` rounds: for tests alone."""

import math

import numpy as np

from sbot_common.compiled.jit import njit
from sbot_common.random.numbers import INFRARED, uniforms
from sbot_sim.sensors.infrared import SENSORS, _view
from sbot_sim.sensors.infrared_kernel import _distances_of, _noise, _reading


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
    """Return (N, sensors) readings; see ``infrared_readings``.

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


def infrared_distances(scene, pose, radius, parameters):
    """Return the distances that the sensors measure.

    Parameters
    ----------
    scene : made with at least ``infrared_reach``; best with exactly that, for speed
    pose : (N, 3) x, y (m), yaw (rad) of the robots in frame `map`
    radius : (N,) m, the bodies

    Returns
    -------
    (N, 15) m from the rim along each beam to the nearest wall, circle or body; 0 if that reaches
    into the robot's own body, +inf if there is nothing within range.

    """
    return distances_of_all(_view(scene, pose, radius, parameters))


def infrared_readings(distances, parameters, draw):
    """Return the readings (N, 15) for distances (N, 15): table, blind-beam rule, noise, in turn.

    The table's entry is that of the nearest millimetre (half up); a beam that sees nothing reads
    0, or, if both its neighbours on the ring see something, 0.3 times the mean of their readings
    (docs/errata.md S5). Noise multiplies by 1 + noise * u, u uniform in [-1, 1) (S4 there).

    Parameters
    ----------
    distances : m from the rim, +inf for nothing
    draw : seed and tick of the noise; None: no noise, whatever the parameters say

    """
    if draw is None:
        return readings_of_all(distances, parameters.table, 0.0, np.zeros(distances.shape))
    return readings_of_all(distances, parameters.table, parameters.noise,
                           uniforms(draw[0], INFRARED, np.arange(len(distances)), draw[1],
                                    SENSORS))

"""The s-bot's fifteen infrared proximity sensors (document 002 section 3).

Beams start at the robot's centre and pass through the sensors on its rim; distances count from the
rim, and a table turns them into readings.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.threads import in_blocks
from sbot_common.observation import INFRARED_SENSORS
from sbot_common.params import Param
from sbot_common.random.generators import INFRARED
from sbot_common.random.numbers import uniforms
from sbot_sim.sensors.beams import Fan, make_irregular_fan
from sbot_sim.sensors.infrared.kernel import (
    InfraredView,
    Readout,
    distances_of_all,
    readings_of_all,
    sense_block,
)
from sbot_sim.sensors.infrared.table import TABLE_RANGE, load_table
from sbot_sim.world.scene import Scene, sort_discs

Floats = NDArray[np.float64]

SENSORS = INFRARED_SENSORS
# Document 002, figure 5b, from the direction the robot faces, counter-clockwise.
SENSOR_DEGREES = (34, 56, 79, 101, 120, 140, 160, 180, 200, 220, 240, 259, 281, 304, 326)
SENSOR_ANGLES = tuple(math.radians(degrees) for degrees in SENSOR_DEGREES)


@cache
def ring() -> Fan:
    """Return the table of the fifteen beams."""
    return make_irregular_fan(SENSOR_ANGLES)


class InfraredSettings(NamedTuple):
    """The infrared sensors as a scenario describes them."""

    infrared: Annotated[bool, Param(
        '', 'Whether robots have infrared sensors.', '002 section 3')] = False
    infrared_table: Annotated[str, Param(
        '', 'Table from distances to readings: exponential, polynomial, as_printed, or a file of '
        '151 readings (0 to 15 cm, 1 mm apart).', '002 section 3.1')] = 'exponential'
    infrared_noise: Annotated[float, Param(
        '', 'Largest noise as a fraction of the reading; uniform.', '002 Table 1',
        0.0, 1.0)] = 0.15
    infrared_sees_robots: Annotated[bool, Param(
        '', 'Whether infrared sees the other robots.', '002 section 3')] = True
    infrared_range: Annotated[float, Param(
        'm', 'Range, from the rim of the body.', '002 section 3.1', 0.0, TABLE_RANGE,
        open_minimum=True)] = TABLE_RANGE


class InfraredParameters(NamedTuple):
    """The infrared sensors as simulated."""

    table: Floats  # (151,) reading at 0, 1 … 150 mm
    noise: float  # greatest, as a fraction of the reading
    sees_robots: bool
    range: float  # m, from the rim


def make_infrared_parameters(settings: InfraredSettings) -> InfraredParameters | None:
    """Return the parameters of infrared with its table; None without infrared.

    Raises
    ------
    InputError
        for a bad table.

    """
    table = load_table(settings.infrared_table)
    if not settings.infrared:
        return None
    return InfraredParameters(table, settings.infrared_noise, settings.infrared_sees_robots,
                              settings.infrared_range)


def infrared_reach(radius: Floats, parameters: InfraredParameters) -> float:
    """Return how far from a robot's centre infrared sees (m): the reach that a scene needs."""
    return float(radius.max(initial=0.0)) + parameters.range


def infrared_distances(scene: Scene, pose: Floats, radius: Floats,
                       parameters: InfraredParameters) -> Floats:
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


def _view(scene: Scene, pose: Floats, radius: Floats,
          parameters: InfraredParameters) -> InfraredView:
    """Return what the kernels look at."""
    # One memory layout, one compiled version.
    pose = np.ascontiguousarray(pose, np.float64)
    radius = np.ascontiguousarray(radius, np.float64)
    reach = infrared_reach(radius, parameters)
    if scene.reach < reach:
        raise ValueError(f'scene has reach {scene.reach}, needs {reach} (m)')
    seen = pose.shape[0] if parameters.sees_robots else 0
    discs = sort_discs(pose[:seen], radius[:seen], reach)
    return InfraredView(scene, discs, pose, radius, ring(), parameters.range)


def infrared_readings(distances: Floats, parameters: InfraredParameters,
                      draw: tuple[int, int] | None) -> Floats:
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


def sense(scene: Scene, pose: Floats, radius: Floats, parameters: InfraredParameters,
          draw: tuple[int, int] | None, threads: int = 1) -> NDArray[np.float32]:
    """Return (N, 15, 2) float32: distance (m) and reading of every sensor.

    Parameters
    ----------
    scene, pose, radius, parameters : as in ``infrared_distances``
    draw : seed and tick of the noise; None: no noise, whatever the parameters say
    threads : how many to use; no bit of the result depends on it

    """
    sensed = np.empty((pose.shape[0], SENSORS, 2), np.float32)
    noise, (seed, tick) = (0.0, (0, 0)) if draw is None else (parameters.noise, draw)
    in_blocks(threads, len(sensed), sense_block, _view(scene, pose, radius, parameters),
              Readout(parameters.table, noise, seed, tick), sensed)
    return sensed


def infrared_points(sensed: NDArray[np.float32], radius: float) -> NDArray[np.float32]:
    """Return one robot's sensors as points (15, 5) x y z range reading, in its `base_link`.

    Parameters
    ----------
    sensed : (15, 2) a robot's row of ``sense``
    radius : m, of its body; x, y, z (m) is where the sensor is on the rim

    """
    points = np.zeros((SENSORS, 5), np.float32)
    points[:, :2] = radius * ring().directions[:, :SENSORS].T
    points[:, 3:] = sensed
    return points

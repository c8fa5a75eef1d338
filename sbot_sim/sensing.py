"""The snapshot: what everybody may know at the start of a tick, as the messages carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import decoded_yaws
from sbot_common.streams import INFRARED, ODOMETRY, SCAN, generator
from sbot_common.threads import beside
from sbot_sim.generators import States, generator_states
from sbot_sim.infrared import InfraredParameters
from sbot_sim.infrared import sense as sense_infrared
from sbot_sim.range_and_bearing import Heard
from sbot_sim.scan import ScanParameters, add_scan_noise, cast_scans
from sbot_sim.scene import Scene

if TYPE_CHECKING:
    from sbot_sim.simulation import Parameters, State

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


class SensorParameters(NamedTuple):
    """What robots sense, and how well."""

    scan: ScanParameters
    scene: Scene
    infrared: InfraredParameters | None  # None: no infrared sensors
    infrared_scene: Scene
    range_and_bearing: bool
    rab_range: float  # m
    rab_blocked_by_walls: bool
    threads: int = 1  # changes no bit


class Generators(NamedTuple):
    """The sensors' random generators; states are a row a robot (``generators.py``).

    Draws advance them in place, as they do NumPy's generators.
    """

    infrared: States
    scan: States
    odometry: list[np.random.Generator]


class Snapshot(NamedTuple):
    """The world at one tick as messages carry it; N robots, frame `map` unless said."""

    tick: int
    pose: Array  # (N, 3) x, y (m), yaw (rad) as decoded from the quaternion that is sent
    twist: Array  # (N, 3) m/s, m/s, rad/s in the robot's own frame, wind included
    wind: Array  # (N, 2) m/s, effective wind now moving the robot
    free_wind: Array  # (N, 2) m/s, before other robots took their share
    true_pose: Array  # (N, 3) with the simulator's own yaw
    odometry: Array  # (N, 3) frame `odom`
    odometry_twist: Array  # (N, 2)
    ranges: Floats  # (N, beams) m
    infrared: Floats | None  # (N, 15, 2) range (m), reading
    heard: Heard  # compressed rows
    heard_sent: bool  # range and bearing is on
    rab_data: NDArray[np.uint8]  # (N, 10)


def make_generators(seed: int, num_robots: int) -> Generators:
    """Return the sensors' generators for a seed."""
    robots = range(num_robots)
    return Generators(generator_states(seed, robots, INFRARED),
                      generator_states(seed, robots, SCAN),
                      [generator(seed, robot, ODOMETRY) for robot in robots])


def observe(parameters: Parameters, state: State, generators: Generators,
            heard: Heard) -> Snapshot:
    """Return the snapshot of a state: all sensors read at once.

    Parameters
    ----------
    parameters, state : the world
    generators : draws for noise are taken from these, as many each tick
    heard : who hears whom, from ``simulation.hear``

    """
    sensors, bodies = parameters.sensors, parameters.bodies
    yaws = beside(sensors.threads, state.pose.shape[0], decoded_yaws,
                  np.ascontiguousarray(state.pose[:, 2]))
    ranges = add_scan_noise(
        cast_scans(sensors.scene, state.pose, bodies.radius, sensors.scan, sensors.threads),
        sensors.scan, generators.scan)
    infrared = None
    if sensors.infrared is not None:
        infrared = sense_infrared(sensors.infrared_scene, state.pose, bodies.radius,
                                  sensors.infrared, generators.infrared, sensors.threads)
    pose = state.pose.copy()
    pose[:, 2] = yaws()
    return Snapshot(state.tick, pose, state.twist, state.wind, state.free_wind, state.pose,
                    state.odometry, state.odometry_twist, ranges, infrared, heard,
                    sensors.range_and_bearing, state.rab_data)

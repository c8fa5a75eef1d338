"""The snapshot: what everybody may know at the start of a tick, as the messages carry it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import decoded_yaws
from sbot_common.rng import INFRARED, ODOMETRY, SCAN, generator
from sbot_common.threads import beside
from sbot_sim.engine.state import Generators, Parameters, Snapshot, State
from sbot_sim.sensors.infrared.sensor import sense as sense_infrared
from sbot_sim.sensors.range_and_bearing import Heard
from sbot_sim.sensors.rng_array import generator_states
from sbot_sim.sensors.scan import add_scan_noise, cast_scans

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


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

"""Sensing: the snapshot of a state, with the values that messages carry."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import decoded_yaws
from sbot_common.rng import INFRARED, ODOMETRY, SCAN, generator
from sbot_common.threads import in_background
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.engine.state import Generators, SimulationState, Snapshot
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


def observe(parameters: SimulationParameters, state: SimulationState, generators: Generators,
            heard: Heard) -> Snapshot:
    """Return the snapshot of a state: all sensors read at once.

    Parameters
    ----------
    parameters, state : the world
    generators : those of infrared and scans are advanced in place, by as many draws each tick
    heard : who hears whom, from ``step.hear``

    """
    sensors, bodies = parameters.sensors, parameters.bodies
    yaws = in_background(sensors.threads, state.pose.shape[0], decoded_yaws,
                         np.ascontiguousarray(state.pose[:, 2]))
    ranges = add_scan_noise(
        cast_scans(sensors.scene, sensors.fan, state.pose, bodies.radius, sensors.scan,
                   sensors.threads),
        sensors.scan, generators.scan)
    infrared = None
    if sensors.infrared is not None:
        infrared = sense_infrared(sensors.infrared_scene, state.pose, bodies.radius,
                                  sensors.infrared, generators.infrared, sensors.threads)
    pose = state.pose.copy()
    pose[:, 2] = yaws()
    return Snapshot(
        tick=state.tick, pose=pose, twist=state.twist, wind=state.wind, free_wind=state.free_wind,
        true_pose=state.pose, odometry=state.odometry, odometry_twist=state.odometry_twist,
        ranges=ranges, infrared=infrared, heard=heard, heard_sent=sensors.range_and_bearing,
        rab_data=state.rab_data)

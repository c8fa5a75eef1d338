"""Sensing: the snapshot of a state, with the values that messages carry."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import decoded_yaws
from sbot_common.compiled.threads import in_background
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.engine.state import SimulationState, Snapshot, view_of
from sbot_sim.sensors.fitted import read_all
from sbot_sim.sensors.infrared.sensor import sense as sense_infrared
from sbot_sim.sensors.range_and_bearing import Heard
from sbot_sim.sensors.scan import add_scan_noise, cast_scans
from sbot_sim.world.moving import disc_positions

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


def observe(parameters: SimulationParameters, state: SimulationState, seed: int,
            heard: Heard) -> Snapshot:
    """Return the snapshot of a state: all sensors read at once, the wind not felt yet.

    Parameters
    ----------
    parameters, state : the world
    seed : of the noise, which is a function of it and of the tick
    heard : who hears whom, from ``step.hear``

    """
    sensors, bodies = parameters.sensors, parameters.bodies
    yaws = in_background(sensors.threads, state.pose.shape[0], decoded_yaws,
                         np.ascontiguousarray(state.pose[:, 2]))
    scan = sensors.scan
    ranges = cast_scans(sensors.scene, sensors.fan, state.pose, bodies.radius, scan,
                        sensors.threads, sensors.rectangles)
    add_scan_noise(ranges, scan.noise_std, scan.range_min, scan.range_max, seed,
                   state.tick)
    infrared = None
    if sensors.infrared is not None:
        infrared = sense_infrared(sensors.infrared_scene, state.pose, bodies.radius,
                                  sensors.infrared, (seed, state.tick), sensors.threads)
    readings = read_all(sensors.fitted, view_of(parameters, state, seed), state.memories)
    pose = state.pose.copy()
    pose[:, 2] = yaws()
    no_wind = np.zeros_like(state.wind)
    return Snapshot(
        tick=state.tick, pose=pose, twist=state.twist, wind=no_wind, free_wind=no_wind,
        updraft=np.zeros(len(pose)), true_pose=state.pose,
        odometry=state.odometry, odometry_twist=state.odometry_twist, ranges=ranges,
        infrared=infrared, heard=heard, heard_sent=sensors.range_and_bearing,
        rab_data=state.rab_data, readings=readings,
        obstacles=None if state.moved is None or parameters.obstacles is None
        or not len(state.moved) else disc_positions(parameters.obstacles.discs, state.moved),
        boxes=None if state.boxes is None or not len(state.boxes) else state.boxes)

"""Sensing of a block of worlds: ``engine.snapshot.observe`` and ``engine.step.hear`` for many."""

from __future__ import annotations

from functools import cache

import numpy as np

from sbot_common.angles import decoded_yaws
from sbot_common.compiled.jit import borrowed
from sbot_sim.sensors.beams import Fan, make_irregular_fan
from sbot_sim.sensors.infrared.kernel import sense_rows
from sbot_sim.sensors.range_and_bearing import neighbours_of_some
from sbot_sim.sensors.scan import add_scan_noise
from sbot_sim.sensors.scan_kernel import cast_rows, mounted
from sbot_sim.worlds.batch import Batch, Phase
from sbot_sim.worlds.crowds import FEW, all_in_view, discs_of_world
from sbot_sim.worlds.layouts import scene_of


@cache
def no_beams() -> Fan:
    """Return the table of a sensor that is off."""
    return make_irregular_fan([])


@Phase
def decode_yaws(first: int, end: int, batch: Batch) -> None:
    """Decode the yaws as receivers of messages do."""
    worlds, n = borrowed(batch.worlds), batch.setting.robots
    a, z = first * n, end * n
    worlds.sent_pose[a:z] = worlds.pose[a:z]
    worlds.sent_pose[a:z, 2] = decoded_yaws(worlds.pose[a:z, 2].copy())


@Phase
def scan(first: int, end: int, batch: Batch) -> None:
    """Cast the lasers' beams, and add noise."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n, s, radius, lasers = setting.robots, setting.sensing, setting.bodies.radius, worlds.pose
    if worlds.laser_pose.shape[0] > 0:
        lasers = worlds.laser_pose
        lasers[first * n:end * n] = mounted(worlds.pose[first * n:end * n], s.mount[0],
                                            s.mount[1], s.mount[2])
    best, ends = np.empty(s.fan.directions.shape[1]), np.empty(2, np.int32)
    discs = all_in_view(worlds, radius, first * n, end * n, ends)
    scene = scene_of(setting.scan_scenes, setting.layout[first])
    for k in range(first, end):
        a, z = k * n, (k + 1) * n
        low, high = a, z
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            scene = scene_of(setting.scan_scenes, setting.layout[k])
        ends[0], ends[1] = (a, z) if s.sees_robots else (0, 0)
        if s.sees_robots and n > FEW:
            discs, low, high = discs_of_world(worlds.pose, radius, a, z, s.range_max / 2), 0, n
        cast_rows(low, high, borrowed(scene), borrowed(discs), borrowed(lasers), borrowed(s.fan),
                  s.range_min, s.range_max, borrowed(best), borrowed(worlds.ranges))
        if setting.scan_noise[k] > 0.0:
            add_scan_noise(worlds.ranges[a:z], setting.scan_noise[k], s.range_min, s.range_max,
                           worlds.seed[k], worlds.tick[k])
    ends[0] = 0  # keeps these alive until here
    best[0] = 0.0


@Phase
def read_infrared(first: int, end: int, batch: Batch) -> None:
    """Read the infrared sensors."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n, s, radius = setting.robots, setting.sensing, setting.bodies.radius
    best, ends = np.empty(s.infrared_fan.directions.shape[1]), np.empty(2, np.int32)
    uniform = np.empty(len(best))
    discs = all_in_view(worlds, radius, first * n, end * n, ends)
    scene = scene_of(setting.infrared_scenes, setting.layout[first])
    for k in range(first, end):
        a, z = k * n, (k + 1) * n
        low, high = a, z
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            scene = scene_of(setting.infrared_scenes, setting.layout[k])
        ends[0], ends[1] = (a, z) if s.infrared_sees_robots else (0, 0)
        if s.infrared_sees_robots and n > FEW:
            discs, low, high = discs_of_world(worlds.pose, radius, a, z, scene.reach), 0, n
        sense_rows(low, high, borrowed(scene), borrowed(discs), borrowed(worlds.pose),
                   borrowed(radius), borrowed(s.infrared_fan), s.infrared_range,
                   borrowed(s.infrared_table), setting.infrared_noise[k],
                   worlds.seed[k], worlds.tick[k], a, borrowed(best), borrowed(uniform),
                   borrowed(worlds.infrared))
    ends[0] = 0  # keeps these alive until here
    best[0] = uniform[0] = 0.0


@Phase
def hear(first: int, end: int, batch: Batch) -> None:
    """Find who hears whom."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n = setting.robots
    for k in range(first, end):
        starts, robots, ranges, bearings = neighbours_of_some(
            worlds.pose[k * n:(k + 1) * n], setting.sensing.rab_range,
            scene_of(setting.line_of_sight, setting.layout[k]))
        count = starts[n]
        worlds.heard_starts[k] = starts
        worlds.heard_robot[k, :count] = robots
        worlds.heard_range[k, :count] = ranges
        worlds.heard_bearing[k, :count] = bearings

"""Laser scans of a block of worlds: phases that cast the beams and add noise."""

from __future__ import annotations

import numpy as np

from sbot_common.compiled.jit import borrowed
from sbot_common.elementary.arrays import copy_rows
from sbot_sim.collision.separation import FEW
from sbot_sim.sensors.rectangles import lower_by_rectangles, rectangle_boxes
from sbot_sim.sensors.scan import add_scan_noise
from sbot_sim.sensors.scan_kernel import cast_rows, mounted
from sbot_sim.worlds.batch import Batch, Phase, all_in_view, discs_of_world, shared, shared_apart
from sbot_sim.worlds.senses.record import Simulated
from sbot_sim.worlds.state import Setting, scene_of


@shared
def mount_lasers(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Find where lasers are that are mounted off the robots' centres; before ``scan``."""
    worlds, mount = batch.worlds, batch.setting.sensing.mount
    copy_rows(mounted(worlds.pose[a:z], mount[0], mount[1], mount[2]), worlds.laser_pose[a:z])


@shared_apart
def scan(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Cast the lasers' beams."""
    setting, worlds = batch.setting, batch.worlds
    n, s, lasers = setting.robots, setting.sensing, worlds.pose
    radius = setting.bodies.laser_radius
    if worlds.laser_pose.shape[0] > 0:
        lasers = worlds.laser_pose
    best, ends = np.empty(s.fan.directions.shape[1]), np.empty(2, np.int32)
    discs = all_in_view(worlds, radius, first * n, end * n, ends)
    scene = scene_of(setting.scan_scenes, setting.layout[first])
    for k in range(first, end):
        low, high = max(a, k * n), min(z, (k + 1) * n)
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            scene = scene_of(setting.scan_scenes, setting.layout[k])
        ends[0], ends[1] = (k * n, (k + 1) * n) if s.sees_robots else (0, 0)
        if s.sees_robots and n > FEW:
            discs = discs_of_world(worlds.pose, radius, k * n, (k + 1) * n, s.range_max / 2)
            low, high = low - k * n, high - k * n  # by place
        cast_rows(low, high, borrowed(scene), borrowed(discs), borrowed(lasers), borrowed(s.fan),
                  s.range_min, s.range_max, borrowed(best), borrowed(worlds.ranges))
    ends[0] = 0  # keeps these alive until here
    best[0] = 0.0


@shared_apart
def scan_rectangles(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Let lasers see rectangular bodies; after ``scan``."""
    setting, worlds = batch.setting, batch.worlds
    n, s, lasers, shape = setting.robots, setting.sensing, worlds.pose, setting.bodies.shape
    if worlds.laser_pose.shape[0] > 0:
        lasers = worlds.laser_pose
    for k in range(first, end):
        rows, low, high = slice(k * n, (k + 1) * n), max(a, k * n), min(z, (k + 1) * n)
        boxes, robots = rectangle_boxes(shape.half_size[rows], shape.offset[rows],
                                        worlds.pose[rows])
        lower_by_rectangles(boxes, robots, lasers[low:high], low - k * n, s.fan, s.range_min,
                            s.range_max, worlds.ranges[low:high])


@shared_apart
def add_noise(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Add noise to the ranges of lasers."""
    setting, worlds = batch.setting, batch.worlds
    n, s = setting.robots, setting.sensing
    for k in range(first, end):
        if setting.scan_noise[k] > 0.0:
            low, high = max(a, k * n), min(z, (k + 1) * n)
            add_scan_noise(worlds.ranges[low:high], setting.scan_noise[k], s.range_min,
                           s.range_max, worlds.seed[k], worlds.tick[k], low - k * n)


def _seeing(setting: Setting) -> list[Phase]:
    s, shape = setting.sensing, setting.bodies.shape
    if not s.fan.beams:
        return []
    rectangles = bool(shape.half_size.any() and s.sees_robots)
    return [*[mount_lasers] * bool(s.mount.any()), scan, *[scan_rectangles] * rectangles,
            add_noise]


SIMULATED = Simulated('scan', {'scan': 'ranges'}, seeing=_seeing)

"""Yaws as sent, and range and bearing, of a block of worlds; ``senses`` has the other sensors."""

from __future__ import annotations

from functools import cache

from sbot_common.angles import decoded_yaws
from sbot_common.elementary.copying import copy_numbers, copy_rows
from sbot_sim.sensors.beams import Fan, make_irregular_fan
from sbot_sim.sensors.range_and_bearing import neighbours_of_some
from sbot_sim.worlds.batch import Batch, Phase, shared
from sbot_sim.worlds.layouts import scene_of


@cache
def no_beams() -> Fan:
    """Return the table of a sensor that is off."""
    return make_irregular_fan([])


@shared
def decode_yaws(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Decode the yaws as receivers of messages do."""
    worlds = batch.worlds
    copy_rows(worlds.pose[a:z], worlds.sent_pose[a:z])
    copy_numbers(decoded_yaws(worlds.pose[a:z, 2].copy()), worlds.sent_pose[a:z, 2])


@Phase
def hear(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Find the robots that each robot hears."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for k in range(first, end):
        starts, robots, ranges, bearings = neighbours_of_some(
            worlds.pose[k * n:(k + 1) * n], setting.sensing.rab_range,
            scene_of(setting.line_of_sight, setting.layout[k]))
        count = starts[n]
        copy_numbers(starts, worlds.heard_starts[k])
        copy_numbers(robots, worlds.heard_robot[k, :count])
        copy_numbers(ranges, worlds.heard_range[k, :count])
        copy_numbers(bearings, worlds.heard_bearing[k, :count])

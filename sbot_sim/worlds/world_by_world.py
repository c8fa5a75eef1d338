"""Sensing and wakes world by world, by the functions of a single run.

They see rectangular bodies, and their threads share the robots of one world: of small worlds each
thread takes some, but a world of many robots is the better part of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sbot_sim.dynamics.wake_kernel import fast_reductions
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.sensors.infrared.sensor import sense
from sbot_sim.sensors.scan import add_scan_noise, cast_scans
from sbot_sim.worlds.state import Setting, Worlds
from wind_model.wake import clamped_radius

LARGE = 1000  # robots of a world from which on threads share it


class WorldByWorld:
    """Phases of what takes most time, in place of compiled ones: scans, infrared and wakes.

    Parameters
    ----------
    parameters : (K,) of each world; read at each tick, as those of moving obstacles are replaced
    setting, worlds : of the batch
    threads : how many share a world; changes no bit

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds, threads: int) -> None:
        self._parameters, self._setting, self._worlds = parameters, setting, worlds
        self._threads = threads

    def scan(self, first: int, end: int) -> None:
        """Cast the lasers' beams, which see rectangular bodies as such, and add noise."""
        setting, worlds, n = self._setting, self._worlds, self._setting.robots
        for k in range(first, end):
            rows, sensors = slice(k * n, (k + 1) * n), self._parameters[k].sensors
            scan = sensors.scan
            worlds.ranges[rows] = cast_scans(
                sensors.scene, sensors.fan, worlds.pose[rows], self._parameters[k].bodies.radius,
                scan, self._threads, sensors.rectangles)
            add_scan_noise(worlds.ranges[rows], setting.scan_noise[k], scan.range_min,
                           scan.range_max, int(worlds.seed[k]), int(worlds.tick[k]))

    def read_infrared(self, first: int, end: int) -> None:
        """Read the infrared sensors."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            rows, sensors = slice(k * n, (k + 1) * n), self._parameters[k].sensors
            assert sensors.infrared is not None
            worlds.infrared[rows] = sense(
                sensors.infrared_scene, worlds.pose[rows], self._parameters[k].bodies.radius,
                sensors.infrared._replace(noise=float(self._setting.infrared_noise[k])),
                (int(worlds.seed[k]), int(worlds.tick[k])), self._threads)

    def reduce_by_wakes(self, first: int, end: int) -> None:
        """Find the share of the wind that others take from each robot; nobody broadcasts."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            rows, p = slice(k * n, (k + 1) * n), self._parameters[k]
            worlds.reduction[rows], worlds.blocker[rows] = fast_reductions(
                p.wake, p.sensors.rab_range, p.sensors.line_of_sight, worlds.pose[rows],
                worlds.free_wind[rows], np.ascontiguousarray(worlds.rab_data[rows, 0]),
                clamped_radius(p.bodies.radius), worlds.blocker[rows], self._threads)

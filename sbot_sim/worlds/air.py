# SPDX-License-Identifier: Apache-2.0
"""Wind at the robots of a block of worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from sbot_common.arrays import Integers
from sbot_common.compiled.jit import njit_inline
from sbot_common.elementary import copy_numbers, copy_rows
from sbot_sim.dynamics.inertia import effective_wind
from sbot_sim.dynamics.wake_kernel import reduce_rows
from sbot_sim.worlds.state import Batch, Phase, Setting, Worlds, scene_of, shared
from wind_model.grid import points_above, velocity_at
from wind_model.gust import Waves, gusts_at
from wind_model.wake import clamped_radius, wakes


@njit_inline
def _in_gust(setting: Setting, worlds: Worlds, k: int) -> bool:
    """Tell whether a world is in its gust."""
    return bool(setting.gust_ticks[k, 0] <= worlds.tick[k] < setting.gust_ticks[k, 1])


@njit_inline
def force_of(setting: Setting, worlds: Worlds, k: int) -> tuple[float, float]:
    """Return the force (N) on every robot of a world in this tick (``wind_model.gust``)."""
    x, y = setting.wind_force[k, 0], setting.wind_force[k, 1]
    if _in_gust(setting, worlds, k):
        x, y = x + setting.gust_force[k, 0], y + setting.gust_force[k, 1]
    return x, y


@shared
def set_uniform_wind(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Set the free and the effective wind to the uniform wind of each world."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for k in range(first, end):
        x, y, w = (setting.wind_velocity[k, 0], setting.wind_velocity[k, 1],
                   setting.wind_velocity[k, 2])
        if _in_gust(setting, worlds, k):
            x, y, w = (x + setting.gust_velocity[k, 0], y + setting.gust_velocity[k, 1],
                       w + setting.gust_velocity[k, 2])
        for row in range(max(a, k * n), min(z, (k + 1) * n)):
            worlds.free_wind[row, 0], worlds.free_wind[row, 1] = x, y
            worlds.wind[row, 0], worlds.wind[row, 1] = x, y
            worlds.updraft[row] = w


@shared
def set_free_wind(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Set the free wind from the grid, if there is one, and gusts."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for k in range(first, end):
        low, high = max(a, k * n), min(z, (k + 1) * n)
        pose, free, updraft = worlds.pose[low:high], worlds.free_wind[low:high], worlds.updraft
        for row in range(low, high):
            worlds.free_wind[row, 0] = setting.wind_velocity[k, 0]
            worlds.free_wind[row, 1] = setting.wind_velocity[k, 1]
            updraft[row] = setting.wind_velocity[k, 2]
        if setting.gridded:
            points = np.empty((high - low, 3))
            for i in range(high - low):
                points[i, 0], points[i, 1] = pose[i, 0], pose[i, 1]
                points[i, 2] = setting.wind_height
            if setting.above_terrain:
                points = points_above(setting.field, pose, setting.wind_height)
            around = velocity_at(setting.field, points, setting.wind_velocity[k])
            copy_rows(around, free)
            copy_numbers(around[:, 2], updraft[low:high])
        if _in_gust(setting, worlds, k):
            for row in range(low, high):
                worlds.free_wind[row, 0] += setting.gust_velocity[k, 0]
                worlds.free_wind[row, 1] += setting.gust_velocity[k, 1]
                updraft[row] += setting.gust_velocity[k, 2]


class TurbulentAir:
    """Phase that adds the gusts of turbulence to the free wind.

    Parameters
    ----------
    waves_of : the waves of world k with a seed; None: no turbulence there
    setting, worlds : of the batch

    """

    def __init__(self, waves_of: Callable[[int, int], Waves | None], setting: Setting,
                 worlds: Worlds) -> None:
        self._waves_of, self._setting, self._worlds = waves_of, setting, worlds
        self._waves: dict[int, Waves | None] = {}

    def reset(self, chosen: Iterable[int], seeds: Integers) -> None:
        """Draw the waves of worlds again."""
        for k in chosen:
            self._waves[k] = self._waves_of(k, int(seeds[k]))

    def add(self, first: int, end: int) -> None:
        """Add the gusts of this tick."""
        setting, worlds, n = self._setting, self._worlds, self._setting.robots
        for k in range(first, end):
            waves = self._waves[k]
            if waves is None:
                continue
            rows, time = slice(k * n, (k + 1) * n), int(worlds.tick[k]) * setting.dt
            x, y = setting.wind_velocity[k, 0], setting.wind_velocity[k, 1]
            worlds.free_wind[rows] += gusts_at(waves, worlds.pose[rows], x * time, y * time, time)


@Phase.shared_apart
def reduce_by_wakes(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Compute each robot's wind reduction by other robots, without broadcasts."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for k in range(first, end):
        rows = slice(k * n, (k + 1) * n)
        reduce_rows(max(a, k * n) - k * n, min(z, (k + 1) * n) - k * n, setting.wake,
                    setting.sensing.rab_range, scene_of(setting.line_of_sight, setting.layout[k]),
                    worlds.pose[rows], worlds.free_wind[rows], worlds.rab_data[rows, 0].copy(),
                    clamped_radius(setting.bodies.radius[rows]), worlds.blocker[rows],
                    worlds.reduction[rows])


@Phase
def reduce_by_heard(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Compute each robot's wind reduction by the robots that it hears."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for k in range(first, end):
        rows = slice(k * n, (k + 1) * n)
        copy_numbers(wakes(
            setting.wake, worlds.heard_starts[k], worlds.heard_robot[k], worlds.heard_range[k],
            worlds.heard_bearing[k], worlds.pose[rows, 2].copy(), worlds.free_wind[rows],
            worlds.rab_data[rows, 0].copy(), clamped_radius(setting.bodies.radius[rows]))[0],
            worlds.reduction[rows])


@Phase.shared_apart
def set_effective_wind(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Set the wind that is left."""
    worlds = batch.worlds
    copy_rows(effective_wind(worlds.free_wind[a:z], worlds.reduction[a:z]), worlds.wind[a:z])
    for row in range(a, z):
        worlds.updraft[row] *= 1.0 - worlds.reduction[row]

"""Wind at the robots of a block of worlds: ``engine.step.feel`` for many worlds at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import borrowed, njit_inline
from sbot_sim.dynamics.impulses import effective_wind
from sbot_sim.dynamics.wake_kernel import reduce_all
from sbot_sim.worlds.batch import Batch, Phase
from sbot_sim.worlds.layouts import scene_of
from sbot_sim.worlds.state import Setting, Worlds
from wind_model.interpolate import points_above, velocity_at
from wind_model.wake import clamped_radius, wakes

Floats = NDArray[np.float64]


@njit_inline
def in_gust(setting: Setting, worlds: Worlds, k: int) -> bool:
    """Tell whether a world is in its gust."""
    return bool(setting.gust_ticks[k, 0] <= worlds.tick[k] < setting.gust_ticks[k, 1])


@njit_inline
def force_of(setting: Setting, worlds: Worlds, k: int) -> tuple[float, float]:
    """Return the force (N) on every robot of a world in this tick (``wind_model.gust``)."""
    x, y = setting.wind_force[k, 0], setting.wind_force[k, 1]
    if in_gust(setting, worlds, k):
        x, y = x + setting.gust_force[k, 0], y + setting.gust_force[k, 1]
    return x, y


@Phase
def set_uniform_wind(first: int, end: int, batch: Batch) -> None:
    """Set the free and the effective wind to that of each world."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n = setting.robots
    for k in range(first, end):
        x, y = setting.wind_velocity[k, 0], setting.wind_velocity[k, 1]
        if in_gust(setting, worlds, k):
            x, y = x + setting.gust_velocity[k, 0], y + setting.gust_velocity[k, 1]
        for row in range(k * n, (k + 1) * n):
            worlds.free_wind[row, 0], worlds.free_wind[row, 1] = x, y
            worlds.wind[row, 0], worlds.wind[row, 1] = x, y


@Phase
def set_free_wind(first: int, end: int, batch: Batch) -> None:
    """Set the free wind: that of a grid, if there is one, and gusts."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n = setting.robots
    points = np.empty((n, 3))
    for k in range(first, end):
        a, z = k * n, (k + 1) * n
        pose, free = worlds.pose[a:z], worlds.free_wind[a:z]
        for i in range(n):
            points[i, 0], points[i, 1] = pose[i, 0], pose[i, 1]
            points[i, 2] = setting.wind_height
            free[i, 0], free[i, 1] = setting.wind_velocity[k, 0], setting.wind_velocity[k, 1]
        if setting.gridded:
            if setting.above_terrain:
                points[:] = points_above(setting.field, pose, setting.wind_height)
            free[:] = velocity_at(setting.field, points, setting.wind_velocity[k])[:, :2]
        if in_gust(setting, worlds, k):
            for i in range(n):
                free[i, 0] += setting.gust_velocity[k, 0]
                free[i, 1] += setting.gust_velocity[k, 1]


@Phase
def reduce_by_wakes(first: int, end: int, batch: Batch) -> None:
    """Find the share of the wind that others take from each robot."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n = setting.robots
    for k in range(first, end):
        a, z = k * n, (k + 1) * n
        pose, free, reduction = worlds.pose[a:z], worlds.free_wind[a:z], worlds.reduction[a:z]
        advertised = worlds.rab_data[a:z, 0].copy()
        own_radius = clamped_radius(setting.bodies.radius[a:z])
        if setting.sensing.range_and_bearing:
            reduction[:] = wakes(
                setting.wake, worlds.heard_starts[k], worlds.heard_robot[k],
                worlds.heard_range[k], worlds.heard_bearing[k], pose[:, 2].copy(), free,
                advertised, own_radius)[0]
        else:
            reduce_all(setting.wake, setting.sensing.rab_range,
                       scene_of(setting.line_of_sight, setting.layout[k]), pose, free,
                       advertised, own_radius, worlds.blocker[a:z], reduction)


@Phase
def set_effective_wind(first: int, end: int, batch: Batch) -> None:
    """Set the wind that is left."""
    worlds, n = borrowed(batch.worlds), batch.setting.robots
    a, z = first * n, end * n
    worlds.wind[a:z] = effective_wind(worlds.free_wind[a:z], worlds.reduction[a:z])


@Phase
def add_forces(first: int, end: int, batch: Batch) -> None:
    """Add what forces do in a tick to the wind that robots observe."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n = setting.robots
    for k in range(first, end):
        x, y = force_of(setting, worlds, k)
        for row in range(k * n, (k + 1) * n):
            mass = setting.bodies.mass[row]
            worlds.felt_wind[row, 0] = worlds.wind[row, 0] + x * setting.dt / mass
            worlds.felt_wind[row, 1] = worlds.wind[row, 1] + y * setting.dt / mass

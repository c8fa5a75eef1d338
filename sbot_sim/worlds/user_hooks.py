"""Hooks of document 000 section 2.1 in a batch: a user's functions, called world by world."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_sim.dynamics.hooks import call_hook
from sbot_sim.dynamics.impulses import impulse_velocity, sum_impulses
from sbot_sim.dynamics.motion import carried_speeds, drive
from sbot_sim.sensors.range_and_bearing import Heard
from sbot_sim.worlds.parameters import SimulationParameters
from sbot_sim.worlds.state import Setting, Worlds
from wind_model.wake import clamped_radius


class HookPhases:
    """Phases that call hooks, in place of compiled ones.

    Parameters
    ----------
    parameters : (K,) of each world
    setting, worlds : of the batch
    heard : who hears whom in world k

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds, heard: Callable[[int], Heard]) -> None:
        self._parameters, self._setting, self._worlds = parameters, setting, worlds
        self._heard = heard

    def reduce(self, first: int, end: int) -> None:
        """Ask ``blocking`` for the share of the wind that others take."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            rows, p = slice(k * n, (k + 1) * n), self._parameters[k]
            worlds.reduction[rows] = call_hook(
                p.hooks, 'blocking', int(worlds.tick[k]), (n,), p.wake, *self._heard(k),
                worlds.pose[rows, 2].copy(), worlds.free_wind[rows].copy(),
                worlds.rab_data[rows, 0].copy(), clamped_radius(p.bodies.radius))

    def set_effective_wind(self, first: int, end: int) -> None:
        """Ask ``effective_wind`` for the wind that is left."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            rows = slice(k * n, (k + 1) * n)
            free = worlds.free_wind[rows].copy()
            worlds.wind[rows] = call_hook(
                self._parameters[k].hooks, 'effective_wind', int(worlds.tick[k]), free.shape,
                free, worlds.reduction[rows].copy())
            worlds.updraft[rows] *= 1.0 - worlds.reduction[rows]

    def sum_impulses(self, first: int, end: int) -> None:
        """Call ``drive_impulse`` for the drives' impulses, and sum the impulses of this tick."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            rows, p = slice(k * n, (k + 1) * n), self._parameters[k]
            bodies, yaw = p.bodies, worlds.pose[rows, 2].copy()
            speed = carried_speeds(bodies, drive(bodies, worlds.driven[rows]))
            impulse = sum_impulses(bodies.mass, worlds.wind[rows], np.tile(self._force(k), (n, 1)),
                                   np.zeros(n), yaw, p.dt)
            impulse += call_hook(p.hooks, 'drive_impulse', int(worlds.tick[k]), impulse.shape,
                                 bodies.mass.copy(), speed, yaw)
            worlds.next_impulse_velocity[rows] = impulse_velocity(impulse, bodies.mass)

    def _force(self, k: int) -> NDArray[np.float64]:
        """Return the force (2,) N on every robot of a world in this tick, as ``air.force_of``."""
        setting = self._setting
        start, end = setting.gust_ticks[k].tolist()
        force = setting.wind_force[k, :2].copy()
        if start <= self._worlds.tick[k] < end:
            force += setting.gust_force[k, :2]
        return force

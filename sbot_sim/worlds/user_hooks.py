"""Hooks of document 000 section 2.1 in a batch: a user's functions, called world by world."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_sim.dynamics.hooks import call_hook
from sbot_sim.dynamics.impulses import impulse_velocity
from sbot_sim.dynamics.motion import drive
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.engine.step import blocked_shares, summed_impulses
from sbot_sim.worlds.state import Setting, Worlds


class HookPhases:
    """Phases that call hooks, in place of compiled ones.

    Parameters
    ----------
    parameters : (K,) of each world
    setting, worlds : of the batch

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds) -> None:
        self._parameters, self._setting, self._worlds = parameters, setting, worlds

    def reduce(self, first: int, end: int) -> None:
        """Ask ``blocking`` for the share of the wind that others take."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            rows, count = slice(k * n, (k + 1) * n), worlds.heard_starts[k, n]
            heard = (worlds.heard_starts[k], worlds.heard_robot[k, :count],
                     worlds.heard_range[k, :count], worlds.heard_bearing[k, :count])
            worlds.reduction[rows] = blocked_shares(
                self._parameters[k], int(worlds.tick[k]), worlds.pose[rows],
                worlds.free_wind[rows], worlds.rab_data[rows], heard)

    def set_effective_wind(self, first: int, end: int) -> None:
        """Ask ``effective_wind`` for the wind that is left."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            rows = slice(k * n, (k + 1) * n)
            free = worlds.free_wind[rows].copy()
            worlds.wind[rows] = call_hook(
                self._parameters[k].hooks, 'effective_wind', int(worlds.tick[k]), free.shape,
                free, worlds.reduction[rows].copy())

    def sum_impulses(self, first: int, end: int) -> None:
        """Ask ``drive_impulse`` for what drives the robots, and sum the impulses of this tick."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            rows, bodies = slice(k * n, (k + 1) * n), self._parameters[k].bodies
            impulse = summed_impulses(
                self._parameters[k], int(worlds.tick[k]), worlds.pose[rows, 2].copy(),
                self._force(k),
                drive(bodies, worlds.driven[rows]), worlds.wind[rows])
            worlds.next_impulse_velocity[rows] = impulse_velocity(impulse, bodies.mass)

    def _force(self, k: int) -> NDArray[np.float64]:
        """Return the force (2,) N on every robot of a world in this tick, as ``air.force_of``."""
        setting = self._setting
        start, end = setting.gust_ticks[k].tolist()
        force = setting.wind_force[k, :2].copy()
        if start <= self._worlds.tick[k] < end:
            force += setting.gust_force[k, :2]
        return force

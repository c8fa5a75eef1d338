"""Turbulence in a batch: the gusts of each world, from waves that its seed draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sbot_sim.worlds.state import Integers, Setting, Worlds
from wind_model.turbulence import Waves, gusts_at


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
        """Draw the waves of worlds anew."""
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

"""Phases in Python, world by world: range and bearing in large worlds."""

from __future__ import annotations

from collections.abc import Sequence

from sbot_sim.sensors.range_and_bearing import Heard, neighbours, nobody_heard
from sbot_sim.worlds.parameters import SimulationParameters
from sbot_sim.worlds.state import Setting, Worlds
from wind_model.wake import clamped_radius, reductions


class WorldByWorld:
    """Phases in place of compiled ones.

    Parameters
    ----------
    parameters : (K,) of each world; read at each tick, as those of moving obstacles are replaced
    setting, worlds : of the batch

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds) -> None:
        self._parameters, self._setting, self._worlds = parameters, setting, worlds
        self.heard: list[Heard] = [nobody_heard(setting.robots)] * len(parameters)

    def hear(self, first: int, end: int) -> None:
        """Find who hears whom, in arrays as long as that takes: ``heard`` of each world."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            sensors = self._parameters[k].sensors
            self.heard[k] = neighbours(worlds.pose[k * n:(k + 1) * n], sensors.rab_range,
                                       sensors.line_of_sight)

    def reduce_by_heard(self, first: int, end: int) -> None:
        """Find the share of the wind that others take from each robot, of what it hears."""
        worlds, n = self._worlds, self._setting.robots
        for k in range(first, end):
            rows, p = slice(k * n, (k + 1) * n), self._parameters[k]
            worlds.reduction[rows] = reductions(
                p.wake, *self.heard[k], worlds.pose[rows, 2].copy(), worlds.free_wind[rows],
                worlds.rab_data[rows, 0].copy(), clamped_radius(p.bodies.radius))

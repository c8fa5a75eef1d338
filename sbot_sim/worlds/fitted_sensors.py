"""Sensors with a record of their own in a batch, in Python: those of one scenario together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.engine.step import achieved_twists
from sbot_sim.sensors.fitted import Fitted, first_memories, next_memories, read_all
from sbot_sim.sensors.record import Motion, View
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.state import Setting, Worlds

Floats = NDArray[np.float64]


class FittedSensors:
    """Phases that keep the memories of sensors, and read them.

    Parameters
    ----------
    parameters : (K,) of each world; read at each tick, as those of moving obstacles are replaced
    setting, worlds : of the batch
    senses : what is sensed

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds, senses: Collection[str]) -> None:
        self._parameters, self._setting, self._worlds = parameters, setting, worlds
        rows = len(parameters) * setting.robots
        kernels = {name: sensors()[name].kernel for name in parameters[0].sensors.fitted
                   if name in senses}
        self.readings = {name: np.zeros((rows, len(kernel.columns)))
                         for name, kernel in kernels.items() if kernel is not None}
        self._memories = {name: np.zeros((rows, kernel.memory))
                          for name, kernel in kernels.items() if kernel is not None
                          and kernel.start is not None}
        self.remember_motion = any(kernel is not None and kernel.remember is not None
                                   for kernel in kernels.values())

    def reset(self, chosen: Iterable[int]) -> None:
        """Let the sensors of worlds begin at tick 0."""
        for k in chosen:
            rows = self._rows(k, k + 1)
            for name, first in first_memories(self._fitted(k), self._view(k, k + 1)).items():
                self._memories[name][rows] = first

    def update_twists(self, first: int, end: int) -> None:
        """Compute what moved the robots, and what sensors remember of it; after collisions."""
        worlds, all_rows = self._worlds, self._rows(first, end)
        before = worlds.twist[all_rows].copy()
        worlds.twist[all_rows] = achieved_twists(worlds.previous[all_rows], worlds.pose[all_rows],
                                                 self._setting.dt)
        for k, after in self._alike(first, end):
            rows = self._rows(k, after)
            motion = Motion(worlds.previous[rows],
                            before[rows.start - all_rows.start:rows.stop - all_rows.start])
            for name, memory in next_memories(
                    self._fitted(k), {name: known[rows] for name, known in self._memories.items()},
                    motion, self._view(k, after)).items():
                self._memories[name][rows] = memory

    def read(self, first: int, end: int) -> None:
        """Read the sensors."""
        for k, after in self._alike(first, end):
            rows = self._rows(k, after)
            memories = {name: known[rows] for name, known in self._memories.items()}
            for name, readings in read_all(self._fitted(k), self._view(k, after),
                                           memories).items():
                self.readings[name][rows] = readings

    def sent(self, name: str, rows: slice) -> Floats:
        """Return readings of a sensor as they are after a message (``Kernel.sent``)."""
        kernel = sensors()[name].kernel
        assert kernel is not None
        return kernel.sent(self.readings[name][rows])

    def _rows(self, first: int, end: int) -> slice:
        return slice(first * self._setting.robots, end * self._setting.robots)

    def _fitted(self, k: int) -> Fitted:
        """Return the settings of world k's sensors, of those that are sensed."""
        return {name: settings for name, settings in self._parameters[k].sensors.fitted.items()
                if name in self.readings}

    def _view(self, first: int, end: int) -> View:
        worlds, rows = self._worlds, self._rows(first, end)
        return View(self._setting.robots, worlds.seed[first:end], worlds.tick[first:end],
                    self._setting.dt, worlds.pose[rows], worlds.twist[rows],
                    worlds.collided[rows], self._setting.bodies.radius[rows],
                    self._parameters[first].world)

    def _alike(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the first world and the end of each stretch of worlds of one scenario."""
        while first < end:
            after = first + 1
            while after < end and self._parameters[after] is self._parameters[first]:
                after += 1
            yield first, after
            first = after

"""Sensors from records in a batch, computed in Python, scenario by scenario."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_sim.dynamics.motion import achieved_twists
from sbot_sim.sensors.record import Kernel, Motion, View
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.parameters import SimulationParameters
from sbot_sim.worlds.state import Setting, Worlds

Floats = NDArray[np.float64]


class FittedSensors:
    """Phases of the sensors that have a kernel: they keep memories, and read.

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
        found = {name: sensors()[name].kernel for name in parameters[0].sensors.fitted
                 if name in senses}
        self._kernels: dict[str, Kernel] = {
            name: kernel for name, kernel in found.items() if kernel is not None}
        self.readings = {name: np.zeros((rows, len(kernel.columns)))
                         for name, kernel in self._kernels.items()}
        self.memories = {name: np.zeros((rows, kernel.memory))
                          for name, kernel in self._kernels.items()}
        self.remember_motion = any(kernel.remember is not None
                                   for kernel in self._kernels.values())

    def reset(self, chosen: Iterable[int]) -> None:
        """Let the sensors of worlds begin at tick 0; what is drawn once is drawn here."""
        for k in chosen:
            for name, kernel in self._kernels.items():
                if kernel.start is not None:
                    self.memories[name][self._rows(k, k + 1)] = kernel.start(
                        self._parameters[k].sensors.fitted[name], self._view(k, k + 1))

    def update_twists(self, first: int, end: int) -> None:
        """Compute what moved the robots, and what sensors remember of it; after collisions."""
        worlds, block = self._worlds, self._rows(first, end)
        before = worlds.twist[block].copy()
        worlds.twist[block] = achieved_twists(worlds.previous[block], worlds.pose[block],
                                              self._setting.dt)
        for k, after in self._alike(first, end):
            rows, fitted = self._rows(k, after), self._parameters[k].sensors.fitted
            motion = Motion(worlds.previous[rows],
                            before[rows.start - block.start:rows.stop - block.start])
            for name, kernel in self._kernels.items():
                if kernel.remember is not None:
                    self.memories[name][rows] = kernel.remember(
                        fitted[name], motion, self._view(k, after), self.memories[name][rows])

    def read(self, first: int, end: int) -> None:
        """Read the sensors."""
        for k, after in self._alike(first, end):
            rows, fitted = self._rows(k, after), self._parameters[k].sensors.fitted
            view = self._view(k, after)
            for name, kernel in self._kernels.items():
                self.readings[name][rows] = kernel.read(fitted[name], view,
                                                        self.memories[name][rows])

    def sent(self, name: str, rows: slice) -> Floats:
        """Return readings of a sensor as they are after a message (``Kernel.sent``)."""
        return self._kernels[name].sent(self.readings[name][rows])

    def _rows(self, first: int, end: int) -> slice:
        return slice(first * self._setting.robots, end * self._setting.robots)

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

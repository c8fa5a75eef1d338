# SPDX-License-Identifier: Apache-2.0
"""Phases in Python: sensors of their own kernel or of large worlds, moving obstacles, hooks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Integers
from sbot_sim.dynamics.inertia import impulse_velocity, sum_impulses
from sbot_sim.dynamics.motion import achieved_twists, carried_speeds, drive
from sbot_sim.sensors.range_and_bearing import Heard, neighbours, nobody_heard
from sbot_sim.sensors.registry import Kernel, Motion, View, sensors
from sbot_sim.world.moving import as_sent, disc_positions
from sbot_sim.worlds.parameters import SimulationParameters
from sbot_sim.worlds.state import Setting, Worlds
from wind_model.wake import clamped_radius, reductions

# Sensors from records in a batch, computed in Python, scenario by scenario.


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
        """Start the sensors of worlds at tick 0, and draw the numbers that are drawn once."""
        for k in chosen:
            for name, kernel in self._kernels.items():
                if kernel.start is not None:
                    self.memories[name][self._rows(k, k + 1)] = kernel.start(
                        self._parameters[k].sensors.fitted[name], self._view(k, k + 1))

    def update_twists(self, first: int, end: int) -> None:
        """Compute the motion of the robots, and the memory of sensors; after collisions."""
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


# Moving obstacles for sensors: their geometry, updated in Python after each move.

ReplaceScenes = Callable[[int, SimulationParameters, bool], None]


class MovingObstacles:
    """Phase that takes over where obstacles are, of worlds that all have as many.

    Parameters
    ----------
    parameters : (K,) of each world; replaced when its obstacles have moved
    setting, worlds : of the batch
    replace_scenes : takes over what sensors see of world k, after its obstacles have moved; and
        whether only circles have

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds, replace_scenes: ReplaceScenes) -> None:
        self.parameters = list(parameters)
        self._replace_scenes = replace_scenes
        self._worlds, self._paths = worlds, setting.paths
        count = len(parameters)
        self.moved: Integers = worlds.moved.reshape(count, -1)  # (K, M) ticks
        self.boxes: Floats = worlds.boxes.reshape(count, -1, 3)  # (K, B, 3) m, m, rad
        self.start = np.array([each.obstacles.start for each in parameters  # (K, B, 3) at tick 0
                               if each.obstacles is not None])

    def reset(self, chosen: Iterable[int]) -> None:
        """Put obstacles where they are at tick 0."""
        for k in chosen:
            self.moved[k], self.boxes[k] = 0, self.start[k]
            self.place(k, k + 1)

    def place(self, first: int, end: int) -> None:
        """Take over where the obstacles of worlds are."""
        for k in range(first, end):
            before = self.parameters[k]
            now = before.with_obstacles(self.moved[k], self.boxes[k])
            if now is not before:
                self.parameters[k] = now
                # The very same segments have no other place in a grid of the same cells.
                self._replace_scenes(k, now, now.sensors.scene.segment_grid
                                     is before.sensors.scene.segment_grid)

    def positions(self) -> Floats | None:
        """Return the centres (K, M, 2) m of obstacles on paths; None where there are none."""
        if not self.moved.size:
            return None
        return disc_positions(self._paths, self._worlds.moved).reshape(*self.moved.shape, 2)

    def boxes_as_sent(self) -> Floats | None:
        """Return the poses (K, B, 3) of boxes as messages carry them; None if there are none."""
        if not self.boxes.size:
            return None
        return as_sent(self.boxes.reshape(-1, 3)).reshape(self.boxes.shape)


# Hooks, and range and bearing with tables as long as who is heard.


class WorldByWorld:
    """Phases that call hooks (document 000 section 2.1), or find who is heard, world by world.

    Parameters
    ----------
    parameters : (K,) of each world; read at each tick, as those of moving obstacles are replaced
    setting, worlds : of the batch

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds) -> None:
        self._parameters, self._setting, self._worlds = parameters, setting, worlds
        self.found: list[Heard] = [nobody_heard(setting.robots)] * len(parameters)
        self._summed: dict[int, Floats] = {}

    def _each(self, first: int, end: int) -> Iterator[tuple[int, slice, SimulationParameters]]:
        """Yield number, rows and parameters of each world."""
        n = self._setting.robots
        for k in range(first, end):
            yield k, slice(k * n, (k + 1) * n), self._parameters[k]

    def hear(self, first: int, end: int) -> None:
        """Find who hears whom: ``found`` of each world."""
        for k, rows, p in self._each(first, end):
            self.found[k] = neighbours(self._worlds.pose[rows], p.sensors.rab_range,
                                       p.sensors.line_of_sight)

    def heard(self, k: int) -> Heard:
        """Return the robots that each robot of world k hears now."""
        worlds = self._worlds
        if not worlds.hears:
            return self.found[k]
        starts = worlds.heard_starts[k]
        rows = slice(int(starts[-1]))
        return (starts.copy(), worlds.heard_robot[k, rows].copy(),
                worlds.heard_range[k, rows].copy(), worlds.heard_bearing[k, rows].copy())

    def reduce(self, first: int, end: int) -> None:
        """Compute, or ask ``blocking`` for, the share of the wind that those heard take."""
        worlds = self._worlds
        for k, rows, p in self._each(first, end):
            arguments = (p.wake, *self.heard(k), worlds.pose[rows, 2].copy(),
                         worlds.free_wind[rows].copy(), worlds.rab_data[rows, 0].copy(),
                         clamped_radius(p.bodies.radius))
            worlds.reduction[rows] = (
                reductions(*arguments) if p.hooks.blocking is None else
                p.hooks.call('blocking', int(worlds.tick[k]), (self._setting.robots,), *arguments))

    def set_effective_wind(self, first: int, end: int) -> None:
        """Ask ``effective_wind`` for the wind that is left."""
        worlds = self._worlds
        for k, rows, p in self._each(first, end):
            free = worlds.free_wind[rows].copy()
            worlds.wind[rows] = p.hooks.call('effective_wind', int(worlds.tick[k]), free.shape,
                                             free, worlds.reduction[rows].copy())
            worlds.updraft[rows] *= 1.0 - worlds.reduction[rows]

    def sum_impulses(self, first: int, end: int) -> None:
        """Call ``drive_impulse`` for the drives' impulses, and sum the impulses of this tick.

        Before the robots move: where the function raises they have not.
        """
        worlds, n = self._worlds, self._setting.robots
        for k, rows, p in self._each(first, end):
            bodies, yaw = p.bodies, worlds.pose[rows, 2].copy()
            speed = carried_speeds(bodies, drive(bodies, worlds.driven[rows]))
            impulse = sum_impulses(bodies.mass, worlds.wind[rows], np.tile(self._force(k), (n, 1)),
                                   np.zeros(n), yaw, p.dt)
            impulse += p.hooks.call('drive_impulse', int(worlds.tick[k]), impulse.shape,
                                    bodies.mass.copy(), speed, yaw)
            self._summed[k] = impulse_velocity(impulse, bodies.mass)

    def take_impulses(self, first: int, end: int) -> None:
        """Let what was summed before the robots moved act in the next tick."""
        for k, rows, _ in self._each(first, end):
            self._worlds.impulse_velocity[rows] = self._summed[k]

    def _force(self, k: int) -> NDArray[np.float64]:
        """Return the force (2,) N on every robot of a world in this tick, as ``air.force_of``."""
        setting = self._setting
        start, end = setting.gust_ticks[k].tolist()
        force = setting.wind_force[k, :2].copy()
        if start <= self._worlds.tick[k] < end:
            force += setting.gust_force[k, :2]
        return force

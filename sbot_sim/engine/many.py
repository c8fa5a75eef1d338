"""Simulation of many worlds: their arrays and their tick, run in blocks and in several threads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.threads import share_out, worth_threads
from sbot_sim.engine.setting import Winds, make_setting, replace_scenes, scenes_of
from sbot_sim.worlds.batch import Policy, Program
from sbot_sim.worlds.parameters import SimulationParameters
from sbot_sim.worlds.state import make_worlds
from sbot_sim.worlds.tick import Phases, Tick
from wind_model.grid import Lattice
from wind_model.turbulence import Waves

Floats = NDArray[np.float64]

_BLOCK = 512  # robots stepped together: what they need stays in the processor's cache
_LARGE = 1000  # robots of one of several worlds from which on threads share it


class Simulation:
    """K worlds of N robots: ``setting``, ``state`` and the phases of their ``tick``.

    World k is, bit for bit, what it is alone, whatever K and threads.

    Parameters
    ----------
    parameters : (K,) of each world
    winds : of the worlds
    senses : what is simulated of what the robots sense
    waves_of : the waves of world k with a seed; None: no turbulence there
    threads : how many to use; they share the worlds, or the robots of large ones
    hears : as in ``make_worlds``

    """

    def __init__(self, parameters: Sequence[SimulationParameters], winds: Winds,
                 senses: Collection[str], waves_of: Callable[[int, int], Waves | None],
                 threads: int = 1, *, hears: bool = True) -> None:
        self.count, self.threads = len(parameters), threads
        self.setting = make_setting(parameters, winds, senses)
        self.state = make_worlds(self.count, self.setting, hears)
        n = self.setting.robots
        self.share_rows = worth_threads(threads, n) and (n >= _LARGE or self.count == 1)
        self.tick = Tick(parameters, self.setting, self.state, senses, waves_of,
                         self._replace_scenes)
        self._size = max(1, _BLOCK // max(1, n))
        self._programs: WeakSet[Program] = WeakSet()

    def program(self, phases: Phases, policy: Policy | None = None) -> Program:
        """Return phases that can be run, compiled."""
        program = Program(phases, self.setting, self.state, policy,
                          self.threads if self.share_rows else 1)
        self._programs.add(program)
        return program

    def run(self, program: Program, ticks: int = 1) -> None:
        """Run a program on all worlds, in blocks; several threads share these."""
        if self.count <= self._size:
            program.run(0, self.count, ticks)
            return

        def work(first: int) -> None:
            program.run(first, min(self.count, first + self._size), ticks)

        alone = self.share_rows or self.tick.in_one_thread
        share_out(1 if alone else self.threads, range(0, self.count, self._size), work)

    def reset(self, chosen: NDArray[np.int64], start: Floats, seeds: NDArray[np.int64],
              program: Program) -> None:
        """Put worlds to tick 0.

        Parameters
        ----------
        chosen : which worlds
        start : (K, N, 3) poses at tick 0: x, y (m), yaw (rad)
        seeds : (K,) of the sensors' noise
        program : of ``tick.beginning``, and what is to be sensed then

        """
        self.state.seed[chosen] = seeds[chosen]
        self.state.pose.reshape(start.shape)[chosen] = start[chosen]
        # Before sensors begin: what they draw once is of tick 0, whenever a world is reset.
        self.state.tick[chosen] = 0
        for rows in (self.state.twist, self.state.collided):
            rows.reshape(self.count, -1)[chosen] = 0
        self.tick.reset(chosen.tolist(), seeds)
        if len(chosen) == self.count:
            self.run(program)
            return
        for k in chosen.tolist():
            program.run(k, k + 1)

    def set_field(self, field: Lattice | None) -> None:
        """Replace the wind's grid; programs of ``tick.sensing_wind`` must be made again."""
        if field is not None:  # one type of arrays, one compiled version
            field = Lattice(*(np.array(array, np.float64, order='C') for array in field))
            self._replace(field=field, gridded=True)
        else:
            self._replace(gridded=False)

    def _replace(self, **fields: object) -> None:
        self.setting = self.setting._replace(**fields)  # type: ignore[arg-type]
        for program in self._programs:
            program.replace(self.setting)

    def _replace_scenes(self, k: int, parameters: SimulationParameters,
                        circles_alone: bool) -> None:
        """Take over what sensors see of world k, after its obstacles have moved."""
        if not replace_scenes(self.setting, k, parameters, circles_alone):
            assert self.tick.moving is not None
            self._replace(**scenes_of(self.tick.moving.parameters))

# SPDX-License-Identifier: Apache-2.0
"""A batch of worlds as one record for compiled code, and the program of phases that runs on it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from sbot_common.arrays import Integers
from sbot_common.compiled.jit import intrinsic, njit
from sbot_common.compiled.threads import in_team
from sbot_sim.worlds.state import Batch, Phase, Policy, Setting, Worlds

_call_at = intrinsic('call_at', module='sbot_common.compiled.records')
_call_plain = intrinsic('call_plain')
_atomic_add = intrinsic('atomic_add')
_atomic_raise = intrinsic('atomic_raise')
_atomic_load = intrinsic('atomic_load')
_atomic_store = intrinsic('atomic_store')


@lru_cache(maxsize=1)
def _give_way() -> int:
    """Return the address of the system's function that offers the processor to other threads."""
    if sys.platform == 'win32':
        function = ctypes.windll.kernel32.SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@njit
def _run_phases(first: int, end: int, a: int, z: int, phases: Integers, batch: int,
               ticks: int) -> None:
    """Run the phases in turn, as often as there are ticks: worlds first … end-1, rows a … z-1.

    ``batch`` is the address of a record.
    """
    for _ in range(ticks):
        for address in phases:
            _call_at(address, first, end, a, z, batch)


# A team of threads runs the steps of a tick: phases whose rows the threads share, in tasks, or one
# task for one of them. Each begins with the same rows in every step, which are in its processor's
# cache, and then helps with others'. Who does the last task of a step begins the next one. So
# nobody waits for a thread that has not come, as on a busy machine.
_STEP, _DONE, _TASK, _APART = 0, 8, 16, 8  # in lines of their own of the processor's cache
_SPINS = 64  # looks at the step before the processor is offered to others


@njit
def _run_team(me: int, threads: int, control: Integers, steps: Integers, phases: Integers,
             first: int, a: int, z: int, batch: int, ticks: int, size: int, give_way: int) -> None:
    """Take part in running the steps of world ``first``, rows a … z-1, until all is done.

    Parameters
    ----------
    me, threads : number of this thread, and how many there may be
    control : zeros, the same for all threads: the step, how many of its tasks are done, and of
        each task the number of steps in which somebody has begun it
    steps : (S, 3) first phase, the one after the last, and number of tasks
    phases : (P,) addresses
    batch : address of the record
    ticks : how often the steps are done in turn
    size : rows of a task
    give_way : address of the function that offers the processor to other threads

    """
    count = len(steps)
    while True:
        step = _atomic_load(control, _STEP)
        if step >= count * ticks:
            return
        now = step % count
        tasks = steps[now, 2]
        begin = me * tasks // threads
        for i in range(tasks):
            task = (begin + i) % tasks
            place = _TASK + _APART * task
            if (_atomic_load(control, place) > step
                    or _atomic_raise(control, place, step + 1) > step):
                continue
            low, high = a, z
            if tasks > 1:
                low = a + task * size
                high = min(z, low + size)
            for p in range(steps[now, 0], steps[now, 1]):
                _call_at(phases[p], first, first + 1, low, high, batch)
            if _atomic_add(control, _DONE, 1) + 1 == tasks:
                _atomic_store(control, _DONE, 0)
                _atomic_store(control, _STEP, step + 1)
        spins = 0
        while _atomic_load(control, _STEP) == step:
            spins += 1
            if spins % _SPINS == 0:
                _call_plain(give_way)


# A phase in Python: a function of (first, end) that works on the worlds first … end-1 of arrays
# that it knows.
Interpreted = Callable[[int, int], None]
_Stretch = tuple[Integers, Integers]  # compiled phases without Python between them
_LEAST_ROWS = 250  # of a task


class Program:
    """Phases in the order in which they run: compiled stretches, and Python between them.

    Parameters
    ----------
    phases : compiled ones, whose machine code is called without Python between them, and functions
    setting, worlds, policy : what the compiled ones work on; kept alive
    threads : how many share a world; changes no bit
    least_ticks : of a call that they share

    """

    def __init__(self, phases: Sequence[Phase | Interpreted], setting: Setting, worlds: Worlds,
                 policy: Policy | None = None, threads: int = 1, least_ticks: int = 1) -> None:
        self._worlds, self._policy, self._threads = worlds, policy or Policy.none(), threads
        self._least_ticks = least_ticks if threads > 1 else sys.maxsize
        self.replace(setting)
        self._parts: list[_Stretch | Interpreted] = []
        for interpreted, group in groupby(phases, callable):
            alike: list[Any] = list(group)
            self._parts += alike if interpreted else [self._stretch(alike)]
        only = self._parts[0] if len(self._parts) == 1 else None
        self._only = None if callable(only) else only

    def _stretch(self, phases: Sequence[Phase]) -> _Stretch:
        """Return compiled phases: their addresses, and steps of those that do not wait."""
        addresses: list[int] = []
        steps: list[list[int]] = []
        for phase in phases:
            tasks = self._tasks if phase.shared else 1
            if not steps or steps[-1][2] != tasks or (phase.apart and tasks > 1):
                steps.append([len(addresses), len(addresses), tasks])
            addresses.append(phase.address(self._batch))
            steps[-1][1] += 1
        return np.array(addresses, np.int64), np.array(steps, np.int64)

    def replace(self, setting: Setting) -> None:
        """Work on another setting of the same worlds from now on."""
        from sbot_common.compiled.records import Record  # numba takes a while
        self._setting = setting
        self._batch = Record(Batch(setting, self._worlds, self._policy))

    @property
    def _tasks(self) -> int:
        return max(1, min(self._threads, self._setting.robots // _LEAST_ROWS))

    def run(self, first: int, end: int, ticks: int = 1) -> None:
        """Run all phases in turn, as often as there are ticks, on the worlds first … end-1."""
        n, only = self._setting.robots, self._only
        if only is None:
            for _ in range(ticks):
                for part in self._parts:
                    if callable(part):
                        part(first, end)
                    else:
                        self._run_stretch(part, first, end, n, 1)
        elif ticks < self._least_ticks:  # as a stretch does, without the call
            _run_phases(first, end, first * n, end * n, only[0], self._batch.address, ticks)
        else:
            self._run_stretch(only, first, end, n, ticks)

    def _run_stretch(self, part: _Stretch, first: int, end: int, n: int, ticks: int) -> None:
        """Run compiled phases, in several threads where that is worth it."""
        phases, steps = part
        if ticks < self._least_ticks:
            _run_phases(first, end, first * n, end * n, phases, self._batch.address, ticks)
            return
        size = -(-n // self._tasks)
        for k in range(first, end):
            control = np.zeros(_TASK + _APART * self._tasks, np.int64)
            in_team(self._threads, _run_team, control, steps, phases, k, k * n, (k + 1) * n,
                    self._batch.address, ticks, size, _give_way())

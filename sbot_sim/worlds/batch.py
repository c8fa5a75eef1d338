"""A batch of worlds as one record for compiled code, and the phases of a tick that work on it.

A phase is a function of (first, end, a, z, batch) that works on the worlds first … end-1; what
concerns each robot alone, on the rows a … z-1 of these. Each is compiled on its own when it is
first needed, and called by address: a tick is a list of addresses, so scenarios pay only for the
phases they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Integers, Integers32
from sbot_common.compiled.jit import by_address, compiled_callback, intrinsic, njit, njit_inner
from sbot_common.compiled.threads import share_out
from sbot_common.spatial import BucketGrid
from sbot_sim.world.scene import Discs
from sbot_sim.worlds.state import Setting, Worlds

# Robots of one world within the rows of all worlds, for collisions and sensors.
#
# A world of few robots is one cell, whose items are the world's rows themselves: nothing is sorted
# and nothing copied. Of more robots a grid is made, as in the engine.



@njit_inner
def only_cell(ends: Integers32, rows: Integers32) -> BucketGrid:
    """Return a grid of one cell with the rows ends[0] … ends[1] - 1, whatever these are later."""
    return BucketGrid(0.0, 0.0, 1.0, 1, 1, ends, rows)


@njit_inner
def all_in_view(worlds: Worlds, radius: Floats, first: int, end: int, ends: Integers32) -> Discs:
    """Return the discs of the rows first … end-1 in one cell; ``ends`` chooses a world of them."""
    largest = 0.0
    for i in range(first, end):
        worlds.x[i], worlds.y[i] = worlds.pose[i, 0], worlds.pose[i, 1]
        largest = max(largest, radius[i])
    return Discs(worlds.x, worlds.y, radius, worlds.row, only_cell(ends, worlds.row), largest)


if TYPE_CHECKING:
    from sbot_common.compiled.records import Record

_call_at = intrinsic('call_at', module='sbot_common.compiled.records')


@by_address
class Policy(NamedTuple):
    """What compiled controllers of K worlds of N robots work on (``sbot.worlds.policy``)."""

    inputs: Floats  # (K*N, I)
    outputs: Floats  # (K*N, O)
    memory: Floats  # (K*N, M) what a controller keeps from tick to tick
    weights: Floats  # (K, W)
    layers: NDArray[np.int64]  # (L,) numbers of neurons
    table: NDArray[np.int64]  # (kinds of inputs, 3) kind, first column, columns
    goal: Floats  # (K*N, 2) m
    limits: Floats  # greatest speed (m/s), and distance of wheels (m) or turn rate (rad/s): (2,)
    # of all robots, or (2 K N,) of each
    kept: Floats  # (ticks, K*N, columns) what is kept of each tick
    kept_columns: NDArray[np.int64]  # first column of each kind that can be kept; -1: none
    first_tick: NDArray[np.int64]  # (K,) that of the first row kept
    decision: Floats  # (1,) s, how long a decision lasts


def no_policy() -> Policy:
    """Return empty arrays, for worlds that Python commands."""
    none, nothing = np.zeros((0, 0)), np.zeros(0, np.int64)
    return Policy(none, none, none, none, nothing, np.zeros((0, 3), np.int64), none, np.zeros(2),
                  np.zeros((0, 0, 0)), nothing, nothing, np.zeros(1))


class Batch(NamedTuple):
    """What phases work on."""

    setting: Setting
    worlds: Worlds
    policy: Policy


class Phase:
    """A function of (first, end, a, z, batch), compiled when it is first needed.

    Parameters
    ----------
    function : what it does
    shared : threads may share the rows of one world: it does whole what concerns the rows a … z-1,
        or of robots sorted by place those places, and writes nothing else
    apart : shared, but only once all threads have done the phases before it

    """

    def __init__(self, function: Callable[[int, int, int, int, Batch], None],
                 shared: bool = False, apart: bool = False) -> None:
        self.function, self.shared, self.apart = function, shared or apart, apart
        self._compiled: dict[Any, Any] = {}

    def address(self, batch: Record) -> int:
        """Return where its machine code for a type of batches is; almost all are of one."""
        if batch.kind not in self._compiled:
            from numba import types

            from sbot_common.compiled import light_numba  # noqa: F401  # isort: split
            signature = types.void(*[types.int64] * 4, batch.kind)
            self._compiled[batch.kind] = compiled_callback(signature, self.function)
        return int(self._compiled[batch.kind].address)


def shared(function: Callable[[int, int, int, int, Batch], None]) -> Phase:
    """Return a phase whose rows threads may share."""
    return Phase(function, shared=True)


def shared_apart(function: Callable[[int, int, int, int, Batch], None]) -> Phase:
    """Return a phase whose rows threads may share once the phases before it are done."""
    return Phase(function, apart=True)


@njit
def run_phases(first: int, end: int, a: int, z: int, phases: Integers, batch: int,
               ticks: int) -> None:
    """Run the phases in turn, as often as there are ticks: worlds first … end-1, rows a … z-1.

    ``batch`` is the address of a record.
    """
    for _ in range(ticks):
        for address in phases:
            _call_at(address, first, end, a, z, batch)


# A phase in Python: a function of (first, end) that works on the worlds first … end-1 of arrays
# that it knows.
Interpreted = Callable[[int, int], None]
_TASKS = 2  # of a thread in a shared phase: they take different time, but each sorts all robots


class Program:
    """Phases in the order in which they run: compiled stretches, and Python between them.

    Parameters
    ----------
    phases : compiled ones, whose machine code is called without Python between them, and functions
    setting, worlds, policy : what the compiled ones work on; kept alive
    threads : how many share a world; changes no bit

    """

    def __init__(self, phases: Sequence[Phase | Interpreted], setting: Setting, worlds: Worlds,
                 policy: Policy | None = None, threads: int = 1) -> None:
        self._worlds, self._policy, self._threads = worlds, policy or no_policy(), threads
        self.replace(setting)
        parts: list[tuple[list[int], bool] | Interpreted] = []
        for phase in phases:
            if not isinstance(phase, Phase):
                parts.append(phase)
                continue
            together, last = threads > 1 and phase.shared, parts[-1] if parts else None
            if last is None or callable(last) or last[1] != together or (
                    together and phase.apart):
                parts.append(last := ([], together))
            last[0].append(phase.address(self._batch))
        self._parts: list[tuple[Integers, bool] | Interpreted] = [
            part if callable(part) else (np.array(part[0], np.int64), part[1]) for part in parts]
        self._all: Integers | None = None
        if len(self._parts) == 1 and not callable(self._parts[0]) and not self._parts[0][1]:
            self._all = self._parts[0][0]

    def replace(self, setting: Setting) -> None:
        """Work on another setting of the same worlds from now on."""
        from sbot_common.compiled.records import Record  # numba takes a while
        self._setting = setting
        self._batch = Record(Batch(setting, self._worlds, self._policy))

    def run(self, first: int, end: int, ticks: int = 1) -> None:
        """Run all phases in turn, as often as there are ticks, on the worlds first … end-1."""
        n = self._setting.robots
        if self._all is not None:
            run_phases(first, end, first * n, end * n, self._all, self._batch.address,
                       ticks)
            return
        for _ in range(ticks):
            for part in self._parts:
                if callable(part):
                    part(first, end)
                elif part[1]:
                    self._share(first, end, part[0])
                else:
                    run_phases(first, end, first * n, end * n, part[0], self._batch.address, 1)

    def _share(self, first: int, end: int, phases: Integers) -> None:
        """Run phases in several threads, which share the rows of each world."""
        n, batch = self._setting.robots, self._batch.address
        size = max(1, -(-n // (_TASKS * self._threads)))
        for k in range(first, end):
            def work(low: int, k: int = k) -> None:
                run_phases(k, k + 1, k * n + low, k * n + min(n, low + size), phases, batch, 1)
            share_out(self._threads, range(0, n, size), work)

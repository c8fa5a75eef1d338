"""Program of a tick: compiled stretches of phases, and functions in Python between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from sbot_sim.worlds.batch import Addresses, Batch, Phase, addresses, run_phases

# A phase in Python: a function of (first, end) that works on the worlds first … end-1 of arrays
# that it knows.
Interpreted = Callable[[int, int], None]


class Program:
    """Phases in the order in which they run.

    Parameters
    ----------
    phases : compiled ones, whose machine code is called without Python between them, and functions
    batch : what the compiled ones work on; may be replaced

    """

    def __init__(self, phases: Sequence[Phase | Interpreted], batch: Batch) -> None:
        self.batch = batch
        self._parts: list[Addresses | Interpreted] = []
        for compiled, group in groupby(phases, lambda phase: isinstance(phase, Phase)):
            if compiled:
                self._parts.append(addresses(list(group), batch))  # type: ignore[arg-type]
            else:
                self._parts += group  # type: ignore[arg-type]
        self._all: Addresses | None = None
        if len(self._parts) == 1 and not callable(self._parts[0]):
            self._all = self._parts[0]

    def run(self, first: int, end: int, ticks: int) -> None:
        """Run all phases in turn, as often as there are ticks, on the worlds first … end-1."""
        if self._all is not None:
            run_phases(first, end, self._all, self.batch, ticks)
            return
        for _ in range(ticks):
            for part in self._parts:
                if callable(part):
                    part(first, end)
                else:
                    run_phases(first, end, part, self.batch, 1)

"""Saved state of worlds: what ``worlds.save()`` returns and ``worlds.restore()`` takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.scenario.model import Scenario
from sbot.worlds.arguments import chosen_worlds
from sbot_common.errors import bad_value
from sbot_sim.engine.many import Simulation
from sbot_sim.engine.saved import Arrays, arrays_for, arrays_of, restore_rest

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Saved:
    """The state of M worlds, as copies; it can be pickled, and ``saved[k]`` is one world's.

    A restored world continues with the same bits as the saved one.
    """

    scenarios: tuple[Scenario, ...]  # of each world
    senses: frozenset[str]
    seeds: Integers  # (M,)
    start: NDArray[np.float64]  # (M, N, 3)
    arrays: Arrays  # (M, ...) each
    past: NDArray[np.float64]  # (M, ages, N, 3) poses of the last ticks, where delays need them

    def __len__(self) -> int:
        """Return M."""
        return len(self.scenarios)

    def __getitem__(self, which: ArrayLike | slice) -> Saved:
        """Return the state of one world, or of several by numbers, a mask or a slice."""
        if isinstance(which, slice):
            chosen = np.arange(len(self))[which]
        elif isinstance(which, int | np.integer):
            if not -len(self) <= which < len(self):
                raise IndexError(f'{which} of {len(self)} worlds')
            chosen = np.array([which]) % len(self)
        else:
            chosen = chosen_worlds(which, len(self))
        rows = chosen.tolist()
        return Saved(tuple(self.scenarios[k] for k in rows), self.senses, self.seeds[chosen],
                     self.start[chosen],
                     {name: array[chosen] for name, array in self.arrays.items()},
                     self.past[chosen])


def save(simulation: Simulation, chosen: Integers, scenarios: Sequence[Scenario],
         senses: frozenset[str], seeds: Integers, start: NDArray[np.float64],
         past: NDArray[np.float64]) -> Saved:
    """Return the state of the chosen worlds."""
    rows = chosen.tolist()
    return Saved(tuple(scenarios[k] for k in rows), senses, seeds[chosen], start[chosen],
                 {name: array[chosen] for name, array in arrays_of(simulation).items()},
                 past[chosen])


def check(saved: Saved, worlds: int, senses: frozenset[str], robots: int) -> None:
    """Raise InputError where a state is not one of such worlds."""
    if not isinstance(saved, Saved):
        raise bad_value('state', saved, 'a state that save() of such worlds returned')
    if len(saved) not in (1, worlds):
        raise bad_value('state', f'{len(saved)} worlds',
                        f'1 or {worlds}, the number of worlds to restore')
    if saved.senses != senses:
        raise bad_value('state', f"sense {', '.join(sorted(saved.senses)) or 'nothing'}",
                        f"sense {', '.join(sorted(senses)) or 'nothing'}")
    if saved.start.shape[1] != robots:
        raise bad_value('state', f'{saved.start.shape[1]} robots', f'{robots} robots')


def converted(simulation: Simulation, saved: Saved) -> Saved:
    """Return a state with the arrays of another batch; InputError if some are missing."""
    return replace(saved, arrays=arrays_for(simulation, saved.arrays))


def restore(simulation: Simulation, chosen: Integers, saved: Saved) -> None:
    """Write a ``converted`` state of one or as many worlds to the chosen ones, of its scenario."""
    for name, array in arrays_of(simulation).items():
        array[chosen] = saved.arrays[name]
    for k in chosen.tolist():
        restore_rest(simulation, k)

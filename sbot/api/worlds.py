# SPDX-License-Identifier: Apache-2.0
"""Worlds that are stepped from Python: ``sbot.World``, ``sbot.Worlds`` (docs/python.md)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from sbot.api.loading import Source, load_uncontrolled
from sbot.worlds import many, single

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sbot.api.overrides import Overrides, SeededOverrides


class World(single.World):
    """One world of N robots, stepped from Python in one compiled call per step.

    Parameters
    ----------
    scenario : as ``load`` takes it; its controllers are not used
    seed : seed of placement and noise; None: the scenario's
    sense : names of the sensors to simulate, e.g. 'scan' (docs/sensors.md); None: all that the
        robots have
    overrides : as ``load`` takes them

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """

    def __init__(self, scenario: Source, /, *, seed: int | None = None,
                 sense: Collection[str] | None = None,
                 **overrides: Unpack[Overrides]) -> None:
        super().__init__(load_uncontrolled(scenario, overrides), seed=seed, sense=sense)


class Worlds(many.Worlds):
    """Many independent worlds in one call; each equals, bit for bit, the same world alone.

    Parameters
    ----------
    scenario : as ``load`` takes it, for all worlds; or a list with one scenario for each world,
        which may differ in obstacles, poses, bodies, wind and noise
    count : number of worlds; default: 1, or the length of the list of scenarios
    seeds : (K,) seeds of placement and noise; None: the scenario's, the scenario's + 1, …
    sense : as in ``World``
    threads : number of threads, or 'auto' for as many as there are processors; changes no bit of
        the result
    pool : further scenarios, which ``play`` gives to worlds; their obstacles do not move
    overrides : as ``load`` takes them, for all worlds

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """

    def __init__(self, scenario: Source | Sequence[Source], /, count: int | None = None, *,
                 seeds: Sequence[int] | None = None, sense: Collection[str] | None = None,
                 threads: int | str = 1, pool: Sequence[Source] = (),
                 **overrides: Unpack[SeededOverrides]) -> None:
        given: list[Any] = list(scenario) if isinstance(scenario, list | tuple) else [scenario]
        loaded = [load_uncontrolled(source, overrides) for source in given]
        super().__init__(loaded if len(loaded) != 1 else loaded[0], count, seeds=seeds,
                         sense=sense, threads=threads,
                         pool=[load_uncontrolled(source, overrides) for source in pool])

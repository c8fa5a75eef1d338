"""Episode: arrays of many worlds, or of one run, for functions that measure a fitness."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Episode(NamedTuple):
    """What happened in K worlds of N robots in T ticks; row t is the moment before tick t.

    ``Worlds.run`` returns one, ``Run.episode`` is one with K = 1, and the ``Track`` of a task's
    metric has the same fields; so one function measures all three. Fields that were not asked for
    are None. Printed, it is a line.
    """

    pose: Floats | None  # (T, K, N, 3) m, m, rad
    command: Floats | None  # (T, K, N, 3) vx, vy (m/s), omega (rad/s)
    collided: Flags | None  # (T, K, N) intersected something in the tick before
    infrared: Floats | None  # (T, K, N, 15) readings
    wind: Floats | None  # (T, K, N, 2) m/s
    dt: float  # s, length of a tick

    def __repr__(self) -> str:
        kept = {name: rows for name, rows in self._asdict().items()
                if isinstance(rows, np.ndarray)}
        if not kept:
            return f'<Episode: nothing kept, ticks of {self.dt:g} s>'
        name, rows = next(iter(kept.items()))
        ticks, *worlds, robots = rows.shape if name == 'collided' else rows.shape[:-1]
        counts = [*zip(worlds, ['world'], strict=False), (robots, 'robot'), (ticks, 'tick')]
        size = ', '.join(f"{count} {unit}{'s' * (count != 1)}" for count, unit in counts)
        return f"<Episode: {size} of {self.dt:g} s; {', '.join(kept)}>"

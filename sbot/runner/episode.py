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
    are None.
    """

    pose: Floats | None  # (T, K, N, 3) m, m, rad
    command: Floats | None  # (T, K, N, 3) vx, vy (m/s), omega (rad/s)
    collided: Flags | None  # (T, K, N) intersected something in the tick before
    infrared: Floats | None  # (T, K, N, 15) readings
    wind: Floats | None  # (T, K, N, 2) m/s

"""Free wind at robots: the wind where each robot is, before wakes reduce it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wind_model.grid import Lattice
from wind_model.interpolate import sample

Array = NDArray[np.float64]


def free_wind(field: Lattice | None, outside: Array, pose: Array, height: float) -> Array:
    """Return the wind (N, 2) in m/s at robots, frame `map`.

    Parameters
    ----------
    field : the gridded wind, or None
    outside : (3,) m/s, the wind outside the grid
    pose : (N, 2) or wider: x, y (m)
    height : m, z at which robots feel a gridded wind

    """
    n = pose.shape[0]
    if field is None:
        out = np.empty((n, 2))
        out[:] = outside[:2]
        return out
    points = np.column_stack([pose[:, :2], np.full(n, height)])
    return np.ascontiguousarray(sample(field, points, outside)[:, :2])

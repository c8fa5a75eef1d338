"""Free wind at robots: the wind where each robot is, before wakes reduce it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wind_model.grid import Lattice
from wind_model.interpolate import points_at, sample
from wind_model.parameters import Height

Array = NDArray[np.float64]


def free_wind(field: Lattice | None, outside: Array, pose: Array,
              height: Height | float) -> Array:
    """Return the wind (N, 2) in m/s at robots, frame `map`; parameters as in ``wind_around``."""
    return np.ascontiguousarray(wind_around(field, outside, pose, height)[:, :2])


def wind_around(field: Lattice | None, outside: Array, pose: Array,
                height: Height | float) -> Array:
    """Return the wind (N, 3) in m/s at robots, w included, frame `map`.

    Parameters
    ----------
    field : the gridded wind, or None
    outside : (3,) m/s, the wind outside the grid
    pose : (N, 2) or wider: x, y (m)
    height : where robots feel a gridded wind; a number is z (m)

    """
    if field is None:
        out = np.empty((pose.shape[0], 3))
        out[:] = outside
        return out
    where = height if isinstance(height, Height) else Height(height)
    return sample(field, points_at(field, pose, where), outside)

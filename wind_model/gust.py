"""Mean force and gust, in newtons or m/s (document 003, plugin macro; docs/errata.md R4, R7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import NANOSECONDS
from wind_model.parameters import WindParameters
from wind_model.uniform import unit

Array = NDArray[np.float64]


def gust_window(parameters: WindParameters) -> tuple[int, int]:
    """Return the gust's first nanosecond and the first one after it."""
    start = round(parameters.wind_gust_start * NANOSECONDS)
    return start, start + round(parameters.wind_gust_duration * NANOSECONDS)


def forces_act(parameters: WindParameters) -> bool:
    """Tell whether forces act: not together with a wind grid, unless asked for."""
    return not parameters.use_custom_static_wind_field or parameters.forces_with_field


def mean_force(parameters: WindParameters) -> Array:
    """Return the force outside the gust (3,) N, frame `map`.

    There is none together with a wind grid, as in the plugin, unless ``forces_with_field``
    (docs/errata.md R6).
    """
    if not forces_act(parameters):
        return np.zeros(3)
    return parameters.wind_force_mean * unit(parameters.wind_direction)


def gust_force(parameters: WindParameters) -> Array:
    """Return what the gust adds to the force (3,) N, frame `map`; where forces act at all."""
    if not forces_act(parameters):
        return np.zeros(3)
    return parameters.wind_gust_force_mean * unit(parameters.wind_gust_direction)


def gust_velocity(parameters: WindParameters) -> Array:
    """Return the velocity (3,) m/s that the gust adds to the wind, frame `map`."""
    return parameters.wind_gust_speed_mean * unit(parameters.wind_gust_direction)


def is_gust(parameters: WindParameters, stamp_ns: int) -> bool:
    """Tell whether start <= time (ns) < start + duration."""
    start, end = gust_window(parameters)
    return start <= stamp_ns < end

"""Mean force and gust, in newtons or m/s (document 003, plugin macro; docs/errata.md R4, R7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import NANOSECONDS
from wind_model.parameters import WindParameters
from wind_model.uniform import unit


def gust_window(parameters: WindParameters) -> tuple[int, int]:
    """Return the gust's first nanosecond and the first one after it."""
    start = round(parameters.wind_gust_start * NANOSECONDS)
    return start, start + round(parameters.wind_gust_duration * NANOSECONDS)


def force_at(parameters: WindParameters, stamp_ns: int) -> NDArray[np.float64]:
    """Return the mean force plus, while start <= stamp < start + duration, the gust.

    There is none together with a wind grid, as in the plugin, unless ``forces_with_field``
    (docs/errata.md R6).

    Parameters
    ----------
    parameters : the wind's
    stamp_ns : simulated time (ns)

    Returns
    -------
    (3,) N, frame `map`

    """
    if not forces_act(parameters):
        return np.zeros(3)
    force = parameters.wind_force_mean * unit(parameters.wind_direction)
    if _blows(parameters, stamp_ns):
        force += parameters.wind_gust_force_mean * unit(parameters.wind_gust_direction)
    return force


def forces_act(parameters: WindParameters) -> bool:
    """Tell whether forces act: not together with a wind grid, unless asked for."""
    return not parameters.use_custom_static_wind_field or parameters.forces_with_field


def gust_velocity_at(parameters: WindParameters, stamp_ns: int) -> NDArray[np.float64]:
    """Return what the gust adds to the wind at a time (ns): (3,) m/s, frame `map`."""
    if not _blows(parameters, stamp_ns):
        return np.zeros(3)
    return parameters.wind_gust_speed_mean * unit(parameters.wind_gust_direction)


def _blows(parameters: WindParameters, stamp_ns: int) -> bool:
    start, end = gust_window(parameters)
    return start <= stamp_ns < end

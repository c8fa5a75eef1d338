"""Mean force and gust, in newtons (document 003, plugin macro; docs/errata.md R4)."""

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

    Parameters
    ----------
    parameters : the wind's
    stamp_ns : simulated time (ns)

    Returns
    -------
    (3,) N, frame `map`

    """
    force = parameters.wind_force_mean * unit(parameters.wind_direction)
    start, end = gust_window(parameters)
    if start <= stamp_ns < end:
        force += parameters.wind_gust_force_mean * unit(parameters.wind_gust_direction)
    return force

"""Uniform wind: speed times direction (document 003, plugin macro)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import sincos
from sbot_common.params import Vector
from wind_model.parameters import WindParameters


def unit(direction: Vector) -> NDArray[np.float64]:
    """Return the direction with length 1, shape (3,); zero stays zero (docs/errata.md R3)."""
    largest = max(abs(c) for c in direction)
    if largest == 0:
        return np.zeros(3)
    # Dividing by the largest first keeps the squares of tiny and huge components finite.
    x, y, z = (c / largest for c in direction)
    length = math.sqrt(x * x + y * y + z * z)
    return np.array([x / length, y / length, z / length])


def mean_velocity(parameters: WindParameters) -> NDArray[np.float64]:
    """Return the wind outside the grid, shape (3,), m/s, frame `map`."""
    return parameters.wind_speed_mean * unit(parameters.wind_direction)


def direction_of_angle(angle_deg: float) -> Vector:
    """Return the unit vector of an ARGoS angle: 0 blows east, 90 north (document 000, 5.1)."""
    angle = math.radians(angle_deg)
    sine, cosine = sincos(angle)
    return cosine, sine, 0.0

"""The curves behind tables of infrared readings (document 002 section 3.1, docs/errata.md S1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import exp

Floats = NDArray[np.float64]

ENTRIES = 151  # 0 to 15 cm, 1 mm apart (document 002, Table 1 and section 3.1)
TABLE_RANGE = 0.15  # m

# Equation (3), of the distance in centimetres: the numbers as printed, in the order printed.
COEFFICIENTS = (35.76, -16.01, 6.15, -0.8072, -0.0632, 0.0261, -0.0026, 0.0001)
PRINTED_POWERS = (0, 2, 3, 4, 5, 6, 7, 8)
CONSECUTIVE_POWERS = (0, 1, 2, 3, 4, 5, 6, 7)


def table_distances_cm() -> Floats:
    """Return the distances (151,) of the entries in centimetres."""
    return np.arange(ENTRIES) / 10.0


def equation_3(distance_cm: Floats, powers: Sequence[int] = CONSECUTIVE_POWERS) -> Floats:
    """Return the polynomial of equation (3) at distances in centimetres.

    With ``CONSECUTIVE_POWERS`` it falls as figure 8 shows, up to 7.3 cm, beyond which the rounding
    of its last coefficients lets it grow.
    """
    out = np.zeros_like(distance_cm)
    for coefficient, power in zip(COEFFICIENTS, powers, strict=True):
        term = np.full_like(distance_cm, coefficient)
        for _ in range(power):
            term = term * distance_cm
        out = out + term
    return out


def exponential(distance_cm: Floats, a: float, b: float) -> Floats:
    """Return a * exp(-b * distance), the model of figure 8(c); distances in centimetres."""
    return np.array([a * exp(-b * d) for d in distance_cm])


def clipped(readings: Floats) -> Floats:
    """Return readings within [0, the first of them]: nothing reads less than nothing there."""
    return np.clip(readings, 0.0, max(0.0, float(readings[0])))

"""Continuous collision detection: substeps that prevent tunnelling of fast robots.

The rule behind it: where a disc is free, every object is at least its radius away from its centre.
So a straight move shorter than the radius cannot bring the centre to the far side of anything, and
pushing the disc away from what it overlaps then leads back to the side it came from. A tick with
longer moves is divided into steps of at most half a radius, each of which ends free; the other
half is left for the displacements of that step.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit_inner
from sbot_common.elementary import hypot

Array = NDArray[np.float64]

STEP = 0.5  # of the radius: how far a robot goes in a step; displacements may take the rest
MAX_DISPLACEMENT = 0.999  # of the radius: how far a step may end from where it began
MOST_STEPS = 1000  # in a tick; a robot that needs more stops short, after 500 of its radii


@njit_inner
def steps_needed(first: int, end: int, radius: Array, previous: Array, proposed: Array) -> int:
    """Return into how many steps a tick from ``previous`` to ``proposed`` (N, 3) is divided.

    The tick is that of the robots first … end-1.
    """
    most = 0.0
    for i in range(first, end):
        dx, dy = proposed[i, 0] - previous[i, 0], proposed[i, 1] - previous[i, 1]
        most = max(most, (dx * dx + dy * dy) / (radius[i] * radius[i]))
    if not most > STEP * STEP:
        return 1
    return math.ceil(min(math.sqrt(most) / STEP, float(MOST_STEPS)))


@njit_inner
def step_of(radius: float, dx: float, dy: float, steps: int) -> tuple[float, float]:
    """Return one of ``steps`` steps (m) of the way (dx, dy) (m) of a robot."""
    share = 1.0 / steps
    if steps == MOST_STEPS:
        share = min(share, STEP * radius / hypot(dx, dy))
    return dx * share, dy * share


@njit_inner
def limited_displacement(x: float, y: float, from_x: float, from_y: float,
                         radius: float) -> tuple[float, float]:
    """Return (x, y) (m), drawn back to where a straight line from ``from`` crosses no wall."""
    dx, dy = x - from_x, y - from_y
    square, most = dx * dx + dy * dy, MAX_DISPLACEMENT * radius
    if square <= most * most:
        return x, y
    scale = most / math.sqrt(square)
    return from_x + dx * scale, from_y + dy * scale

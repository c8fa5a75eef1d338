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
from sbot_sim.world.shapes import Shapes

Array = NDArray[np.float64]

STEP = 0.5  # of the radius: how far a robot goes in a step; displacements may take the rest
MAX_DISPLACEMENT = 0.999  # of the radius: how far a step may end from where it began
MOST_STEPS = 1000  # in a tick; a robot that needs more stops short, after 500 of its radii


@njit_inner
def _way(shapes: Shapes, i: int, previous: Array, goal: Array) -> float:
    """Return how far (m) at most a point of body ``i`` goes, from pose to pose (N, 3)."""
    straight = hypot(goal[i, 0] - previous[i, 0], goal[i, 1] - previous[i, 1])
    turn: float = abs(goal[i, 2] - previous[i, 2])
    return straight + turn * hypot(shapes.size[i, 0], shapes.size[i, 1])


@njit_inner
def steps_needed(radius: Array, shapes: Shapes | None, previous: Array, goal: Array) -> int:
    """Return into how many steps a tick from ``previous`` to ``goal`` (N, 3) is divided.

    ``radius`` (N,) is that of the bodies, discs where ``shapes`` is None.
    """
    most = 0.0
    if shapes is not None:
        for i in range(len(radius)):
            most = max(most, _way(shapes, i, previous, goal) / shapes.step_radius[i])
        return max(1, math.ceil(min(most / STEP, float(MOST_STEPS))))
    for i in range(len(radius)):
        dx, dy = goal[i, 0] - previous[i, 0], goal[i, 1] - previous[i, 1]
        most = max(most, (dx * dx + dy * dy) / (radius[i] * radius[i]))
    if not most > STEP * STEP:
        return 1
    return math.ceil(min(math.sqrt(most) / STEP, float(MOST_STEPS)))


@njit_inner
def share_of_way(i: int, steps: int, radius: Array, shapes: Shapes | None, previous: Array,
                 goal: Array) -> float:
    """Return which share of its way from ``previous`` to ``goal`` body ``i`` goes in a step."""
    share: float = 1.0 / steps
    if steps < MOST_STEPS:
        return share
    if shapes is not None:
        longest: float = STEP * shapes.step_radius[i]
        return min(share, longest / max(_way(shapes, i, previous, goal), 1e-300))
    longest = STEP * radius[i]
    way = hypot(goal[i, 0] - previous[i, 0], goal[i, 1] - previous[i, 1])
    return min(share, longest / max(way, 1e-300))


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

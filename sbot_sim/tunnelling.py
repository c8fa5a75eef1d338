"""The path of a tick against fixed objects, so that nobody passes through a thin wall.

The rule behind it: where a disc is free, every object is at least its radius away from its centre,
so a straight move shorter than the radius cannot bring the centre to the far side of anything. A
longer path is walked in such steps, each ending free; a step that ends in a wall slides along it.
"""

from __future__ import annotations

import math

from sbot_common.jit import njit
from sbot_sim.contacts import fixed_displacement
from sbot_sim.fixed_objects import FixedObjects

STEP = 0.5  # of the radius: the other half is left for leading the disc out of walls
LEASH = 0.999  # of the radius: how far a disc may get from the last free point of its path
_CORRECTIONS = 16  # displacements for each step of a path


@njit
def on_leash(x: float, y: float, anchor_x: float, anchor_y: float,
             radius: float) -> tuple[float, float]:
    """Return (x, y) (m), drawn back to where a straight line from the anchor crosses no wall."""
    dx, dy = x - anchor_x, y - anchor_y
    square, most = dx * dx + dy * dy, LEASH * radius
    if square <= most * most:
        return x, y
    scale = most / math.sqrt(square)
    return anchor_x + dx * scale, anchor_y + dy * scale


@njit
def walk(fixed: FixedObjects, x0: float, y0: float, x1: float, y1: float, radius: float,
         tolerance: float) -> tuple[float, float, float, float]:
    """Walk a disc from a free place towards another place, sliding along what is in the way.

    Parameters
    ----------
    fixed : the objects
    x0, y0 : a place free of fixed objects (m)
    x1, y1 : where the disc would like to be (m)
    radius : of the disc (m)
    tolerance : overlaps up to this deep (m) count as free

    Returns
    -------
    (anchor x, anchor y, x, y): the last free waypoint, and the end of the path, less than a radius
    from it, which may overlap something still.

    """
    dx, dy = x1 - x0, y1 - y0
    distance = math.sqrt(dx * dx + dy * dy)
    if distance <= STEP * radius:
        return x0, y0, x1, y1
    # Nobody can use more than the diagonal of the world; an absurd speed must not take for ever.
    bounds = fixed.bounds
    useful = min(distance, (bounds[2] - bounds[0]) + (bounds[3] - bounds[1]))
    steps = math.ceil(useful / (STEP * radius))
    step_x, step_y = dx / distance * (useful / steps), dy / distance * (useful / steps)
    ax, ay = x0, y0
    for _ in range(steps - 1):
        x, y = ax + step_x, ay + step_y
        free = False
        for _correction in range(_CORRECTIONS):
            shift_x, shift_y, deepest = fixed_displacement(fixed, x, y, radius, ax, ay, tolerance)
            if deepest <= tolerance:
                free = True
                break
            x, y = on_leash(x + shift_x, y + shift_y, ax, ay, radius)
        if not free:
            return ax, ay, ax, ay
        ax, ay = x, y
    return ax, ay, ax + step_x, ay + step_y

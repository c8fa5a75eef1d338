"""Step of Fast2D bodies: free motion, then overlap resolution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_sim.collision.body_contacts import body_contact, with_fixed
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.separation import PASSES, separate_bodies
from sbot_sim.world.shapes import Shapes, boxes_at, centres

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@njit_inner
def proposed_poses(pose: Array, speed: Array, dt: float, farthest: float) -> Array:
    """Return the objects' poses (N, 3) after ``dt`` (s) at ``speed`` (N, 3) m/s, m/s, rad/s.

    A body that would end beyond ``farthest`` (m), or at no finite place, stays.
    """
    out = np.empty_like(pose)
    for i in range(len(pose)):
        for axis in range(3):
            out[i, axis] = pose[i, axis] + speed[i, axis] * dt
        if not (abs(out[i, 0]) <= farthest and abs(out[i, 1]) <= farthest
                and math.isfinite(out[i, 2])):
            out[i, 0], out[i, 1], out[i, 2] = pose[i, 0], pose[i, 1], pose[i, 2]
    return out


@njit
def step_bodies(fixed: FixedObjects, shapes: Shapes, pose: Array, speed: Array, dt: float,
                farthest: float) -> tuple[Array, Flags, Flags]:
    """Return (poses (N, 3) of the objects after ``dt`` seconds, collided, reverted)."""
    proposed = proposed_poses(pose, speed, dt, farthest)
    return separate_bodies(fixed, shapes, pose, proposed, PASSES)[:3]


@njit
def first_overlap(fixed: FixedObjects, shapes: Shapes, pose: Array,
                  tolerance: float) -> tuple[int, int, float]:
    """Return (i, other, depth) of the first overlap deeper than ``tolerance`` (m), i = -1 if none.

    ``other`` is another body, or N + k for fixed object k. All against all: for the first step.
    """
    boxes = boxes_at(shapes, centres(shapes, pose))
    n = len(boxes)
    for i in range(n):
        x, y, radius = boxes[i, 0], boxes[i, 1], shapes.outer_radius[i]
        for j in range(i + 1, n):
            dx, dy, reach = boxes[j, 0] - x, boxes[j, 1] - y, radius + shapes.outer_radius[j]
            if dx * dx + dy * dy < reach * reach:
                depth = body_contact(boxes, i, j, 0.0, 0.0)[0]
                if depth > tolerance:
                    return i, j, depth
        for k in range(len(fixed.boxes)):
            depth = with_fixed(fixed, k, boxes, i, x, y)[0]
            if depth > tolerance:
                return i, n + k, depth
    return -1, -1, 0.0

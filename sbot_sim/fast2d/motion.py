"""Step of Fast2D bodies: substeps, then overlap resolution."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import hypot, sincos
from sbot_common.jit import njit, njit_inner
from sbot_sim.collision.body_contacts import body_contact, place, with_fixed
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.separation import PASSES, settle
from sbot_sim.collision.tunnelling import MOST_STEPS, STEP

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Movers(NamedTuple):
    """Constant properties of N movable bodies."""

    offset: Array  # (N, 3) centre (m) and yaw (rad) of the box in the object's frame
    size: Array  # (N, 3) half width, half height, radius (m)
    around: Array  # (N,) m, radius of the circle around the box
    within: Array  # (N,) m, radius of the circle inside
    pace: Array  # (N,) m, half of it is the longest step
    weight: Array  # (N,) inverse mass, 1/kg; 0: infinitely heavy


@njit_inner
def centre_of(pose: Array, offset: Array) -> tuple[float, float, float]:
    """Return x, y (m), yaw (rad) of the box of an object at ``pose`` (3,)."""
    ox, oy = offset[0], offset[1]
    if ox == 0.0 and oy == 0.0:
        return pose[0], pose[1], pose[2] + offset[2]
    s, c = sincos(pose[2])
    return pose[0] + (c * ox - s * oy), pose[1] + (s * ox + c * oy), pose[2] + offset[2]


@njit_inner
def object_of(x: float, y: float, angle: float, offset: Array) -> tuple[float, float]:
    """Return where the object is (m) whose box has its centre at (x, y); angle is the object's."""
    ox, oy = offset[0], offset[1]
    if ox == 0.0 and oy == 0.0:
        return x, y
    s, c = sincos(angle)
    return x - (c * ox - s * oy), y - (s * ox + c * oy)


@njit
def centres(movers: Movers, pose: Array) -> Array:
    """Return the boxes' poses (N, 3) for those of the objects (N, 3)."""
    out = np.empty_like(pose)
    for i in range(len(pose)):
        out[i, 0], out[i, 1], out[i, 2] = centre_of(pose[i], movers.offset[i])
    return out


@njit
def boxes_at(movers: Movers, centre: Array) -> Array:
    """Return the rounded boxes (N, 7), see ``body_contacts``, at poses (N, 3)."""
    boxes = np.empty((len(centre), 7))
    for i in range(len(centre)):
        boxes[i, 2], boxes[i, 3] = 1.0, 0.0
        for k in range(3):
            boxes[i, 4 + k] = movers.size[i, k]
        place(boxes, i, centre[i, 0], centre[i, 1], centre[i, 2])
    return boxes


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


@njit_inner
def way_of(movers: Movers, i: int, previous: Array, goal: Array) -> float:
    """Return how far (m) at most a point of body ``i`` goes, from pose to pose (N, 3)."""
    straight = hypot(goal[i, 0] - previous[i, 0], goal[i, 1] - previous[i, 1])
    turn: float = abs(goal[i, 2] - previous[i, 2])
    return straight + turn * hypot(movers.size[i, 0], movers.size[i, 1])


@njit_inner
def separate_bodies(fixed: FixedObjects, movers: Movers, previous: Array,
                    goal: Array) -> tuple[Array, Flags, Flags]:
    """Return (poses, collided, reverted) of boxes, free of overlaps if ``previous`` is.

    Parameters
    ----------
    fixed, movers : the world
    previous, goal : (N, 3) poses of the boxes: x, y (m), yaw (rad)

    """
    n = len(goal)
    collided, reverted = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    pose, most = goal.copy(), 0.0
    if n == 0:
        return pose, collided, reverted
    for i in range(n):
        most = max(most, way_of(movers, i, previous, goal) / movers.pace[i])
    steps = max(1, math.ceil(min(most / STEP, float(MOST_STEPS))))
    free = previous
    for step in range(steps):
        if steps > 1:
            free = previous.copy() if step == 0 else pose.copy()
            for i in range(n):
                share = 1.0 / steps
                if steps == MOST_STEPS:
                    way = way_of(movers, i, previous, goal)
                    share = min(share, STEP * movers.pace[i] / max(way, 1e-300))
                for axis in range(3):
                    pose[i, axis] = free[i, axis] + share * (goal[i, axis] - previous[i, axis])
        stuck = np.zeros(n, np.bool_)
        settle(fixed, movers.around, movers.within, boxes_at(movers, pose), movers.weight, free,
               pose, collided, stuck, PASSES)
        for i in range(n):
            reverted[i] |= stuck[i]
    return pose, collided, reverted


@njit
def same(a: Array, b: Array, i: int) -> bool:
    """Tell whether row i of two tables of poses (N, 3) is the same."""
    return bool(a[i, 0] == b[i, 0] and a[i, 1] == b[i, 1] and a[i, 2] == b[i, 2])


@njit
def step_bodies(fixed: FixedObjects, movers: Movers, pose: Array, speed: Array, dt: float,
                farthest: float) -> tuple[Array, Flags, Flags]:
    """Return (poses (N, 3) of the objects after ``dt`` seconds, collided, reverted)."""
    proposed = proposed_poses(pose, speed, dt, farthest)
    before, goal = centres(movers, pose), centres(movers, proposed)
    after, collided, reverted = separate_bodies(fixed, movers, before, goal)
    out = np.empty_like(pose)
    for i in range(len(pose)):
        # To the bit where nothing happened, or everything was undone.
        if same(after, goal, i):
            out[i, 0], out[i, 1], out[i, 2] = proposed[i, 0], proposed[i, 1], proposed[i, 2]
        elif same(after, before, i):
            out[i, 0], out[i, 1], out[i, 2] = pose[i, 0], pose[i, 1], pose[i, 2]
        else:
            angle = after[i, 2] - movers.offset[i, 2]
            if after[i, 2] == goal[i, 2]:
                angle = proposed[i, 2]
            elif after[i, 2] == before[i, 2]:
                angle = pose[i, 2]
            out[i, 0], out[i, 1] = object_of(after[i, 0], after[i, 1], angle, movers.offset[i])
            out[i, 2] = angle
    return out, collided, reverted


@njit
def first_overlap(fixed: FixedObjects, movers: Movers, pose: Array,
                  tolerance: float) -> tuple[int, int, float]:
    """Return (i, other, depth) of the first overlap deeper than ``tolerance`` (m), i = -1 if none.

    ``other`` is another body, or N + k for fixed object k. All against all: for the first step.
    """
    boxes = boxes_at(movers, centres(movers, pose))
    n = len(boxes)
    for i in range(n):
        x, y, radius = boxes[i, 0], boxes[i, 1], movers.around[i]
        for j in range(i + 1, n):
            dx, dy, reach = boxes[j, 0] - x, boxes[j, 1] - y, radius + movers.around[j]
            if dx * dx + dy * dy < reach * reach:
                depth = body_contact(boxes, i, j, 0.0, 0.0)[0]
                if depth > tolerance:
                    return i, j, depth
        for k in range(len(fixed.boxes)):
            depth = with_fixed(fixed, k, boxes, i, x, y)[0]
            if depth > tolerance:
                return i, n + k, depth
    return -1, -1, 0.0

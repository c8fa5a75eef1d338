"""Overlap resolution among bodies of any shape: discs and rectangles, which also turn.

``separation`` is the same for discs alone. A rectangle may have its centre anywhere in its
object's frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import hypot, sincos
from sbot_sim.collision.body_contacts import place
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.separation import PASSES, Separation, resolve_step
from sbot_sim.collision.tunnelling import MOST_STEPS, STEP
from sbot_sim.dynamics.motion import wrap_yaw
from sbot_sim.world.bodies import Body
from sbot_sim.world.boxes import characteristic_length

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_ROUNDING = 1e-12  # m, rad; far below what counts as an overlap


class Movers(NamedTuple):
    """Constant properties of N movable bodies."""

    offset: Array  # (N, 3) centre (m) and yaw (rad) of the box in the object's frame
    size: Array  # (N, 3) half width, half height, radius (m)
    around: Array  # (N,) m, radius of the circle around the box
    within: Array  # (N,) m, radius of the circle inside
    pace: Array  # (N,) m, half of it is the longest step
    weight: Array  # (N,) inverse mass, 1/kg; 0: infinitely heavy
    turn: Array  # (N,) how easily pushes turn it, 1/c^2 of ``levers``, 1/m^2; 0: not at all


def make_movers(robots: Sequence[Body], boxes: Sequence[Body] = ()) -> Movers | None:
    """Return robots and boxes with the distance that they keep free; None if all are round robots.

    As among discs alone, two robots share an overlap equally; where there are boxes, all share by
    inverse masses.
    """
    bodies = [*robots, *boxes]
    if not boxes and not any(body.is_rectangle for body in robots):
        return None
    offset, size = np.zeros((len(bodies), 3)), np.zeros((len(bodies), 3))
    around, turn = np.empty(len(bodies)), np.zeros(len(bodies))
    for i, body in enumerate(bodies):
        if body.is_rectangle:
            offset[i, 0] = body.offset
            size[i, 0] = 0.5 * body.length + body.collision_distance
            size[i, 1] = 0.5 * body.width + body.collision_distance
        else:
            size[i, 2] = body.safety_radius
        around[i] = hypot(size[i, 0], size[i, 1]) + size[i, 2]
        if i >= len(robots):
            turn[i] = 1.0 / (characteristic_length(body) * characteristic_length(body))
    within = np.array([body.inner_radius for body in bodies])
    if not boxes:
        return Movers(offset, size, around, within, within, np.ones(len(bodies)), turn)
    # A box must not be pushed farther in a step than its own limit: see ``tunnelling``.
    pace = np.minimum(within, within[len(robots):].min())
    return Movers(offset, size, around, within, pace,
                  np.array([1.0 / body.mass for body in bodies]), turn)


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
        resolve_step(fixed, movers.around, movers.within, boxes_at(movers, pose), movers.weight,
               movers.turn, free, pose, collided, stuck, PASSES)
        for i in range(n):
            reverted[i] |= stuck[i]
    return pose, collided, reverted


@njit
def same(a: Array, b: Array, i: int) -> bool:
    """Tell whether row i of two tables of poses (N, 3) is the same."""
    return bool(a[i, 0] == b[i, 0] and a[i, 1] == b[i, 1] and a[i, 2] == b[i, 2])


@njit
def separate_objects(fixed: FixedObjects, movers: Movers, pose: Array,
                     proposed: Array) -> tuple[Array, Flags, Flags]:
    """Return (poses (N, 3) of the objects, collided, reverted), free of overlaps if ``pose`` is.

    Parameters
    ----------
    fixed, movers : the world
    pose, proposed : (N, 3) where the objects are, and would be without collisions; angles (rad)
        may have any number of turns, but those of ``proposed`` count from those of ``pose``

    """
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


def separate_shapes(fixed: FixedObjects, movers: Movers, previous: Array,
                    proposed: Array) -> Separation:
    """Return the poses of this tick as ``separation.separate``, of robots of any shape.

    Where nothing can be displaced robots go back with their yaw: a rectangle that turns may
    overlap something (docs/errata.md S11).

    Parameters
    ----------
    fixed : the fixed objects, made for radii that are not smaller than ``movers.around``
    movers : the N robots
    previous, proposed : (N, 3) poses of the tick before, free of overlaps, and those where the
        robots would be without collisions

    """
    return Separation(*_separate_shapes(fixed, movers, previous, proposed), 0)


@njit
def _separate_shapes(fixed: FixedObjects, movers: Movers, previous: Array,
                     proposed: Array) -> tuple[Array, Array, Flags, Flags]:
    """Return poses, displacements, collided and reverted of ``separate_shapes``."""
    n, goal = len(proposed), proposed.copy()
    lost, displacement = np.zeros(n, np.bool_), np.empty((n, 2))
    for i in range(n):
        for axis in range(3):
            lost[i] |= not math.isfinite(proposed[i, axis])
        if lost[i]:
            goal[i] = previous[i]
        # The shorter way round, so that steps in between are on it.
        turned = goal[i, 2] - previous[i, 2]
        if turned > math.pi:
            goal[i, 2] -= 2.0 * math.pi
        elif turned < -math.pi:
            goal[i, 2] += 2.0 * math.pi
    pose, collided, reverted = separate_objects(fixed, movers, previous, goal)
    for i in range(n):
        met = lost[i]
        for axis in range(3):
            met |= not abs(pose[i, axis] - goal[i, axis]) < _ROUNDING
        if met:
            pose[i, 2] = wrap_yaw(pose[i, 2])
        else:
            pose[i] = proposed[i]  # bit for bit where nothing was in the way
        for axis in range(2):
            displacement[i, axis] = pose[i, axis] - goal[i, axis]
        reverted[i] |= lost[i]
    return pose, displacement, collided, reverted

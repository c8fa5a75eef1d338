"""Overlap resolution: the "no-intersections" algorithm of document 002 section 5.

A tick's poses are proposed by ``motion.move``; ``separate`` divides long moves into steps
(``tunnelling``), displaces robots that intersect something, and sends back those that could not
be freed (``repositioning``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.spatial import BucketGrid, bounding_box, grid_of_points, grid_shape
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.narrow_phase import Crowd
from sbot_sim.collision.repositioning import resolve_overlaps
from sbot_sim.collision.tunnelling import step_of, steps_needed

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

PASSES = 200  # of displacements, at most, in a tick
_CELLS_PER_ROBOT = 2
_LONGEST_SIDE = 4096


class Separation(NamedTuple):
    """The outcome of one tick for N robots."""

    pose: Array  # (N, 3) x, y (m), yaw (rad); free of overlaps
    displacement: Array  # (N, 2) from the proposed position to ``pose`` (m)
    collided: Flags  # (N,) intersected something
    reverted: Flags  # (N,) could not be freed and went back to the previous position
    passes: int  # how many times robots were displaced


@njit
def resolve_step(fixed: FixedObjects, radius: Array, inner_radius: Array, boxes: Array,
                 weight: Array, turn: Array, previous: Array, pose: Array, collided: Flags,
                 reverted: Flags, passes: int) -> int:
    """Free bodies of overlaps at the end of one step; return the passes made.

    Parameters
    ----------
    fixed : the fixed objects
    radius, inner_radius, boxes, weight, turn : the bodies, see ``Crowd``; ``boxes`` (N, 7) are
        changed
    previous : (N, 3) poses before the step, free of overlaps
    pose : (N, 3) poses proposed; changed
    collided, reverted : (N,) set where a body intersected something, and where it went back
    passes : displacements at most

    """
    n, home = len(radius), pose.copy()
    grid = grid_of_crowd(home, fixed.largest_radius)
    crowd = Crowd(radius, inner_radius, previous, pose, home, grid,
                  np.empty(n, np.bool_), np.empty((n, 4 if len(boxes) > 0 else 2)),
                  np.empty(n, np.int8), reverted, boxes, weight.copy(), turn)
    queue, found = np.empty(n, np.int32), np.empty(n, np.int32)
    if len(boxes) > 0:
        return resolve_overlaps(fixed, crowd, True, collided, passes, n, queue, found)
    return resolve_overlaps(fixed, crowd, None, collided, passes, n, queue, found)


@njit_inner
def grid_of_crowd(home: Array, largest_radius: float) -> BucketGrid:
    """Return the grid of the positions (N, 2) or wider (m) of bodies up to that radius (m)."""
    xmin, ymin, xmax, ymax = bounding_box(home)
    cell = max(2.0 * largest_radius,
               math.sqrt((xmax - xmin) * (ymax - ymin) / (_CELLS_PER_ROBOT * len(home))))
    cell, nx, ny = grid_shape(xmin, ymin, xmax, ymax, cell, _LONGEST_SIDE)
    return grid_of_points(home, cell, xmin, ymin, nx, ny)


@njit
def separate_arrays(fixed: FixedObjects, radius: Array, previous: Array, proposed: Array,
              passes: int) -> tuple[Array, Array, Flags, Flags, int]:
    """Do the work of ``separate`` for one table of fixed objects."""
    n = len(radius)
    goal = proposed.copy()
    displacement = np.zeros((n, 2))
    collided, reverted, lost = np.zeros(n, np.bool_), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    if n == 0:
        return goal, displacement, collided, reverted, 0
    for i in range(n):
        if not math.isfinite(goal[i, 0] + goal[i, 1] + goal[i, 2]):
            lost[i] = True  # a broken command must not spread
            goal[i, 0], goal[i, 1], goal[i, 2] = previous[i, 0], previous[i, 1], previous[i, 2]
    steps, none = steps_needed(0, n, radius, previous, goal), np.empty(0)
    pose, free, stuck, made = goal.copy(), previous, reverted, 0
    for step in range(steps):
        if steps > 1:
            free = previous.copy() if step == 0 else pose.copy()
            stuck = np.zeros(n, np.bool_)
            for i in range(n):
                dx, dy = step_of(radius[i], goal[i, 0] - previous[i, 0],
                                 goal[i, 1] - previous[i, 1], steps)
                pose[i, 0], pose[i, 1] = free[i, 0] + dx, free[i, 1] + dy
        made += resolve_step(fixed, radius, radius, none.reshape(0, 7), none, none, free, pose,
                       collided, stuck, passes)
        for i in range(n):
            reverted[i] |= stuck[i]
    for i in range(n):
        reverted[i] |= lost[i]
        displacement[i, 0] = pose[i, 0] - goal[i, 0]
        displacement[i, 1] = pose[i, 1] - goal[i, 1]
    return pose, displacement, collided, reverted, made


def separate(fixed: FixedObjects, radius: Array, previous: Array, proposed: Array,
             passes: int = PASSES) -> Separation:
    """Return the poses of this tick, free of overlaps deeper than 1e-9 m if ``previous`` is.

    Parameters
    ----------
    fixed : the fixed objects, made for radii that are not smaller
    radius : (N,) m, of the robots' collision circles
    previous : (N, 3) poses of the previous tick, free of overlaps
    proposed : (N, 3) poses where the robots would be without collisions
    passes : displacements, at most, before the rest goes back (of each step, see ``tunnelling``)

    Returns
    -------
    Separation; no argument is changed. A robot whose proposed pose is not finite stays where it
    was.

    """
    return Separation(*separate_arrays(fixed, radius, previous, proposed, passes))

"""The "no-intersections" algorithm of document 002 section 5: after it, nobody overlaps anything.

A tick's poses are proposed by ``motion.move``; ``separate`` walks long paths around what is in the
way (``tunnelling``), displaces whoever intersects something (``repositioning``), and sends back
whoever could not be freed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit
from sbot_sim.bodies import BodyArrays
from sbot_sim.fixed_objects import FixedObjects, fixed_objects
from sbot_sim.grid import grid_of_points, grid_shape
from sbot_sim.repositioning import Crowd, reposition, retreat
from sbot_sim.tunnelling import walk
from sbot_sim.world import World

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

PASSES = 50  # of displacements, at most, in a tick
# Displacements aim below the 1e-9 m that counts as an overlap, so that rounding never decides.
_DISPLACE = 1e-10  # m
_RETREAT = 5e-10  # m
_CELLS_PER_ROBOT = 2
_LONGEST_SIDE = 4096


class Separation(NamedTuple):
    """The outcome of one tick for N robots."""

    pose: Array  # (N, 3) x, y (m), yaw (rad); free of overlaps
    displacement: Array  # (N, 2) from the proposed position to ``pose`` (m)
    collided: Flags  # (N,) intersected something on the way
    reverted: Flags  # (N,) went back to the previous pose
    passes: int  # how many times the robots were displaced


@njit
def _separate(fixed: FixedObjects, radius: Array, previous: Array, proposed: Array,
              passes: int) -> tuple[Array, Array, Flags, Flags, int]:
    """Do the work of ``separate`` for one table of fixed objects."""
    n = proposed.shape[0]
    pose = proposed.copy()
    anchor = np.empty((n, 2))
    home = np.empty((n, 2))
    collided = np.zeros(n, np.bool_)
    reverted = np.zeros(n, np.bool_)
    displacement = np.zeros((n, 2))
    if n == 0:
        return pose, displacement, collided, reverted, 0
    xmin, ymin, xmax, ymax = math.inf, math.inf, -math.inf, -math.inf
    for i in range(n):
        if not (math.isfinite(pose[i, 0]) and math.isfinite(pose[i, 1])
                and math.isfinite(pose[i, 2])):
            # A broken command must not spread.
            pose[i, 0], pose[i, 1], pose[i, 2] = previous[i, 0], previous[i, 1], previous[i, 2]
            reverted[i] = True
        goal_x, goal_y = pose[i, 0], pose[i, 1]
        ax, ay, x, y = walk(fixed, previous[i, 0], previous[i, 1], goal_x, goal_y, radius[i],
                            _DISPLACE)
        anchor[i, 0], anchor[i, 1] = ax, ay
        pose[i, 0], pose[i, 1] = x, y
        home[i, 0], home[i, 1] = x, y
        xmin, xmax = min(xmin, x), max(xmax, x)
        ymin, ymax = min(ymin, y), max(ymax, y)
    cell = max(2.0 * fixed.largest_radius,
               math.sqrt((xmax - xmin) * (ymax - ymin) / (_CELLS_PER_ROBOT * n)))
    cell, nx, ny = grid_shape(xmin, ymin, xmax, ymax, cell, _LONGEST_SIDE)
    grid = grid_of_points(home, cell, xmin, ymin, nx, ny)

    queue = np.arange(n).astype(np.int32)
    crowd = Crowd(radius, previous, anchor, home, pose, np.ones(n, np.bool_), np.empty((n, 2)),
                  grid)
    made, count, drift, queue = reposition(fixed, crowd, collided, queue, n, passes, _DISPLACE)
    if count > 0:
        retreat(fixed, crowd, reverted, queue, count, drift, _RETREAT)
    for i in range(n):
        if math.isfinite(proposed[i, 0]) and math.isfinite(proposed[i, 1]):
            displacement[i, 0] = pose[i, 0] - proposed[i, 0]
            displacement[i, 1] = pose[i, 1] - proposed[i, 1]
            if displacement[i, 0] != 0.0 or displacement[i, 1] != 0.0:
                collided[i] = True
    return pose, displacement, collided, reverted, made


def separate(world: World, bodies: BodyArrays, previous: Array, proposed: Array,
             fixed: FixedObjects | None = None, passes: int = PASSES) -> Separation:
    """Return the poses of this tick, free of overlaps deeper than 1e-9 m if ``previous`` is.

    Parameters
    ----------
    world : the fixed objects
    bodies : of N robots; a robot is its collision circle
    previous : (N, 3) poses of the previous tick, free of overlaps
    proposed : (N, 3) poses where the robots would be without collisions
    fixed : ``fixed_objects(world, bodies)``, kept from tick to tick; built here when not given
    passes : displacements of everybody, at most, before the rest goes back

    Returns
    -------
    Separation; no argument is changed. A robot whose proposed pose is not finite stays where it
    was.

    """
    if fixed is None:
        fixed = fixed_objects(world, bodies)
    return Separation(*_separate(fixed, bodies.safety_radius, previous, proposed, passes))

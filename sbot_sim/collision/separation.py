# SPDX-License-Identifier: Apache-2.0
"""Overlap resolution: the "no-intersections" algorithm of document 002 section 5.

A tick's poses are proposed by ``motion.move``; ``separate`` divides long moves into steps
(``repositioning``), displaces bodies that intersect something, and sends back those that could not
be freed (``repositioning``). There is one driver, ``free_of_overlaps``, for discs and for bodies
of any shape: what is for shapes is not even compiled where all are discs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Flags, Floats, Integers32
from sbot_common.compiled.jit import by_address, njit, njit_inline, njit_inner
from sbot_common.elementary.arrays import copy_numbers, copy_rows
from sbot_common.spatial import BucketGrid, bounding_box, grid_of_points, grid_shape
from sbot_sim.collision.detection import Crowd, Places
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.repositioning import resolve_overlaps, share_of_way, steps_needed
from sbot_sim.dynamics.motion import wrap_yaw
from sbot_sim.world.bodies import Shapes, body_of, boxes_at, centres

PASSES = 200  # of displacements, at most, in a tick
FEW = 16  # up to so many bodies it is quicker to look at all than to sort them into cells
_CELLS_PER_BODY = 2
_LONGEST_SIDE = 4096
_ROUNDING = 1e-12  # m, rad; far below what counts as an overlap


class Separation(NamedTuple):
    """The outcome of one tick for N bodies."""

    pose: Floats  # (N, 3) x, y (m), yaw (rad); free of overlaps
    displacement: Floats  # (N, 2) from the proposed position to ``pose`` (m)
    collided: Flags  # (N,) intersected something
    reverted: Flags  # (N,) could not be freed and went back to the previous position
    passes: int  # how many times bodies were displaced


@by_address
class Scratch(NamedTuple):
    """Room for the collisions of N bodies; nothing is kept in it from tick to tick."""

    home: Floats  # (N, 3) see ``Crowd``, as all that follow
    shift: Floats  # (N, 2), or (N, 4) where there are shapes
    queued: Flags  # (N,)
    retreats: NDArray[np.int8]  # (N,)
    stuck: Flags  # (N,) reverted in this step
    queue: Integers32  # (N,)
    found: Integers32  # (N,)
    row: Integers32  # (N,) 0, 1, 2 …
    ends: Integers32  # (2,) 0 and N
    place: Places  # (N,) each


@njit
def make_scratch(n: int, columns: int, worlds: int = 1) -> Scratch:
    """Return the room for ``worlds`` of n bodies.

    Their shifts have 2 ``columns``, or 4 where there are shapes.
    """
    rows, ends = worlds * n, np.zeros(2, np.int32)
    ends[1] = n
    return Scratch(np.empty((rows, 3)), np.empty((rows, columns)), np.empty(rows, np.bool_),
                   np.empty(rows, np.int8), np.empty(rows, np.bool_), np.empty(rows, np.int32),
                   np.empty(rows, np.int32), np.arange(rows).astype(np.int32), ends,
                   Places(np.empty(rows), np.empty(rows), np.empty(rows)))


@njit_inner
def scratch_of(scratch: Scratch, rows: slice) -> Scratch:
    """Return the rows of one of several worlds of N bodies."""
    return Scratch(scratch.home[rows], scratch.shift[rows], scratch.queued[rows],
                   scratch.retreats[rows], scratch.stuck[rows], scratch.queue[rows],
                   scratch.found[rows], scratch.row, scratch.ends,
                   Places(scratch.place.x[rows], scratch.place.y[rows],
                          scratch.place.radius[rows]))


@njit_inner
def shape_of_crowd(home: Floats, largest_radius: float) -> tuple[float, float, float, int, int]:
    """Return (cell, x0, y0, nx, ny) of the grid of bodies at (N, 2) or wider (m).

    ``largest_radius`` (m) of the bodies.
    """
    xmin, ymin, xmax, ymax = bounding_box(home)
    cell = max(2.0 * largest_radius,
               math.sqrt((xmax - xmin) * (ymax - ymin) / (_CELLS_PER_BODY * len(home))))
    cell, nx, ny = grid_shape(xmin, ymin, xmax, ymax, cell, _LONGEST_SIDE)
    return cell, xmin, ymin, nx, ny


def most_cells(bodies: int) -> int:
    """Return how many cells such a grid has at most."""
    return (_CELLS_PER_BODY * bodies + 2 * _LONGEST_SIDE + 1) if bodies else 0


@njit_inline
def discs_of_crowd(radius: Floats, previous: Floats, pose: Floats, grid: BucketGrid,
                   scratch: Scratch) -> Crowd:
    """Return the crowd of bodies that are all discs of equal mass."""
    home = scratch.home
    return Crowd(radius, radius, previous, pose, home, grid, scratch.queued, scratch.shift,
                 scratch.retreats, scratch.stuck, home[:0], radius[:0], radius[:0])


@njit_inline
def free_of_overlaps(fixed: FixedObjects, radius: Floats, shapes: Shapes | None, previous: Floats,
                     pose: Floats, scratch: Scratch, collided: Flags, reverted: Flags,
                     passes: int) -> int:
    """Free bodies of overlaps: ``pose`` is where they would be, and then where they are.

    Parameters
    ----------
    fixed : the fixed objects
    radius : (N,) m, of the circle around each body
    shapes : of the bodies; None: all are discs
    previous : (N, 3) poses of the shapes' centres before the tick, free of overlaps
    pose : (N, 3) changed
    scratch : room to work in
    collided, reverted : (N,) set where a body intersected something, and where it went back
    passes : displacements at most, in each step

    Returns
    -------
    How many passes displaced bodies. A body whose pose is not finite stays where it was.

    """
    n, made, home, stuck = len(radius), 0, scratch.home, scratch.stuck
    # Without rows, and without asking for memory.
    inner, boxes, weight, turn = radius, home[:0], radius[:0], radius[:0]
    if shapes is not None:
        inner, turn = shapes.inner_radius, shapes.turn
    for i in range(n):
        collided[i], reverted[i] = False, not math.isfinite(pose[i, 0] + pose[i, 1] + pose[i, 2])
        if reverted[i]:  # a broken command must not spread
            copy_numbers(previous[i], pose[i])
        for c in range(3):
            home[i, c] = pose[i, c]
    steps, free, goal = steps_needed(radius, shapes, previous, pose), previous, home
    if steps > 1:  # rare
        free, goal = previous.copy(), pose.copy()
    grid = BucketGrid(0.0, 0.0, 1.0, 1, 1, scratch.ends, scratch.row)  # one cell with all
    for step in range(steps):
        if steps > 1:
            if step > 0:
                copy_rows(pose, free)
            for i in range(n):
                share = share_of_way(i, steps, radius, shapes, previous, goal)
                for c in range(2 if shapes is None else 3):
                    pose[i, c] = free[i, c] + share * (goal[i, c] - previous[i, c])
            copy_rows(pose, home)
        if n > FEW:
            cell, x0, y0, nx, ny = shape_of_crowd(home, fixed.largest_radius)
            grid = grid_of_points(home, cell, x0, y0, nx, ny)
        stuck[:] = False
        if shapes is not None:
            boxes, weight = boxes_at(shapes, pose), shapes.inverse_mass.copy()
        crowd = Crowd(radius, inner, free, pose, home, grid, scratch.queued, scratch.shift,
                      scratch.retreats, stuck, boxes, weight, turn)
        made += resolve_overlaps(fixed, crowd, None if shapes is None else True, collided, passes,
                                 scratch.place, scratch.queue, scratch.found)
        for i in range(n):
            reverted[i] |= stuck[i]
    return made


@njit
def _separate_discs(fixed: FixedObjects, radius: Floats, previous: Floats, proposed: Floats,
                    passes: int) -> tuple[Floats, Floats, Flags, Flags, int]:
    """Return the fields of ``Separation`` of discs."""
    n, pose = len(radius), proposed.copy()
    collided, reverted, made = np.empty(n, np.bool_), np.empty(n, np.bool_), 0
    if n > 0:
        made = free_of_overlaps(fixed, radius, None, previous, pose, make_scratch(n, 2), collided,
                                reverted, passes)
    return pose, displacements(previous, proposed, pose), collided, reverted, made


@njit_inner
def displacements(previous: Floats, proposed: Floats, pose: Floats) -> Floats:
    """Return the way (N, 2) m to ``pose`` from where bodies would be, or if lost have been."""
    out = np.empty((len(pose), 2))
    for i in range(len(pose)):
        lost = not math.isfinite(proposed[i, 0] + proposed[i, 1] + proposed[i, 2])
        for c in range(2):
            out[i, c] = pose[i, c] - (previous[i, c] if lost else proposed[i, c])
    return out


@njit_inner
def separate_bodies(fixed: FixedObjects, shapes: Shapes, previous: Floats, proposed: Floats,
                    passes: int) -> tuple[Floats, Flags, Flags, int]:
    """Return (poses (N, 3), collided, reverted, passes), free of overlaps if ``previous`` is.

    Parameters
    ----------
    fixed, shapes : the world
    previous, proposed : (N, 3) where the bodies are, and would be without collisions; angles (rad)
        may have any number of turns, but those of ``proposed`` count from those of ``previous``
    passes : as in ``separate``

    """
    n, before, pose = len(proposed), centres(shapes, previous), centres(shapes, proposed)
    collided, reverted = np.empty(n, np.bool_), np.empty(n, np.bool_)
    if n == 0:
        return pose, collided, reverted, 0
    goal = pose.copy()
    made = free_of_overlaps(fixed, shapes.outer_radius, shapes, before, pose, make_scratch(n, 4),
                            collided, reverted, passes)
    for i in range(n):
        # To the bit where nothing happened, or everything was undone.
        if _same(pose, goal, i):
            copy_numbers(proposed[i], pose[i])
        elif _same(pose, before, i):
            copy_numbers(previous[i], pose[i])
        else:
            angle = pose[i, 2] - shapes.offset[i, 2]
            if pose[i, 2] == goal[i, 2]:
                angle = proposed[i, 2]
            elif pose[i, 2] == before[i, 2]:
                angle = previous[i, 2]
            pose[i, 0], pose[i, 1] = body_of(pose[i, 0], pose[i, 1], angle, shapes.offset[i])
            pose[i, 2] = angle
    return pose, collided, reverted, made


@njit_inner
def _same(a: Floats, b: Floats, i: int) -> bool:
    """Tell whether row i of two tables of poses (N, 3) is the same."""
    return bool(a[i, 0] == b[i, 0] and a[i, 1] == b[i, 1] and a[i, 2] == b[i, 2])


@njit_inner
def separate_shapes(fixed: FixedObjects, shapes: Shapes, previous: Floats, proposed: Floats,
                    passes: int) -> tuple[Floats, Flags, Flags, int]:
    """Return (poses, collided, reverted, passes) of ``separate``; yaws are in [-pi, pi).

    Where nothing can be displaced bodies go back with their yaw: a rectangle that turns may
    overlap something (docs/errata.md S11).
    """
    n, goal, lost = len(proposed), proposed.copy(), np.empty(len(proposed), np.bool_)
    for i in range(n):
        lost[i] = not math.isfinite(goal[i, 0] + goal[i, 1] + goal[i, 2])
        if lost[i]:
            copy_numbers(previous[i], goal[i])
        # The shorter way round, so that steps in between are on it.
        turned = goal[i, 2] - previous[i, 2]
        if turned > math.pi:
            goal[i, 2] -= 2.0 * math.pi
        elif turned < -math.pi:
            goal[i, 2] += 2.0 * math.pi
    pose, collided, reverted, made = separate_bodies(fixed, shapes, previous, goal,
                                                     passes)
    for i in range(n):
        met = lost[i]
        for axis in range(3):
            met |= not abs(pose[i, axis] - goal[i, axis]) < _ROUNDING
        if met:
            pose[i, 2] = wrap_yaw(pose[i, 2])
        else:
            copy_numbers(proposed[i], pose[i])  # bit for bit where nothing was in the way
        reverted[i] |= lost[i]
    return pose, collided, reverted, made


@njit
def _separate_any(fixed: FixedObjects, shapes: Shapes, previous: Floats, proposed: Floats,
                  passes: int) -> tuple[Floats, Floats, Flags, Flags, int]:
    """Return the fields of ``Separation`` of bodies of any shape."""
    pose, collided, reverted, made = separate_shapes(fixed, shapes, previous, proposed, passes)
    return pose, displacements(previous, proposed, pose), collided, reverted, made


def separate(fixed: FixedObjects, shapes: Shapes | Floats, previous: Floats, proposed: Floats,
             passes: int = PASSES) -> Separation:
    """Return the poses of this tick, free of overlaps deeper than 1e-9 m if ``previous`` is.

    Parameters
    ----------
    fixed : the fixed objects, made for radii that are not smaller than those of the bodies
    shapes : of N bodies; of discs that share overlaps equally perhaps their radii (N,) m alone
    previous : (N, 3) poses of the previous tick, free of overlaps
    proposed : (N, 3) poses where the bodies would be without collisions
    passes : displacements, at most, before the rest goes back (of each substep)

    Returns
    -------
    Separation; no argument is changed. A body whose proposed pose is not finite stays where it
    was.

    """
    if isinstance(shapes, Shapes) and shapes.equal_discs:
        shapes = shapes.outer_radius
    if isinstance(shapes, Shapes):
        return Separation(*_separate_any(fixed, shapes, previous, proposed, passes))
    return Separation(*_separate_discs(fixed, shapes, previous, proposed, passes))

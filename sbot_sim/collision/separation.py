# SPDX-License-Identifier: Apache-2.0
"""Overlap resolution: the "no-intersections" algorithm of document 002 section 5.

A tick's poses are proposed by ``motion.move``; ``separate`` divides long moves into steps
against tunnelling, displaces bodies that intersect something, and sends back those that could not
be freed (re-positioning, section 5.2). There is one driver, ``free_of_overlaps``, for discs and
for bodies of any shape: what is for shapes is not even compiled where all are discs.

All robots are displaced at once, from positions that nobody changes meanwhile. A pass looks only
at the robots that were displaced in the pass before, and at those they meet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sbot_common.arrays import Flags, Floats, Integers32
from sbot_common.compiled.jit import borrowed, njit, njit_inline, njit_inner
from sbot_common.elementary import copy_numbers, copy_rows, hypot
from sbot_common.spatial import BucketGrid, grid_of_points
from sbot_sim.collision.detection import (
    FEW,
    Crowd,
    Places,
    Scratch,
    fill_places,
    find_intersecting,
    make_scratch,
    shape_of_crowd,
    touching,
)
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.dynamics.motion import wrap_yaw
from sbot_sim.world.bodies import Shapes, body_of, boxes_at, centres, place, share_equally

PASSES = 200  # of displacements, at most, in a tick
_ROUNDING = 1e-12  # m, rad; far below what counts as an overlap


# Continuous collision detection: substeps that prevent tunnelling of fast robots.
#
# The rule behind it: where a disc is free, every object is at least its radius away from its
# centre. So a straight move shorter than the radius cannot bring the centre to the far side of
# anything, and pushing the disc away from what it overlaps then leads back to the side it came
# from. A tick with longer moves is divided into steps of at most half a radius, each of which ends
# free; the other half is left for the displacements of that step.

STEP = 0.5  # of the radius: how far a robot goes in a step; displacements may take the rest
MAX_DISPLACEMENT = 0.999  # of the radius: how far a step may end from where it began
MOST_STEPS = 1000  # in a tick; a robot that needs more stops short, after 500 of its radii


@njit_inner
def _way(shapes: Shapes, i: int, previous: Floats, goal: Floats) -> float:
    """Return how far (m) at most a point of body ``i`` goes, from pose to pose (N, 3)."""
    straight = hypot(goal[i, 0] - previous[i, 0], goal[i, 1] - previous[i, 1])
    turn: float = abs(goal[i, 2] - previous[i, 2])
    return straight + turn * hypot(shapes.size[i, 0], shapes.size[i, 1])


@njit_inner
def steps_needed(radius: Floats, shapes: Shapes | None, previous: Floats, goal: Floats) -> int:
    """Return into how many steps a tick from ``previous`` to ``goal`` (N, 3) is divided.

    ``radius`` (N,) is that of the bodies, discs where ``shapes`` is None.
    """
    most = 0.0
    if shapes is not None:
        for i in range(len(radius)):
            share = _way(shapes, i, previous, goal) / shapes.step_radius[i]
            most = share if share > most else most  # who is not there does not count
        return max(1, math.ceil(min(most / STEP, float(MOST_STEPS))))
    for i in range(len(radius)):
        dx, dy = goal[i, 0] - previous[i, 0], goal[i, 1] - previous[i, 1]
        square = (dx * dx + dy * dy) / (radius[i] * radius[i])
        most = square if square > most else most
    if not most > STEP * STEP:
        return 1
    return math.ceil(min(math.sqrt(most) / STEP, float(MOST_STEPS)))


@njit_inner
def _share_of_way(i: int, steps: int, radius: Floats, shapes: Shapes | None, previous: Floats,
                 goal: Floats) -> float:
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
def _limited_displacement(x: float, y: float, from_x: float, from_y: float,
                          radius: float) -> tuple[float, float]:
    """Return (x, y) (m), drawn back to where a straight line from ``from`` crosses no wall."""
    dx, dy = x - from_x, y - from_y
    square, most = dx * dx + dy * dy, MAX_DISPLACEMENT * radius
    if square <= most * most:
        return x, y
    scale = most / math.sqrt(square)
    return from_x + dx * scale, from_y + dy * scale


# Displacements aim below the 1e-9 m that counts as an overlap, so that rounding never decides.
DISPLACED_ABOVE = 1e-10  # m
REVERTED_ABOVE = 5e-10  # m
# Two robots and a wall halve their overlaps from pass to pass and would never end. So the first
# passes displace by the overlaps, as the document does, and the following ones by a little more: a
# share of the radius that doubles from pass to pass.
PLAIN_PASSES = 4
FIRST_MARGIN = 2.0 ** -16
LAST_MARGIN = 2.0 ** -6
RETREATS = 4  # the last one is all the way
# A light box between a heavy robot and a wall would take nearly all of their overlap in each pass.
# So each pass that finds it in a wall makes its inverse mass less for the rest of the step.
HELD = 0.5


@njit_inner
def shift_robot(crowd: Crowd, shapes: bool | None, k: int, collided: Flags) -> float:
    """Move who is at place ``k`` by its shift; return how far it is from home, squared (m^2)."""
    pose, previous, home, i = crowd.pose, crowd.previous, crowd.home, crowd.grid.items[k]
    collided[i] = True
    x, y = _limited_displacement(
        crowd.places.x[k] + crowd.shift[k, 0], crowd.places.y[k] + crowd.shift[k, 1],
        previous[i, 0], previous[i, 1], crowd.inner_radius[i])
    # Before ``pose`` is written: its rows lie where those of ``home`` do in pages of memory, and a
    # load that follows would wait for the store, six times as long as all else here takes.
    dx, dy = x - float(home[i, 0]), y - float(home[i, 1])
    _put(crowd, k, x, y)
    if shapes is not None:
        crowd.boxes[i, 0], crowd.boxes[i, 1] = x, y
        if crowd.turn[i] > 0.0:
            # No corner goes farther than the centre may.
            way = hypot(x - previous[i, 0], y - previous[i, 1])
            most = (max(0.0, MAX_DISPLACEMENT * crowd.inner_radius[i] - way)
                    / crowd.places.radius[k])
            turned = pose[i, 2] + crowd.shift[k, 2] - previous[i, 2]
            pose[i, 2] = previous[i, 2] + min(max(turned, -most), most)
            place(crowd.boxes, i, x, y, pose[i, 2])
            if crowd.shift[k, 3] > DISPLACED_ABOVE:
                crowd.weight[i] *= HELD
    return dx * dx + dy * dy


@njit_inline
def _put(crowd: Crowd, k: int, x: float, y: float) -> None:
    """Put who is at place ``k`` to another position (m)."""
    i = crowd.grid.items[k]
    crowd.pose[i, 0] = crowd.places.x[k] = x
    crowd.pose[i, 1] = crowd.places.y[k] = y


@njit_inner
def _send_back(crowd: Crowd, shapes: bool | None, found: Integers32, hits: int,
               drift: float) -> float:
    """Send those at ``found[:hits]`` towards their previous positions; return the drift (m).

    A robot goes half of the way, and the fourth time all of it: then it is reverted. Among discs
    its yaw stays: a disc that turns intersects nothing, and a robot in a jam must be able to turn
    away. In a crowd of any shapes the yaw goes back too (docs/errata.md F4). The drift is how far
    at most a robot is from where the grid has it, if it was ``drift`` before.
    """
    pose, previous, home = crowd.pose, crowd.previous, crowd.home
    for n in range(hits):
        k = found[n]
        i = crowd.grid.items[k]
        crowd.retreats[k] += 1
        x, y = previous[i, 0], previous[i, 1]
        if crowd.retreats[k] == RETREATS:
            crowd.reverted[i] = True
        else:
            x, y = 0.5 * (pose[i, 0] + x), 0.5 * (pose[i, 1] + y)
        _put(crowd, k, x, y)
        if shapes is not None:
            part = 1.0 if crowd.reverted[i] else 0.5
            pose[i, 2] = part * previous[i, 2] + (1.0 - part) * pose[i, 2]
            place(crowd.boxes, i, x, y, pose[i, 2])
        drift = max(drift, hypot(x - home[i, 0], y - home[i, 1]))
    return drift


@njit_inline
def _resolve_overlaps(fixed: FixedObjects, crowd: Crowd, shapes: bool | None, collided: Flags,
                      passes: int, queue: Integers32, found: Integers32) -> int:
    """Displace robots until none intersects anything; after the last pass send back the rest.

    Everybody at their previous positions is free, so this ends. All robots of a pass move
    together, which makes the outcome independent of their numbering.

    Parameters
    ----------
    fixed, crowd : the world; ``crowd.pose`` and ``crowd.reverted`` are changed
    shapes : as in ``find_intersecting``
    collided : (N,) is set where a robot intersected something
    passes : how many displacements of everybody at most
    queue, found : (N,) room to work in

    Returns
    -------
    How many passes displaced robots.

    """
    fixed, crowd = borrowed(fixed), borrowed(crowd)
    made, _ = displace(fixed, crowd, shapes, collided, passes, queue, found,
                       touching(fixed, crowd, borrowed(queue)), 0, 0.0)
    return made


@njit_inline
def displace(fixed: FixedObjects, crowd: Crowd, shapes: bool | None, collided: Flags, passes: int,
             queue: Integers32, found: Integers32, count: int, made: int,
             drift: float) -> tuple[int, float]:
    """Do what ``_resolve_overlaps`` does once ``queue[:count]`` has those that touch anything.

    ``made`` passes, less than ``PLAIN_PASSES``, came before; nobody is farther than ``drift`` (m)
    from where the grid has him. Returns both as they are then.
    """
    margin, tolerance = 0.0, DISPLACED_ABOVE
    while count > 0:
        if made == passes:
            margin, tolerance = 0.0, REVERTED_ABOVE
        count = find_intersecting(fixed, crowd, shapes, queue, count, drift, tolerance, margin,
                                  found)
        if made < passes and count > 0:
            square = 0.0
            for k in range(count):
                square = max(square, shift_robot(crowd, shapes, found[k], collided))
            drift = max(drift, math.sqrt(square))
            made += 1
            if made >= PLAIN_PASSES:
                margin = FIRST_MARGIN if made == PLAIN_PASSES else min(2.0 * margin, LAST_MARGIN)
        elif count > 0:
            drift = _send_back(crowd, shapes, found, count, drift)
        for k in range(count):
            crowd.queued[found[k]] = True
        queue, found = found, queue
    return made, drift


class _Separation(NamedTuple):
    """The outcome of one tick for N bodies."""

    pose: Floats  # (N, 3) x, y (m), yaw (rad); free of overlaps
    collided: Flags  # (N,) intersected something
    reverted: Flags  # (N,) could not be freed and went back to the previous position
    passes: int  # how many times bodies were displaced


@njit_inline
def discs_of_crowd(places: Places, radius: Floats, previous: Floats, pose: Floats, home: Floats,
                   grid: BucketGrid, scratch: Scratch) -> Crowd:
    """Return the crowd of bodies that are all discs of equal mass."""
    return Crowd(places, radius, previous, pose, home, grid, scratch.queued, scratch.shift,
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
                share = _share_of_way(i, steps, radius, shapes, previous, goal)
                for c in range(2 if shapes is None else 3):
                    pose[i, c] = free[i, c] + share * (goal[i, c] - previous[i, c])
            copy_rows(pose, home)
        if n > FEW:
            cell, x0, y0, nx, ny = shape_of_crowd(home, fixed.largest_radius)
            grid = grid_of_points(home, cell, x0, y0, nx, ny)
        stuck[:] = False
        if shapes is not None:
            boxes, weight = boxes_at(shapes, pose), shapes.inverse_mass.copy()
        crowd = Crowd(scratch.place, inner, free, pose, home, grid, scratch.queued, scratch.shift,
                      scratch.retreats, stuck, boxes, weight, turn)
        fill_places(crowd, radius, 0, n)
        made += _resolve_overlaps(fixed, crowd, None if shapes is None else True, collided, passes,
                                  scratch.queue, scratch.found)
        for i in range(n):
            reverted[i] |= stuck[i]
    return made


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
def _separate_shapes(fixed: FixedObjects, shapes: Shapes, previous: Floats, proposed: Floats,
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
def separate(fixed: FixedObjects, shapes: Shapes, previous: Floats, proposed: Floats,
             passes: int = PASSES, shaped: bool | None = True) -> _Separation:
    """Return the poses of this tick, free of overlaps deeper than 1e-9 m if ``previous`` is.

    A world of discs that share equally is computed as in a batch of such worlds, to the bit.

    Parameters
    ----------
    fixed : the fixed objects, made for radii that are not smaller than those of the bodies
    shapes : of N bodies
    previous : (N, 3) poses of the previous tick, free of overlaps
    proposed : (N, 3) poses where the bodies would be without collisions
    passes : displacements, at most, before the rest goes back (of each substep)
    shaped : None: all are discs, and what is for other shapes is not even compiled; else True

    Returns
    -------
    Separation; no argument is changed. A body whose proposed pose is not finite stays where it
    was.

    """
    if shaped is not None and not share_equally(shapes):
        return _Separation(*_separate_shapes(fixed, shapes, previous, proposed, passes))
    n, pose = len(proposed), proposed.copy()
    collided, reverted = np.empty(n, np.bool_), np.empty(n, np.bool_)
    made = free_of_overlaps(fixed, shapes.outer_radius, None, previous, pose, make_scratch(n, 2),
                            collided, reverted, passes)
    return _Separation(pose, collided, reverted, made)

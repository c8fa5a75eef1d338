# SPDX-License-Identifier: Apache-2.0
"""Motion and collisions of a block of worlds, also of bodies of any shape.

What is computed of each robot alone is computed of all rows in one loop; what is between robots,
or between a robot and its world, world by world.
"""

from __future__ import annotations

import math

import numpy as np

from sbot_common.arrays import Flags, Floats, Integers32
from sbot_common.compiled.jit import borrowed, intrinsic, njit_inline, njit_inner
from sbot_common.elementary import copy_numbers, copy_rows
from sbot_common.spatial import BucketGrid
from sbot_sim.collision.detection import (
    FEW,
    QUANTUM,
    Crowd,
    Places,
    Scratch,
    fill_places,
    find_shift,
    list_marked,
    mark_touching,
    scratch_of,
    shape_of_crowd,
    touches,
)
from sbot_sim.collision.fixed_objects import FixedObjects, with_discs
from sbot_sim.collision.overlap import TOLERANCE
from sbot_sim.collision.separation import (
    DISPLACED_ABOVE,
    PASSES,
    STEP,
    discs_of_crowd,
    displace,
    free_of_overlaps,
    separate,
    shift_robot,
    steps_needed,
)
from sbot_sim.collision.shape_overlap import corners_at, disc_depth
from sbot_sim.dynamics.inertia import (
    Inertia,
    Momentum,
    follow,
    impulse_of,
    impulse_velocity,
)
from sbot_sim.dynamics.inertia import sum_impulses as total_impulses
from sbot_sim.dynamics.motion import BLOCK, achieved_twists, carried_speeds, drive, move
from sbot_sim.world.bodies import Shapes, drives_of, shapes_of
from sbot_sim.world.moving import disc_positions
from sbot_sim.world.scene import discs_of, is_shaped, number_places, sort_places
from sbot_sim.worlds.air import force_of
from sbot_sim.worlds.state import Batch, Phase, fixed_of, only_cell, shared
from wind_model.wake import advertised_millimetres

_atomic_raise = intrinsic('atomic_raise')


@shared
def gain_speed(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Let robots with inertia follow their commands (``dynamics.inertia``); before all others."""
    setting, worlds = batch.setting, batch.worlds
    n, inertia, momentum = setting.robots, setting.inertia, worlds.momentum
    for k in range(first, end):
        i, j = max(a, k * n), min(z, (k + 1) * n)
        follow(drives_of(setting.bodies, i, j),
               Inertia(inertia.acceleration[i:j], inertia.deceleration[i:j], inertia.angular[i:j],
                       inertia.speed[i:j], inertia.turn[i:j],
                       inertia.delay[i:j], inertia.limited[i:j]),
               Momentum(momentum.twist[i:j], momentum.asked[i:j]), worlds.command[i:j],
               worlds.tick[k], setting.dt, worlds.driven[i:j])


@shared
def propose(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Move the robots, collisions aside: document 002 section 4, and last tick's impulses."""
    setting, worlds = batch.setting, batch.worlds
    for i in range(a, z, BLOCK):
        j = min(z, i + BLOCK)
        drives = drives_of(setting.bodies, i, j)
        proposed = move(drives, worlds.pose[i:j], drive(drives, worlds.driven[i:j]),
                        worlds.impulse_velocity[i:j], setting.dt)
        for row in range(i, j):
            for c in range(3):
                worlds.previous[row, c] = worlds.pose[row, c]
                worlds.pose[row, c] = proposed[row - i, c]


@shared
def sum_impulses(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Sum this tick's impulses, which move the robots in the next: wind, drive and forces.

    Document 000 section 4.1. After ``propose``, which needs those of the last tick.
    """
    setting, worlds = batch.setting, batch.worlds
    n, dt, mass, others = setting.robots, setting.dt, setting.bodies.mass, 0
    for row in range(a, z):
        others += setting.bodies.drive[row] != 0
    if others == 0:  # nobody's speed is an impulse: without asking for memory
        for k in range(first, end):
            pushes = force_of(setting, worlds, k)
            for row in range(max(a, k * n), min(z, (k + 1) * n)):
                for c in range(2):
                    worlds.impulse_velocity[row, c] = impulse_of(
                        mass[row], worlds.wind[row, c], pushes[c], 0.0, 0.0, dt) / mass[row]
        return
    drives, force = drives_of(setting.bodies, a, z), np.empty((z - a, 2))
    for k in range(first, end):
        x, y = force_of(setting, worlds, k)
        for row in range(max(a, k * n), min(z, (k + 1) * n)):
            force[row - a, 0], force[row - a, 1] = x, y
    speed = carried_speeds(drives, drive(drives, worlds.driven[a:z]))
    impulse = total_impulses(drives.mass, worlds.wind[a:z], force, speed,
                             worlds.previous[a:z, 2].copy(), dt)
    copy_rows(impulse_velocity(impulse, drives.mass), worlds.impulse_velocity[a:z])


@Phase
def end_tick(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Go one tick on; after ``propose`` and collisions."""
    for k in range(first, end):
        batch.worlds.tick[k] += 1


@shared
def broadcast(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Update the bytes that robots broadcast, if any robot listens."""
    setting, worlds = batch.setting, batch.worlds
    copy_rows(worlds.rab_next[a:z], worlds.rab_data[a:z])
    copy_numbers(advertised_millimetres(setting.bodies.radius[a:z]), worlds.rab_data[a:z, 0])


@shared
def update_twists(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Compute the motion of the robots; after collisions."""
    setting, worlds = batch.setting, batch.worlds
    copy_rows(achieved_twists(worlds.previous[a:z], worlds.pose[a:z], setting.dt),
              worlds.twist[a:z])


@njit_inline
def _begin_collisions(batch: Batch, row: int) -> bool:
    """Let a robot have met nobody; tell whether it may need several steps, or has no place."""
    worlds, most = batch.worlds, STEP * batch.setting.bodies.shape.outer_radius[row]
    x, y = worlds.pose[row, 0], worlds.pose[row, 1]
    dx, dy = x - worlds.previous[row, 0], y - worlds.previous[row, 1]
    lost = not math.isfinite(x + y + worlds.pose[row, 2])
    worlds.collided[row], worlds.reverted[row] = False, lost
    return lost or dx * dx + dy * dy > most * most


@njit_inner
def _set_places(a: int, z: int, batch: Batch) -> bool:
    """Begin the collisions of few robots a world; tell whether any may need several steps."""
    worlds, far = batch.worlds, False
    for row in range(a, z):
        far |= _begin_collisions(batch, row)
        worlds.x[row], worlds.y[row] = worlds.pose[row, 0], worlds.pose[row, 1]
    return far


@njit_inline
def _free_few(first: int, n: int, fixed: FixedObjects, grid: BucketGrid, places: Places,
              scratch: Scratch, batch: Batch) -> None:
    """Free a world's n robots, from row ``first`` on, of overlaps in one step.

    ``places`` are those of all rows, ``grid`` is one cell with those of the world.
    """
    count, worlds = 0, batch.worlds
    for i in range(n):
        scratch.queue[count], scratch.retreats[i], scratch.stuck[i] = i, 0, False
        scratch.queued[i] = touches(fixed, grid, places, first + i)
        count += scratch.queued[i]
    if count == 0:
        return
    rows = slice(first, first + n)
    pose = worlds.pose[rows]  # also where the grid has the robots: one cell has them anywhere
    own = Places(places.x[rows], places.y[rows], places.radius[rows])
    displace(fixed, borrowed(discs_of_crowd(
        own, own.radius, worlds.previous[rows], pose, pose,
        only_cell(scratch.ends, scratch.row), scratch)), None, worlds.collided[rows], PASSES,
        scratch.queue, scratch.found, count, 0, 0.0)
    for i in range(n):
        worlds.reverted[first + i] = scratch.stuck[i]


@Phase
def resolve_overlaps(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Free robots that are all discs of overlaps, world by world (``collision.separation``)."""
    setting, worlds = batch.setting, batch.worlds
    n, radius, ends = setting.robots, setting.bodies.shape.outer_radius, np.empty(2, np.int32)
    fixed = fixed_of(setting.fixed, setting.layout[first])
    # The room of one world, for all in turn: it stays in the processor's nearest cache.
    room = first * n % max(1, len(worlds.scratch.home))
    scratch = borrowed(scratch_of(worlds.scratch, slice(room, room + n)))
    whole = n > FEW or _set_places(a, z, batch)
    places, grid = Places(worlds.x, worlds.y, radius), only_cell(ends, worlds.row)
    for k in range(first, end):
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            fixed = fixed_of(setting.fixed, setting.layout[k])
        if whole:
            rows = slice(k * n, (k + 1) * n)
            free_of_overlaps(fixed, radius[rows], None, worlds.previous[rows], worlds.pose[rows],
                             scratch, worlds.collided[rows], worlds.reverted[rows], PASSES)
        else:
            ends[0], ends[1] = k * n, (k + 1) * n
            _free_few(k * n, n, borrowed(fixed), borrowed(grid), borrowed(places), scratch, batch)
    ends[0] = 0  # keeps it alive until here


# The same for one large world of discs, in steps whose rows threads share.


@shared
def _set_homes(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Begin a tick's collisions: nobody has been displaced."""
    worlds, scratch, far = batch.worlds, batch.worlds.scratch, False
    for row in range(a, z):
        far |= _begin_collisions(batch, row)
        if worlds.reverted[row]:  # a broken command must not spread
            copy_numbers(worlds.previous[row], worlds.pose[row])
        copy_numbers(worlds.pose[row], scratch.home[row])
        scratch.retreats[row], scratch.stuck[row] = 0, False
    _atomic_raise(worlds.crowd.shape[first], 3, int(far))


@Phase
def _choose_cells(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Choose the cells; a tick of several steps, which is rare, is resolved here as a whole."""
    setting, worlds = batch.setting, batch.worlds
    rows, radius = slice(a, z), setting.bodies.shape.outer_radius[a:z]
    fixed, crowd = fixed_of(setting.fixed, setting.layout[first]), worlds.crowd
    far, crowd.shape[first, 3] = crowd.shape[first, 3], 0
    if far == 0 or steps_needed(radius, None, worlds.previous[rows], worlds.pose[rows]) == 1:
        numbers, crowd.shape[first, 2] = crowd.numbers, 0
        if not is_shaped(crowd, first, worlds.tick[first]):
            (numbers[first, 2], numbers[first, 0], numbers[first, 1], crowd.shape[first, 0],
             crowd.shape[first, 1]) = shape_of_crowd(worlds.pose[rows], fixed.largest_radius)
        return
    crowd.shape[first, 0] = 0
    lost = worlds.reverted[rows].copy()
    free_of_overlaps(fixed, radius, None, worlds.previous[rows], worlds.pose[rows],
                     scratch_of(worlds.scratch, rows), worlds.collided[rows],
                     worlds.reverted[rows], PASSES)
    for i in range(z - a):
        worlds.reverted[a + i] |= lost[i]


@Phase.shared_apart
def _find_cells(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Find the robots' cells."""
    if batch.worlds.crowd.shape[first, 0] > 0:
        number_places(batch.worlds.crowd, first, a, z, batch.worlds.pose)


@Phase
def _sort(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Sort the robots by their cells."""
    if batch.worlds.crowd.shape[first, 0] > 0:
        sort_places(batch.worlds.crowd, first, batch.setting.robots)


@njit_inline
def _crowd_of(batch: Batch, k: int) -> Crowd:
    """Return the robots of world k, sorted."""
    setting, worlds = batch.setting, batch.worlds
    n, crowd = setting.robots, batch.worlds.crowd
    rows = slice(k * n, (k + 1) * n)
    return discs_of_crowd(Places(crowd.x[rows], crowd.y[rows], crowd.radius[rows]),
                          setting.bodies.shape.outer_radius[rows], worlds.previous[rows],
                          worlds.pose[rows], worlds.scratch.home[rows],
                          discs_of(crowd, k, n).grid, scratch_of(worlds.scratch, rows))


@Phase.shared_apart
def _gather(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Copy the robots' circles in the order of their cells."""
    if batch.worlds.crowd.shape[first, 0] > 0:
        start, n = first * batch.setting.robots, batch.setting.robots
        fill_places(_crowd_of(batch, first),
                    batch.setting.bodies.shape.outer_radius[start:start + n], a - start, z - start)


# A task lists its places that are marked in its rows of ``scratch.queue``, and how many they are
# in the first of its rows of ``scratch.found``. Of those that are listed ``crowd.cell``, room that
# is free once the robots are sorted, is below 0.


@Phase.shared_apart
def _mark(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Mark those that overlap anything."""
    setting, worlds, start = batch.setting, batch.worlds, first * batch.setting.robots
    if worlds.crowd.shape[first, 0] > 0:
        crowd, queue = borrowed(_crowd_of(batch, first)), worlds.scratch.queue[start:]
        mark_touching(borrowed(fixed_of(setting.fixed, setting.layout[first])), crowd, a - start,
                      z - start)
        worlds.scratch.found[a] = list_marked(crowd, queue, a - start, z - start)


# Most are free after two passes, which threads share; the others are few, and one's.
_SHARED_PASSES = 2


@njit_inline
def _find(fixed: FixedObjects, crowd: Crowd, k: int, drift: float, listed: Integers32) -> bool:
    """Set the shift of a marked place; mark whom it meets; unmark it if it has none."""
    crowd.queued[k], _ = find_shift(fixed, crowd, None, k, drift, DISPLACED_ABOVE, 0.0, None, 0)
    listed[k] = -crowd.queued[k]
    return bool(crowd.queued[k])


@Phase.shared_apart
def _find_shifts(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Look at those that are listed: in the first pass all who meet anybody."""
    setting, worlds, start = batch.setting, batch.worlds, first * batch.setting.robots
    if worlds.crowd.shape[first, 0] == 0:
        return
    fixed = borrowed(fixed_of(setting.fixed, setting.layout[first]))
    crowd, queue, hits = borrowed(_crowd_of(batch, first)), borrowed(worlds.scratch.queue), a
    drift, listed = worlds.crowd.shape[first, 2] * QUANTUM, borrowed(worlds.crowd.cell[start:])
    for c in range(a, a + worlds.scratch.found[a]):
        k = int(queue[c])
        queue[hits] = k
        hits += _find(fixed, crowd, k, drift, listed)
    worlds.scratch.found[a] = hits - a


@Phase.shared_apart
def _look_again(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Look at those that are met but not listed: nobody but who was displaced can meet them."""
    setting, worlds, start = batch.setting, batch.worlds, first * batch.setting.robots
    if worlds.crowd.shape[first, 0] == 0:
        return
    fixed = borrowed(fixed_of(setting.fixed, setting.layout[first]))
    crowd, count = borrowed(_crowd_of(batch, first)), a + worlds.scratch.found[a]
    drift, listed = worlds.crowd.shape[first, 2] * QUANTUM, borrowed(worlds.crowd.cell[start:])
    for k in range(a - start, z - start):
        if crowd.queued[k] & (listed[k] >= 0):
            worlds.scratch.queue[count] = k
            count += _find(fixed, crowd, k, drift, listed)
    worlds.scratch.found[a] = count - a


@Phase.shared_apart
def _shift(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Move those that are listed; they stay marked."""
    worlds, start, square = batch.worlds, first * batch.setting.robots, 0.0
    if worlds.crowd.shape[first, 0] == 0:
        return
    crowd, queue = borrowed(_crowd_of(batch, first)), borrowed(worlds.scratch.queue)
    collided = borrowed(worlds.collided[start:start + batch.setting.robots])
    for c in range(a, a + worlds.scratch.found[a]):
        square = max(square, shift_robot(crowd, None, queue[c], collided))
    _atomic_raise(worlds.crowd.shape[first], 2, math.ceil(math.sqrt(square) / QUANTUM))


@Phase
def _free_marked(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Free those that are still marked of their overlaps."""
    setting, worlds = batch.setting, batch.worlds
    if worlds.crowd.shape[first, 0] == 0:
        return
    crowd, scratch = _crowd_of(batch, first), scratch_of(worlds.scratch, slice(a, z))
    count = list_marked(crowd, scratch.queue, 0, z - a)
    if count > 0:
        _, drift = displace(
            borrowed(fixed_of(setting.fixed, setting.layout[first])), borrowed(crowd), None,
            worlds.collided[a:z], PASSES, scratch.queue, scratch.found, count, _SHARED_PASSES,
            worlds.crowd.shape[first, 2] * QUANTUM)
        worlds.crowd.shape[first, 2] = math.ceil(drift / QUANTUM)
        for i in range(z - a):
            worlds.reverted[a + i] |= scratch.stuck[i]


SHARED_COLLISIONS: list[Phase] = [
    _set_homes, _choose_cells, _find_cells, _sort, _gather, _mark,
    _find_shifts, _shift, _find_shifts, _look_again, _shift, _free_marked]


# Collisions of a block of worlds with bodies of any shape, or obstacles that move.
#
# Obstacles on a path are circles of the world at each tick; boxes are bodies that collide with the
# robots and are displaced with them.


@njit_inner
def _blocked(shapes: Shapes, pose: Floats, centre: Floats, radius: Floats, waits: Flags) -> bool:
    """Let discs (M,) that overlap bodies at ``pose`` (N, 3) wait; tell whether any is new."""
    corners = corners_at(pose, shapes.offset[:, 0].copy(), shapes.size)
    found = False
    for k in range(len(waits)):
        x, y = centre[k, 0], centre[k, 1]
        for i in range(len(pose)):
            if waits[k]:
                break
            if shapes.size[i, 0] > 0.0:
                waits[k] = disc_depth(corners[i], x, y, radius[k]) > TOLERANCE
            else:
                dx, dy = pose[i, 0] - x, pose[i, 1] - y
                waits[k] = (math.sqrt(dx * dx + dy * dy)
                            < shapes.outer_radius[i] + radius[k] - TOLERANCE)
            found |= waits[k]
    return found


@njit_inner
def _resolve(first: int, end: int, batch: Batch, shaped: bool | None) -> None:
    """Free robots and boxes of overlaps, and let obstacles move; ``shaped`` None: all discs.

    An obstacle on a path pushes robots and boxes out of its way as a wall would. Where one cannot
    get out, as it stands against a wall or others, the obstacle waits for that tick: nothing
    overlaps. A box is where it was unless something pushes it.
    """
    setting, worlds = batch.setting, batch.worlds
    n, boxes, count = setting.robots, setting.boxes, len(worlds.tick)
    paths, m, size = setting.paths, len(worlds.moved) // count, n + boxes
    before, goal, waits = np.empty((size, 3)), np.empty((size, 3)), np.empty(m, np.bool_)
    for k in range(first, end):
        shapes = shapes_of(setting.shapes, k * size, (k + 1) * size)
        still, robots = fixed_of(setting.fixed, setting.layout[k]), slice(k * n, (k + 1) * n)
        pushed, moved = slice(k * boxes, (k + 1) * boxes), worlds.moved[k * m:(k + 1) * m]
        copy_rows(worlds.previous[robots], before[:n])
        copy_rows(worlds.pose[robots], goal[:n])
        copy_rows(worlds.boxes[pushed], before[n:])
        copy_rows(worlds.boxes[pushed], goal[n:])
        fixed, after, centre = still, moved, np.empty((0, 2))
        radius = paths.radius[k * m:(k + 1) * m]
        waits[:] = False
        while True:  # at least one obstacle more waits each time
            if m > 0:
                after = moved + (~waits).astype(np.int64)
                centre = disc_positions(paths, after, k * m)
                fixed = with_discs(still, centre, radius)
            pose, collided, reverted, _ = separate(fixed, shapes, before, goal, PASSES, shaped)
            if m == 0 or not _blocked(shapes, pose, centre, radius, waits):
                break
        copy_numbers(after, moved)
        copy_rows(pose[:n], worlds.pose[robots])
        copy_rows(pose[n:], worlds.boxes[pushed])
        copy_numbers(collided[:n], worlds.collided[robots])
        copy_numbers(reverted[:n], worlds.reverted[robots])
        for i in range(n if boxes > 0 else 0):
            # As among discs alone, one that goes back may turn.
            if shapes.size[i, 0] == 0.0 and math.isfinite(goal[i, 0] + goal[i, 1] + goal[i, 2]):
                worlds.pose[k * n + i, 2] = goal[i, 2]


@Phase
def resolve_overlaps_among_moving(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Free robots that are all discs of overlaps, among obstacles on paths."""
    _resolve(first, end, batch, None)


@Phase
def resolve_overlaps_of_shapes(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Free robots of any shape and boxes of overlaps, perhaps among obstacles on paths."""
    _resolve(first, end, batch, True)

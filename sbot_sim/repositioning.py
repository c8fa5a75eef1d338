"""The re-positioning algorithm (document 002 section 5.2, docs/errata.md S6 and S10).

All robots are displaced at once, from positions that nobody changes meanwhile; a pass looks only
at robots that were displaced in the pass before, and at those they meet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit
from sbot_sim.contacts import fixed_displacement
from sbot_sim.fixed_objects import FixedObjects
from sbot_sim.grid import Grid, cell_index
from sbot_sim.tunnelling import on_leash

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Queue = NDArray[np.int32]

# Displacements of pairs are summed as whole multiples of this length: a sum of whole numbers
# does not depend on its order, so renumbering the robots does not change a bit of the result.
_QUANTUM = 2.0 ** -50  # m


class Crowd(NamedTuple):
    """N robots during one tick; what a pass reads and what it works on."""

    radius: Array  # (N,) of the collision circles, m
    previous: Array  # (N, 3) poses of the previous tick
    anchor: Array  # (N, 2) last free point of the robot's path, m
    home: Array  # (N, 2) positions before the first pass, which the grid knows, m
    pose: Array  # (N, 3) poses now; changed by the passes
    queued: Flags  # (N,) whether a robot is in the queue
    shift: Array  # (N, 2) displacement of this pass, m
    grid: Grid  # of ``home``


@njit
def pair_direction(crowd: Crowd, i: int, j: int, dx: float, dy: float,
                   square: float) -> tuple[float, float, float]:
    """Return (distance, ux, uy): the unit vector from robot ``j`` to robot ``i``.

    Where the centres coincide the previous tick's difference decides, then a fixed direction.
    """
    if square > 0.0:
        distance = math.sqrt(square)
        return distance, dx / distance, dy / distance
    dx = crowd.previous[i, 0] - crowd.previous[j, 0]
    dy = crowd.previous[i, 1] - crowd.previous[j, 1]
    length = math.sqrt(dx * dx + dy * dy)
    if length > 0.0:
        return 0.0, dx / length, dy / length
    return 0.0, (1.0 if i < j else -1.0), 0.0


@njit
def meet(crowd: Crowd, i: int, drift: float, largest: float, tolerance: float, queue: Queue,
         count: int) -> tuple[float, float, bool, int]:
    """Look for the robots that robot ``i`` intersects.

    Parameters
    ----------
    i : the robot
    drift : how far at most a robot is from where the grid has it (m)
    largest : radius of the largest collision circle (m)
    tolerance : overlaps up to this deep (m) do not count
    queue, count : robots to look at; those met are added, and marked in ``crowd.queued``

    Returns
    -------
    (dx, dy, whether there is an overlap, new count): dx, dy (m) is the sum of half the overlaps.

    """
    x, y, radius = crowd.pose[i, 0], crowd.pose[i, 1], crowd.radius[i]
    grid = crowd.grid
    reach = radius + largest + drift + 1e-9 * grid.cell
    first_column = cell_index(x - reach, grid.x0, grid.cell, grid.nx)
    last_column = cell_index(x + reach, grid.x0, grid.cell, grid.nx)
    first_row = cell_index(y - reach, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + reach, grid.y0, grid.cell, grid.ny)
    sum_x, sum_y, met = 0, 0, False
    for row in range(first_row, last_row + 1):
        begin = grid.starts[row * grid.nx + first_column]
        end = grid.starts[row * grid.nx + last_column + 1]
        for entry in range(begin, end):
            j = grid.items[entry]
            dx, dy = x - crowd.pose[j, 0], y - crowd.pose[j, 1]
            square = dx * dx + dy * dy
            apart = radius + crowd.radius[j]
            if square >= apart * apart or j == i:
                continue
            distance, ux, uy = pair_direction(crowd, i, j, dx, dy, square)
            overlap = apart - distance
            if overlap <= tolerance:
                continue
            met = True
            sum_x += int(0.5 * overlap * ux / _QUANTUM)
            sum_y += int(0.5 * overlap * uy / _QUANTUM)
            if not crowd.queued[j]:
                crowd.queued[j] = True
                queue[count] = j
                count += 1
    return sum_x * _QUANTUM, sum_y * _QUANTUM, met, count


@njit
def reposition(fixed: FixedObjects, crowd: Crowd, collided: Flags, queue: Queue, count: int,
               passes: int, tolerance: float) -> tuple[int, int, float, Queue]:
    """Displace intersecting robots until none intersects or the passes are used up.

    Parameters
    ----------
    fixed, crowd : the world; ``crowd.pose`` is changed
    collided : (N,) is set where a robot intersected something
    queue, count : the robots to begin with, marked in ``crowd.queued``
    passes : how many displacements of everybody at most
    tolerance : overlaps up to this deep (m) do not count

    Returns
    -------
    (passes made, robots that may intersect still, farthest drift (m), the queue of those robots)

    """
    shift, pose, anchor, home = crowd.shift, crowd.pose, crowd.anchor, crowd.home
    touched = np.empty_like(queue)
    drift, made = 0.0, 0
    while count > 0 and made < passes:
        hits, k = 0, 0
        while k < count:  # the queue grows while it is read
            i = queue[k]
            k += 1
            dx, dy, met, count = meet(crowd, i, drift, fixed.largest_radius, tolerance, queue,
                                      count)
            fx, fy, deepest = fixed_displacement(
                fixed, pose[i, 0], pose[i, 1], crowd.radius[i], crowd.previous[i, 0],
                crowd.previous[i, 1], tolerance)
            if met or deepest > tolerance:
                shift[i, 0], shift[i, 1] = dx + fx, dy + fy
                touched[hits] = i
                hits += 1
        for k in range(count):
            crowd.queued[queue[k]] = False
        if hits == 0:
            return made, 0, drift, queue
        for k in range(hits):
            i = touched[k]
            collided[i] = True
            crowd.queued[i] = True
            x, y = on_leash(pose[i, 0] + shift[i, 0], pose[i, 1] + shift[i, 1],
                            anchor[i, 0], anchor[i, 1], crowd.radius[i])
            pose[i, 0], pose[i, 1] = x, y
            drift = max(drift, math.hypot(x - home[i, 0], y - home[i, 1]))
        queue, touched = touched, queue
        count = hits
        made += 1
    return made, count, drift, queue


@njit
def retreat(fixed: FixedObjects, crowd: Crowd, reverted: Flags, queue: Queue, count: int,
            drift: float, tolerance: float) -> None:
    """Send whoever still intersects something back to its previous pose, until nobody does.

    Everybody at their previous poses is free, so this ends. All of a round go back together, which
    makes the outcome independent of the robots' numbering.

    Parameters
    ----------
    fixed, crowd : the world; ``crowd.pose`` is changed
    reverted : (N,) is set where a robot went back
    queue, count : the robots to begin with, marked in ``crowd.queued``
    drift : how far at most a robot is from where the grid has it (m)
    tolerance : overlaps up to this deep (m) do not count

    """
    pose, previous, home = crowd.pose, crowd.previous, crowd.home
    back = np.empty_like(queue)
    while count > 0:
        leaving, k = 0, 0
        while k < count:
            i = queue[k]
            k += 1
            _, _, met, count = meet(crowd, i, drift, fixed.largest_radius, tolerance, queue, count)
            if reverted[i]:
                continue
            deepest = fixed_displacement(fixed, pose[i, 0], pose[i, 1], crowd.radius[i],
                                         previous[i, 0], previous[i, 1], tolerance)[2]
            if met or deepest > tolerance:
                back[leaving] = i
                leaving += 1
        for k in range(count):
            crowd.queued[queue[k]] = False
        for k in range(leaving):
            i = back[k]
            reverted[i] = True
            crowd.queued[i] = True
            pose[i, 0], pose[i, 1], pose[i, 2] = previous[i, 0], previous[i, 1], previous[i, 2]
            drift = max(drift, math.hypot(pose[i, 0] - home[i, 0], pose[i, 1] - home[i, 1]))
        queue, back = back, queue
        count = leaving

# SPDX-License-Identifier: Apache-2.0
"""Detection of intersections: broad phase by circles, narrow phase with penetration depths.

Most touch nothing. So the first pass of ``separation`` looks only at those found here, in
arrays that are in the order of place: neighbours lie side by side in memory, and four are compared
together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Flags, Floats, Integers32
from sbot_common.compiled.jit import (
    LANES,
    absolute,
    append,
    bits,
    by_address,
    greatest,
    load_until,
    njit,
    njit_inline,
    njit_inner,
    one_bit,
    stack_indexes,
)
from sbot_common.spatial import BucketGrid, bounding_box, cell_index, cell_of, grid_shape
from sbot_sim.collision.contacts import (
    body_contact,
    body_levers,
    fixed_displacement,
    fixed_displacement_of_box,
    share_of,
)
from sbot_sim.collision.fixed_objects import FixedObjects

# Narrow phase: intersecting bodies and their penetration depths (document 002 section 5.1).
#
# Among discs of equal mass, as swarms are, and among bodies of any shape and mass.


# Displacements of pairs are summed as whole multiples of this length: a sum of whole numbers does
# not depend on its order, so renumbering the robots does not change a bit of the result.
QUANTUM = 2.0 ** -50  # m


_NEAR = 16  # bodies that are found together, and then looked at
FEW = 16  # up to so many bodies it is quicker to look at all than to sort them into cells
_CELLS_PER_BODY = 2
_LONGEST_SIDE = 4096


@by_address
class Places(NamedTuple):
    """Circles of N bodies in the order of place: sorted by the cells of a grid."""

    x: Floats  # (N,) m
    y: Floats  # (N,) m
    radius: Floats  # (N,) m


class Crowd(NamedTuple):
    """N bodies during one step: the input and the working arrays of a pass.

    Arrays are in the order of the bodies, or where noted of their places: ``grid.items`` has who
    is there. Where all are discs of equal mass ``boxes``, ``weight`` and ``turn`` are empty.
    """

    places: Places  # the circles now, by place; for a rectangle that around it
    inner_radius: Floats  # (N,) the largest circle inside, m: see ``separation``
    previous: Floats  # (N, 3) poses before the step, free of overlaps
    pose: Floats  # (N, 3) poses now; changed from pass to pass
    home: Floats  # (N, 3) poses before the first pass, which the grid knows
    grid: BucketGrid  # of ``home``
    queued: Flags  # (N,) by place, whether it is in the queue
    # (N, 2) by place, displacement of this pass, m; with ``boxes`` (N, 4): turn, rad, and fixed
    # overlap, m
    shift: Floats
    retreats: NDArray[np.int8]  # (N,) by place, how often it went back, from the last pass on
    reverted: Flags  # (N,) went back to the previous position: nothing moves it any more
    boxes: Floats  # (N, 7) or (0, 7): rounded boxes at ``pose``, see ``body_contacts``
    weight: Floats  # (N,) or (0,): inverse masses, 1/kg; 0: infinitely heavy; changed
    turn: Floats  # (N,) or (0,): see ``Shapes.turn``, 1/m^2


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
def _disc_pair(crowd: Crowd, k: int, m: int) -> tuple[float, float, float]:
    """Return (overlap (m), ux, uy) of the discs at two places: the unit vector from m to k.

    Where the centres coincide the previous tick's difference decides, then a fixed direction
    (docs/errata.md S10).
    """
    x, y, radius = crowd.places
    dx, dy, apart = x[k] - x[m], y[k] - y[m], radius[k] + radius[m]
    square = dx * dx + dy * dy
    if square > 0.0:
        distance = math.sqrt(square)
        return apart - distance, dx / distance, dy / distance
    i, j, previous = crowd.grid.items[k], crowd.grid.items[m], crowd.previous
    dx, dy = previous[i, 0] - previous[j, 0], previous[i, 1] - previous[j, 1]
    length = math.sqrt(dx * dx + dy * dy)
    if length > 0.0:
        return apart, dx / length, dy / length
    return apart, (1.0 if i < j else -1.0), 0.0


@njit_inline
def _push(crowd: Crowd, shapes: bool | None, k: int, m: int, tolerance: float,
          margin: float) -> tuple[bool, int, int, int]:
    """Return whether the bodies at two places intersect, and how that at ``k`` gives way.

    That is its share of the overlap along x, y and as a turn, in whole ``QUANTUM``. Parameters as
    below.
    """
    i, j, turn, share = int(crowd.grid.items[k]), int(crowd.grid.items[m]), 0, 0.5
    if shapes is not None:
        overlap, ux, uy = body_contact(crowd.boxes, i, j,
                                       crowd.previous[i, 0] - crowd.previous[j, 0],
                                       crowd.previous[i, 1] - crowd.previous[j, 1])
    else:
        overlap, ux, uy = _disc_pair(crowd, k, m)
    if overlap <= tolerance:
        return False, 0, 0, 0
    depth = overlap + margin * (crowd.places.radius[k] + crowd.places.radius[m])
    if shapes is not None:
        weight, other = crowd.weight[i], crowd.weight[j]
        if crowd.turn[i] > 0.0 or crowd.turn[j] > 0.0:
            arm, ease, ease_j = body_levers(crowd.boxes, crowd.turn, i, j, ux, uy)
            share = share_of(weight * ease, other * ease_j) / ease
            turn = int(share * depth * arm * crowd.turn[i] / QUANTUM)
        else:
            share = share_of(weight, other)
    part = share * depth
    return True, int(part * ux / QUANTUM), int(part * uy / QUANTUM), turn


@njit_inline
def _overlaps_with_others(crowd: Crowd, shapes: bool | None, k: int, reach: float,
                          tolerance: float, margin: float, queue: Integers32 | None,
                          count: int) -> tuple[float, float, float, bool, int]:
    """Find the robots that the robot at place ``k`` intersects.

    Parameters
    ----------
    crowd, shapes, tolerance, margin : see ``find_intersecting``
    k : its place
    reach : how far from it (m), at most, the grid has the centre of a robot that it intersects
    queue, count : places to look at; those met are added, and marked in ``crowd.queued``

    Returns
    -------
    (dx, dy, turn, whether there is an overlap, new count): dx, dy (m) is the sum of this robot's
    share of the overlaps, half of each among discs, else by inverse masses (``levers``).

    """
    grid, places, near = crowd.grid, crowd.places, stack_indexes(_NEAR)
    x, y, radius = places.x[k], places.y[k], places.radius[k]
    left = cell_index(x - reach, grid.x0, grid.cell, grid.nx)
    right = cell_index(x + reach, grid.x0, grid.cell, grid.nx) + 1
    row = cell_index(y - reach, grid.y0, grid.cell, grid.ny)
    last = cell_index(y + reach, grid.y0, grid.cell, grid.ny)
    begin, end = int(grid.starts[row * grid.nx + left]), int(grid.starts[row * grid.nx + right])
    sum_x, sum_y, sum_turn, met = 0, 0, 0, False
    while row <= last:
        listed = 0
        while row <= last and listed <= _NEAR - LANES:
            dx, dy = (load_until(places.x, begin, end, math.nan) - x,
                      load_until(places.y, begin, end, math.nan) - y)
            apart = load_until(places.radius, begin, end, 0.0) + radius
            listed = append(near, listed, begin, bits(dx * dx + dy * dy < apart * apart)
                            & ~one_bit(k - begin))
            begin += LANES
            if begin >= end:
                row += 1
                if row <= last:
                    begin = int(grid.starts[row * grid.nx + left])
                    end = int(grid.starts[row * grid.nx + right])
        for c in range(listed):
            m = int(near[c])
            meets, push_x, push_y, push_turn = _push(crowd, shapes, k, m, tolerance, margin)
            met |= meets
            sum_x, sum_y, sum_turn = sum_x + push_x, sum_y + push_y, sum_turn + push_turn
            if meets and not crowd.queued[m]:
                crowd.queued[m] = True
                if queue is not None:
                    queue[count] = m
                    count += 1
    return sum_x * QUANTUM, sum_y * QUANTUM, sum_turn * QUANTUM, met, count


@njit_inline
def find_shift(fixed: FixedObjects, crowd: Crowd, shapes: bool | None, k: int, drift: float,
               tolerance: float, margin: float, queue: Integers32 | None,
               count: int) -> tuple[bool, int]:
    """Set ``crowd.shift`` of place ``k`` if what is there intersects anything and may move.

    Parameters
    ----------
    fixed, crowd, shapes, drift, tolerance, margin : see ``find_intersecting``
    queue, count : places to look at; those met are added, and marked in ``crowd.queued``; None:
        marked only

    Returns
    -------
    Whether it has a shift, and the new count.

    """
    previous, i = crowd.previous, int(crowd.grid.items[k])
    x, y, radius = crowd.places.x[k], crowd.places.y[k], crowd.places.radius[k]
    reach = radius + fixed.largest_radius + drift + 1e-9 * crowd.grid.cell
    dx, dy, turn, met, count = _overlaps_with_others(crowd, shapes, k, reach, tolerance, margin,
                                                     queue, count)
    fixed_turn = 0.0
    if shapes is not None and crowd.boxes[i, 4] > 0.0:
        fx, fy, fixed_turn, deepest = fixed_displacement_of_box(
            fixed, crowd.boxes, i, crowd.turn[i], previous[i, 0], previous[i, 1], tolerance,
            margin)
    else:
        fx, fy, deepest = fixed_displacement(fixed, x, y, radius, previous[i, 0], previous[i, 1],
                                             tolerance, margin)
    found = (met or deepest > tolerance) and not crowd.reverted[i]
    if found:
        crowd.shift[k, 0], crowd.shift[k, 1] = dx + fx, dy + fy
        if shapes is not None:
            crowd.shift[k, 2], crowd.shift[k, 3] = turn + fixed_turn, deepest
    return found, count


@njit_inline
def find_intersecting(fixed: FixedObjects, crowd: Crowd, shapes: bool | None, queue: Integers32,
                      count: int, drift: float, tolerance: float, margin: float,
                      found: Integers32) -> int:
    """Find robots of a queue of places, and robots near them, that intersect anything.

    Parameters
    ----------
    fixed, crowd : the world; ``crowd.shift`` is set for those found, ``crowd.queued`` cleared
    shapes : True where there are ``crowd.boxes``; None: all are discs, and what is for shapes is
        not even compiled
    queue, count : the places to look at, marked in ``crowd.queued``; those met are added
    drift : how far at most a robot is from where the grid has it (m)
    tolerance : overlaps up to this deep (m) do not count
    margin : by what share of the radii the shifts are longer than the overlaps
    found : receives the places of those that intersect something and have not been reverted

    Returns
    -------
    How many were found.

    """
    k, hits = 0, 0
    while k < count:  # the queue grows while it is read
        place = int(queue[k])  # not int32: one compiled version of what it is passed to
        k += 1
        shifted, count = find_shift(fixed, crowd, shapes, place, drift, tolerance, margin, queue,
                                    count)
        found[hits] = place
        hits += shifted
    for k in range(count):
        crowd.queued[queue[k]] = False
    return hits


@njit_inline
def touching(fixed: FixedObjects, crowd: Crowd, queue: Integers32) -> int:
    """List the places whose circles overlap another's or something fixed; return how many.

    Parameters
    ----------
    fixed, crowd : the world; nobody has been displaced. ``crowd.places`` are filled,
        ``crowd.queued`` is set for those listed, ``crowd.retreats`` is cleared
    queue : receives the places in their order

    """
    crowd.retreats[:] = 0
    mark_touching(fixed, crowd, 0, len(queue))
    return list_marked(crowd, queue, 0, len(queue))


@njit_inner
def fill_places(crowd: Crowd, radius: Floats, first: int, end: int) -> None:
    """Copy the circles, of ``radius`` (N,), to the places first … end-1, which threads share."""
    places = crowd.places
    for k in range(first, end):
        i = np.uint32(crowd.grid.items[k])
        places.x[k], places.y[k], places.radius[k] = crowd.pose[i, 0], crowd.pose[i, 1], radius[i]


@njit_inline
def mark_touching(fixed: FixedObjects, crowd: Crowd, first: int, end: int) -> None:
    """Set ``crowd.queued`` of the places first … end-1, as ``touching`` does."""
    for k in range(first, end):
        crowd.queued[k] = touches(fixed, crowd.grid, crowd.places, k)


@njit_inner
def list_marked(crowd: Crowd, queue: Integers32, first: int, end: int) -> int:
    """List those of the places first … end-1 with ``crowd.queued``; return how many."""
    count = first
    for k in range(first, end):
        queue[count] = k
        count += crowd.queued[k]
    return count - first


@njit_inline
def touches(fixed: FixedObjects, grid: BucketGrid, places: Places, k: int) -> bool:
    """Tell whether the circle at place k overlaps anything; nobody's does who is not there."""
    return ((_touches_another(grid, places, k, fixed.largest_radius)
             or _touches_fixed(fixed, places.x[k], places.y[k], places.radius[k]))
            and not math.isnan(places.x[k]))


@njit_inline
def _touches_another(grid: BucketGrid, places: Places, k: int, largest: float) -> bool:
    """Tell whether the circle at place k overlaps that of another, as ``narrow_phase`` tells."""
    x, y, radius = places.x[k], places.y[k], places.radius[k]
    reach = radius + largest + 1e-9 * grid.cell
    left = cell_index(x - reach, grid.x0, grid.cell, grid.nx)
    right = cell_index(x + reach, grid.x0, grid.cell, grid.nx) + 1
    found = 0
    for row in range(cell_index(y - reach, grid.y0, grid.cell, grid.ny),
                     cell_index(y + reach, grid.y0, grid.cell, grid.ny) + 1):
        i, end = int(grid.starts[row * grid.nx + left]), int(grid.starts[row * grid.nx + right])
        while True:  # at least once: nobody foresees which rows have no robot
            dx, dy = (load_until(places.x, i, end, math.nan) - x,
                      load_until(places.y, i, end, math.nan) - y)
            apart = load_until(places.radius, i, end, 0.0) + radius
            found |= bits(dx * dx + dy * dy < apart * apart) & ~one_bit(k - i)
            i += LANES
            if i >= end:
                break
    return found != 0


@njit_inline
def _touches_fixed(fixed: FixedObjects, x: float, y: float, radius: float) -> bool:
    """Tell whether a circle overlaps something fixed, as ``contacts.contact`` tells."""
    bounds, boxes, grid = fixed.bounds, fixed.boxes, fixed.grid
    found = not ((bounds[0] + radius - x <= 0.0) & (x + radius - bounds[2] <= 0.0)
                 & (bounds[1] + radius - y <= 0.0) & (y + radius - bounds[3] <= 0.0))
    if boxes.shape[0] == 0:
        return found
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for entry in range(np.uint64(grid.starts[cell]), np.uint64(grid.starts[cell + 1])):
        k = np.uint32(grid.items[entry])
        cx, cy, c, s = boxes[k, 0], boxes[k, 1], boxes[k, 2], boxes[k, 3]
        # The same differences and squares, without a branch.
        du = greatest(absolute(c * (x - cx) + s * (y - cy)) - boxes[k, 4], 0.0)
        dv = greatest(absolute(c * (y - cy) - s * (x - cx)) - boxes[k, 5], 0.0)
        reach = radius + boxes[k, 6]
        found |= du * du + dv * dv < reach * reach
    return found

"""Intersection detection among bodies of any shape and mass: ``intersections``, for rounded boxes.

A crowd of equal discs, as swarms are, keeps its own shorter loops; everything else of the
algorithm (passes, displacements, retreats, contacts) serves both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit_inner
from sbot_common.spatial import cell_index
from sbot_sim.collision.body_contacts import body_contact, fixed_displacement_of_box, share_of
from sbot_sim.collision.disc_contacts import fixed_displacement
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.robot_contacts import QUANTUM, Crowd

Queue = NDArray[np.int32]


@njit_inner
def meet_bodies(crowd: Crowd, i: int, reach: float, tolerance: float, margin: float, queue: Queue,
                count: int) -> tuple[float, float, bool, int]:
    """Look for the bodies that body ``i`` intersects; as ``intersections.meet``.

    A body makes room for its share of the overlap, by inverse masses.
    """
    x, y, radius, grid = crowd.pose[i, 0], crowd.pose[i, 1], crowd.radius[i], crowd.grid
    first_column = cell_index(x - reach, grid.x0, grid.cell, grid.nx)
    last_column = cell_index(x + reach, grid.x0, grid.cell, grid.nx)
    first_row = cell_index(y - reach, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + reach, grid.y0, grid.cell, grid.ny)
    sum_x, sum_y, met = 0, 0, False
    for row in range(first_row, last_row + 1):
        begin = grid.starts[row * grid.nx + first_column]
        end = grid.starts[row * grid.nx + last_column + 1]
        for entry in range(begin, end):
            j = int(grid.items[entry])
            dx, dy = x - crowd.pose[j, 0], y - crowd.pose[j, 1]
            apart = radius + crowd.radius[j]
            if dx * dx + dy * dy >= apart * apart or j == i:
                continue
            overlap, ux, uy = body_contact(crowd.boxes, i, j,
                                           crowd.previous[i, 0] - crowd.previous[j, 0],
                                           crowd.previous[i, 1] - crowd.previous[j, 1])
            if overlap <= tolerance:
                continue
            met = True
            part = share_of(crowd.weight[i], crowd.weight[j]) * (overlap + margin * apart)
            sum_x += int(part * ux / QUANTUM)
            sum_y += int(part * uy / QUANTUM)
            if not crowd.queued[j]:
                crowd.queued[j] = True
                queue[count] = j
                count += 1
    return sum_x * QUANTUM, sum_y * QUANTUM, met, count


@njit_inner
def find_bodies(fixed: FixedObjects, crowd: Crowd, queue: Queue, count: int, drift: float,
                tolerance: float, margin: float, found: Queue) -> int:
    """Find who intersects anything; as ``intersections.find_intersecting``."""
    previous, k, hits = crowd.previous, 0, 0
    while k < count:  # the queue grows while it is read
        i = int(queue[k])  # not int32: one compiled version of what it is passed to
        k += 1
        reach = crowd.radius[i] + fixed.largest_radius + drift + 1e-9 * crowd.grid.cell
        dx, dy, met, count = meet_bodies(crowd, i, reach, tolerance, margin, queue, count)
        if crowd.boxes[i, 4] > 0.0:
            fx, fy, deepest = fixed_displacement_of_box(fixed, crowd.boxes, i, previous[i, 0],
                                                        previous[i, 1], tolerance, margin)
        else:
            fx, fy, deepest = fixed_displacement(fixed, crowd.pose[i, 0], crowd.pose[i, 1],
                                                 crowd.radius[i], previous[i, 0], previous[i, 1],
                                                 tolerance, margin)
        if (met or deepest > tolerance) and not crowd.reverted[i]:
            crowd.shift[i, 0], crowd.shift[i, 1] = dx + fx, dy + fy
            found[hits] = i
            hits += 1
    for k in range(count):
        crowd.queued[queue[k]] = False
    return hits

"""The re-positioning algorithm (document 002 section 5.2, docs/errata.md S6 and S10).

All robots are displaced at once, from positions that nobody changes meanwhile. A pass looks only
at the robots that were displaced in the pass before, and at those they meet.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import borrowed, njit_inline, njit_inner
from sbot_common.elementary import hypot
from sbot_sim.collision.broad_phase import Places, touching
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.narrow_phase import Crowd, find_intersecting
from sbot_sim.collision.tunnelling import MAX_DISPLACEMENT, limited_displacement
from sbot_sim.world.shapes import place

Flags = NDArray[np.bool_]
Queue = NDArray[np.int32]

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
def displace(crowd: Crowd, shapes: bool | None, found: Queue, hits: int, collided: Flags,
             drift: float) -> float:
    """Move ``found[:hits]`` by their shifts; return the new farthest drift (m)."""
    pose, previous, home = crowd.pose, crowd.previous, crowd.home
    for k in range(hits):
        i = found[k]
        collided[i] = True
        x, y = limited_displacement(pose[i, 0] + crowd.shift[i, 0], pose[i, 1] + crowd.shift[i, 1],
                                    previous[i, 0], previous[i, 1], crowd.inner_radius[i])
        pose[i, 0], pose[i, 1] = x, y
        if shapes is not None:
            crowd.boxes[i, 0], crowd.boxes[i, 1] = x, y
            if crowd.turn[i] > 0.0:
                # No corner goes farther than the centre may.
                way = hypot(x - previous[i, 0], y - previous[i, 1])
                most = max(0.0, MAX_DISPLACEMENT * crowd.inner_radius[i] - way) / crowd.radius[i]
                turned = pose[i, 2] + crowd.shift[i, 2] - previous[i, 2]
                pose[i, 2] = previous[i, 2] + min(max(turned, -most), most)
                place(crowd.boxes, i, x, y, pose[i, 2])
                if crowd.shift[i, 3] > DISPLACED_ABOVE:
                    crowd.weight[i] *= HELD
        drift = max(drift, hypot(x - home[i, 0], y - home[i, 1]))
    return drift


@njit_inner
def send_back(crowd: Crowd, shapes: bool | None, found: Queue, hits: int,
              drift: float) -> float:
    """Send ``found[:hits]`` towards their previous positions; return the new farthest drift (m).

    A robot goes half of the way, and the fourth time all of it: then it is reverted. Among discs
    its yaw stays: a disc that turns intersects nothing, and a robot in a jam must be able to turn
    away. In a crowd of any shapes the yaw goes back too (docs/errata.md F4).
    """
    pose, previous, home = crowd.pose, crowd.previous, crowd.home
    for k in range(hits):
        i = found[k]
        crowd.retreats[i] += 1
        x, y = previous[i, 0], previous[i, 1]
        if crowd.retreats[i] == RETREATS:
            crowd.reverted[i] = True
        else:
            x, y = 0.5 * (pose[i, 0] + x), 0.5 * (pose[i, 1] + y)
        pose[i, 0], pose[i, 1] = x, y
        if shapes is not None:
            part = 1.0 if crowd.reverted[i] else 0.5
            pose[i, 2] = part * previous[i, 2] + (1.0 - part) * pose[i, 2]
            place(crowd.boxes, i, x, y, pose[i, 2])
        drift = max(drift, hypot(x - home[i, 0], y - home[i, 1]))
    return drift


@njit_inline
def resolve_overlaps(fixed: FixedObjects, crowd: Crowd, shapes: bool | None, collided: Flags,
                   passes: int, places: Places, queue: Queue, found: Queue) -> int:
    """Displace robots until none intersects anything; after the last pass send back the rest.

    Everybody at their previous positions is free, so this ends. All robots of a pass move
    together, which makes the outcome independent of their numbering.

    Parameters
    ----------
    fixed, crowd : the world; ``crowd.pose`` and ``crowd.reverted`` are changed
    shapes : as in ``find_intersecting``
    collided : (N,) is set where a robot intersected something
    passes : how many displacements of everybody at most
    places, queue, found : (N,) room to work in

    Returns
    -------
    How many passes displaced robots.

    """
    fixed, crowd = borrowed(fixed), borrowed(crowd)
    count = touching(fixed, crowd, borrowed(places), borrowed(queue))
    drift, margin, tolerance, made = 0.0, 0.0, DISPLACED_ABOVE, 0
    while count > 0:
        if made == passes:
            margin, tolerance = 0.0, REVERTED_ABOVE
        count = find_intersecting(fixed, crowd, shapes, queue, count, drift, tolerance, margin,
                                  found)
        if made < passes and count > 0:
            drift = displace(crowd, shapes, found, count, collided, drift)
            made += 1
            if made >= PLAIN_PASSES:
                margin = FIRST_MARGIN if made == PLAIN_PASSES else min(2.0 * margin, LAST_MARGIN)
        elif count > 0:
            drift = send_back(crowd, shapes, found, count, drift)
        for k in range(count):
            crowd.queued[found[k]] = True
        queue, found = found, queue
    return made

# SPDX-License-Identifier: Apache-2.0
"""The re-positioning algorithm (document 002 section 5.2), and substeps against tunnelling.

All robots are displaced at once, from positions that nobody changes meanwhile. A pass looks only
at the robots that were displaced in the pass before, and at those they meet.
"""

from __future__ import annotations

import math

from sbot_common.arrays import Flags, Floats, Integers32
from sbot_common.compiled.jit import borrowed, njit_inline, njit_inner
from sbot_common.elementary import hypot
from sbot_sim.collision.detection import Crowd, Places, find_intersecting, touching
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.world.bodies import Shapes, place

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
def share_of_way(i: int, steps: int, radius: Floats, shapes: Shapes | None, previous: Floats,
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
def _displace(crowd: Crowd, shapes: bool | None, found: Integers32, hits: int, collided: Flags,
              drift: float) -> float:
    """Move ``found[:hits]`` by their shifts; return the new farthest drift (m)."""
    pose, previous, home = crowd.pose, crowd.previous, crowd.home
    for k in range(hits):
        i = found[k]
        collided[i] = True
        x, y = _limited_displacement(
            pose[i, 0] + crowd.shift[i, 0], pose[i, 1] + crowd.shift[i, 1],
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
def _send_back(crowd: Crowd, shapes: bool | None, found: Integers32, hits: int,
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
                   passes: int, places: Places, queue: Integers32, found: Integers32) -> int:
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
    return displace(fixed, crowd, shapes, collided, passes, queue, found,
                    touching(fixed, crowd, borrowed(places), borrowed(queue)))


@njit_inline
def displace(fixed: FixedObjects, crowd: Crowd, shapes: bool | None, collided: Flags, passes: int,
             queue: Integers32, found: Integers32, count: int) -> int:
    """Do the work of ``resolve_overlaps`` once ``queue[:count]`` has those that touch anything."""
    drift, margin, tolerance, made = 0.0, 0.0, DISPLACED_ABOVE, 0
    while count > 0:
        if made == passes:
            margin, tolerance = 0.0, REVERTED_ABOVE
        count = find_intersecting(fixed, crowd, shapes, queue, count, drift, tolerance, margin,
                                  found)
        if made < passes and count > 0:
            drift = _displace(crowd, shapes, found, count, collided, drift)
            made += 1
            if made >= PLAIN_PASSES:
                margin = FIRST_MARGIN if made == PLAIN_PASSES else min(2.0 * margin, LAST_MARGIN)
        elif count > 0:
            drift = _send_back(crowd, shapes, found, count, drift)
        for k in range(count):
            crowd.queued[found[k]] = True
        queue, found = found, queue
    return made

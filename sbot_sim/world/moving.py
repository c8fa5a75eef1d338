# SPDX-License-Identifier: Apache-2.0
"""Moving obstacles along paths, and pushable boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import decoded_yaws
from sbot_common.arrays import Floats, Integers
from sbot_common.compiled.jit import by_address, njit
from sbot_common.elementary import hypot
from sbot_sim.world.bodies import Body, BodyArrays
from sbot_sim.world.geometry import World


@by_address
class Paths(NamedTuple):
    """M discs, each with its path: corners ``first`` … ``end`` - 1, of a loop the first twice."""

    radius: Floats  # (M,) m
    step: Floats  # (M,) m, way in a tick
    there_and_back: NDArray[np.bool_]  # (M,) whether it turns at the ends; else a loop
    first: Integers  # (M,)
    end: Integers  # (M,)
    corners: Floats  # (P, 2) m, of all paths
    way: Floats  # (P,) m, from the start of a path to each corner

    @classmethod
    def of(cls, discs: Iterable[tuple[float, float, Sequence[tuple[float, float]], bool]],
           dt: float) -> Paths:
        """Return discs, each given by radius (m), speed (m/s), path (m) and whether it turns back.

        ``dt`` is the length of a tick (s).
        """
        rows = list(discs)
        corners = [[*path] if there_and_back else [*path, path[0]]
                   for _, _, path, there_and_back in rows]
        ways = [accumulate((hypot(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in pairwise(points)),
                           initial=0.0) for points in corners]
        ends = np.cumsum([0, *map(len, corners)])
        return cls(np.array([radius for radius, _, _, _ in rows], np.float64),
                   np.array([speed * dt for _, speed, _, _ in rows], np.float64),
                   np.array([there_and_back for *_, there_and_back in rows], np.bool_),
                   ends[:-1], ends[1:],
                   np.array([*chain.from_iterable(corners)], np.float64).reshape(-1, 2),
                   np.array([*chain.from_iterable(ways)], np.float64))


@njit
def disc_positions(paths: Paths, moved: Integers, row: int = 0) -> Floats:
    """Return the centres (M, 2) m of discs that have moved in so many ticks (M,).

    ``row`` is that of the first of them among the paths.
    """
    out = np.empty((len(moved), 2))
    for k in range(len(moved)):
        first, end = paths.first[row + k], paths.end[row + k]
        whole = paths.way[end - 1]
        period = 2.0 * whole if paths.there_and_back[row + k] else whole
        way = paths.step[row + k] * moved[k]
        way -= period * (way // period)
        if way > whole:
            way = period - way
        i = first
        while i < end - 2 and paths.way[i + 1] <= way:
            i += 1
        share = (way - paths.way[i]) / (paths.way[i + 1] - paths.way[i])
        for axis in range(2):
            start, stop = paths.corners[i, axis], paths.corners[i + 1, axis]
            out[k, axis] = start + share * (stop - start)
    return out


def world_with(world: World, paths: Paths, moved: Integers) -> World:
    """Return the world with the discs where they are, as the last of its circles."""
    rows = np.column_stack([disc_positions(paths, moved), paths.radius])
    return world.with_solids(rows, ())


# Pushable boxes: bodies without a drive, which rest until something pushes them.

def make_box(length: float, width: float, radius: float, mass: float) -> Body:
    """Return a box of length along x and width along y, or, if these are 0, a disc (m, kg)."""
    box = Body('box', radius, 0.0, mass=mass, length=length, width=width)
    return box._replace(radius=box.circle_around())


def as_sent(pose: Floats) -> Floats:
    """Return poses (B, 3) with the yaws that receivers of messages decode."""
    return np.column_stack([pose[:, :2], decoded_yaws(np.ascontiguousarray(pose[:, 2]))])


def world_with_boxes(world: World, boxes: BodyArrays, pose: Floats) -> World:
    """Return the world with boxes at ``pose`` (B, 3), as the last circles and rectangles."""
    flat, half = boxes.shape.half_size[:, 0] > 0.0, boxes.shape.half_size
    return world.with_solids(np.column_stack([pose[~flat, :2], boxes.radius[~flat]]),
                       np.column_stack([pose[flat, :2], 2.0 * half[flat], pose[flat, 2]]))

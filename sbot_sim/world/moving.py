"""Moving obstacles: discs that go along a path at a constant speed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import hypot
from sbot_sim.world.geometry import World, with_solids

Array = NDArray[np.float64]
Ticks = NDArray[np.int64]


class MovingDiscs(NamedTuple):
    """M discs, each with its path."""

    radius: Array  # (M,) m
    step: Array  # (M,) m, way in a tick
    corners: tuple[Array, ...]  # each (P, 2) m; of a loop the last is the first
    way: tuple[Array, ...]  # each (P,) m, from the start of the path to each corner
    there_and_back: tuple[bool, ...]  # whether it turns at the ends; else a loop


def make_moving_discs(discs: Iterable[tuple[float, float, Sequence[tuple[float, float]], bool]],
                      dt: float) -> MovingDiscs:
    """Return discs, each given by radius (m), speed (m/s), path (m) and whether it turns back.

    ``dt`` is the length of a tick (s).
    """
    radius, step, corners, ways, turns = [], [], [], [], []
    for size, speed, path, there_and_back in discs:
        points = list(path) if there_and_back else [*path, path[0]]
        way = [0.0]
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            way.append(way[-1] + hypot(x1 - x0, y1 - y0))
        radius.append(size)
        step.append(speed * dt)
        corners.append(np.array(points, np.float64))
        ways.append(np.array(way))
        turns.append(there_and_back)
    return MovingDiscs(np.array(radius), np.array(step), tuple(corners), tuple(ways),
                       tuple(turns))


def disc_positions(discs: MovingDiscs, moved: Ticks) -> Array:
    """Return the centres (M, 2) m of discs that have moved in so many ticks (M,)."""
    out = np.empty((len(discs.radius), 2))
    for k, (corners, ways) in enumerate(zip(discs.corners, discs.way, strict=True)):
        whole = float(ways[-1])
        period = 2.0 * whole if discs.there_and_back[k] else whole
        way = float(discs.step[k]) * int(moved[k])
        way -= period * (way // period)
        if way > whole:
            way = period - way
        i = min(max(int(np.searchsorted(ways, way, 'right')) - 1, 0), len(ways) - 2)
        share = (way - float(ways[i])) / (float(ways[i + 1]) - float(ways[i]))
        for axis in range(2):
            start, end = float(corners[i, axis]), float(corners[i + 1, axis])
            out[k, axis] = start + share * (end - start)
    return out


def world_with(world: World, discs: MovingDiscs, moved: Ticks) -> World:
    """Return the world with the discs where they are, as the last of its circles."""
    rows = np.column_stack([disc_positions(discs, moved), discs.radius])
    return with_solids(world, rows, ())


def discs_met(discs: MovingDiscs, moved: Ticks, pose: Array, radius: Array,
              tolerance: float) -> NDArray[np.bool_]:
    """Return which discs (M,) overlap a robot deeper than ``tolerance`` (m).

    Parameters
    ----------
    discs, moved : (M,) the discs, and in how many ticks they have moved
    pose : (N, 3) or (N, 2), m
    radius : (N,) m, of the robots' collision circles

    """
    met = np.zeros(len(discs.radius), np.bool_)
    for k, (x, y) in enumerate(disc_positions(discs, moved).tolist()):
        dx, dy = pose[:, 0] - x, pose[:, 1] - y
        met[k] = bool((np.sqrt(dx * dx + dy * dy)
                       < radius + discs.radius[k] - tolerance).any())
    return met

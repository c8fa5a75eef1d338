# SPDX-License-Identifier: Apache-2.0
"""Start poses of a scenario for many seeds, as ``sbot.scenario.place`` finds those of one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from sbot.files.yaml_text import Origins
from sbot.scenario.model import RobotEntry, ScenarioFile
from sbot.scenario.place import BATCH, ROUNDS, TRIES, draws_heading, even_poses, place_robots
from sbot.scenario.world import starting_world
from sbot_common.arrays import Flags, Floats, Integers
from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import hypot, sincos
from sbot_common.random.placement import next_placement, seed_placement
from sbot_sim.collision.overlap import TOLERANCE
from sbot_sim.world.bodies import Body

_KEPT = 100_000  # seeds whose poses are kept
_MOST = 2000  # robots that are compared one with another


class _Solids(NamedTuple):
    """What nobody may stand in: an axis of length 0 for what there is not."""

    bounds: Floats  # (4,) xmin, ymin, xmax, ymax (m); infinite without walls
    segments: Floats  # (S, 4) x0, y0, x1, y1 (m)
    circles: Floats  # (C, 3) x, y, radius (m)
    rectangles: Floats  # (R, 5) x, y, width, height (m), yaw (rad)


class _Groups(NamedTuple):
    """G groups at random places."""

    rows: Integers  # (G, 2) first robot, and the one after the last
    corner: Floats  # (G, 3) least x, y (m) and yaw (rad)
    extent: Floats  # (G, 3) by how much they vary
    yaw: Floats  # (G,) rad, of all robots; NaN: drawn


@njit_inline
def _deep(x: float, y: float, radius: float, solids: _Solids) -> bool:
    """Tell whether a disc is in something, by the formulas of ``collision.overlap``."""
    low, high = solids.bounds[:2], solids.bounds[2:]
    if max(radius - (x - low[0]), radius - (y - low[1]), radius - (high[0] - x),
           radius - (high[1] - y)) > TOLERANCE:
        return True
    for x0, y0, x1, y1 in solids.segments:
        a, b = x1 - x0, y1 - y0
        share = ((x - x0) * a + (y - y0) * b) / (a * a + b * b)
        if share < 0.0:
            share = 0.0
        elif share > 1.0:
            share = 1.0
        if radius - hypot(x - (x0 + share * a), y - (y0 + share * b)) > TOLERANCE:
            return True
    for cx, cy, wide in solids.circles:
        if radius + wide - hypot(x - cx, y - cy) > TOLERANCE:
            return True
    for cx, cy, width, height, yaw in solids.rectangles:
        dx, dy, (s, c) = x - cx, y - cy, sincos(yaw)
        qx, qy = abs(c * dx + s * dy) - 0.5 * width, abs(c * dy - s * dx) - 0.5 * height
        outside = hypot(max(qx, 0.0), max(qy, 0.0))
        if radius - (outside + min(max(qx, qy), 0.0)) > TOLERANCE:
            return True
    return False


@njit
def _place(seeds: Integers, groups: _Groups, solids: _Solids, radius: Floats, poses: Floats,
           standing: Flags) -> int:
    """Place groups at random in M worlds; return the first one where some robot has no room, or M.

    Parameters
    ----------
    seeds : (M,)
    groups, solids : of all worlds
    radius : (N,) m, of the robots
    poses : (M, N, 3) x, y (m), yaw (rad), written
    standing : (N,) robots that have a place before; changed

    """
    state, given = np.zeros(4, np.uint64), standing.copy()
    for m in range(len(seeds)):
        standing[:] = given
        for g in range(len(groups.rows)):
            i, end = groups.rows[g]
            corner, extent = groups.corner[g], groups.extent[g]
            seed_placement(seeds[m], i, state)
            for _ in range(ROUNDS + 2 * (end - i) // BATCH):
                for _ in range(min(TRIES * (end - i), BATCH)):
                    x = corner[0] + next_placement(state) * extent[0]
                    y = corner[1] + next_placement(state) * extent[1]
                    yaw = corner[2] + next_placement(state) * extent[2]
                    free = not _deep(x, y, radius[i], solids)
                    for j in range(len(standing)):
                        if not free:
                            break
                        free = not standing[j] or radius[i] + radius[j] - hypot(
                            x - poses[m, j, 0], y - poses[m, j, 1]) <= TOLERANCE
                    if free:
                        poses[m, i, 0], poses[m, i, 1] = x, y
                        poses[m, i, 2] = yaw if math.isnan(groups.yaw[g]) else groups.yaw[g]
                        standing[i] = True
                        i += 1
                        if i == end:
                            break
            if i < end:
                return m
    return len(seeds)


class Placement:
    """Start poses of a scenario by seed, as loading it with that seed gives them.

    Parameters
    ----------
    written : the scenario as it was written, but for files that are found
    bodies : by name
    origins : for errors

    """

    def __init__(self, written: ScenarioFile, bodies: Mapping[str, Body],
                 origins: Origins) -> None:
        self._written, self._bodies, self._origins = written, bodies, origins
        self._world = world = starting_world(written.world)
        self._one_by_one = lru_cache(_KEPT)(self._of_seed)
        entries = written.robots
        first = [0, *accumulate(entry.count or 1 for entry in entries)]
        each = [bodies[entry.body] for entry in entries for _ in range(entry.count or 1)]
        self._radius = np.array([body.safety_radius for body in each])
        # Placed by compiled code for all seeds at once; all else robot by robot, in Python.
        self._simple = (len(each) <= _MOST and world.cells is None and not world.polygons
                        and not any(body.is_rectangle for body in each)
                        and not any(map(_is_special, entries)))
        if not self._simple:
            return
        self._solids = _Solids(
            world.bounds if world.has_walls else np.array([-np.inf, -np.inf, np.inf, np.inf]),
            world.thin_segments.copy(), world.circles, world.rectangles)
        self._poses = np.zeros((len(each), 3))
        self._standing = np.zeros(len(each), np.bool_)
        groups = []
        for i, entry in zip(first, entries, strict=False):
            if entry.pose is not None:
                self._poses[i], self._standing[i] = entry.pose, True
            else:
                groups.append(((i, i + (entry.count or 0)), *even_poses(
                    entry.area or tuple(world.bounds.tolist()),
                    bodies[entry.body].safety_radius),
                    np.nan if entry.yaw is None else entry.yaw))
        self._groups = _Groups(*map(np.array, zip(*groups, strict=True)))

    def __call__(self, seeds: Integers) -> Floats:
        """Return poses (M, N, 3) x, y (m), yaw (rad) of seeds (M,)."""
        if not self._simple:
            return np.array([self._one_by_one(seed) for seed in seeds.tolist()])
        poses = np.empty((len(seeds), *self._poses.shape))
        poses[:] = self._poses
        crowded = _place(seeds, self._groups, self._solids, self._radius, poses,
                         self._standing.copy())
        if crowded < len(seeds):
            self._of_seed(int(seeds[crowded]))  # says which group has no room
        return poses

    def _of_seed(self, seed: int) -> Floats:
        written = replace(self._written, seed=seed)
        robots = place_robots(written, self._bodies, self._origins, self._world)
        return np.array([robot.pose for robot in robots], np.float64)


def _is_special(entry: RobotEntry) -> bool:
    """Tell whether an entry draws other numbers than even ones of place and heading."""
    return (entry.layout == 'grid' or entry.position_gaussian is not None
            or draws_heading(entry))

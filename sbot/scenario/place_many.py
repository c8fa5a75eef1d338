# SPDX-License-Identifier: Apache-2.0
"""Start poses of a scenario for many seeds, as ``sbot.scenario.place`` finds those of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sbot.files.yaml_text import Origins
from sbot.scenario.model import ScenarioFile
from sbot.scenario.place import BATCH, ROUNDS, TRIES, draws_heading, even_poses, place_robots
from sbot.scenario.world import starting_world
from sbot_common.arrays import Flags, Floats, Integers
from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import hypot
from sbot_common.elementary.arrays import copy_numbers
from sbot_common.random.placement import next_placement, seed_placement
from sbot_sim.collision.contacts import contact
from sbot_sim.collision.fixed_objects import make_fixed_objects
from sbot_sim.collision.overlap import TOLERANCE
from sbot_sim.world.bodies import Body

_KEPT = 100_000  # seeds whose poses are kept
_MOST = 2000  # robots that are compared one with another


@njit_inline
def _is_free(x: float, y: float, own: float, bounds: Floats, boxes: Floats, standing: Flags,
             radius: Floats, poses: Floats) -> bool:
    """Tell whether a disc of radius ``own`` (m) has room; parameters as for ``_place``."""
    if max(bounds[0] + own - x, bounds[1] + own - y, x + own - bounds[2],
           y + own - bounds[3]) > TOLERANCE:
        return False
    for k in range(len(boxes)):
        if contact(boxes, k, x, y, own, x, y)[0] > TOLERANCE:
            return False
    for j in range(len(standing)):
        if standing[j] and (own + radius[j] - hypot(x - poses[j, 0], y - poses[j, 1])
                            > TOLERANCE):
            return False
    return True


@njit
def _place(seeds: Integers, rows: Integers, even: Floats, bounds: Floats, boxes: Floats,
           given: Flags, radius: Floats, poses: Floats) -> int:
    """Place groups at random in M worlds; return the first one where some robot has no room, or M.

    Parameters
    ----------
    seeds : (M,)
    rows : (G, 2) first robot of each group, and the one after its last
    even : (G, 2, 3) least x, y (m), yaw (rad) of a group, and by how much they vary
    bounds, boxes : as in ``FixedObjects``
    given : (N,) robots that stand before
    radius : (N,) m, of the robots
    poses : (M, N, 3) x, y (m), yaw (rad), written

    """
    state, standing = np.empty(4, np.uint64), given.copy()
    for m in range(len(seeds)):
        copy_numbers(given, standing)
        for g in range(len(rows)):
            i, end = rows[g, 0], rows[g, 1]
            seed_placement(seeds[m], i, state)
            for _ in range(ROUNDS + 2 * (end - i) // BATCH):
                for _ in range(min(TRIES * (end - i), BATCH)):
                    for c in range(3):
                        poses[m, i, c] = even[g, 0, c] + next_placement(state) * even[g, 1, c]
                    if _is_free(poses[m, i, 0], poses[m, i, 1], radius[i], bounds, boxes, standing,
                                radius, poses[m]):
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
        each = [(entry, bodies[entry.body]) for entry in written.robots
                for _ in range(entry.count or 1)]
        # Placed by compiled code for all seeds at once; all else robot by robot, in Python.
        self._simple = not (len(each) > _MOST or world.cells is not None or world.polygons or any(
            body.is_rectangle or entry.layout == 'grid' or entry.position_gaussian is not None
            or draws_heading(entry) or entry.reserved for entry, body in each))
        if not self._simple:
            return
        self._first = np.array([entry.pose or (0.0, 0.0, 0.0) for entry, _ in each], np.float64)
        rows, even, end = [], [], 0
        for entry in written.robots:
            first, end = end, end + (entry.count or 1)
            if entry.pose is None:
                least, extent = even_poses(entry.area or tuple(world.bounds.tolist()),
                                           bodies[entry.body].safety_radius)
                if entry.yaw is not None:
                    least, extent = (*least[:2], entry.yaw), (*extent[:2], 0.0)
                rows.append((first, end))
                even.append((least, extent))
        radius = np.array([body.safety_radius for _, body in each])
        fixed = make_fixed_objects(world, radius)
        self._scene = (np.array(rows, np.int64), np.array(even), fixed.bounds, fixed.boxes,
                       np.array([entry.pose is not None for entry, _ in each]), radius)

    def __call__(self, seeds: Integers) -> Floats:
        """Return poses (M, N, 3) x, y (m), yaw (rad) of seeds (M,)."""
        if not self._simple:
            return np.array([self._one_by_one(seed) for seed in seeds.tolist()])
        poses = np.empty((len(seeds), *self._first.shape))
        poses[:] = self._first
        crowded = _place(seeds, *self._scene, poses)
        if crowded < len(seeds):
            self._of_seed(int(seeds[crowded]))  # says which group has no room
        return poses

    def _of_seed(self, seed: int) -> Floats:
        written = replace(self._written, seed=seed)
        robots = place_robots(written, self._bodies, self._origins, self._world)
        return np.array([robot.pose for robot in robots], np.float64)

# SPDX-License-Identifier: Apache-2.0
"""Placement of the robots of a scenario: those with a pose first, groups around them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sbot.files.yaml_text import KeyPath, Origins
from sbot.scenario.fields import MAX_ROBOTS
from sbot.scenario.model import Robot, RobotEntry, ScenarioFile
from sbot.scenario.model import World as WorldModel
from sbot.scenario.shipped import sold_names
from sbot_common.arrays import Flags, Floats, Integers
from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import copy_numbers, hypot, log, sincos
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.random import placement_generator
from sbot_common.random.numbers import next_placement, seed_placement
from sbot_sim.collision.contacts import contact
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.overlap import PAIR, TOLERANCE, Overlaps
from sbot_sim.world.bodies import NOWHERE, Body, BodyArrays
from sbot_sim.world.geometry import World

_Pose = tuple[float, float, float]


def _even_poses(area: tuple[float, ...], radius: float) -> tuple[_Pose, _Pose]:
    """Return the least pose of discs in an area (m), and by how much others vary."""
    x_min, y_min, x_max, y_max = area
    return ((x_min + radius, y_min + radius, -math.pi),
            (x_max - x_min - 2 * radius, y_max - y_min - 2 * radius, 2 * math.pi))


def _tried_poses(count: int, entry: RobotEntry, area: tuple[float, ...], radius: float,
                 rng: np.random.Generator) -> Floats:
    """Return poses (count, 3) drawn as an entry wants them, whether they are free or not."""
    corner, extent = np.array(_even_poses(area, radius))
    tries: Floats = corner + rng.random((count, 3)) * extent
    if entry.yaw is not None:
        tries[:, 2] = entry.yaw
    if entry.position_gaussian is not None:
        x, y, across, along = entry.position_gaussian
        tries[:, :2] = np.array([x, y]) + np.array([across, along]) * _normals(rng, count, 2)
    if _draws_heading(entry):
        tries[:, 2] = _headings(entry, count, rng)
    return tries


def _headings(entry: RobotEntry, count: int, rng: np.random.Generator) -> Floats:
    """Return headings (count,) rad, within a turn, of an entry with a distribution of them."""
    if entry.yaw_gaussian is not None:
        mean, spread = entry.yaw_gaussian
        headings = mean + spread * _normals(rng, count, 1)[:, 0]
    else:
        low, high = entry.yaw_uniform or (0.0, 0.0)
        headings = low + (high - low) * rng.random(count)
    return np.fmod(headings, 2.0 * math.pi)  # exact: others stay as they are


def _draws_heading(entry: RobotEntry) -> bool:
    """Tell whether an entry has a distribution of headings."""
    return entry.yaw_uniform is not None or entry.yaw_gaussian is not None


def _turned(entry: RobotEntry, pose: _Pose, rng: np.random.Generator) -> _Pose:
    """Return a pose with its heading drawn, if the entry wants that."""
    if not _draws_heading(entry):
        return pose
    return pose[0], pose[1], float(_headings(entry, 1, rng)[0])


def _normals(rng: np.random.Generator, rows: int, columns: int) -> Floats:
    """Return standard normal numbers (rows, columns) by Box and Muller's method.

    The same on every machine, as logarithm and sine are the project's own.
    """
    numbers = [math.sqrt(-2.0 * log(1.0 - u)) * sincos(2.0 * math.pi * v)[1]
               for u, v in rng.random((rows * columns, 2)).tolist()]
    return np.array(numbers).reshape(rows, columns)


def _most_at_random(area: tuple[float, ...], radius: float) -> int:
    """Return an upper bound of the number of discs that fit into an area at random.

    Discs placed one after the other at random leave no room for another when they cover 0.547 of a
    wide area, or 0.748 of a line (Renyi). What stands at the edge is counted apart, and a tenth
    more is granted.

    Parameters
    ----------
    area : x_min, y_min, x_max, y_max (m), of the discs
    radius : m

    """
    if radius <= 0.0:
        return MAX_ROBOTS
    across, along = (max(0.0, area[k + 2] - area[k] - 2 * radius) / radius for k in range(2))
    inside = 0.547 / math.pi * across * along
    edge = 0.748 / 2.0 * (across + along)
    return math.ceil(min(MAX_ROBOTS, 1.1 * (inside + edge))) + 2


# Positions judged in one call. Robots heaped on one spot make quadratically many pairs, so a call
# must not be asked about too many of them.
BATCH = 2000


class _Placed(NamedTuple):
    """The robots placed so far, in the order of placing."""

    ids: list[int]
    bodies: list[Body]
    poses: list[_Pose]

    def add(self, ids: Sequence[int], body: Body, poses: Sequence[_Pose]) -> None:
        """Let robots of one body stand at poses."""
        self.ids.extend(ids)
        self.bodies.extend([body] * len(poses))
        self.poses.extend(poses)


def _overlaps_of(world: World, bodies: Sequence[Body], poses: Sequence[_Pose]) -> Overlaps:
    """Return the overlaps of robots with these bodies at these poses."""
    return Overlaps.find(world, BodyArrays.of(bodies), np.array(poses).reshape(-1, 3))


def _check_free(written: WorldModel, world: World, placed: _Placed, paths: Mapping[int, KeyPath],
               origins: Origins) -> None:
    """Raise InputError for the first robot of ``paths`` that stands in something."""
    end = 0
    while end < len(placed.ids):
        end += max(BATCH, end // 8)
        found = _overlaps_of(world, placed.bodies[:end], placed.poses[:end])
        ids = np.array(placed.ids[:end])
        pairs = found.kind == PAIR
        one, other = ids[found.robot], found.other.copy()
        other[pairs] = ids[found.other[pairs]]
        # Of two robots the later one is to blame, unless only the earlier one is in question.
        swap = pairs & (one < other) & np.isin(other, list(paths))
        one[swap], other[swap] = other[swap], one[swap]
        rows = np.flatnonzero(np.isin(one, list(paths)))
        if len(rows):
            row = rows[np.argmin(one[rows])]
            robot, kind, what = int(one[row]), int(found.kind[row]), int(other[row])
            name = f'robot {what}' if kind == PAIR else written.name_of(world, kind, what)
            k = placed.ids.index(robot)
            raise bad_value(origins.where(paths[robot]), list(placed.poses[k]),
                            f'a free place: robot {robot} ({placed.bodies[k].size_in_words}) is '
                            f'{found.depth[row]:.3g} m too near to {name}')


# A group is too large for its area when this many rounds of trying have not placed all of it. In
# each round every robot still without a place gets several new positions to try.
ROUNDS = 200
TRIES = 8


def _place_group(entry: RobotEntry, path: KeyPath, ids: range, body: Body, world: World,
                placed: _Placed, written: ScenarioFile, origins: Origins) -> list[_Pose]:
    """Return the poses of a group, which then stands, too; InputError if it has no room."""
    area = entry.area or tuple(world.bounds.tolist())
    if entry.layout == 'grid':
        rng = placement_generator(written.seed, ids[0])
        poses = [_turned(entry, pose, rng) for pose in _grid_poses(len(ids), area, entry.yaw)]
        placed.add(ids, body, poses)
        _check_free(written.world, world, placed, dict.fromkeys(ids, path), origins)
        return poses
    most = _most_at_random(area, body.safety_radius)
    if len(ids) > most and entry.position_gaussian is None:
        raise bad_value(origins.where((*path, 'count')), len(ids),
                        f'at most {most}, which fit at random into {list(area)} (m)')
    poses = _random_poses(len(ids), entry, area, body, world, placed,
                         placement_generator(written.seed, ids[0]))
    if len(poses) < len(ids):
        where = (list(area) if entry.position_gaussian is None
                 else f'about {list(entry.position_gaussian[:2])}')
        raise bad_value(origins.where((*path, 'count')), len(ids),
                        f'fewer, which fit at random into {where} (m); {len(poses)} found room')
    placed.add(ids, body, poses)
    return poses


def _grid_poses(count: int, area: tuple[float, ...], yaw: float | None) -> list[_Pose]:
    """Return ``count`` poses in rows from the lower left, in cells as square as can be."""
    x_min, y_min, x_max, y_max = area
    width, height = x_max - x_min, y_max - y_min
    columns = min(count, max(1, math.ceil(math.sqrt(count * width / height))))
    rows = math.ceil(count / columns)
    return [(x_min + (i % columns + 0.5) * width / columns,
             y_min + (i // columns + 0.5) * height / rows, yaw or 0.0) for i in range(count)]


def _random_poses(count: int, entry: RobotEntry, area: tuple[float, ...], body: Body, world: World,
                 placed: _Placed, rng: np.random.Generator) -> list[_Pose]:
    """Return up to ``count`` free poses as an entry wants them.

    Each round tries new poses and keeps those that are free, first come first served. Positions
    are uniform, with the collision circles in ``area`` (m), unless the entry has a Gaussian. Fewer
    are returned when the rounds did not find room for all.
    """
    poses: list[_Pose] = []
    inset = 2 * body.safety_radius - 1e-9  # rounding of the area's corners
    if entry.position_gaussian is None and min(area[2] - area[0], area[3] - area[1]) < inset:
        return poses
    for _ in range(ROUNDS + 2 * count // BATCH):
        missing = count - len(poses)
        if missing == 0:
            break
        tries = _tried_poses(min(TRIES * missing, BATCH), entry, area, body.safety_radius, rng)
        standing = [*placed.poses, *poses]
        candidates: list[_Pose] = [(x, y, heading) for x, y, heading in tries.tolist()]
        found = _overlaps_of(world, [*placed.bodies, *[body] * (len(poses) + len(candidates))],
                          [*standing, *candidates])
        poses.extend(candidates[k] for k in _free(found, len(standing), len(candidates))[:missing])
    return poses


def _free(found: Overlaps, standing: int, tried: int) -> list[int]:
    """Return which of the tried positions are free, earlier ones first.

    ``found`` counts the robots that stand already first, then the positions tried.
    """
    pairs = found.kind == PAIR
    first, second = np.minimum(found.robot, found.other), np.maximum(found.robot, found.other)
    # What is fixed, and robots that stand, leave no choice.
    hit = np.where(pairs, second, found.robot)[~pairs | (first < standing)]
    blocked = np.zeros(tried, dtype=bool)
    blocked[hit[hit >= standing] - standing] = True
    rivals = pairs & (first >= standing)
    for later, earlier in sorted(zip(second[rivals].tolist(), first[rivals].tolist(),
                                     strict=True)):
        blocked[later - standing] |= not blocked[earlier - standing]
    free: list[int] = np.flatnonzero(~blocked).tolist()
    return free


def place_robots(written: ScenarioFile, bodies: Mapping[str, Body], origins: Origins,
                 world: World | None = None) -> tuple[Robot, ...]:
    """Return every robot of a scenario with its pose; ids in the order of the file.

    Robots with a pose stand first, groups are placed around them in the order of the file. The
    ``world`` at the start is made of what is written where it is not given.

    Raises
    ------
    InputError
        for an unknown body, a robot in an obstacle or in another robot, or a group without room.

    """
    entries = written.robots
    starts = np.cumsum([0, *(entry.count or 1 for entry in entries)]).tolist()
    if starts[-1] > MAX_ROBOTS:
        raise bad_value(origins.where(('robots',)), starts[-1], f'at most {MAX_ROBOTS} robots')
    for i, entry in enumerate(entries):
        _check_entry(entry, i, bodies, origins)
    if world is None:
        world = written.world.at_start()
    placed = _Placed([], [], [])
    # Without a draw no generator: a load then does not import NumPy's random numbers.
    poses = {i: [_turned(entry, entry.pose, placement_generator(written.seed, starts[i]))
                 if _draws_heading(entry) else entry.pose]
             for i, entry in enumerate(entries) if entry.pose is not None}
    for i in poses:
        placed.add([starts[i]], bodies[entries[i].body], poses[i])
    _check_free(written.world, world, placed, {starts[i]: ('robots', i, 'pose') for i in poses},
               origins)
    for i, entry in enumerate(entries):
        if entry.reserved:
            poses[i] = [NOWHERE] * (entry.count or 1)
        elif entry.count is not None:
            ids = range(starts[i], starts[i + 1])
            path: KeyPath = ('robots', i)
            poses[i] = _place_group(entry, path, ids, bodies[entry.body], world, placed,
                                   written, origins)
    return tuple(
        Robot(body=entry.body, pose=pose, controller=entry.controller,
                              goal=entry.goal, goal_tolerance=entry.goal_tolerance,
                              parameters=entry.parameters, reserved=entry.reserved)
        for i, entry in enumerate(entries) for pose in poses[i])


# Keys that say where robots start; those of groups alone.
_OF_PLACES = ('pose', 'area', 'layout', 'yaw', 'yaw_uniform', 'yaw_gaussian', 'position_gaussian')
_OF_GROUPS = ('area', 'layout', 'yaw', 'position_gaussian')


def _check_entry(entry: RobotEntry, i: int, bodies: Mapping[str, Body], origins: Origins) -> None:
    path: KeyPath = ('robots', i)
    if entry.body not in bodies:
        raise unknown_name(origins.where((*path, 'body')), entry.body, {*bodies, *sold_names()})
    if entry.reserved and i == 0:
        raise bad_value(origins.where((*path, 'reserved')), True,
                        'false: robot 0 is there from the start')
    if not entry.reserved and (entry.pose is None) == (entry.count is None):
        raise InputError(f"{origins.where(path)}: got {'both' if entry.pose else 'neither'} of "
                         "'pose' (one robot) and 'count' (many), expected one")
    given = [key for key in _OF_PLACES if getattr(entry, key) is not None]
    if given == ['pose'] and not entry.reserved:  # as most robots
        return
    headings = [key for key in given if key.startswith('yaw')]
    for wrong, keys, text in (
            (entry.reserved, given, "cannot be combined with 'reserved'"),
            (entry.count is None, [key for key in _OF_GROUPS if key in given],
             "needs 'count'; the heading of one robot is the third number of its 'pose'"),
            (True, headings[1:], f"cannot be combined with '{''.join(headings[:1])}'"),
            (entry.area or entry.layout == 'grid',
             [key for key in given if key == 'position_gaussian'],
             "cannot be combined with 'area' or layout: grid")):
        if wrong and keys:
            raise InputError(f'{origins.where((*path, keys[0]))}: {text}')


# Start poses of many seeds in one call, as ``place_robots`` finds those of one.


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
        self._world = world = written.world.at_start()
        self._one_by_one = lru_cache(_KEPT)(self._of_seed)
        each = [(entry, bodies[entry.body]) for entry in written.robots
                for _ in range(entry.count or 1)]
        # Placed by compiled code for all seeds at once; all else robot by robot, in Python.
        self._simple = not (len(each) > _MOST or world.cells is not None or world.polygons or any(
            body.is_rectangle or entry.layout == 'grid' or entry.position_gaussian is not None
            or _draws_heading(entry) or entry.reserved for entry, body in each))
        if not self._simple:
            return
        self._first = np.array([entry.pose or (0.0, 0.0, 0.0) for entry, _ in each], np.float64)
        rows, even, end = [], [], 0
        for entry in written.robots:
            first, end = end, end + (entry.count or 1)
            if entry.pose is None:
                least, extent = _even_poses(entry.area or tuple(world.bounds.tolist()),
                                            bodies[entry.body].safety_radius)
                if entry.yaw is not None:
                    least, extent = (*least[:2], entry.yaw), (*extent[:2], 0.0)
                rows.append((first, end))
                even.append((least, extent))
        radius = np.array([body.safety_radius for _, body in each])
        fixed = FixedObjects.of(world, radius)
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

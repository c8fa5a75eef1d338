"""Placement of robots: random and grid groups, and the check for free places."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.scenario.model import Robot, RobotEntry, ScenarioFile
from sbot.scenario.world import world_arrays
from sbot.scenario.yaml_text import KeyPath, Origins
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.rng import PLACEMENT, generator
from sbot_sim.collision.overlap import CELLS, PAIR, SEGMENT, Overlaps, find_overlaps
from sbot_sim.world.bodies import Body, body_arrays
from sbot_sim.world.geometry import World

Array = NDArray[np.float64]
Pose = tuple[float, float, float]

MAX_ROBOTS = 100_000
# A group is too large for its area when this many rounds of trying have not placed all of it. In
# each round every robot still without a place gets several new positions to try.
ROUNDS = 200
TRIES = 8
# Positions judged in one call. Robots heaped on one spot make quadratically many pairs, so a call
# must not be asked about too many of them.
BATCH = 2000

_BOUNDS = ('xmin', 'ymin', 'xmax', 'ymax')


class Placed(NamedTuple):
    """The robots placed so far, in the order of placing."""

    ids: list[int]
    bodies: list[Body]
    poses: list[Pose]


def place_robots(written: ScenarioFile, bodies: Mapping[str, Body],
                 origins: Origins) -> tuple[Robot, ...]:
    """Return every robot of a scenario with its pose; ids in the order of the file.

    Robots with a pose stand first, groups are placed around them in the order of the file.

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
    world = world_arrays(written.world)
    placed = Placed([], [], [])
    poses = {i: [entry.pose] for i, entry in enumerate(entries) if entry.pose is not None}
    for i in poses:
        _extend(placed, [starts[i]], bodies[entries[i].body], poses[i])
    _check_free(world, placed, {starts[i]: ('robots', i, 'pose') for i in poses}, origins)
    for i, entry in enumerate(entries):
        if entry.count is not None:
            ids = range(starts[i], starts[i + 1])
            path: KeyPath = ('robots', i)
            poses[i] = _place_group(entry, path, ids, bodies[entry.body], world, placed,
                                    written, origins)
    return tuple(
        Robot.model_construct(body=entry.body, pose=pose, controller=entry.controller,
                              goal=entry.goal, goal_tolerance=entry.goal_tolerance,
                              parameters=entry.parameters)
        for i, entry in enumerate(entries) for pose in poses[i])


def _check_entry(entry: RobotEntry, i: int, bodies: Mapping[str, Body], origins: Origins) -> None:
    path: KeyPath = ('robots', i)
    if entry.body not in bodies:
        raise unknown_name(origins.where((*path, 'body')), entry.body, bodies)
    if (entry.pose is None) == (entry.count is None):
        raise InputError(f"{origins.where(path)}: expected either 'pose' (one robot) or 'count' "
                         f"(many), found {'both' if entry.pose else 'neither'}")
    if entry.count is None:
        for key in ('area', 'layout', 'yaw'):
            if getattr(entry, key) is not None:
                raise InputError(f"{origins.where((*path, key))}: only goes with 'count'; the "
                                 "heading of one robot is the third number of its 'pose'")


def _extend(placed: Placed, ids: Sequence[int], body: Body, poses: Sequence[Pose]) -> None:
    placed.ids.extend(ids)
    placed.bodies.extend([body] * len(poses))
    placed.poses.extend(poses)


def _overlaps(world: World, bodies: Sequence[Body], poses: Sequence[Pose]) -> Overlaps:
    return find_overlaps(world, body_arrays(bodies), np.array(poses).reshape(-1, 3))


def _check_free(world: World, placed: Placed, paths: Mapping[int, KeyPath],
                origins: Origins) -> None:
    """Raise InputError for the first robot of ``paths`` that stands in something."""
    end, total = 0, len(placed.ids)
    while end < total:
        end += max(BATCH, end // 8)
        part = Placed(placed.ids[:end], placed.bodies[:end], placed.poses[:end])
        _check_part(world, part, paths, origins)


def _check_part(world: World, placed: Placed, paths: Mapping[int, KeyPath],
                origins: Origins) -> None:
    found = _overlaps(world, placed.bodies, placed.poses)
    ids = np.array(placed.ids)
    pairs = found.kind == PAIR
    one, other = ids[found.robot], found.other.copy()
    other[pairs] = ids[found.other[pairs]]
    # Of two robots the later one is to blame, unless only the earlier one is in question.
    swap = pairs & (one < other) & np.isin(other, list(paths))
    one[swap], other[swap] = other[swap], one[swap]
    rows = np.flatnonzero(np.isin(one, list(paths)))
    if not len(rows):
        return
    row = rows[np.argmin(one[rows])]
    robot, kind, what = int(one[row]), int(found.kind[row]), int(other[row])
    names = (f'robot {what}', f'{_BOUNDS[what % 4]} of world.bounds', f'world.segments.{what}',
             f'world.circles.{what}', f'world.rectangles.{what}', 'world.map')
    if kind == SEGMENT and world.cells is not None and what >= (
            len(world.free_segments) - len(world.cells.outlines)):
        kind = CELLS
    k = placed.ids.index(robot)
    raise bad_value(origins.where(paths[robot]), list(placed.poses[k]),
                    f'a free place: robot {robot} (collision radius '
                    f'{placed.bodies[k].safety_radius:g} m) is {1000 * found.depth[row]:.3g} mm '
                    f'too near to {names[kind]}')


def _place_group(entry: RobotEntry, path: KeyPath, ids: range, body: Body, world: World,
                 placed: Placed, written: ScenarioFile, origins: Origins) -> list[Pose]:
    area = entry.area or tuple(world.bounds.tolist())
    if entry.layout == 'grid':
        poses = grid_poses(len(ids), area, entry.yaw)
        _extend(placed, ids, body, poses)
        _check_free(world, placed, dict.fromkeys(ids, path), origins)
        return poses
    most = most_at_random(area, body.safety_radius)
    if len(ids) > most:
        raise bad_value(origins.where((*path, 'count')), len(ids),
                        f'a number that fits at random into {list(area)} (m), {most} at most')
    poses = random_poses(len(ids), area, body, entry.yaw, world, placed,
                         generator(written.seed, ids[0], PLACEMENT))
    if len(poses) < len(ids):
        raise bad_value(origins.where((*path, 'count')), len(ids),
                        f'a number that fits at random into {list(area)} (m); {len(poses)} found '
                        'room')
    _extend(placed, ids, body, poses)
    return poses


def grid_poses(count: int, area: tuple[float, ...], yaw: float | None) -> list[Pose]:
    """Return ``count`` poses in rows from the lower left, in cells as square as can be."""
    x_min, y_min, x_max, y_max = area
    width, height = x_max - x_min, y_max - y_min
    columns = min(count, max(1, math.ceil(math.sqrt(count * width / height))))
    rows = math.ceil(count / columns)
    return [(x_min + (i % columns + 0.5) * width / columns,
             y_min + (i // columns + 0.5) * height / rows, yaw or 0.0) for i in range(count)]


def random_poses(count: int, area: tuple[float, ...], body: Body, yaw: float | None, world: World,
                 placed: Placed, rng: np.random.Generator) -> list[Pose]:
    """Return up to ``count`` free poses whose collision circles lie in ``area``.

    Each round tries new positions, uniform in the area, and keeps those that are free, first come
    first served. Fewer are returned when the rounds did not find room for all.
    """
    x_min, y_min, x_max, y_max = area
    radius = body.safety_radius
    corner = np.array([x_min + radius, y_min + radius, -math.pi])
    extent = np.array([x_max - x_min - 2 * radius, y_max - y_min - 2 * radius, 2 * math.pi])
    poses: list[Pose] = []
    if extent.min() < 0.0:
        return poses
    for _ in range(ROUNDS + 2 * count // BATCH):
        missing = count - len(poses)
        if missing == 0:
            break
        tries = corner + rng.random((min(TRIES * missing, BATCH), 3)) * extent
        if yaw is not None:
            tries[:, 2] = yaw
        standing = [*placed.poses, *poses]
        candidates: list[Pose] = [(x, y, heading) for x, y, heading in tries.tolist()]
        found = _overlaps(world, [*placed.bodies, *[body] * (len(poses) + len(candidates))],
                          [*standing, *candidates])
        poses.extend(candidates[k] for k in _free(found, len(standing), len(candidates))[:missing])
    return poses


def most_at_random(area: tuple[float, ...], radius: float) -> int:
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


def _free(found: Overlaps, standing: int, tried: int) -> list[int]:
    """Return which of the tried positions are free, earlier ones first.

    ``found`` counts the robots that stand already first, then the positions tried.
    """
    blocked = np.zeros(tried, dtype=bool)
    rivals: dict[int, list[int]] = {}
    for robot, kind, other in zip(found.robot.tolist(), found.kind.tolist(), found.other.tolist(),
                                  strict=True):
        if kind != PAIR:
            if robot >= standing:
                blocked[robot - standing] = True
        elif max(robot, other) >= standing:
            first, second = sorted((robot, other))
            if first < standing:
                blocked[second - standing] = True
            else:
                rivals.setdefault(second - standing, []).append(first - standing)
    free: list[int] = []
    for k in range(tried):
        if not blocked[k] and not any(not blocked[j] for j in rivals.get(k, ())):
            free.append(k)
        else:
            blocked[k] = True
    return free

"""Where robots start: groups placed by the seed, and the check that nobody stands in anything."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_bringup.scenario import Robot, RobotEntry, ScenarioFile, World
from sbot_bringup.scenario_yaml import KeyPath, Origins
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.streams import PLACEMENT, generator
from sbot_sim.bodies import Body

Array = NDArray[np.float64]
MAX_ROBOTS = 100_000
ATTEMPTS = 2000  # positions tried for one robot before a group is declared too large for its area
TOLERANCE = 1e-9  # m; touching is allowed, as in the no-intersections algorithm


def obstacle_at(world: World, x: float, y: float, radius: float) -> str | None:
    """Name what a circle at (x, y) overlaps by more than ``TOLERANCE``, or return None."""
    reach = radius - TOLERANCE
    if world.bounds is not None:
        x_min, y_min, x_max, y_max = world.bounds
        if min(x - x_min, x_max - x, y - y_min, y_max - y) < reach:
            inside = x_min < x < x_max and y_min < y < y_max
            return 'the outer wall' if inside else 'the outside of the bounds'
    for i, (x0, y0, x1, y1) in enumerate(world.segments):
        dx, dy = x1 - x0, y1 - y0
        along = ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy)
        along = min(1.0, max(0.0, along))
        if math.hypot(x - x0 - along * dx, y - y0 - along * dy) < reach:
            return f'world.segments.{i}'
    for i, circle in enumerate(world.circles):
        if math.hypot(x - circle.center[0], y - circle.center[1]) < reach + circle.radius:
            return f'world.circles.{i}'
    for i, box in enumerate(world.rectangles):
        dx, dy = x - box.center[0], y - box.center[1]
        c, s = math.cos(box.yaw), math.sin(box.yaw)
        outside_x = max(0.0, abs(c * dx + s * dy) - box.size[0] / 2)
        outside_y = max(0.0, abs(c * dy - s * dx) - box.size[1] / 2)
        if math.hypot(outside_x, outside_y) < reach:
            return f'world.rectangles.{i}'
    return None


class Placement:
    """The robots placed so far: ids, centres and radii (with collision distance)."""

    def __init__(self, world: World, capacity: int) -> None:
        self._world = world
        self._circles = np.empty((capacity, 3))
        self._ids: list[int] = []

    def conflict(self, x: float, y: float, radius: float) -> str | None:
        """Name the obstacle or the robot that a circle at (x, y) overlaps, or return None."""
        others = self._circles[:len(self._ids)]
        gap = np.hypot(others[:, 0] - x, others[:, 1] - y) - others[:, 2] - radius
        near = np.flatnonzero(gap < -TOLERANCE)
        if near.size:
            return f'robot {self._ids[near[0]]}'
        return obstacle_at(self._world, x, y, radius)

    def add(self, robot_id: int, x: float, y: float, radius: float) -> None:
        """Take a robot in."""
        self._circles[len(self._ids)] = x, y, radius
        self._ids.append(robot_id)


def random_poses(placement: Placement, ids: range, area: tuple[float, ...], radius: float,
                 yaw: float | None, rng: np.random.Generator) -> list[tuple[float, float, float]]:
    """Place robots one after the other, each at the first free one of random positions in ``area``.

    Returns fewer poses than asked for when one finds no place within ``ATTEMPTS``.
    """
    x_min, y_min, x_max, y_max = area
    width, height = x_max - x_min - 2 * radius, y_max - y_min - 2 * radius
    poses: list[tuple[float, float, float]] = []
    if width < 0 or height < 0:
        return poses
    for robot_id in ids:
        for _ in range(ATTEMPTS):
            u, v, w = rng.random(3).tolist()
            x, y = x_min + radius + u * width, y_min + radius + v * height
            if placement.conflict(x, y, radius) is None:
                placement.add(robot_id, x, y, radius)
                poses.append((x, y, w * 2 * math.pi - math.pi if yaw is None else yaw))
                break
        else:
            return poses
    return poses


def grid_poses(count: int, area: tuple[float, ...], yaw: float | None) -> list[Any]:
    """Return ``count`` poses in rows from the lower left, in cells as square as the area allows."""
    x_min, y_min, x_max, y_max = area
    width, height = x_max - x_min, y_max - y_min
    columns = min(count, max(1, math.ceil(math.sqrt(count * width / height))))
    rows = math.ceil(count / columns)
    return [(x_min + (i % columns + 0.5) * width / columns,
             y_min + (i // columns + 0.5) * height / rows, yaw or 0.0) for i in range(count)]


def place_robots(written: ScenarioFile, bodies: Mapping[str, Body],
                 origins: Origins) -> tuple[Robot, ...]:
    """Return every robot of a scenario with its pose; ids in the order of the file.

    Robots with a pose stand first, so that groups are placed around them.

    Raises
    ------
    InputError
        for an unknown body, a robot in an obstacle or in another robot, or a group without room.

    """
    entries = written.robots
    starts = np.cumsum([0, *(entry.count or 1 for entry in entries)]).tolist()
    if starts[-1] > MAX_ROBOTS:
        raise bad_value(origins.where(('robots',)), starts[-1], f'at most {MAX_ROBOTS} robots')
    placement = Placement(written.world, starts[-1])
    poses: dict[int, list[Any]] = {}
    for i, entry in enumerate(entries):
        _check_entry(entry, i, bodies, origins)
    for i in sorted(range(len(entries)), key=lambda i: entries[i].count is not None):
        entry, ids = entries[i], range(starts[i], starts[i + 1])
        radius = bodies[entry.body].safety_radius
        if entry.pose is not None:
            poses[i] = [entry.pose]
            _stand(placement, ids, poses[i], radius, origins.where(('robots', i, 'pose')))
        else:
            poses[i] = _place_group(entry, i, ids, radius, placement, written, origins)
    return tuple(
        Robot.model_construct(body=entry.body, pose=pose, controller=entry.controller,
                              goal=entry.goal, parameters=entry.parameters)
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
                raise InputError(f"{origins.where((*path, key))}: only goes with 'count'; one robot's "
                                 "heading is the third number of its 'pose'")


def _stand(placement: Placement, ids: range, poses: list[Any], radius: float, where: str) -> None:
    for robot_id, pose in zip(ids, poses, strict=True):
        conflict = placement.conflict(pose[0], pose[1], radius)
        if conflict is not None:
            raise bad_value(where, list(pose), f'a free place for a circle of {radius:g} m; it '
                                               f'overlaps {conflict}')
        placement.add(robot_id, pose[0], pose[1], radius)


def _place_group(entry: RobotEntry, i: int, ids: range, radius: float, placement: Placement,
                 written: ScenarioFile, origins: Origins) -> list[Any]:
    area = entry.area or written.world.bounds
    if area is None:
        raise InputError(f"{origins.where(('robots', i))}: key 'area' is missing; it is needed where "
                         'the world has no bounds')
    if entry.layout == 'grid':
        poses = grid_poses(len(ids), area, entry.yaw)
        _stand(placement, ids, poses, radius, origins.where(('robots', i)))
        return poses
    rng = generator(written.seed, ids[0], PLACEMENT)
    poses = random_poses(placement, ids, area, radius, entry.yaw, rng)
    if len(poses) < len(ids):
        raise bad_value(origins.where(('robots', i, 'count')), len(ids),
                        f'a number that fits into {list(area)}; {len(poses)} found room')
    return poses

"""Groups of robots: places in a grid, or free ones at random."""

from __future__ import annotations

import math

import numpy as np

from sbot.files.yaml_text import KeyPath, Origins
from sbot.scenario.model import RobotEntry, ScenarioFile
from sbot.scenario.robots.draws import Pose, most_at_random, tried_poses, turned
from sbot.scenario.robots.standing import BATCH, Placed, check_free, overlaps_of
from sbot_common.errors import bad_value
from sbot_common.random.generators import placement_generator
from sbot_sim.collision.overlap import PAIR, Overlaps
from sbot_sim.world.bodies import Body
from sbot_sim.world.geometry import World

# A group is too large for its area when this many rounds of trying have not placed all of it. In
# each round every robot still without a place gets several new positions to try.
ROUNDS = 200
TRIES = 8


def place_group(entry: RobotEntry, path: KeyPath, ids: range, body: Body, world: World,
                placed: Placed, written: ScenarioFile, origins: Origins) -> list[Pose]:
    """Return the poses of a group, which then stands, too; InputError if it has no room."""
    area = entry.area or tuple(world.bounds.tolist())
    if entry.layout == 'grid':
        rng = placement_generator(written.seed, ids[0])
        poses = [turned(entry, pose, rng) for pose in _grid_poses(len(ids), area, entry.yaw)]
        placed.add(ids, body, poses)
        check_free(written.world, world, placed, dict.fromkeys(ids, path), origins)
        return poses
    most = most_at_random(area, body.safety_radius)
    if len(ids) > most and entry.position_gaussian is None:
        raise bad_value(origins.where((*path, 'count')), len(ids),
                        f'at most {most}, which fit at random into {list(area)} (m)')
    poses = random_poses(len(ids), entry, area, body, world, placed,
                         placement_generator(written.seed, ids[0]))
    if len(poses) < len(ids):
        where = (list(area) if entry.position_gaussian is None
                 else f'about {list(entry.position_gaussian[:2])}')
        raise bad_value(origins.where((*path, 'count')), len(ids),
                        f'fewer, which fit at random into {where} (m); {len(poses)} found room')
    placed.add(ids, body, poses)
    return poses


def _grid_poses(count: int, area: tuple[float, ...], yaw: float | None) -> list[Pose]:
    """Return ``count`` poses in rows from the lower left, in cells as square as can be."""
    x_min, y_min, x_max, y_max = area
    width, height = x_max - x_min, y_max - y_min
    columns = min(count, max(1, math.ceil(math.sqrt(count * width / height))))
    rows = math.ceil(count / columns)
    return [(x_min + (i % columns + 0.5) * width / columns,
             y_min + (i // columns + 0.5) * height / rows, yaw or 0.0) for i in range(count)]


def random_poses(count: int, entry: RobotEntry, area: tuple[float, ...], body: Body, world: World,
                 placed: Placed, rng: np.random.Generator) -> list[Pose]:
    """Return up to ``count`` free poses as an entry wants them.

    Each round tries new poses and keeps those that are free, first come first served. Positions
    are uniform, with the collision circles in ``area`` (m), unless the entry has a Gaussian. Fewer
    are returned when the rounds did not find room for all.
    """
    poses: list[Pose] = []
    inset = 2 * body.safety_radius - 1e-9  # rounding of the area's corners
    if entry.position_gaussian is None and min(area[2] - area[0], area[3] - area[1]) < inset:
        return poses
    for _ in range(ROUNDS + 2 * count // BATCH):
        missing = count - len(poses)
        if missing == 0:
            break
        tries = tried_poses(min(TRIES * missing, BATCH), entry, area, body.safety_radius, rng)
        standing = [*placed.poses, *poses]
        candidates: list[Pose] = [(x, y, heading) for x, y, heading in tries.tolist()]
        found = overlaps_of(world, [*placed.bodies, *[body] * (len(poses) + len(candidates))],
                          [*standing, *candidates])
        poses.extend(candidates[k] for k in _free(found, len(standing), len(candidates))[:missing])
    return poses


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

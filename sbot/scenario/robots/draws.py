"""Random draws of robots' poses: uniform or Gaussian positions and headings."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot.scenario.model import RobotEntry
from sbot_common.elementary import log, sincos

Array = NDArray[np.float64]
Pose = tuple[float, float, float]

MAX_ROBOTS = 100_000


def tried_poses(count: int, entry: RobotEntry, area: tuple[float, ...], radius: float,
                rng: np.random.Generator) -> Array:
    """Return poses (count, 3) drawn as an entry wants them, whether they are free or not."""
    x_min, y_min, x_max, y_max = area
    corner = np.array([x_min + radius, y_min + radius, -math.pi])
    extent = np.array([x_max - x_min - 2 * radius, y_max - y_min - 2 * radius, 2 * math.pi])
    tries: Array = corner + rng.random((count, 3)) * extent
    if entry.yaw is not None:
        tries[:, 2] = entry.yaw
    if entry.position_gaussian is not None:
        x, y, across, along = entry.position_gaussian
        tries[:, :2] = np.array([x, y]) + np.array([across, along]) * _normals(rng, count, 2)
    if draws_heading(entry):
        tries[:, 2] = _headings(entry, count, rng)
    return tries


def _headings(entry: RobotEntry, count: int, rng: np.random.Generator) -> Array:
    """Return headings (count,) rad, within a turn, of an entry with a distribution of them."""
    if entry.yaw_gaussian is not None:
        mean, spread = entry.yaw_gaussian
        headings = mean + spread * _normals(rng, count, 1)[:, 0]
    else:
        low, high = entry.yaw_uniform or (0.0, 0.0)
        headings = low + (high - low) * rng.random(count)
    return np.fmod(headings, 2.0 * math.pi)  # exact: others stay as they are


def draws_heading(entry: RobotEntry) -> bool:
    """Tell whether an entry has a distribution of headings."""
    return entry.yaw_uniform is not None or entry.yaw_gaussian is not None


def turned(entry: RobotEntry, pose: Pose, rng: np.random.Generator) -> Pose:
    """Return a pose with its heading drawn, if the entry wants that."""
    if not draws_heading(entry):
        return pose
    return pose[0], pose[1], float(_headings(entry, 1, rng)[0])


def _normals(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """Return standard normal numbers (rows, columns) by Box and Muller's method.

    The same on every machine, as logarithm and sine are the project's own.
    """
    numbers = []
    for u, v in rng.random((rows * columns, 2)).tolist():
        numbers.append(math.sqrt(-2.0 * log(1.0 - u)) * sincos(2.0 * math.pi * v)[1])
    return np.array(numbers).reshape(rows, columns)


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

"""Narrow passages on a robot's path, where two robots cannot pass each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from navigate.parameters import ABREAST, FORESIGHT, PASSAGE, TRAIL_STEP, Parameters
from navigate.ways.grid import Grid, distance_at
from navigate.ways.passage_line import STRAIGHT, Passage, passage_along
from navigate.ways.trail import LONGEST
from sbot_common.compiled.jit import njit, njit_inner

_STRIDE = 2  # cells between samples of a way
_SLANT = 0.4  # sine
_ROOM = 128  # points of a passage, at most: ahead, and as many behind


@njit_inner
def _free_beside(grid: Grid, x: float, y: float, along_x: float, along_y: float,
                 most: float) -> float:
    """Return how far (m) it is to a wall from (x, y) (m) along a unit vector, at most ``most``."""
    way = 0.0
    while way < most:
        distance = distance_at(grid, x + way * along_x, y + way * along_y)
        if distance <= 0.75 * grid.cell:
            return way
        way += max(0.5 * grid.cell, distance - grid.cell)
    return most


@njit
def is_narrow(p: Parameters, grid: Grid, x: float, y: float, along_x: float,
              along_y: float) -> bool:
    """Tell whether two robots abreast do not fit at (x, y) (m) on a way along a unit vector."""
    width = ABREAST * p.robot_radius_m
    if distance_at(grid, x, y) >= width / 2:
        return False
    left = width
    for slant in (0.0, _SLANT, -_SLANT):  # the posts of a thin door, a little before and behind it
        ahead = math.sqrt(1.0 - slant * slant)
        left = min(left, ahead * _free_beside(grid, x, y, slant * along_x - ahead * along_y,
                                              slant * along_y + ahead * along_x, width))
    if left >= width:
        return False
    most = width - left + grid.cell  # farther away, nothing makes it narrow
    for slant in (0.0, _SLANT, -_SLANT):
        ahead = math.sqrt(1.0 - slant * slant)
        right = ahead * _free_beside(grid, x, y, slant * along_x + ahead * along_y,
                                     slant * along_y - ahead * along_x, most / ahead)
        if left + right < width:
            return True
    return False


@njit_inner
def _sample(path: NDArray[np.float64], length: int, first: int, k: int, x: float, y: float,
            to_x: float, to_y: float, step: float) -> tuple[float, float, bool]:
    """Return sample k >= 1 of the way ahead (m) and whether there is one.

    Straight to the target, or to point ``first`` of a path, and then along it.
    """
    if length > 0:
        to_x, to_y = path[first, 0], path[first, 1]
    dx, dy = to_x - x, to_y - y
    way = math.sqrt(dx * dx + dy * dy)
    straight = math.floor(min(way / step, 1e6))
    if k <= straight:
        return x + k * step / way * dx, y + k * step / way * dy, True
    on = first + _STRIDE * (k - straight - 1)
    if on < length:
        return path[on, 0], path[on, 1], True
    return to_x, to_y, False


@njit
def passage_ahead(p: Parameters, grid: Grid, path: NDArray[np.float64], length: int, first: int,
                  x: float, y: float, to_x: float, to_y: float, trail: NDArray[np.float64],
                  count: int) -> tuple[bool, bool, Passage]:
    """Look for a narrow part of the way to (to_x, to_y) (m).

    Parameters
    ----------
    p, grid : constants; walls that are known
    path, length, first : path that is followed from point ``first`` on; length 0: straight on
    x, y, to_x, to_y : m, the robot and its target
    trail, count : the way that it came, for one in a passage, and how many points that has

    Returns
    -------
    whether there is one, whether the robot is in it, and where it is

    """
    step = _STRIDE * grid.cell
    foresight, longest = FORESIGHT * p.robot_radius_m, PASSAGE * p.robot_radius_m
    last_x, last_y, way, inside, found, wide = x, y, 0.0, False, False, 0.0
    points = np.empty((2 * _ROOM, 2))
    begin = end = last = _ROOM
    points[begin, 0], points[begin, 1] = x, y
    k = 1
    while way < longest and last < 2 * _ROOM - 1:
        at_x, at_y, more = _sample(path, length, first, k, x, y, to_x, to_y, step)
        if not more:
            break
        dx, dy = at_x - last_x, at_y - last_y
        size = math.sqrt(dx * dx + dy * dy)
        if size > 0.0:
            narrow = is_narrow(p, grid, at_x, at_y, dx / size, dy / size)
            if narrow and not found:
                found, points[begin, 0], points[begin, 1] = True, last_x, last_y
                inside = way == 0.0 and is_narrow(p, grid, x, y, dx / size, dy / size)
            elif not narrow and not found and way > foresight:
                break
            if found:
                last += 1
                points[last, 0], points[last, 1] = at_x, at_y
            if narrow:
                end, wide = last, 0.0
            elif found:
                wide += size
                if wide >= 2.0 * p.robot_radius_m:
                    break
            way += size
            last_x, last_y = at_x, at_y
        k += 1
    if not found:
        return False, False, Passage(x, y, x, y, STRAIGHT, 0)
    if inside:
        begin = _came(p, grid, trail, count, points)
    return found, inside, passage_along(p, grid, points, begin, end)


@njit
def _came(p: Parameters, grid: Grid, trail: NDArray[np.float64], count: int,
          points: NDArray[np.float64]) -> int:
    """Write the way that a robot came, before its own place; return where the passage begins.

    Loops of the trail are left out.
    """
    last_x, last_y, wide = points[_ROOM, 0], points[_ROOM, 1], 0.0
    begin = at = _ROOM
    for k in range(count - 1, max(0, count - LONGEST) - 1, -1):
        at_x, at_y = trail[k % LONGEST, 0], trail[k % LONGEST, 1]
        dx, dy = at_x - last_x, at_y - last_y
        size = math.sqrt(dx * dx + dy * dy)
        if size <= 0.0:
            continue
        at = _without_loop(p, points, at, at_x, at_y)
        begin, at = max(begin, at), at - 1
        if at < 0:
            break
        points[at, 0], points[at, 1] = at_x, at_y
        if is_narrow(p, grid, at_x, at_y, dx / size, dy / size):
            begin, wide = at, 0.0
        else:
            wide += size
            if wide >= 2.0 * p.robot_radius_m:
                break
        last_x, last_y = at_x, at_y
    return begin


@njit_inner
def _without_loop(p: Parameters, points: NDArray[np.float64], at: int, x: float,
                  y: float) -> int:
    """Return the first point, back from the robot, near to which the way comes again; ``at``."""
    near = TRAIL_STEP * p.robot_radius_m
    for k in range(_ROOM, at, -1):
        dx, dy = points[k, 0] - x, points[k, 1] - y
        if dx * dx + dy * dy < near * near:
            return k
    return at

"""Narrow passages on a robot's path, where two robots cannot pass each other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.parameters import ABREAST, FORESIGHT, PASSAGE, Parameters
from navigate.ways.grid import Grid, distance_at
from navigate.ways.trail import LONGEST
from sbot_common.compiled.jit import njit, njit_inner

_STRIDE = 2  # cells between samples of a way
_SLANT = 0.4  # sine


class Passage(NamedTuple):
    """The narrow part of a way, as a straight line."""

    near_x: float  # m, the end on the robot's side
    near_y: float
    far_x: float  # m, the other end
    far_y: float


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
    left, right = width, width
    for slant in (0.0, _SLANT, -_SLANT):  # the posts of a thin door, a little before and behind it
        ahead = math.sqrt(1.0 - slant * slant)
        x_x, x_y = slant * along_x, slant * along_y
        left = min(left, ahead * _free_beside(grid, x, y, x_x - ahead * along_y,
                                              x_y + ahead * along_x, width))
        right = min(right, ahead * _free_beside(grid, x, y, x_x + ahead * along_y,
                                                x_y - ahead * along_x, width))
    return left + right < width


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
                  x: float, y: float, to_x: float, to_y: float) -> tuple[bool, bool, Passage]:
    """Look for a narrow part of the way to (to_x, to_y) (m).

    Parameters
    ----------
    p, grid : constants; walls that are known
    path, length, first : path that is followed from point ``first`` on; length 0: straight on
    x, y, to_x, to_y : m, the robot and its target

    Returns
    -------
    whether there is one, whether the robot is in it, and where it is

    """
    step = _STRIDE * grid.cell
    foresight, longest = FORESIGHT * p.robot_radius_m, PASSAGE * p.robot_radius_m
    last_x, last_y, way, inside, found, wide = x, y, 0.0, False, False, 0.0
    near_x, near_y, far_x, far_y = x, y, x, y
    k = 1
    while way < longest:
        at_x, at_y, more = _sample(path, length, first, k, x, y, to_x, to_y, step)
        if not more:
            break
        dx, dy = at_x - last_x, at_y - last_y
        size = math.sqrt(dx * dx + dy * dy)
        if size > 0.0:
            narrow = is_narrow(p, grid, at_x, at_y, dx / size, dy / size)
            if narrow:
                if not found:
                    found, near_x, near_y = True, last_x, last_y
                    inside = way == 0.0 and is_narrow(p, grid, x, y, dx / size, dy / size)
                far_x, far_y, wide = at_x, at_y, 0.0
            elif found:
                wide += size
                if wide >= 2.0 * p.robot_radius_m:
                    break
            elif way > foresight:
                break
            way += size
            last_x, last_y = at_x, at_y
        k += 1
    return found, inside, Passage(near_x, near_y, far_x, far_y)


@njit
def way_out(p: Parameters, grid: Grid, trail: NDArray[np.float64], count: int, x: float,
            y: float) -> tuple[float, float]:
    """Return where (m) the passage began in which a robot is, by the way that it came."""
    last_x, last_y, wide = x, y, 0.0
    out_x, out_y = x, y
    for k in range(count - 1, max(0, count - LONGEST) - 1, -1):
        at_x, at_y = trail[k % LONGEST, 0], trail[k % LONGEST, 1]
        dx, dy = at_x - last_x, at_y - last_y
        size = math.sqrt(dx * dx + dy * dy)
        if size <= 0.0:
            continue
        if is_narrow(p, grid, at_x, at_y, dx / size, dy / size):
            out_x, out_y, wide = at_x, at_y, 0.0
        else:
            wide += size
            if wide >= 2.0 * p.robot_radius_m:
                break
        last_x, last_y = at_x, at_y
    return out_x, out_y

# SPDX-License-Identifier: Apache-2.0
"""Narrow passages: where two robots cannot pass each other, and lanes in which they can."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import Grid, distance_at, is_free_line
from sbot.controllers.navigate.parameters import (
    ABREAST,
    BEND,
    BODY,
    FORESIGHT,
    LANE_AHEAD,
    LANES,
    PASSAGE,
    Parameters,
)
from sbot.controllers.navigate.route import room_beside
from sbot_common.compiled.jit import njit, njit_inner


class Passage(NamedTuple):
    """The narrow part of a way, as a straight line."""

    near: Place  # the end on the robot's side, looking along the line
    length: float  # m


NO_PASSAGE = Passage(Place(0.0, 0.0, 1.0, 0.0), 0.0)


# Narrow passages on a robot's path, where two robots cannot pass each other.

_STRIDE = 2  # cells between samples of a way
_SLANT = 0.4  # sine


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
def _is_narrow(p: Parameters, grid: Grid, x: float, y: float, along_x: float,
               along_y: float) -> bool:
    """Tell whether two robots abreast do not fit at (x, y) (m) on a way along a unit vector."""
    width = ABREAST * p.robot_radius_m
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
                  x: float, y: float, to_x: float, to_y: float) -> tuple[bool, Passage]:
    """Look for a narrow part of the way to (to_x, to_y) (m).

    Parameters
    ----------
    p, grid : constants; walls that are known
    path, length, first : path that is followed from point ``first`` on; length 0: straight on
    x, y, to_x, to_y : m, the robot and its target

    Returns
    -------
    whether there is one, and where it is: from the robot on, if it is in it

    """
    step = _STRIDE * grid.cell
    foresight, longest = FORESIGHT * p.robot_radius_m, PASSAGE * p.robot_radius_m
    last_x, last_y, way, found, wide = x, y, 0.0, False, 0.0
    near_x, near_y, end_x, end_y = x, y, x, y
    k = 1
    while way < longest:
        at_x, at_y, more = _sample(path, length, first, k, x, y, to_x, to_y, step)
        if not more:
            break
        dx, dy = at_x - last_x, at_y - last_y
        size = math.sqrt(dx * dx + dy * dy)
        if size > 0.0:
            narrow = _is_narrow(p, grid, at_x, at_y, dx / size, dy / size)
            if narrow and not found:
                found, near_x, near_y = True, last_x, last_y
            elif not narrow and not found and way > foresight:
                break
            if narrow:
                if not is_free_line(grid, near_x, near_y, at_x, at_y, BEND * p.robot_radius_m,
                                    0.0):
                    break
                end_x, end_y, wide = at_x, at_y, 0.0
            elif found:
                wide += size
                if wide >= 2.0 * p.robot_radius_m:
                    break
            way += size
            last_x, last_y = at_x, at_y
        k += 1
    dx, dy = end_x - near_x, end_y - near_y
    size = math.sqrt(dx * dx + dy * dy)
    if size == 0.0:
        return False, NO_PASSAGE
    return True, Passage(Place(near_x, near_y, dx / size, dy / size), size)


@njit
def has_lanes(p: Parameters, grid: Grid, passage: Passage) -> bool:
    """Tell whether two robots pass each other in a passage if each keeps to its side."""
    r, seen, u_x, u_y = p.robot_radius_m, False, passage.near.cosine, passage.near.sine
    for k in range(math.floor(passage.length / r) + 1):
        left, right = room_beside(grid, passage.near.x + k * r * u_x, passage.near.y + k * r * u_y,
                                  u_x, u_y, r, ABREAST * r)
        if left - right < LANES * r:
            return False
        seen |= left - right < math.inf
    return seen


@njit
def on_lane(p: Parameters, grid: Grid, passage: Passage, x: float, y: float, at_x: float,
            at_y: float) -> tuple[float, float, float]:
    """Return the point (m) ahead on the right lane of a passage; (at_x, at_y) where it has none.

    And the speed (m/s) at which the damper leaves a robot on its lane: a faster one is moved to
    the middle by the wall ahead, where it meets others. inf: there is no lane.

    Keeping to the right: Kirby, Simmons, Forlizzi, "COMPANION: A constraint-optimizing method
    for person-acceptable navigation" (RO-MAN 2009). Both walls and the other leave as much room.
    """
    r, u_x, u_y = p.robot_radius_m, passage.near.cosine, passage.near.sine
    to_x, to_y = x + LANE_AHEAD * r * u_x, y + LANE_AHEAD * r * u_y
    left, right = room_beside(grid, to_x, to_y, u_x, u_y, r, ABREAST * r)
    if not (left < math.inf and right > -math.inf):
        return at_x, at_y, math.inf
    gap = (max(LANES * r, left - right) - 4.0 * r) / 3
    aside = (left + right) / 2 - (left - right + 2.0 * r) / 6
    to_x, to_y = to_x - aside * u_y, to_y + aside * u_x
    if not is_free_line(grid, x, y, to_x, to_y, BODY * r, 0.0):
        return at_x, at_y, math.inf
    # Of all points of a wall beside at r + gap, the least (r + gap)/cos - r over sin, to 2 %.
    return to_x, to_y, p.damper_gain * math.sqrt(2.0 * gap * (r + 2.0 * gap))

# SPDX-License-Identifier: Apache-2.0
"""Narrow passages: where two robots cannot pass, their lines, and lanes in which they can."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.map import Grid, distance_at, is_free_line
from sbot.controllers.navigate.parameters import (
    ABREAST,
    BEND,
    FORESIGHT,
    LANE_AHEAD,
    LANES,
    PASSAGE,
    Parameters,
)
from sbot.controllers.navigate.route import room_beside
from sbot_common.compiled.jit import njit, njit_inner

# Lines of passages: from one end to the other, with the bends between.
#
# A place is told by how far along a line it is and how far beside it (Frenet frame), so the rules
# of a straight passage hold round a corner.

SHORTEST = 1e-9  # radii: a shorter part has no direction
MOST_BENDS = 4  # of a passage; what comes after more is another one

_Bends = tuple[float, float, float, float, float, float, float, float]
STRAIGHT: _Bends = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Passage(NamedTuple):
    """The narrow part of a way, as a line with bends."""

    near_x: float  # m, the end on the robot's side
    near_y: float
    far_x: float  # m, the other end
    far_y: float
    bends: _Bends = STRAIGHT  # m, x and y of each, from the near end on
    corners: int = 0  # how many bends there are


class Part(NamedTuple):
    """A straight part of a passage's line."""

    x: float  # m, where it begins
    y: float
    u_x: float  # unit vector along it
    u_y: float
    length: float  # m


class _Station(NamedTuple):
    """A place beside a passage."""

    along: float  # m, from the near end along the line; < 0: before it
    aside: float  # m, from the line
    u_x: float  # unit vector along the line there
    u_y: float
    length: float  # m, of the whole line


@njit_inner
def _corner_of(passage: Passage, k: int) -> tuple[float, float]:
    """Return corner k (m) of a line: 0 is the near end, the last one the far end."""
    if k <= 0:
        return passage.near_x, passage.near_y
    if k > passage.corners:
        return passage.far_x, passage.far_y
    return passage.bends[2 * k - 2], passage.bends[2 * k - 1]


@njit_inner
def _part_of(p: Parameters, passage: Passage, k: int) -> Part:
    """Return part k of a line, from corner k to the next; it is never quite without a length."""
    x, y = _corner_of(passage, k)
    to_x, to_y = _corner_of(passage, k + 1)
    u_x, u_y, length = _direction(p, to_x - x, to_y - y)
    return Part(x, y, u_x, u_y, length)


@njit_inner
def _direction(p: Parameters, x: float, y: float) -> tuple[float, float, float]:
    """Return the unit vector along a vector (m), and its length (m)."""
    length = max(math.sqrt(x * x + y * y), SHORTEST * p.robot_radius_m)
    return x / length, y / length, length


@njit
def station(p: Parameters, passage: Passage, x: float, y: float) -> _Station:
    """Return where (x, y) (m) is beside a passage: at the part of its line that is nearest.

    The first and the last part go on beyond the ends.
    """
    nearest, start, last = math.inf, 0.0, passage.corners
    along, aside, along_x, along_y = 0.0, 0.0, 0.0, 0.0
    for k in range(last + 1):
        part = _part_of(p, passage, k)
        dx, dy = x - part.x, y - part.y
        on, beside, over = dx * part.u_x + dy * part.u_y, abs(dy * part.u_x - dx * part.u_y), 0.0
        if k > 0 and on < 0.0:
            on, over = 0.0, on
        elif k < last and on > part.length:
            on, over = part.length, on - part.length
        if over != 0.0:
            beside = math.sqrt(beside * beside + over * over)
        if k == 0 or beside < nearest:
            nearest, along, aside, along_x, along_y = (beside, start + on, beside, part.u_x,
                                                       part.u_y)
        start += part.length
    return _Station(along, aside, along_x, along_y, start)


@njit
def _line_at(p: Parameters, passage: Passage, along: float) -> tuple[float, float, float, float]:
    """Return the place (m) and the unit vector of a passage's line, so far (m) along it."""
    k, part = 0, _part_of(p, passage, 0)
    while k < passage.corners and along > part.length:
        along -= part.length
        k += 1
        part = _part_of(p, passage, k)
    return part.x + along * part.u_x, part.y + along * part.u_y, part.u_x, part.u_y


@njit_inner
def out_of(p: Parameters, passage: Passage) -> tuple[float, float]:
    """Return the unit vector that leaves a passage at its near end."""
    to_x, to_y = _corner_of(passage, 1)
    u_x, u_y, _ = _direction(p, passage.near_x - to_x, passage.near_y - to_y)
    return u_x, u_y


@njit_inner
def _farthest(points: NDArray[np.float64], first: int, last: int) -> tuple[float, int]:
    """Return how far (m) points first+1 ... last-1 are from the line between these, at most."""
    most, at = 0.0, first
    ux, uy = points[last, 0] - points[first, 0], points[last, 1] - points[first, 1]
    square = ux * ux + uy * uy
    for k in range(first + 1, last):
        dx, dy = points[k, 0] - points[first, 0], points[k, 1] - points[first, 1]
        t = 0.0 if square == 0.0 else min(1.0, max(0.0, (dx * ux + dy * uy) / square))
        dx, dy = dx - t * ux, dy - t * uy
        away = math.sqrt(dx * dx + dy * dy)
        if away > most:
            most, at = away, k
    return most, at


@njit
def _passage_along(p: Parameters, grid: Grid, points: NDArray[np.float64],
                   last: int) -> Passage:
    """Return the passage along points 0 ... last (m), with a bend only where walls ask for it.

    Line simplification: Douglas and Peucker, "Algorithms for the reduction of the number of
    points", Cartographica 10, 1973. A part is divided at its farthest point, not because that is
    far, since robots change lanes, but because the straight line runs through a wall.
    """
    if is_free_line(grid, points[0, 0], points[0, 1], points[last, 0], points[last, 1],
                    BEND * p.robot_radius_m, 0.0):
        return Passage(points[0, 0], points[0, 1], points[last, 0], points[last, 1],
                       STRAIGHT, 0)
    corners = np.empty(MOST_BENDS + 2, np.int64)
    corners[0], corners[1], count = 0, last, 2
    while count < MOST_BENDS + 2:
        most, at, after = 0.0, 0, -1
        for k in range(count - 1):
            away, farthest = _farthest(points, corners[k], corners[k + 1])
            if away > most and not is_free_line(
                    grid, points[corners[k], 0], points[corners[k], 1],
                    points[corners[k + 1], 0], points[corners[k + 1], 1],
                    BEND * p.robot_radius_m, 0.0):
                most, at, after = away, farthest, k
        if after < 0:
            break
        for k in range(count, after + 1, -1):
            corners[k] = corners[k - 1]
        corners[after + 1] = at
        count += 1
    b = np.zeros(2 * MOST_BENDS)
    for k in range(count - 2):
        b[2 * k], b[2 * k + 1] = points[corners[k + 1], 0], points[corners[k + 1], 1]
    return Passage(points[0, 0], points[0, 1], points[last, 0], points[last, 1],
                   (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]), count - 2)


# Narrow passages on a robot's path, where two robots cannot pass each other.

_STRIDE = 2  # cells between samples of a way
_SLANT = 0.4  # sine
_ROOM = 128  # points of a passage, at most


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
    points, end, last = np.empty((_ROOM, 2)), 0, 0
    points[0, 0], points[0, 1] = x, y
    k = 1
    while way < longest and last < _ROOM - 1:
        at_x, at_y, more = _sample(path, length, first, k, x, y, to_x, to_y, step)
        if not more:
            break
        dx, dy = at_x - last_x, at_y - last_y
        size = math.sqrt(dx * dx + dy * dy)
        if size > 0.0:
            narrow = _is_narrow(p, grid, at_x, at_y, dx / size, dy / size)
            if narrow and not found:
                found, points[0, 0], points[0, 1] = True, last_x, last_y
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
        return False, Passage(x, y, x, y, STRAIGHT, 0)
    return True, _passage_along(p, grid, points, end)


@njit
def _has_lanes(p: Parameters, grid: Grid, passage: Passage) -> bool:
    """Tell whether two robots pass each other in a passage if each keeps to its side."""
    r, seen, some = p.robot_radius_m, False, False
    for part in range(passage.corners + 1):
        x, y, u_x, u_y, length = _part_of(p, passage, part)
        if length <= SHORTEST * r:
            continue
        some = True
        for k in range(math.floor(length / r) + 1):
            left, right = room_beside(grid, x + k * r * u_x, y + k * r * u_y, u_x, u_y, r,
                                      ABREAST * r)
            if left - right < LANES * r:
                return False
            seen |= left - right < math.inf
    return some and seen


@njit
def passage_with_lanes(p: Parameters, grid: Grid, passage: Passage) -> tuple[bool, Passage]:
    """Return whether a passage has lanes, and the line along which it has them.

    Where it has none along its bends, the straight line is tried: a way through a wall that is
    not known yet has bends beside that wall.
    """
    if _has_lanes(p, grid, passage):
        return True, passage
    if passage.corners > 0:
        straight = Passage(passage.near_x, passage.near_y, passage.far_x, passage.far_y,
                           STRAIGHT, 0)
        if _has_lanes(p, grid, straight):
            return True, straight
    return False, passage


@njit
def on_lane(p: Parameters, grid: Grid, passage: Passage, x: float, y: float, at_x: float,
            at_y: float) -> tuple[float, float]:
    """Return the point (m) ahead on the right lane of a passage; (at_x, at_y) where it has none.

    Keeping to the right: Kirby, Simmons, Forlizzi, "COMPANION: A constraint-optimizing method
    for person-acceptable navigation" (RO-MAN 2009). Both walls and the other leave as much room.
    """
    r = p.robot_radius_m
    if passage.corners == 0:
        _, _, u_x, u_y, _ = _part_of(p, passage, 0)
        to_x, to_y = x + LANE_AHEAD * r * u_x, y + LANE_AHEAD * r * u_y
    else:
        along = station(p, passage, x, y).along
        to_x, to_y, u_x, u_y = _line_at(p, passage, along + LANE_AHEAD * r)
    left, right = room_beside(grid, to_x, to_y, u_x, u_y, r, ABREAST * r)
    if not (left < math.inf and right > -math.inf):
        return at_x, at_y
    aside = (left + right) / 2 - (left - right + 2.0 * r) / 6
    return to_x - aside * u_y, to_y + aside * u_x

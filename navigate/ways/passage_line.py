"""Lines of passages: from one end to the other, with the bends between.

A place is told by how far along a line it is and how far beside it (Frenet frame), so the rules of
a straight passage hold round a corner.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.parameters import BEND, Parameters
from navigate.ways.grid import Grid, is_free_line
from sbot_common.compiled.jit import njit, njit_inner

SHORTEST = 1e-9  # radii: a shorter part has no direction
MOST_BENDS = 4  # of a passage; what comes after more is another one

Bends = tuple[float, float, float, float, float, float, float, float]
STRAIGHT: Bends = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Passage(NamedTuple):
    """The narrow part of a way, as a line with bends."""

    near_x: float  # m, the end on the robot's side
    near_y: float
    far_x: float  # m, the other end
    far_y: float
    bends: Bends = STRAIGHT  # m, x and y of each, from the near end on
    corners: int = 0  # how many bends there are


class Part(NamedTuple):
    """A straight part of a passage's line."""

    x: float  # m, where it begins
    y: float
    u_x: float  # unit vector along it
    u_y: float
    length: float  # m


class Station(NamedTuple):
    """A place beside a passage."""

    along: float  # m, from the near end along the line; < 0: before it
    aside: float  # m, from the line
    u_x: float  # unit vector along the line there
    u_y: float
    length: float  # m, of the whole line


@njit_inner
def corner_of(passage: Passage, k: int) -> tuple[float, float]:
    """Return corner k (m) of a line: 0 is the near end, the last one the far end."""
    if k <= 0:
        return passage.near_x, passage.near_y
    if k > passage.corners:
        return passage.far_x, passage.far_y
    return passage.bends[2 * k - 2], passage.bends[2 * k - 1]


@njit_inner
def part_of(p: Parameters, passage: Passage, k: int) -> Part:
    """Return part k of a line, from corner k to the next; it is never quite without a length."""
    x, y = corner_of(passage, k)
    to_x, to_y = corner_of(passage, k + 1)
    u_x, u_y, length = _direction(p, to_x - x, to_y - y)
    return Part(x, y, u_x, u_y, length)


@njit_inner
def _direction(p: Parameters, x: float, y: float) -> tuple[float, float, float]:
    """Return the unit vector along a vector (m), and its length (m)."""
    length = max(math.sqrt(x * x + y * y), SHORTEST * p.robot_radius_m)
    return x / length, y / length, length


@njit
def station(p: Parameters, passage: Passage, x: float, y: float) -> Station:
    """Return where (x, y) (m) is beside a passage: at the part of its line that is nearest.

    The first and the last part go on beyond the ends.
    """
    nearest, start, last = math.inf, 0.0, passage.corners
    along, aside, along_x, along_y = 0.0, 0.0, 0.0, 0.0
    for k in range(last + 1):
        part = part_of(p, passage, k)
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
    return Station(along, aside, along_x, along_y, start)


@njit
def line_at(p: Parameters, passage: Passage, along: float) -> tuple[float, float, float, float]:
    """Return the place (m) and the unit vector of a passage's line, so far (m) along it."""
    k, part = 0, part_of(p, passage, 0)
    while k < passage.corners and along > part.length:
        along -= part.length
        k += 1
        part = part_of(p, passage, k)
    return part.x + along * part.u_x, part.y + along * part.u_y, part.u_x, part.u_y


@njit_inner
def out_of(p: Parameters, passage: Passage) -> tuple[float, float]:
    """Return the unit vector that leaves a passage at its near end."""
    to_x, to_y = corner_of(passage, 1)
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
def passage_along(p: Parameters, grid: Grid, points: NDArray[np.float64], first: int,
                  last: int) -> Passage:
    """Return the passage along points first ... last (m), with a bend only where walls ask for it.

    Line simplification: Douglas and Peucker, "Algorithms for the reduction of the number of
    points", Cartographica 10, 1973. A part is divided at its farthest point, not because that is
    far, since robots change lanes, but because the straight line runs through a wall.
    """
    if is_free_line(grid, points[first, 0], points[first, 1], points[last, 0], points[last, 1],
                    BEND * p.robot_radius_m, 0.0):
        return Passage(points[first, 0], points[first, 1], points[last, 0], points[last, 1],
                       STRAIGHT, 0)
    corners = np.empty(MOST_BENDS + 2, np.int64)
    corners[0], corners[1], count = first, last, 2
    while count < MOST_BENDS + 2:
        most, at, after = 0.0, first, -1
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
    return Passage(points[first, 0], points[first, 1], points[last, 0], points[last, 1],
                   (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]), count - 2)

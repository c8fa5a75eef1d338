"""Route to a target: straight where nothing is known to be in the way, else along a path.

A path is searched again when what the robot has seen since blocks it, or the target has moved.
Nothing else makes it worse: obstacles are only added, and unknown space counts as free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.grid import SIDE, Grid, column_of, is_free_line, is_inside, row_of
from navigate.parameters import Parameters
from navigate.search import Search, cell_cost, find_path
from sbot_common.compiled.jit import njit, njit_inner

_PAUSE = 6  # turns between two searches, at least
_LOST = 15  # turns until a point that is not in sight is searched anew
_AHEAD = 8  # points that are tried in one turn
_MOVED = 1.0  # m that a target may move


class Route(NamedTuple):
    """The path that is followed."""

    length: int  # points; 0: none
    at: int  # point that the robot heads for
    turn: int  # of the last search
    number: int  # of searches so far
    to_x: float  # m, its target
    to_y: float


@njit_inner
def nothing_planned(route: Route) -> Route:
    """Return a route without a path."""
    return Route(0, 0, route.turn, route.number, route.to_x, route.to_y)


@njit
def sight_clearance(p: Parameters) -> float:
    """Return how far (m) from obstacles a straight line to the next point must be."""
    return p.robot_radius_m + p.margin_m + p.cell_m / 2


@njit_inner
def is_blocked(p: Parameters, grid: Grid, path: NDArray[np.float64], first: int,
               end: int) -> bool:
    """Tell whether an obstacle was seen on points first ... end-1 of the path."""
    for k in range(first, end):
        row, column = row_of(grid, path[k, 1]), column_of(grid, path[k, 0])
        if is_inside(row, column) and cell_cost(p, grid, row, column) > 10.0:
            return True
    return False


@njit
def within_window(grid: Grid, x: float, y: float, to_x: float, to_y: float) -> tuple[float, float]:
    """Return the point (m) nearest to the target on the line to it that the window holds."""
    low_x, low_y = grid.origin_x + grid.cell, grid.origin_y + grid.cell
    size = (SIDE - 2) * grid.cell
    t = 1.0
    for at, to, low in ((x, to_x, low_x), (y, to_y, low_y)):
        if to < low:
            t = min(t, (low - at) / (to - at))
        elif to > low + size:
            t = min(t, (low + size - at) / (to - at))
    t = max(0.0, t)
    return x + t * (to_x - x), y + t * (to_y - y)


@njit
def next_point(p: Parameters, grid: Grid, search: Search, path: NDArray[np.float64],
               route: Route, turn: int, changed: bool, x: float, y: float, to_x: float,
               to_y: float) -> tuple[Route, float, float]:
    """Return the point (m) to head for from (x, y) (m) on the way to a target.

    Parameters
    ----------
    p, grid, search, path : constants, and memory that is written
    route : after the last turn
    turn : number of this one
    changed : whether an obstacle was seen for the first time
    x, y, to_x, to_y : m

    """
    clearance, skip = sight_clearance(p), p.robot_radius_m
    if is_free_line(grid, x, y, to_x, to_y, clearance, skip):
        return nothing_planned(route), to_x, to_y
    end_x, end_y = within_window(grid, x, y, to_x, to_y)
    moved_x, moved_y = end_x - route.to_x, end_y - route.to_y
    planned, at, length = route.turn, route.at, route.length
    good = length > 0 and moved_x * moved_x + moved_y * moved_y < _MOVED * _MOVED
    if good and (changed or turn - planned >= _LOST):
        good = not is_blocked(p, grid, path, at + 2, length)
    if good:
        for _ in range(_AHEAD):
            if at + 1 < length and is_free_line(grid, x, y, path[at + 1, 0], path[at + 1, 1],
                                                clearance, skip):
                at += 1
        dx, dy = path[at, 0] - x, path[at, 1] - y
        if dx * dx + dy * dy < 9 * grid.cell * grid.cell:
            at = min(at + 1, length - 1)
        elif turn - planned >= _LOST:
            good = is_free_line(grid, x, y, path[at, 0], path[at, 1], clearance, skip)
    number = route.number
    if not good and (turn - planned >= _PAUSE or number == 0):
        number += 1
        planned, at = turn, 0
        length = find_path(p, grid, search, number, x, y, end_x, end_y, path)
        for _ in range(4 * _AHEAD):
            if at + 1 < length and is_free_line(grid, x, y, path[at + 1, 0], path[at + 1, 1],
                                                clearance, skip):
                at += 1
        at = max(at, min(2, length - 1))
    route = Route(length, at, planned, number, end_x, end_y)
    if length == 0:
        return route, end_x, end_y
    return route, path[at, 0], path[at, 1]

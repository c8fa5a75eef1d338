# SPDX-License-Identifier: Apache-2.0
"""Route to a target, straight or along a path, and the margin that it keeps from obstacles.

A path is searched again when what the robot has seen since blocks it, or the target has moved.
Nothing else makes it worse: unknown space counts as free. A place where a robot alone does not get
on is taken for closed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.map import (
    Grid,
    column_of,
    distance_at,
    is_free_line,
    is_inside,
    mark,
    part_within,
    row_of,
)
from sbot.controllers.navigate.parameters import (
    AHEAD,
    ALONE,
    BANNED,
    BESIDE_GAP,
    BODY,
    FEW_CELLS,
    LATER,
    LEAST_MARGIN,
    LOST,
    MOST_CELLS,
    MOVED,
    PAUSE,
    PROGRESS,
    SIDE,
    SOON,
    STUCK,
    Parameters,
)
from sbot.controllers.navigate.search import Search, cell_cost, find_path
from sbot_common.compiled.jit import njit, njit_inner

_STRIDE = 3  # points of the path that are passed at once
_CLOSED = 12  # points of the path ahead of which the narrowest is closed


class Route(NamedTuple):
    """The path that is followed."""

    length: int  # points; 0: none
    at: int  # point that the robot heads for
    time: float  # s, of the last search
    number: int  # of searches so far
    tight: int  # points where there was less than the margin when it was searched
    to_x: float  # m, its target when it was searched
    to_y: float
    checked: bool  # it was free, and no obstacle is new since
    closed: bool  # no way leads to the target, in unknown space neither
    far: bool  # its search visited more than ``FEW_CELLS``, so the next one does too


@njit_inner
def nothing_planned(route: Route) -> Route:
    """Return a route without a path."""
    return Route(0, 0, route.time, route.number, 0, route.to_x, route.to_y, False, False, False)


@njit
def sight_clearance(p: Parameters) -> float:
    """Return how far (m) from obstacles a straight line to the next point must be."""
    return p.robot_radius_m + p.margin_m + p.cell_m / 2


@njit_inner
def _tight_points(p: Parameters, grid: Grid, path: NDArray[np.float64], first: int,
                  end: int) -> tuple[int, int]:
    """Return how many of points first ... end-1 have less than the margin; which one is blocked.

    ``end`` instead of the latter if none is.
    """
    count = 0
    for k in range(first, end):
        row, column = row_of(grid, path[k, 1]), column_of(grid, path[k, 0])
        if is_inside(row, column):
            cost = cell_cost(p, grid, row, column)
            if cost == math.inf:
                return count, k
            count += cost > 10.0
    return count, end


@njit
def room_beside(grid: Grid, x: float, y: float, along_x: float, along_y: float, window: float,
                reach: float) -> tuple[float, float]:
    """Return how far (m) obstacles are to the left (> 0) and to the right (<= 0) of a way.

    ``along`` is a unit vector along it at (x, y) (m). It is where obstacles were seen that
    counts, ``window`` (m) before and behind, ``reach`` (m) aside; inf, -inf: there are none.
    """
    row, column, left, right = row_of(grid, y), column_of(grid, x), math.inf, -math.inf
    up = math.ceil((abs(along_y) * window + abs(along_x) * reach) / grid.cell)
    across = math.ceil((abs(along_x) * window + abs(along_y) * reach) / grid.cell)
    for i in range(max(0, row - up), min(SIDE, row + up + 1)):
        for j in range(max(0, column - across), min(SIDE, column + across + 1)):
            if grid.evidence[i, j] <= 0:
                continue
            dx = grid.origin_x + (j + np.float64(grid.hits[i, j, 0])) * grid.cell - x
            dy = grid.origin_y + (i + np.float64(grid.hits[i, j, 1])) * grid.cell - y
            aside = along_x * dy - along_y * dx
            if abs(along_x * dx + along_y * dy) < window and abs(aside) < reach:
                if aside > 0.0:
                    left = min(left, aside)
                else:
                    right = max(right, aside)
    return left, right


@njit
def _centre_of_gap(p: Parameters, grid: Grid, x: float, y: float, along_x: float,
                   along_y: float) -> tuple[float, float]:
    """Return the place (m) beside (x, y) half-way between the obstacles on both sides of a way.

    ``along`` is a unit vector along it. Cells are coarser than what a narrow gap leaves, so
    it is where obstacles were seen that counts. (x, y) itself where there are none on a side.
    """
    r = p.robot_radius_m
    reach = r + p.margin_m + grid.cell
    left, right = room_beside(grid, x, y, along_x, along_y, BESIDE_GAP * r, reach)
    if not (left < math.inf and right > -math.inf and left - right > BODY * 2.0 * r):
        return x, y
    shift = (left + right) / 2
    return x - shift * along_y, y + shift * along_x


@njit
def _centre_path(p: Parameters, grid: Grid, path: NDArray[np.float64], length: int) -> None:
    """Move the points of a path that have less than the margin to the middle of their gaps."""
    for k in range(1, length - 1):
        row, column = row_of(grid, path[k, 1]), column_of(grid, path[k, 0])
        if is_inside(row, column) and cell_cost(p, grid, row, column) > 10.0:
            dx, dy = path[k + 1, 0] - path[k - 1, 0], path[k + 1, 1] - path[k - 1, 1]
            size = math.sqrt(dx * dx + dy * dy)
            if size > 0.0:
                path[k, 0], path[k, 1] = _centre_of_gap(p, grid, path[k, 0], path[k, 1],
                                                        dx / size, dy / size)


@njit_inner
def _passed(p: Parameters, grid: Grid, path: NDArray[np.float64], length: int, at: int,
            tries: int, x: float, y: float) -> int:
    """Return the point of the path, from ``at`` on, to which the line from (x, y) (m) is free."""
    stride = _STRIDE
    for _ in range(tries):
        ahead = min(at + stride, length - 1)
        if ahead > at and is_free_line(grid, x, y, path[ahead, 0], path[ahead, 1],
                                       sight_clearance(p), p.robot_radius_m):
            at = ahead
        elif stride == 1:
            break
        else:
            stride = 1
    return at


@njit_inner
def _searched(p: Parameters, grid: Grid, search: Search, number: int, far: bool, x: float,
              y: float, to_x: float, to_y: float, path: NDArray[np.float64],
              ) -> tuple[int, int, bool]:
    """Return what ``find_path`` does, how many searches there were so far, and ``Route.far``.

    Where all that a target can be reached from is much to visit, the search begins at the robot:
    it may be shut in, or its way out narrow. ``far`` is that of the route before.
    """
    for is_far in range(int(far), 2):
        most = MOST_CELLS if is_far else FEW_CELLS
        length = find_path(p, grid, search, number + 1, x, y, to_x, to_y, path, most)
        if length != 0:
            return length, number + 1, is_far > 0
        length = find_path(p, grid, search, number + 2, to_x, to_y, x, y, path, most)
        number += 2
        if length == path.shape[0]:
            return 0, number, False  # the points near the robot are left out
        for k in range(length // 2):
            for axis in range(2):
                end = length - 1 - k
                path[k, axis], path[end, axis] = path[end, axis], path[k, axis]
        if length != 0:
            return length, number, is_far > 0
    return 0, number, False


@njit
def next_point(p: Parameters, grid: Grid, search: Search, path: NDArray[np.float64],
               route: Route, time: float, changed: bool, x: float, y: float, to_x: float,
               to_y: float, slim: bool = False) -> tuple[Route, float, float]:
    """Return the point (m) to head for from (x, y) (m) on the way to a target.

    Parameters
    ----------
    p, grid, search, path : constants, and memory that is written
    route : after the last turn
    time : s, of this turn
    changed : whether an obstacle was seen for the first time
    x, y, to_x, to_y : m
    slim : a body that cannot turn round everywhere goes on along its path until the next search

    """
    clearance, skip = sight_clearance(p), p.robot_radius_m
    if is_free_line(grid, x, y, to_x, to_y, clearance, skip):
        return nothing_planned(route), to_x, to_y
    low_x, low_y = grid.origin_x + grid.cell, grid.origin_y + grid.cell
    side = (SIDE - 2) * grid.cell
    _, share = part_within(x - low_x, to_x - x, side, 0.0, 1.0)
    _, share = part_within(y - low_y, to_y - y, side, 0.0, share)
    end_x, end_y = x + share * (to_x - x), y + share * (to_y - y)
    moved_x, moved_y = end_x - route.to_x, end_y - route.to_y
    moved = MOVED * p.robot_radius_m
    since, at, length = time - route.time, route.at, route.length
    good = length > 0 and moved_x * moved_x + moved_y * moved_y < moved * moved
    pause, goes_on = PAUSE if length > 0 else LATER, slim and good
    checked = route.checked and not changed
    if good and (changed or since >= LOST) and not checked:
        tight, blocked = _tight_points(p, grid, path, at + 2, length)
        good = checked = tight <= route.tight and blocked == length
        if not good and blocked > at + SOON:
            pause = LATER
    if good or goes_on:
        at = _passed(p, grid, path, length, at, AHEAD, x, y)
        dx, dy = path[at, 0] - x, path[at, 1] - y
        if dx * dx + dy * dy < 9 * grid.cell * grid.cell:
            at = min(at + 1, length - 1)
        elif good and since >= LOST:
            good = is_free_line(grid, x, y, path[at, 0], path[at, 1], clearance, skip)
    number, planned, tight = route.number, route.time, route.tight
    planned_x, planned_y, closed, far = route.to_x, route.to_y, route.closed, route.far
    if not good and (since >= pause or number == 0):
        planned, at, planned_x, planned_y, checked = time, 0, end_x, end_y, False
        length, number, far = _searched(p, grid, search, number, far, x, y, end_x, end_y, path)
        closed = length < 0 and abs(end_x - to_x) + abs(end_y - to_y) < grid.cell
        length = max(0, length)
        tight, _ = _tight_points(p, grid, path, 2, length)
        _centre_path(p, grid, path, length)
        at = _passed(p, grid, path, length, at, 4 * AHEAD, x, y)
        at = max(at, min(2, length - 1))
    route = Route(length, at, planned, number, tight, planned_x, planned_y, checked, closed,
                  far)
    if closed:
        return route, x, y
    if length == 0:
        return route, end_x, end_y
    return route, path[at, 0], path[at, 1]


class Watch(NamedTuple):
    """Where and when a robot last got on."""

    x: float  # m
    y: float
    time: float  # s


@njit
def watched(p: Parameters, grid: Grid, watch: Watch, path: NDArray[np.float64], route: Route,
            near: NDArray[np.float64], count: int, rests: bool, x: float, y: float, time: float,
            ) -> tuple[Watch, bool]:
    """Return the watch after a turn at (x, y) (m), and whether a place was closed.

    Parameters
    ----------
    p, grid : constants; obstacles, written
    path, route : that is followed
    near, count : positions of others from the robot (m)
    rests : whether it has reason to stay
    x, y, time : m, s

    """
    r = p.robot_radius_m
    dx, dy = x - watch.x, y - watch.y
    alone, alone_from, gets_on = True, ALONE * r, PROGRESS * r
    for k in range(count):
        alone &= near[k, 0] * near[k, 0] + near[k, 1] * near[k, 1] > alone_from * alone_from
    if rests or not alone or dx * dx + dy * dy > gets_on * gets_on or route.length == 0:
        return Watch(x, y, time), False
    if time - watch.time < STUCK:
        return watch, False
    least, at = math.inf, -1
    for k in range(min(route.at, 1), min(route.length, route.at + _CLOSED)):
        distance = distance_at(grid, path[k, 0], path[k, 1])
        if distance < least:
            least, at = distance, k
    closed = at >= 0 and least < r + p.margin_m
    if closed:
        mark(grid, path[at, 0], path[at, 1], BANNED)
    return Watch(x, y, time), closed


# Margin that a robot keeps from obstacles: the whole one, or what a narrow gap leaves.

@njit
def margin_ahead(p: Parameters, grid: Grid, path: NDArray[np.float64], route: Route) -> float:
    """Return the margin (m) that the next points of the path leave: a narrow gap needs less."""
    least = p.margin_m
    for k in range(max(0, route.at - 4), min(route.length, route.at + 3)):
        distance = distance_at(grid, path[k, 0], path[k, 1])
        least = min(least, distance - p.robot_radius_m - 0.75 * p.cell_m)
    return max(least, min(p.margin_m, LEAST_MARGIN * p.robot_radius_m))


@njit
def margin_beside(p: Parameters, grid: Grid, x: float, y: float, to_x: float,
                  to_y: float) -> float:
    """Return the margin (m) that a gap leaves in which a robot at (x, y) (m) is.

    ``to`` is the point (m) that it heads for. A line from the robot to a point does not tell what
    is beside the robot, so without this the robot keeps the whole margin before it is through.
    """
    r, dx, dy = p.robot_radius_m, to_x - x, to_y - y
    size = math.sqrt(dx * dx + dy * dy)
    if not 0.0 < size < math.inf or distance_at(grid, x, y) >= r + p.margin_m:
        return p.margin_m
    left, right = room_beside(grid, x, y, dx / size, dy / size, BESIDE_GAP * r,
                              r + p.margin_m + grid.cell)
    room = (left - right) / 2 - r - 0.75 * grid.cell
    return max(min(p.margin_m, room), min(p.margin_m, LEAST_MARGIN * r))

# SPDX-License-Identifier: Apache-2.0
"""A* search on the distance grid: the cheapest path from cell to cell through known space.

Hart, Nilsson, Raphael, "A formal basis for the heuristic determination of minimum cost paths",
IEEE Transactions on Systems Science and Cybernetics 4 (1968). The search begins at the target, so
that the chain of parents leads from the robot to the target.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.map import HALF_DIAGONAL, Grid, column_of, is_inside, row_of
from sbot.controllers.navigate.parameters import (
    BODY,
    NEAR,
    REACH,
    SIDE,
    TIGHT,
    Parameters,
)
from sbot_common.compiled.jit import njit, njit_inline, njit_inner

LONGEST = 1024  # points of a path that are kept
_DIAGONAL = math.sqrt(2.0)
_CELLS = 1 << 20  # more than a window has
_STEPS = float(1 << 20)  # of a cell, so that all fits into 63 bits


class Search(NamedTuple):
    """Working memory of the search; cells count row by row."""

    cost: NDArray[np.float64]  # (cells,) from the target
    parent: NDArray[np.int32]  # (cells,) next cell towards the target
    number: NDArray[np.int32]  # (cells,) of the search in which the cell was reached
    # Heap of numbers, which are compared faster than pairs: cost plus estimate in steps of a cell,
    # times ``_CELLS``, plus the cell
    heap: NDArray[np.int64]


def make_search() -> Search:
    """Return working memory; pages that no search touches stay unused."""
    cells = SIDE * SIDE
    return Search(np.zeros(cells), np.zeros(cells, np.int32), np.zeros(cells, np.int32),
                  np.zeros(cells, np.int64))


@njit
def cell_cost(p: Parameters, grid: Grid, row: int, column: int) -> float:
    """Return the cost of a cell for each cell of way: 1 in the open, inf where no body fits."""
    distance = REACH * grid.cell - np.float64(grid.nearness[row, column])
    if distance >= p.clearance_m:
        return 1.0
    if distance <= HALF_DIAGONAL * grid.cell or distance < BODY * p.robot_radius_m:
        return math.inf
    body = p.robot_radius_m + p.margin_m
    if distance < body:
        return TIGHT
    return 1.0 + NEAR * (p.clearance_m - distance) / (p.clearance_m - body)


@njit_inline
def _is_solid(grid: Grid, row: int, column: int) -> bool:
    """Tell whether a cell holds an obstacle."""
    return bool((REACH - HALF_DIAGONAL) * grid.cell <= np.float64(grid.nearness[row, column]))


@njit_inline
def _step_cost(p: Parameters, grid: Grid, row: int, column: int, near: int, end: tuple[int, int],
               least: float, other: tuple[int, int], other_least: float) -> float:
    """Return ``cell_cost``, but let a robot or target that is too near to a wall get away.

    Within ``near`` cells of an ``end`` of the way, cells no nearer to obstacles than that end, at
    ``least`` (m), are dear instead of forbidden.
    """
    cost = cell_cost(p, grid, row, column)
    if cost == math.inf:
        distance = REACH * grid.cell - np.float64(grid.nearness[row, column])
        if distance > HALF_DIAGONAL * grid.cell and (
                (distance >= least and abs(row - end[0]) <= near and abs(column - end[1]) <= near)
                or (distance >= other_least and abs(row - other[0]) <= near
                    and abs(column - other[1]) <= near)):
            return 2.0 * TIGHT
    return cost


@njit_inline
def _estimate(row: int, column: int, to_row: int, to_column: int) -> float:
    """Return the length of the shortest way on an empty grid (cells)."""
    rows, columns = abs(row - to_row), abs(column - to_column)
    return max(rows, columns) + (_DIAGONAL - 1.0) * min(rows, columns)


@njit_inline
def _rise(heap: NDArray[np.int64], k: int, entry: int) -> None:
    """Write an entry to the heap, at place ``k`` or above it."""
    while k > 0 and heap[(k - 1) >> 1] > entry:
        heap[k] = heap[(k - 1) >> 1]
        k = (k - 1) >> 1
    heap[k] = entry


@njit_inline
def _push(search: Search, count: int, key: float, cell: int) -> int:
    if count == search.heap.shape[0]:
        return count
    _rise(search.heap, count, math.floor(key * _STEPS) * _CELLS + cell)
    return count + 1


@njit_inline
def _pop(search: Search, count: int) -> tuple[int, float, int]:
    """Return how many are left, and the least key with its cell."""
    heap = search.heap
    least = heap[0]
    count -= 1
    last, k, child = heap[count], 0, 1
    # The hole sinks to the bottom, and the last entry rises from there: it belongs near the
    # bottom (Wegener, "Bottom-up-heapsort", Theoretical Computer Science 118, 1993). Which child
    # is less is a number, not a branch that the processor guesses.
    while child + 1 < count:
        child += heap[child + 1] < heap[child]
        heap[k] = heap[child]
        k, child = child, 2 * child + 1
    if child < count:
        heap[k] = heap[child]
        k = child
    _rise(heap, k, last)
    return count, (least // _CELLS) / _STEPS, least % _CELLS


class Ends(NamedTuple):
    """Both ends of a way, with how far (m) each is from obstacles."""

    start: tuple[int, int]  # row, column
    target: tuple[int, int]
    start_room: float  # m
    target_room: float
    near: int  # cells from an end within which the body may be too near to a wall


@njit_inner
def _ends(p: Parameters, grid: Grid, row: int, column: int, to_row: int, to_column: int) -> Ends:
    reach = REACH * grid.cell
    return Ends((row, column), (to_row, to_column), reach - np.float64(grid.nearness[row, column]),
                reach - np.float64(grid.nearness[to_row, to_column]),
                math.ceil(p.robot_radius_m / grid.cell) + 1)


@njit_inline
def _expand(p: Parameters, grid: Grid, search: Search, number: int, count: int, cell: int,
            ends: Ends) -> int:
    """Reach the neighbours of a cell from it; return how many cells wait then."""
    r, c = cell // SIDE, cell % SIDE
    cost = search.cost[cell]
    for down in range(-1, 2):
        for right in range(-1, 2):
            rr, cc = r + down, c + right
            if (down == 0 and right == 0) or not is_inside(rr, cc):
                continue
            other = rr * SIDE + cc
            diagonal = down != 0 and right != 0
            reached = search.number[other] == number
            if reached and cost + (_DIAGONAL if diagonal else 1.0) >= search.cost[other]:
                continue  # no step costs less than in the open
            step = 1.0  # where the robot is
            if not (rr == ends.start[0] and cc == ends.start[1]):
                step = _step_cost(p, grid, rr, cc, ends.near, ends.start, ends.start_room,
                                  ends.target, ends.target_room)
            if step == math.inf:
                continue
            if diagonal:  # no cutting of corners
                if _is_solid(grid, rr, c) or _is_solid(grid, r, cc):
                    continue
                step *= _DIAGONAL
            if not reached or cost + step < search.cost[other]:
                search.cost[other], search.parent[other] = cost + step, cell
                search.number[other] = number
                count = _push(search, count,
                              cost + step + _estimate(rr, cc, ends.start[0], ends.start[1]), other)
    return count


@njit_inner
def _write_path(grid: Grid, search: Search, cell: int, target: int, path: NDArray[np.float64],
                ) -> int:
    """Write the centres of the cells from ``cell`` to ``target``; return how many."""
    length = 0
    while length < path.shape[0]:
        path[length, 0] = grid.origin_x + (cell % SIDE + 0.5) * grid.cell
        path[length, 1] = grid.origin_y + (cell // SIDE + 0.5) * grid.cell
        length += 1
        if cell == target:
            break
        cell = search.parent[cell]
    return length


@njit
def find_path(p: Parameters, grid: Grid, search: Search, number: int, x: float, y: float,
              to_x: float, to_y: float, path: NDArray[np.float64], most: int) -> int:
    """Write the centres of the cells from (x, y) to (to_x, to_y) (m) to ``path``.

    Parameters
    ----------
    p, grid : what a way costs
    search : working memory
    number : of this search, another one each time, > 0
    x, y, to_x, to_y : m, within the window
    path : (LONGEST, 2) m, written; the first points if there are more
    most : how many cells to visit

    Returns
    -------
    how many points; 0 if none was found, -1 if there is none, in unknown space neither: all cells
    from which the target can be reached were visited, and none is at the edge of the window

    """
    row, column = row_of(grid, y), column_of(grid, x)
    to_row, to_column = row_of(grid, to_y), column_of(grid, to_x)
    start, target = row * SIDE + column, to_row * SIDE + to_column
    search.cost[target], search.parent[target] = 0.0, target
    search.number[target] = number
    ends = _ends(p, grid, row, column, to_row, to_column)
    count = _push(search, 0, _estimate(to_row, to_column, row, column), target)
    visited, closed = 0, True
    while count > 0 and visited < most:
        visited += 1
        count, key, cell = _pop(search, count)
        if cell == start:
            return _write_path(grid, search, start, target, path)
        if key > search.cost[cell] + _estimate(cell // SIDE, cell % SIDE, row, column):
            continue  # a cheaper way to this cell was found since
        row_here, column_here = cell // SIDE, cell % SIDE
        closed &= 0 < row_here < SIDE - 1 and 0 < column_here < SIDE - 1
        count = _expand(p, grid, search, number, count, cell, ends)
    return -1 if closed and count == 0 else 0

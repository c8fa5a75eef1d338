# SPDX-License-Identifier: Apache-2.0
"""Length of the shortest path of a disc among obstacles, and distances of points from them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit
from sbot_sim.collision.overlap import rectangle_distance
from sbot_sim.world.geometry import World, inside_occupied, inside_polygon

# Distances of points from solid objects in a world.


def outline_distances(world: World, points: Floats) -> Floats:
    """Return how far points (P, 2) are from the nearest wall, side or circle (m); (P,).

    Within a circle the distance is negative; whether a point is inside of anything else,
    ``_inside_solids`` tells.
    """
    out = np.full(len(points), np.inf)
    for x0, y0, x1, y1 in world.segments.tolist():
        dx, dy = x1 - x0, y1 - y0
        share = ((points[:, 0] - x0) * dx + (points[:, 1] - y0) * dy) / (dx * dx + dy * dy)
        share = np.minimum(np.maximum(share, 0.0), 1.0)
        across, along = points[:, 0] - x0 - share * dx, points[:, 1] - y0 - share * dy
        out = np.minimum(out, np.sqrt(across * across + along * along))
    for x, y, radius in world.circles.tolist():
        dx, dy = points[:, 0] - x, points[:, 1] - y
        out = np.minimum(out, np.sqrt(dx * dx + dy * dy) - radius)
    return out


def _inside_solids(world: World, points: Floats) -> NDArray[np.bool_]:
    """Return which points (P, 2) m are within rectangles, polygons or a map's cells; (P,)."""
    inside = np.zeros(len(points), np.bool_)
    for rectangle in world.rectangles:
        inside |= rectangle_distance(points, np.tile(rectangle, (len(points), 1))) <= 0.0
    for corners in world.polygons:
        inside |= inside_polygon(corners, points)
    if world.cells is not None:
        inside |= inside_occupied(world.cells, points)
    return inside


_CELLS = 3.0  # of a raster, to the radius of the disc
_MOST = 1000  # cells along a side of the world


class _Raster(NamedTuple):
    """Where the centre of a disc may be."""

    free: NDArray[np.bool_]  # (rows, columns)
    corner: Floats  # (2,) x, y (m) of the first cell's corner
    cell: float  # m

    def number(self, place: tuple[float, float]) -> int:
        """Return the number of the cell that holds a place (m), or of the nearest one."""
        rows, columns = self.free.shape
        column = int((place[0] - float(self.corner[0])) / self.cell)
        row = int((place[1] - float(self.corner[1])) / self.cell)
        return int(min(max(row, 0), rows - 1) * columns + min(max(column, 0), columns - 1))

    def middles(self, cells: NDArray[np.int64]) -> Floats:
        """Return the middles (P, 2) m of cells (P,)."""
        rows, columns = np.divmod(cells, self.free.shape[1])
        return self.corner + self.cell * (np.column_stack([columns, rows]) + 0.5)


def make_raster(world: World, radius: float) -> _Raster:
    """Return where a disc of this radius (m) may be in a world, bounds included."""
    x_min, y_min, x_max, y_max = world.bounds.tolist()
    cell = max(radius / _CELLS, (x_max - x_min) / _MOST, (y_max - y_min) / _MOST)
    xs = np.arange(x_min + cell / 2, x_max, cell)
    ys = np.arange(y_min + cell / 2, y_max, cell)
    points = np.column_stack([np.tile(xs, len(ys)), np.repeat(ys, len(xs))])
    free = (outline_distances(world, points) >= radius) & ~_inside_solids(world, points)
    return _Raster(free.reshape(len(ys), len(xs)), np.array([x_min, y_min]), cell)


def shortest_way(raster: _Raster, start: tuple[float, float],
                 goal: tuple[float, float]) -> float | None:
    """Return the length (m) of the shortest way of a disc's centre; None if there is none.

    Found by Dijkstra's algorithm, then pulled tight: some per cent too long at most. Start and
    goal (m) count as free: where a robot does stand, a raster may be too coarse.
    """
    if not math.dist(start, goal) > 0.0:
        return 0.0
    first, last, free = raster.number(start), raster.number(goal), raster.free.copy()
    free.reshape(-1)[[first, last]] = True
    towards = _search(free, last, first)
    if first != last and towards[first] < 0:
        return None
    cells = [first]
    while cells[-1] != last:
        cells.append(int(towards[cells[-1]]))
    way = np.vstack([start, raster.middles(np.array(cells[1:-1], np.int64)), goal])
    return float(_string_pulled(free, raster.corner, raster.cell, way))


@njit
def _search(free: NDArray[np.bool_], goal: int, start: int) -> NDArray[np.int64]:
    """Return for each cell (R * C,) the next one on the way to ``goal``, -1: none found.

    Dijkstra's algorithm over eight neighbours, until ``start`` is reached.
    """
    rows, columns = free.shape
    cost = np.full(rows * columns, math.inf)
    towards = np.full(rows * columns, -1, np.int64)
    heap_cost, heap = np.empty(8 * rows * columns + 1), np.empty(8 * rows * columns + 1, np.int64)
    cost[goal], heap_cost[0], heap[0], size = 0.0, 0.0, goal, 1
    while size > 0:
        at, paid = heap[0], heap_cost[0]
        size -= 1
        moved, moved_cost, hole = heap[size], heap_cost[size], 0
        while 2 * hole + 1 < size:
            child = 2 * hole + 1
            if child + 1 < size and heap_cost[child + 1] < heap_cost[child]:
                child += 1
            if heap_cost[child] >= moved_cost:
                break
            heap[hole], heap_cost[hole], hole = heap[child], heap_cost[child], child
        heap[hole], heap_cost[hole] = moved, moved_cost
        if paid > cost[at]:
            continue
        if at == start:
            break
        row, column = at // columns, at % columns
        for down in range(-1, 2):
            for right in range(-1, 2):
                y, x = row + down, column + right
                if not (0 <= y < rows and 0 <= x < columns) or not free[y, x]:
                    continue
                price = paid + math.sqrt(float(down * down + right * right))
                if price < cost[y * columns + x]:
                    cost[y * columns + x], towards[y * columns + x] = price, at
                    hole, size = size, size + 1
                    while hole > 0 and heap_cost[(hole - 1) // 2] > price:
                        heap[hole] = heap[(hole - 1) // 2]
                        heap_cost[hole] = heap_cost[(hole - 1) // 2]
                        hole = (hole - 1) // 2
                    heap[hole], heap_cost[hole] = y * columns + x, price
    return towards


@njit
def _string_pulled(free: NDArray[np.bool_], corner: Floats, cell: float, way: Floats) -> float:
    """Return the length (m) of a way (P, 2) m, cut short where the straight line is free."""
    total, at = 0.0, 0
    while at < len(way) - 1:
        low, high = at + 1, len(way) - 1
        while high > low and not _clear(free, corner, cell, way[at], way[high]):
            high -= 1 + (high - low) // 16
        dx, dy = way[high, 0] - way[at, 0], way[high, 1] - way[at, 1]
        total, at = total + math.sqrt(dx * dx + dy * dy), high
    return total


@njit
def _clear(free: NDArray[np.bool_], corner: Floats, cell: float, a: Floats, b: Floats) -> bool:
    dx, dy = b[0] - a[0], b[1] - a[1]
    steps = int(math.sqrt(dx * dx + dy * dy) / (0.5 * cell)) + 2
    for k in range(1, steps):
        column = int((a[0] + dx * k / steps - corner[0]) / cell)
        row = int((a[1] + dy * k / steps - corner[1]) / cell)
        if not free[row, column]:
            return False
    return True

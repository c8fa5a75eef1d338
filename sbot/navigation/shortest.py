# SPDX-License-Identifier: Apache-2.0
"""Raster of the places where a disc may be, searched from cell to cell; distances of points."""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit
from sbot_sim.collision.overlap import rectangle_distance
from sbot_sim.world.geometry import World, inside_polygon

# Distances of points from solid objects in a world.


def outline_distances(world: World, points: Floats) -> Floats:
    """Return how far points (P, 2) are from the nearest wall, side or circle (m); (P,).

    Within a circle the distance is negative; whether a point is inside of anything else,
    ``inside_solids`` tells.
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


def inside_solids(world: World, points: Floats) -> NDArray[np.bool_]:
    """Return which points (P, 2) m are within rectangles, polygons or a map's cells; (P,)."""
    inside = np.zeros(len(points), np.bool_)
    for rectangle in world.rectangles:
        inside |= rectangle_distance(points, np.tile(rectangle, (len(points), 1))) <= 0.0
    for corners in world.polygons:
        inside |= inside_polygon(corners, points)
    if world.cells is not None:
        inside |= world.cells.occupies(points)
    return inside


_CELLS = 3.0  # of a raster, to the radius of the disc
_MOST = 1000  # cells along a side of the world


class Raster(NamedTuple):
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

    def is_connected(self, start: tuple[float, float], goal: tuple[float, float]) -> bool:
        """Tell whether a disc's centre gets from cell to cell to a goal (m); both are free."""
        first, last = self.number(start), self.number(goal)
        prices = np.where(self.free, 1.0, math.inf)
        prices.reshape(-1)[[first, last]] = 1.0
        return bool(first == last or search(prices, last, first)[first] >= 0)


def make_raster(world: World, radius: float) -> Raster:
    """Return where a disc of this radius (m) may be in a world, bounds included."""
    x_min, y_min, x_max, y_max = world.bounds.tolist()
    cell = max(radius / _CELLS, (x_max - x_min) / _MOST, (y_max - y_min) / _MOST)
    xs = np.arange(x_min + cell / 2, x_max, cell)
    ys = np.arange(y_min + cell / 2, y_max, cell)
    points = np.column_stack([np.tile(xs, len(ys)), np.repeat(ys, len(xs))])
    free = (outline_distances(world, points) >= radius) & ~inside_solids(world, points)
    return Raster(free.reshape(len(ys), len(xs)), np.array([x_min, y_min]), cell)


@njit
def search(prices: Floats, goal: int, start: int) -> NDArray[np.int64]:
    """Return for each cell (R * C,) the next one on the cheapest way to ``goal``, -1: none found.

    A* over eight neighbours, from ``goal`` to ``start``. ``prices`` (R, C) are of a step into a
    cell, for each cell of way: 1 or more, inf where there is none.
    """
    rows, columns = prices.shape
    cost = np.full(rows * columns, math.inf)
    towards = np.full(rows * columns, -1, np.int64)
    cost[goal], heap = 0.0, [(0.0, 0.0, goal)]
    while len(heap) > 0:
        _, paid, at = heappop(heap)
        if at == start:
            break
        if paid > cost[at]:
            continue
        row, column = at // columns, at % columns
        for down in range(-1, 2):
            for right in range(-1, 2):
                y, x = row + down, column + right
                if not (0 <= y < rows and 0 <= x < columns):
                    continue
                whole = paid + math.sqrt(float(down * down + right * right)) * prices[y, x]
                if whole < cost[y * columns + x]:
                    cost[y * columns + x], towards[y * columns + x] = whole, at
                    up, aside = abs(start // columns - y), abs(start % columns - x)
                    left = max(up, aside) + (math.sqrt(2.0) - 1.0) * min(up, aside)
                    heappush(heap, (whole + left, whole, y * columns + x))
    return towards

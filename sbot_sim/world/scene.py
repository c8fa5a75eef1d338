# SPDX-License-Identifier: Apache-2.0
"""Spatial index for sensors, and lines of sight between robots."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Integers, Integers32
from sbot_common.compiled.jit import by_address, njit, njit_inline, njit_inner
from sbot_common.spatial import (
    CELL_SLACK,
    BucketGrid,
    cell_index,
    grid_around_points,
    grid_of_circles,
    grid_of_segments,
    grid_shape,
    most_columns,
    number_cells,
    shape_around_points,
    sort_by_cell,
)
from sbot_sim.world.geometry import World, make_world, segments_meet

# Cells of the fixed index: a third of the reach balances the length of lists against their number.
_CELLS_PER_REACH = 3.0
_MOST_CELLS = 512  # along one side


class Scene(NamedTuple):
    """What stands still; each cell lists all that comes within ``reach`` of it."""

    segments: Floats  # (S, 4) m
    circles: Floats  # (C, 3) m
    segment_grid: BucketGrid
    circle_grid: BucketGrid
    reach: float  # m

    def with_circles(self, circles: Floats) -> Scene:
        """Return the index with other circles (C, 3) m, as many as before."""
        grid = self.circle_grid
        circles = np.ascontiguousarray(circles, np.float64)
        return self._replace(circles=circles, circle_grid=grid_of_circles(
            circles, self.reach, grid.cell, grid.x0, grid.y0, grid.nx, grid.ny))

    @classmethod
    def of_walls(cls, world: World | None) -> Scene:
        """Return the index of objects that block lines of sight; None: there are none."""
        if world is None:
            world = make_world((0.0, 0.0, 1.0, 1.0), has_walls=False)
        xmin, ymin, xmax, ymax = (float(v) for v in world.bounds)
        objects = len(world.segments) + len(world.circles)
        # About two cells to an object: a line passes few cells, and few objects in each.
        wanted = math.sqrt((xmax - xmin) * (ymax - ymin) / max(1, 2 * objects))
        segments = world.segments
        if len(segments) > _FEW:
            # Row by row, as their cells: lines near each other find theirs in the processor's
            # cache.
            middle = 0.5 * (segments[:, :2] + segments[:, 2:])
            segments = segments[np.lexsort((middle[:, 0], np.floor(middle[:, 1] / wanted)))]
        return Scene.of(world._replace(segments=segments), 0.0, wanted)

    @classmethod
    def of(cls, world: World, reach: float, cell: float | None = None) -> Scene:
        """Return the index of a world for sensors that see no farther than ``reach`` (m).

        ``cell`` (m) is the side of its cells, where it is not to follow from the reach.
        """
        xmin, ymin, xmax, ymax = (float(v) for v in world.bounds)
        cell, nx, ny = grid_shape(xmin, ymin, xmax, ymax,
                                  reach / _CELLS_PER_REACH if cell is None else cell, _MOST_CELLS)
        segments = np.ascontiguousarray(world.segments, np.float64).reshape(-1, 4)
        circles = np.ascontiguousarray(world.circles, np.float64).reshape(-1, 3)
        return cls(segments, circles,
                   grid_of_segments(segments, reach, cell, xmin, ymin, nx, ny),
                   grid_of_circles(circles, reach, cell, xmin, ymin, nx, ny), reach)


class Discs(NamedTuple):
    """Moving robots, sorted by cell so that a row of cells is one stretch of memory."""

    x: Floats  # (N,) m
    y: Floats  # (N,) m
    radius: Floats  # (N,) m
    robot: NDArray[np.int32]  # (N,) whose disc it is
    grid: BucketGrid
    largest: float  # m, the largest radius


@njit
def sort_discs(pose: Floats, radius: Floats, cell: float) -> Discs:
    """Return the robots' discs, sorted by cells of about ``cell`` (m).

    Parameters
    ----------
    pose : (N, 2) or wider: x, y (m)
    radius : (N,) m

    """
    n = pose.shape[0]
    largest = 0.0
    grid = grid_around_points(pose, cell)
    x, y, sorted_radius = np.empty(n), np.empty(n), np.empty(n)
    for k in range(n):
        i = grid.items[k]
        largest = max(largest, radius[i])
        x[k], y[k], sorted_radius[k] = pose[i, 0], pose[i, 1], radius[i]
    return Discs(x, y, sorted_radius, grid.items, grid, largest)


@by_address
class SortedDiscs(NamedTuple):
    """Room for the discs of K worlds of N robots, sorted once a tick by cells of some ticks.

    The steps of sorting are in turn ``shape_cells``, ``number_places``, ``sort_places`` and
    ``gather_discs``; threads may share the rows of the second and the fourth.
    """

    x: Floats  # (K*N,) m, as all that follow in the order of cells
    y: Floats  # (K*N,) m
    radius: Floats  # (K*N,) m
    robot: Integers32  # (K*N,) rows of all worlds
    cell: Integers32  # (K*N,) in the order of the robots
    starts: Integers32  # (K, cells + 1)
    numbers: Floats  # (K, 4) x0, y0 and side of a cell, largest radius (m)
    # (K, 4) columns, rows, how far (``QUANTUM``) at most a robot is from where it was sorted, and
    # whether any may need several steps
    shape: Integers

    @classmethod
    def room_for(cls, worlds: int, robots: int, cells: int | None = None) -> SortedDiscs:
        """Return the room for ``worlds`` of so many robots; of no world where nobody sorts.

        ``cells``: how many there are at most; None: those of ``shape_cells``.
        """
        rows, columns = worlds * robots, most_columns(robots)
        cells = columns * columns if cells is None else cells
        return cls(np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows, np.int32),
                   np.zeros(rows, np.int32), np.zeros((worlds, cells + 1), np.int32),
                   np.zeros((worlds, 4)), np.zeros((worlds, 4), np.int64))


_KEPT = 8  # ticks: robots that leave the cells in these are in those of the border


@njit_inline
def is_shaped(room: SortedDiscs, k: int, tick: int) -> bool:
    """Tell whether the cells of world k are those of a tick not long ago."""
    return bool(room.shape[k, 0] > 0 and tick % _KEPT != 0)


@njit_inner
def shape_cells(room: SortedDiscs, k: int, pose: Floats, radius: Floats, cell: float) -> None:
    """Choose the cells of world k, of about ``cell`` (m); pose (N, 3), radius (N,) of it."""
    numbers, largest = room.numbers, 0.0
    numbers[k, 2], numbers[k, 0], numbers[k, 1], room.shape[k, 0], room.shape[k, 1] = (
        shape_around_points(pose, cell))
    for i in range(radius.shape[0]):
        largest = max(largest, radius[i])
    numbers[k, 3] = largest


@njit_inner
def number_places(room: SortedDiscs, k: int, a: int, z: int, pose: Floats) -> None:
    """Find the cells of the rows a … z-1, which are of world k; pose (K*N, 3)."""
    x0, y0, cell = room.numbers[k, 0], room.numbers[k, 1], room.numbers[k, 2]
    number_cells(pose[a:z], cell, x0, y0, room.shape[k, 0], room.shape[k, 1], room.cell[a:z])


@njit_inner
def sort_places(room: SortedDiscs, k: int, robots: int) -> None:
    """Sort the robots of world k by their cells."""
    rows = slice(k * robots, (k + 1) * robots)
    cells = room.shape[k, 0] * room.shape[k, 1]
    sort_by_cell(room.cell[rows], room.starts[k, :cells + 1], room.robot[rows])


@njit_inner
def gather_discs(room: SortedDiscs, a: int, z: int, first: int, pose: Floats,
                 radius: Floats) -> None:
    """Copy the discs of the places a … z-1; ``first`` is the first row of their world."""
    for place in range(a, z):
        row = room.robot[place] + first
        room.robot[place] = row
        room.x[place], room.y[place] = pose[row, 0], pose[row, 1]
        room.radius[place] = radius[row]


@njit_inline
def discs_of(room: SortedDiscs, k: int, robots: int) -> Discs:
    """Return the discs of world k."""
    rows, numbers = slice(k * robots, (k + 1) * robots), room.numbers
    nx, ny = room.shape[k, 0], room.shape[k, 1]
    grid = BucketGrid(numbers[k, 0], numbers[k, 1], numbers[k, 2], nx, ny,
                      room.starts[k, :nx * ny + 1], room.robot[rows])
    return Discs(room.x[rows], room.y[rows], room.radius[rows], room.robot[rows], grid,
                 numbers[k, 3])


@njit_inner
def row_stretch(grid: BucketGrid, row: int, x: float, y: float, reach: float) -> tuple[int, int]:
    """Return (first, end) of a row's items that may lie within ``reach`` of a point (m)."""
    low = -np.inf if row == 0 else grid.y0 + row * grid.cell
    high = np.inf if row == grid.ny - 1 else grid.y0 + (row + 1) * grid.cell
    away = max(0.0, low - y, y - high)
    # A little more than the chord at that height: rounding must not hide a cell.
    half = np.sqrt(max(0.0, reach * reach - away * away)) + 1e-9 * grid.cell
    first = cell_index(x - half, grid.x0, grid.cell, grid.nx)
    last = cell_index(x + half, grid.x0, grid.cell, grid.nx)
    return grid.starts[row * grid.nx + first], grid.starts[row * grid.nx + last + 1]


# Line of sight between robots: blocked by walls and obstacles, not by robots.

_ROUNDING = 2.0 ** -50  # of a coordinate
_FEW = 256  # segments that stay in the nearest cache, in any order


@njit
def _segment_meets_disc(ax: float, ay: float, bx: float, by: float,
                        x: float, y: float, radius: float) -> bool:
    """Tell whether the segment a b comes closer than ``radius`` to (x, y)."""
    ux, uy = bx - ax, by - ay
    square = ux * ux + uy * uy
    t = 0.0
    if square > 0.0:
        t = min(1.0, max(0.0, ((x - ax) * ux + (y - ay) * uy) / square))
    ex, ey = ax + t * ux - x, ay + t * uy - y
    return ex * ex + ey * ey < radius * radius


@njit_inner
def _index(away: float, scale: float, count: int) -> int:
    """Return ``cell_index`` of a point ``away`` (m) from the origin; ``scale`` is cells a metre.

    Next to a border it may be the cell beyond it: rounding is less than ``CELL_SLACK``.
    """
    position = away * scale
    if not position > 0.0:
        return 0
    if position >= count:
        return count - 1
    return int(position)


@njit_inline
def blocked(ax: float, ay: float, bx: float, by: float, scene: Scene) -> bool:
    """Tell whether a wall or a disc of ``Scene.of_walls`` stands between a and b."""
    segments, circles = scene.segments, scene.circles
    walls, discs = scene.segment_grid, scene.circle_grid  # of the same shape
    slack, scale = CELL_SLACK * walls.cell, 1.0 / walls.cell
    x0, y0, x1, y1 = (bx, by, ax, ay) if by < ay else (ax, ay, bx, by)
    left_end, right_end = min(x0, x1), max(x0, x1)
    level = not y1 - y0 > slack
    slope = 0.0 if level else (x1 - x0) / (y1 - y0)
    blur = slack + abs(slope) * _ROUNDING * (abs(y0) + abs(y1))
    first_row = _index(y0 - slack - walls.y0, scale, walls.ny)
    last_row = _index(y1 + slack - walls.y0, scale, walls.ny)
    found = False
    for row in range(first_row, last_row + 1):
        # Where the line enters the row and leaves it, or past its end by rounding.
        border, xa, xb = walls.y0 + row * walls.cell, x0, x1
        if not (level or row == first_row):
            xa = x0 + slope * (border - slack - y0)
        if not (level or row == last_row):
            xb = x0 + slope * (walls.y0 + (row + 1) * walls.cell + slack - y0)
        left = max(left_end, min(xa, xb)) - blur
        right = min(right_end, max(xa, xb)) + blur
        first = row * walls.nx + _index(left - walls.x0, scale, walls.nx)
        end = row * walls.nx + _index(right - walls.x0, scale, walls.nx) + 1
        # Cells of a row are neighbours in memory: one stretch of items.
        for item in range(int(walls.starts[first]), int(walls.starts[end])):
            s = np.uint32(walls.items[item])
            found |= segments_meet(ax, ay, bx, by, segments[s, 0], segments[s, 1],
                                   segments[s, 2], segments[s, 3])
        if len(circles) > 0:
            for item in range(int(discs.starts[first]), int(discs.starts[end])):
                c = np.uint32(discs.items[item])
                found |= _segment_meets_disc(ax, ay, bx, by, circles[c, 0], circles[c, 1],
                                             circles[c, 2])
        if found:
            return True
    return False

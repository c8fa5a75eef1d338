"""Spatial index for sensors: fixed objects once, moving robots each tick."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.spatial import (
    BucketGrid,
    cell_index,
    grid_around_points,
    grid_of_circles,
    grid_of_segments,
    grid_shape,
)

Floats = NDArray[np.float64]

# Cells of the fixed index: a third of the reach balances the length of lists against their number.
_CELLS_PER_REACH = 3.0
_MOST_CELLS = 512  # along one side


class Outline(Protocol):
    """What a scene needs of a world (``sbot_sim.world.geometry.World`` has it)."""

    @property
    def bounds(self) -> Floats:
        """(4,) xmin ymin xmax ymax (m)."""

    @property
    def segments(self) -> Floats:
        """(S, 4) x0 y0 x1 y1 (m), walls and the sides of rectangles included."""

    @property
    def circles(self) -> Floats:
        """(C, 3) x y radius (m)."""


class Scene(NamedTuple):
    """What stands still; each cell lists all that comes within ``reach`` of it."""

    segments: Floats  # (S, 4) m
    circles: Floats  # (C, 3) m
    segment_grid: BucketGrid
    circle_grid: BucketGrid
    reach: float  # m


class Discs(NamedTuple):
    """Moving robots, sorted by cell so that a row of cells is one stretch of memory."""

    x: Floats  # (N,) m
    y: Floats  # (N,) m
    radius: Floats  # (N,) m
    robot: NDArray[np.int32]  # (N,) whose disc it is
    grid: BucketGrid
    largest: float  # m, the largest radius


def make_scene(world: Outline, reach: float, cell: float | None = None) -> Scene:
    """Return the index of a world for sensors that see no farther than ``reach`` (m).

    ``cell`` (m) is the side of its cells, where it is not to follow from the reach.
    """
    xmin, ymin, xmax, ymax = (float(v) for v in world.bounds)
    cell, nx, ny = grid_shape(xmin, ymin, xmax, ymax,
                              reach / _CELLS_PER_REACH if cell is None else cell, _MOST_CELLS)
    segments = np.ascontiguousarray(world.segments, np.float64).reshape(-1, 4)
    circles = np.ascontiguousarray(world.circles, np.float64).reshape(-1, 3)
    return Scene(segments, circles,
                 grid_of_segments(segments, reach, cell, xmin, ymin, nx, ny),
                 grid_of_circles(circles, reach, cell, xmin, ymin, nx, ny), reach)


def with_circles(scene: Scene, circles: Floats) -> Scene:
    """Return the index with other circles (C, 3) m, as many as before."""
    grid = scene.circle_grid
    circles = np.ascontiguousarray(circles, np.float64)
    return scene._replace(circles=circles, circle_grid=grid_of_circles(
        circles, scene.reach, grid.cell, grid.x0, grid.y0, grid.nx, grid.ny))


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

# SPDX-License-Identifier: Apache-2.0
"""Occupancy grid of the world (`/map`): a cell is occupied if anything solid touches it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import quaternion_from_yaw
from sbot_common.arrays import Floats
from sbot_common.elementary import sincos
from sbot_common.wire import cdr
from sbot_common.wire.messages import point, pose, quaternion
from sbot_sim.world.geometry import FREE, OCCUPIED, SIDES, Values, World, inside_polygon, to_cells

_RESOLUTION = 0.05  # m
_MAX_CELLS = 4_000_000  # a larger world gets larger cells


class _Grid(NamedTuple):
    """What nav_msgs/OccupancyGrid holds."""

    values: Values  # (rows, columns) FREE, OCCUPIED, or UNKNOWN in a map; row 0 is the lowest
    resolution: float  # m, side of a cell
    origin: tuple[float, float, float]  # x, y (m), yaw (rad) of the corner of cell (0, 0)


def _occupancy(world: World, resolution: float = _RESOLUTION) -> _Grid:
    """Return the cells of a world.

    A world with a map keeps that map's cells, and has its other obstacles drawn into them. Else
    the cells cover the bounds, walls included. Cells are closed: a segment along the border of two
    cells occupies both. Discs, rectangles and polygons are solid.

    Parameters
    ----------
    world : walls and obstacles
    resolution : side of a cell (m), unless a map gives it

    """
    if world.cells is not None:
        grid = _Grid(world.cells.values.copy(), world.cells.resolution, world.cells.origin)
        lines = np.vstack([world.given_segments,
                           world.free_segments[len(world.thin_segments):]])
    else:
        xmin, ymin, xmax, ymax = (float(v) for v in world.bounds)
        # Slightly less, so that 40 m of 0.05 m are 800 cells in spite of rounding.
        columns, rows = (max(1, math.ceil(side / resolution - 1e-9))
                         for side in (xmax - xmin, ymax - ymin))
        grid = _Grid(np.full((rows, columns), FREE, np.int8), resolution, (xmin, ymin, 0.0))
        lines = world.segments[:len(world.segments) - SIDES * len(world.rectangles)]
    occupied = np.zeros(grid.values.shape, np.bool_)
    _mark_segments(occupied, _in_cells(grid, lines.reshape(-1, 2)).reshape(-1, 2, 2))
    size = grid.resolution
    for (x, y), radius in zip(_in_cells(grid, world.circles[:, :2]), world.circles[:, 2],
                              strict=True):
        _mark_disc(occupied, x, y, radius / size)
    for (x, y), (width, height, yaw) in zip(_in_cells(grid, world.rectangles[:, :2]),
                                            world.rectangles[:, 2:], strict=True):
        _mark_rectangle(occupied, x, y, 0.5 * width / size, 0.5 * height / size,
                        yaw - grid.origin[2])
    for corners in world.polygons:  # their sides are marked already
        _mark_inside(occupied, _in_cells(grid, corners))
    grid.values[occupied] = OCCUPIED
    return grid


def _in_cells(grid: _Grid, points: Floats) -> Floats:
    return to_cells(points, grid.resolution, grid.origin)


def map_message(stamp_ns: int, world: World, resolution: float = _RESOLUTION) -> bytes:
    """Return nav_msgs/OccupancyGrid (CDR) in frame `map`; a large world gets larger cells."""
    width, height = world.bounds[2] - world.bounds[0], world.bounds[3] - world.bounds[1]
    while (width / resolution) * (height / resolution) > _MAX_CELLS:
        resolution *= 2.0
    grid = _occupancy(world, resolution)
    x, y, yaw = grid.origin
    info = cdr.message(
        'nav_msgs/msg/MapMetaData', map_load_time=cdr.stamp(stamp_ns), resolution=grid.resolution,
        width=grid.values.shape[1], height=grid.values.shape[0],
        origin=pose(point(x, y), quaternion(*quaternion_from_yaw(yaw))))
    return cdr.encode(cdr.message('nav_msgs/msg/OccupancyGrid', header=cdr.header(stamp_ns, 'map'),
                                  info=info, data=grid.values.reshape(-1)))


def _mark_segments(occupied: NDArray[np.bool_], ends: Floats) -> None:
    """Mark every closed cell that segments (S, 2, 2), in cells, touch."""
    rows, columns = occupied.shape
    ends = ends[np.arange(len(ends))[:, None], np.argsort(ends[:, :, 1], axis=1)]  # upwards
    (x0, y0), (x1, y1) = ends[:, 0].T, ends[:, 1].T
    first = np.clip(np.ceil(y0).astype(np.int64) - 1, 0, rows)
    last = np.clip(np.floor(y1).astype(np.int64), -1, rows - 1)
    which, row = _spread(first, last)
    # The part of each segment within its row.
    rise = (y1 - y0)[which]
    level = rise == 0.0
    safe = np.where(level, 1.0, rise)
    low = np.where(level, 0.0, np.clip((row - y0[which]) / safe, 0.0, 1.0))
    high = np.where(level, 1.0, np.clip((row + 1 - y0[which]) / safe, 0.0, 1.0))
    run = (x1 - x0)[which]
    one, two = x0[which] + low * run, x0[which] + high * run
    left = np.clip(np.ceil(np.minimum(one, two)).astype(np.int64) - 1, 0, columns)
    right = np.clip(np.floor(np.maximum(one, two)).astype(np.int64), -1, columns - 1)
    part, column = _spread(left, right)
    occupied[row[part], column] = True


def _spread(first: NDArray[np.int64], last: NDArray[np.int64],
            ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (k, value) for every value from first[k] to last[k], both included."""
    counts = np.maximum(last - first + 1, 0)
    which = np.repeat(np.arange(len(first)), counts)
    begins = np.cumsum(counts) - counts
    return which, first[which] + np.arange(len(which)) - begins[which]


def _window(occupied: NDArray[np.bool_], x: float, y: float, reach_x: float, reach_y: float,
            ) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Return the part of ``occupied`` around (x, y) and its cells' lower left corners."""
    rows, columns = occupied.shape
    left, right = max(0, math.floor(x - reach_x) - 1), min(columns, math.ceil(x + reach_x) + 1)
    low, high = max(0, math.floor(y - reach_y) - 1), min(rows, math.ceil(y + reach_y) + 1)
    view = occupied[low:max(low, high), left:max(left, right)]
    return (view, left + np.arange(view.shape[1], dtype=np.float64),
            low + np.arange(view.shape[0], dtype=np.float64))


def _mark_disc(occupied: NDArray[np.bool_], x: float, y: float, radius: float) -> None:
    """Mark every closed cell that a disc, in cells, touches."""
    view, columns, rows = _window(occupied, x, y, radius, radius)
    dx = x - np.clip(x, columns, columns + 1.0)  # from the nearest point of the cell
    dy = y - np.clip(y, rows, rows + 1.0)
    dx, dy = dx * dx, dy * dy
    view |= dx[None, :] + dy[:, None] <= radius * radius


def _mark_rectangle(occupied: NDArray[np.bool_], x: float, y: float, half_width: float,
                    half_height: float, yaw: float) -> None:
    """Mark every closed cell that a turned rectangle, in cells, touches: separating axes."""
    s, c = sincos(yaw)
    reach_x = abs(c) * half_width + abs(s) * half_height
    reach_y = abs(s) * half_width + abs(c) * half_height
    view, columns, rows = _window(occupied, x, y, reach_x, reach_y)
    dx, dy = (columns + 0.5 - x)[None, :], (rows + 0.5 - y)[:, None]
    cell = 0.5 * (abs(c) + abs(s))  # half of a cell's shadow on the rectangle's axes
    view |= ((np.abs(dx) <= reach_x + 0.5) & (np.abs(dy) <= reach_y + 0.5)
             & (np.abs(c * dx + s * dy) <= half_width + cell)
             & (np.abs(c * dy - s * dx) <= half_height + cell))


def _mark_inside(occupied: NDArray[np.bool_], corners: Floats) -> None:
    """Mark every cell whose middle is inside a polygon with corners (P, 2), in cells."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle, reach = 0.5 * (low + high), 0.5 * (high - low)
    view, columns, rows = _window(occupied, *middle.tolist(), *reach.tolist())
    x, y = np.meshgrid(columns + 0.5, rows + 0.5)
    view |= inside_polygon(corners, np.column_stack([x.ravel(), y.ravel()])).reshape(view.shape)

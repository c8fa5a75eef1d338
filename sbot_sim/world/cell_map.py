"""Occupancy map as part of the world: outlines of occupied cells, point queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import sincos

Array = NDArray[np.float64]
Values = NDArray[np.int8]

UNKNOWN, FREE, OCCUPIED = -1, 0, 100


class CellMap(NamedTuple):
    """A rectangle of square cells, placed in frame `map`."""

    values: Values  # (rows, columns) UNKNOWN, FREE or OCCUPIED; row 0 is the lowest
    resolution: float  # m, side of a cell
    origin: tuple[float, float, float]  # x, y (m), yaw (rad) of the corner of cell (0, 0)
    outlines: Array  # (K, 4) x0, y0, x1, y1: the borders between occupied and other cells


def make_cells(values: Values, resolution: float, origin: tuple[float, float, float]) -> CellMap:
    """Return the cells with their outlines.

    Beyond the map nothing is occupied. Borders are as long as they can be: those of many cells in
    one row are one segment, so that a wall costs sensors and collisions four segments.
    """
    occupied = values == OCCUPIED
    level = _runs(np.diff(occupied, axis=0, prepend=False, append=False))
    upright = _runs(np.diff(occupied, axis=1, prepend=False, append=False).T)
    ends = np.vstack([level[:, [1, 0, 2, 0]], upright[:, [0, 1, 0, 2]]])
    corners = to_world(ends.reshape(-1, 2).astype(np.float64), resolution, origin)
    return CellMap(values, resolution, origin, np.ascontiguousarray(corners.reshape(-1, 4)))


def _runs(borders: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return rows (line, begin, end): every run of true values in the lines of a table."""
    lines, width = borders.shape
    padded = np.zeros((lines, width + 2), np.int8)
    padded[:, 1:-1] = borders
    change = np.diff(padded, axis=1)
    line, begin = np.nonzero(change == 1)
    _, end = np.nonzero(change == -1)
    return np.column_stack([line, begin, end])


def to_world(points: Array, resolution: float, origin: tuple[float, float, float]) -> Array:
    """Return points (M, 2), in cells, in frame `map` (m)."""
    x, y, yaw = origin
    s, c = sincos(yaw)
    across, up = resolution * points[:, 0], resolution * points[:, 1]
    return np.column_stack([x + (c * across - s * up), y + (s * across + c * up)])


def to_cells(points: Array, resolution: float, origin: tuple[float, float, float]) -> Array:
    """Return points (M, 2) in frame `map` (m), in cells."""
    x, y, yaw = origin
    s, c = sincos(yaw)
    dx, dy = points[:, 0] - x, points[:, 1] - y
    return np.column_stack([(c * dx + s * dy) / resolution, (c * dy - s * dx) / resolution])


def inside_occupied(cells: CellMap, points: Array) -> NDArray[np.bool_]:
    """Tell for each point (M, 2) in frame `map` (m) whether its cell is occupied."""
    rows, columns = cells.values.shape
    place = np.floor(to_cells(points, cells.resolution, cells.origin))
    within = ((place >= 0.0) & (place < [columns, rows])).all(axis=1)
    inside = np.zeros(len(points), np.bool_)
    column, row = place[within].astype(np.int64).T
    inside[within] = cells.values[row, column] == OCCUPIED
    return inside


def cells_bounds(cells: CellMap) -> tuple[float, float, float, float]:
    """Return xmin, ymin, xmax, ymax (m) of the whole map in frame `map`."""
    rows, columns = cells.values.shape
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float64)
    corners = to_world(corners, cells.resolution, cells.origin)
    xmin, ymin = corners.min(axis=0).tolist()
    xmax, ymax = corners.max(axis=0).tolist()
    return xmin, ymin, xmax, ymax

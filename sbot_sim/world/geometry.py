# SPDX-License-Identifier: Apache-2.0
"""Fixed part of the world: bounds, segments, circles, rectangles, polygons, maps of cells."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import sincos

# Occupancy map as part of the world: outlines of occupied cells, point queries.

Values = NDArray[np.int8]

UNKNOWN, FREE, OCCUPIED = -1, 0, 100


class CellMap(NamedTuple):
    """A rectangle of square cells, placed in frame `map`."""

    values: Values  # (rows, columns) UNKNOWN, FREE or OCCUPIED; row 0 is the lowest
    resolution: float  # m, side of a cell
    origin: tuple[float, float, float]  # x, y (m), yaw (rad) of the corner of cell (0, 0)
    outlines: Floats  # (K, 4) x0, y0, x1, y1: the borders between occupied and other cells

    def occupies(self, points: Floats) -> NDArray[np.bool_]:
        """Tell for each point (M, 2) in frame `map` (m) whether its cell is occupied."""
        rows, columns = self.values.shape
        place = np.floor(to_cells(points, self.resolution, self.origin))
        within = ((place >= 0.0) & (place < [columns, rows])).all(axis=1)
        inside = np.zeros(len(points), np.bool_)
        column, row = place[within].astype(np.int64).T
        inside[within] = self.values[row, column] == OCCUPIED
        return inside

    def bounds(self) -> tuple[float, float, float, float]:
        """Return xmin, ymin, xmax, ymax (m) of the whole map in frame `map`."""
        rows, columns = self.values.shape
        corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float64)
        corners = _to_world(corners, self.resolution, self.origin)
        xmin, ymin = corners.min(axis=0).tolist()
        xmax, ymax = corners.max(axis=0).tolist()
        return xmin, ymin, xmax, ymax

    @classmethod
    def of(cls, values: Values, resolution: float, origin: tuple[float, float, float]) -> CellMap:
        """Return the cells with their outlines.

        Beyond the map nothing is occupied. Borders are as long as they can be: those of many cells
        in one row are one segment, so that a wall costs sensors and collisions four segments.
        """
        occupied = values == OCCUPIED
        level = _runs(np.diff(occupied, axis=0, prepend=False, append=False))
        upright = _runs(np.diff(occupied, axis=1, prepend=False, append=False).T)
        ends = np.vstack([level[:, [1, 0, 2, 0]], upright[:, [0, 1, 0, 2]]])
        corners = _to_world(ends.reshape(-1, 2).astype(np.float64), resolution, origin)
        return cls(values, resolution, origin, np.ascontiguousarray(corners.reshape(-1, 4)))


def _runs(borders: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return rows (line, begin, end): every run of true values in the lines of a table."""
    lines, width = borders.shape
    padded = np.zeros((lines, width + 2), np.int8)
    padded[:, 1:-1] = borders
    change = np.diff(padded, axis=1)
    line, begin = np.nonzero(change == 1)
    _, end = np.nonzero(change == -1)
    return np.column_stack([line, begin, end])


def _to_world(points: Floats, resolution: float, origin: tuple[float, float, float]) -> Floats:
    """Return points (M, 2), in cells, in frame `map` (m)."""
    x, y, yaw = origin
    s, c = sincos(yaw)
    across, up = resolution * points[:, 0], resolution * points[:, 1]
    return np.column_stack([x + (c * across - s * up), y + (s * across + c * up)])


def to_cells(points: Floats, resolution: float, origin: tuple[float, float, float]) -> Floats:
    """Return points (M, 2) in frame `map` (m), in cells."""
    x, y, yaw = origin
    s, c = sincos(yaw)
    dx, dy = points[:, 0] - x, points[:, 1] - y
    return np.column_stack([(c * dx + s * dy) / resolution, (c * dy - s * dx) / resolution])


# Polygon obstacles: simple outlines, convex or not, and what is inside them.

LEAST_CORNERS = 3


def outline_error(corners: Floats) -> str | None:
    """Return why corners (P, 2) m make no simple polygon, None where they do.

    A simple polygon has three corners or more, and no two of its sides have a point in common but
    for neighbours, which share their corner.
    """
    if len(corners) < LEAST_CORNERS:
        return f'{len(corners)} corners'
    first, second = _meeting_sides(np.ascontiguousarray(corners))
    if first < 0:
        return None
    return f'sides {first} and {second} meet' if first != second else f'side {first} has no length'


@njit_inner
def _side(ax: float, ay: float, bx: float, by: float, px: float, py: float) -> float:
    """Return on which side of the line a b the point p lies: > 0 left, < 0 right, 0 on it."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


@njit
def segments_meet(ax: float, ay: float, bx: float, by: float,
                  cx: float, cy: float, dx: float, dy: float) -> bool:
    """Tell whether the segments a b and c d have a point in common; touching counts."""
    a, b = _side(cx, cy, dx, dy, ax, ay), _side(cx, cy, dx, dy, bx, by)
    c, d = _side(ax, ay, bx, by, cx, cy), _side(ax, ay, bx, by, dx, dy)
    # Without a branch: nobody could foresee it.
    return not ((max(ax, bx) < min(cx, dx)) | (max(cx, dx) < min(ax, bx))
                | (max(ay, by) < min(cy, dy)) | (max(cy, dy) < min(ay, by))
                | ((c > 0) & (d > 0)) | ((c < 0) & (d < 0))
                | ((a > 0) & (b > 0)) | ((a < 0) & (b < 0)))


@njit
def _meeting_sides(corners: Floats) -> tuple[int, int]:
    """Return the first two sides of an outline (P, 2) that meet where they must not; -1, -1: none.

    Side k goes from corner k to the next; twice the same number: it has no length.
    """
    n = len(corners)
    for i in range(n):
        ax, ay = corners[i, 0], corners[i, 1]
        bx, by = corners[(i + 1) % n, 0], corners[(i + 1) % n, 1]
        if ax == bx and ay == by:
            return i, i
        cx, cy = corners[(i + 2) % n, 0] - bx, corners[(i + 2) % n, 1] - by
        # The next side goes back over this one.
        if (bx - ax) * cy == (by - ay) * cx and (bx - ax) * cx + (by - ay) * cy < 0.0:
            return i, (i + 1) % n
    for i in range(n):
        for j in range(i + 2, n - (i == 0)):
            if segments_meet(corners[i, 0], corners[i, 1], corners[i + 1, 0], corners[i + 1, 1],
                             corners[j, 0], corners[j, 1], corners[(j + 1) % n, 0],
                             corners[(j + 1) % n, 1]):
                return i, j
    return -1, -1


def _counter_clockwise(corners: Floats) -> Floats:
    """Return the corners (P, 2) of a simple polygon, the other way round if they are clockwise."""
    twice_area, from_first = 0.0, (corners - corners[0]).tolist()
    for (x0, y0), (x1, y1) in itertools.pairwise(from_first):
        twice_area += x0 * y1 - x1 * y0
    return corners if twice_area > 0.0 else np.ascontiguousarray(corners[::-1])


def inside_polygon(corners: Floats, points: Floats) -> NDArray[np.bool_]:
    """Tell for each point (M, 2) m whether it is inside the polygon of corners (P, 2) m.

    A ray along x crosses the outline an odd number of times. On the outline it may be either.
    """
    inside = np.zeros(len(points), np.bool_)
    x, y = points[:, 0], points[:, 1]
    for (x0, y0), (x1, y1) in zip(corners.tolist(), np.roll(corners, -1, axis=0).tolist(),
                                  strict=True):
        if y0 != y1:
            spans = (y0 > y) != (y1 > y)
            inside ^= spans & (x < x0 + (y - y0) / (y1 - y0) * (x1 - x0))
    return inside


WALLS = 4  # the bounds' walls are the first four segments
SIDES = 4  # of a rectangle; the sides are the last segments


class World(NamedTuple):
    """Bounds and fixed objects, in frame `map`, metres and radians.

    ``segments`` is what sensors need: first the four walls, if there are, then the free segments
    (those given, then the outlines of a map's occupied cells, then the sides of polygons), then
    four sides a rectangle (counter-clockwise).
    """

    bounds: Floats  # (4,) xmin, ymin, xmax, ymax
    segments: Floats  # (S, 4) x0, y0, x1, y1
    circles: Floats  # (C, 3) x, y, radius
    rectangles: Floats  # (R, 5) cx, cy, width, height, yaw; solid
    cells: CellMap | None = None  # a map; nobody stands in its occupied cells
    has_walls: bool = True  # False: robots may leave the bounds
    polygons: tuple[Floats, ...] = ()  # each (P, 2) corners, counter-clockwise; solid

    @property
    def inner_segments(self) -> Floats:
        """The segments that are not walls, (S - 4, 4)."""
        return self.segments[WALLS * self.has_walls:]

    @property
    def free_segments(self) -> Floats:
        """The segments that are neither walls nor sides of rectangles, (S - 4 - 4R, 4)."""
        inner = self.inner_segments
        return inner[:len(inner) - SIDES * len(self.rectangles)]

    @property
    def thin_segments(self) -> Floats:
        """The free segments that are no sides of polygons either: those given, then a map's."""
        free = self.free_segments
        return free[:len(free) - sum(map(len, self.polygons))]

    @property
    def given_segments(self) -> Floats:
        """The segments that are no part of anything else."""
        thin = self.thin_segments
        return thin if self.cells is None else thin[:len(thin) - len(self.cells.outlines)]

    def with_solids(self, circles: ArrayLike, rectangles: ArrayLike) -> World:
        """Return the world with more circles (C, 3) and rectangles (R, 5), as the last of them."""
        boxes = np.asarray(rectangles, np.float64).reshape(-1, 5)
        discs = np.asarray(circles, np.float64).reshape(-1, 3)
        world = self
        if len(discs):
            world = world._replace(circles=np.vstack([self.circles, discs]))
        if len(boxes):
            sides = [_loop(rectangle_corners(row)) for row in boxes]
            world = world._replace(segments=np.vstack([self.segments, *sides]),
                                   rectangles=np.vstack([self.rectangles, boxes]))
        return world


def _table(rows: Any, width: int) -> Floats:  # noqa: ANN401
    """Return rows of numbers as a table (n, width)."""
    return np.array(rows, np.float64).reshape(len(rows), width)


def rectangle_corners(rectangle: Sequence[float] | Floats) -> Floats:
    """Return the corners (4, 2) of (cx, cy, width, height, yaw), counter-clockwise."""
    cx, cy, width, height, yaw = (float(v) for v in rectangle)
    s, c = sincos(yaw)
    corners = np.empty((4, 2))
    for k, (sx, sy) in enumerate(((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))):
        x, y = sx * width, sy * height
        corners[k] = cx + (x * c - y * s), cy + (x * s + y * c)
    return corners


def _loop(corners: Floats) -> Floats:
    """Return the segments (n, 4) that join the corners (n, 2) to a closed loop."""
    return np.hstack([corners, np.roll(corners, -1, axis=0)])


def make_world(bounds: ArrayLike, segments: ArrayLike = (), circles: ArrayLike = (),
               rectangles: ArrayLike = (), cells: CellMap | None = None, *,
               has_walls: bool = True, polygons: Sequence[ArrayLike] = ()) -> World:
    """Return the world of these objects.

    Parameters
    ----------
    bounds : (4,) xmin, ymin, xmax, ymax (m); nobody leaves them where there are walls
    segments : (n, 4) x0, y0, x1, y1 (m)
    circles : (C, 3) x, y, radius (m)
    rectangles : (R, 5) cx, cy, width, height (m), yaw (rad)
    cells : a map whose occupied cells are obstacles
    has_walls : along the bounds
    polygons : each (P, 2) x, y (m) of its corners in order, either way round; no two sides meet

    """
    box, boxes = _table([bounds], 4)[0], _table(rectangles, 5)
    xmin, ymin, xmax, ymax = box.tolist()
    walls = _loop(np.array([[xmin, ymin], [xmax, ymin], [xmax, ymax], [xmin, ymax]]))
    if not has_walls:
        walls = walls[:0]
    sides = [_loop(rectangle_corners(row)) for row in boxes]
    outlines = [] if cells is None else [cells.outlines]
    corners = tuple(_counter_clockwise(_table(rows, 2)) for rows in polygons)
    lines = np.vstack([walls, _table(segments, 4), *outlines, *map(_loop, corners), *sides])
    return World(box, np.ascontiguousarray(lines), _table(circles, 3), boxes, cells,
                 has_walls, corners)

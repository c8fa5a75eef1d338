"""Interpolation in the terrain-following grid (document 003; docs/errata.md R2).

Linear in z in each of the four columns around a point, between that column's own layer heights;
then in x, then in y. A point is inside when x and y are (edges included), it is not below all four
bottoms and not above all four tops; a column that does not contain its height extrapolates from
its two nearest layers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from wind_model.grid import Lattice
from wind_model.parameters import Height

Array = NDArray[np.float64]


@njit_inner
def _blend(a: float, b: float, fraction: float) -> float:
    """Return a at fraction 0, b at 1, both exactly."""
    return (1.0 - fraction) * a + fraction * b


@njit_inner
def _below(coordinates: Array, value: float) -> int:
    """Return the last of all coordinates but the last that is <= value, or 0."""
    low, high = 0, coordinates.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if coordinates[middle] <= value:
            low = middle
        else:
            high = middle
    return low


@njit_inner
def _layer(heights: Array, j: int, i: int, z: float) -> int:
    """Return the layer below z in a column, or the nearest one that has another above it."""
    low, high = 0, heights.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if heights[middle, j, i] <= z:
            low = middle
        else:
            high = middle
    return low


@njit_inner
def _inside(field: Lattice, j: int, i: int, x: float, y: float, z: float) -> bool:
    """Tell whether a point of cell (i, j) is inside the field."""
    if not (x >= field.x[0] and x <= field.x[-1] and y >= field.y[0] and y <= field.y[-1]):
        return False
    above = below = False
    for corner in range(4):
        jj, ii = j + corner // 2, i + corner % 2
        above = above or z >= field.z[0, jj, ii]
        below = below or z <= field.z[-1, jj, ii]
    return above and below


@njit
def velocity_at(field: Lattice, points: Array, outside: Array) -> Array:
    """Return the wind at points.

    Parameters
    ----------
    field : the grid's points and their wind
    points : (M, 3) m, frame `map`
    outside : (3,) m/s, the wind outside the grid

    Returns
    -------
    (M, 3) m/s

    """
    out = np.empty((points.shape[0], 3))
    column = np.empty((4, 3))
    for m in range(points.shape[0]):
        x, y, z = points[m, 0], points[m, 1], points[m, 2]
        i, j = _below(field.x, x), _below(field.y, y)
        if not _inside(field, j, i, x, y, z):
            for c in range(3):
                out[m, c] = outside[c]
            continue
        for corner in range(4):
            jj, ii = j + corner // 2, i + corner % 2
            k = _layer(field.z, jj, ii, z)
            bottom = field.z[k, jj, ii]
            fraction = (z - bottom) / (field.z[k + 1, jj, ii] - bottom)
            column[corner, 0] = _blend(field.u[k, jj, ii], field.u[k + 1, jj, ii], fraction)
            column[corner, 1] = _blend(field.v[k, jj, ii], field.v[k + 1, jj, ii], fraction)
            column[corner, 2] = _blend(field.w[k, jj, ii], field.w[k + 1, jj, ii], fraction)
        fx = (x - field.x[i]) / (field.x[i + 1] - field.x[i])
        fy = (y - field.y[j]) / (field.y[j + 1] - field.y[j])
        for c in range(3):
            near = _blend(column[0, c], column[1, c], fx)
            far = _blend(column[2, c], column[3, c], fx)
            out[m, c] = _blend(near, far, fy)
    return out


@njit
def points_above(field: Lattice, xy: Array, height: float) -> Array:
    """Return points (M, 3) m at a height (m) above the lowest layer, bilinear between its points.

    ``xy`` is (M, 2) or wider; beyond the grid's edges the ground is that of the edge.
    """
    out = np.empty((xy.shape[0], 3))
    for m in range(xy.shape[0]):
        x, y = xy[m, 0], xy[m, 1]
        i, j = _below(field.x, x), _below(field.y, y)
        fx = min(1.0, max(0.0, (x - field.x[i]) / (field.x[i + 1] - field.x[i])))
        fy = min(1.0, max(0.0, (y - field.y[j]) / (field.y[j + 1] - field.y[j])))
        near = _blend(field.z[0, j, i], field.z[0, j, i + 1], fx)
        far = _blend(field.z[0, j + 1, i], field.z[0, j + 1, i + 1], fx)
        out[m, 0], out[m, 1], out[m, 2] = x, y, _blend(near, far, fy) + height
    return out


def points_at(field: Lattice | None, xy: Array, height: Height) -> Array:
    """Return the points (M, 3) m over (x, y) (M, 2 or wider) at which a height has its wind."""
    if field is not None and height.above_terrain:
        return points_above(field, np.ascontiguousarray(xy, np.float64), height.value)
    return np.column_stack([xy[:, :2], np.full(len(xy), height.value)])


def sample(field: Lattice | None, points: Array, outside: Array) -> Array:
    """Return the wind (M, 3) at points (M, 3): the field's if there is one, else ``outside``."""
    if field is None:
        return np.tile(outside, (points.shape[0], 1))
    return velocity_at(field, points, outside)

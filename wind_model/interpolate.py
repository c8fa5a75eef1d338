"""Interpolation in the terrain-following grid (document 003; docs/errata.md R2).

Linear in z in each of the four columns around a point, between that column's own layer heights;
then in x, then in y. A point is inside when x and y are (edges included), it is not below all four
bottoms and not above all four tops; a column that does not contain its height extrapolates from
its two nearest layers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit
from wind_model.grid import WindGrid

Array = NDArray[np.float64]


@njit
def _blend(a: float, b: float, fraction: float) -> float:
    """Return a at fraction 0, b at 1, both exactly."""
    return (1.0 - fraction) * a + fraction * b


@njit
def _cell(x: float, low: float, step: float, count: int) -> int:
    """Return i with low + i step <= x < low + (i + 1) step; last for the far edge, -1 outside."""
    if not (x >= low and x <= low + (count - 1) * step):
        return -1
    i = min(int((x - low) / step), count - 2)
    # The quotient is rounded: compare with the points, so that they give their own value.
    if x < low + i * step:
        i -= 1
    elif i < count - 2 and x >= low + (i + 1) * step:
        i += 1
    return i


@njit
def _layer(factors: Array, bottom: float, thickness: float, z: float) -> int:
    """Return the layer below z in one column, or the nearest one that has another above it."""
    below, above = 0, factors.shape[0] - 1
    while above - below > 1:
        middle = (below + above) // 2
        if bottom + factors[middle] * thickness <= z:
            below = middle
        else:
            above = middle
    return below


@njit
def velocity_at(grid: WindGrid, points: Array, outside: Array) -> Array:
    """Return the wind at points.

    Parameters
    ----------
    grid : the field
    points : (M, 3) m, frame `map`
    outside : (3,) m/s, the wind outside the grid

    Returns
    -------
    (M, 3) m/s

    """
    out = np.empty((points.shape[0], 3))
    column = np.empty((4, 3))
    factors = grid.vertical_spacing_factors
    for m in range(points.shape[0]):
        x, y, z = points[m, 0], points[m, 1], points[m, 2]
        i = _cell(x, grid.min_x, grid.res_x, grid.n_x)
        j = _cell(y, grid.min_y, grid.res_y, grid.n_y)
        inside = False
        if i >= 0 and j >= 0:
            bottom, top = grid.bottom_z, grid.top_z
            inside = (
                z >= min(bottom[j, i], bottom[j, i + 1], bottom[j + 1, i], bottom[j + 1, i + 1])
                and z <= max(top[j, i], top[j, i + 1], top[j + 1, i], top[j + 1, i + 1]))
        if not inside:
            for c in range(3):
                out[m, c] = outside[c]
            continue
        for corner in range(4):
            jj, ii = j + corner // 2, i + corner % 2
            ground = grid.bottom_z[jj, ii]
            thickness = grid.top_z[jj, ii] - ground
            k = _layer(factors, ground, thickness, z)
            lower = ground + factors[k] * thickness
            upper = ground + factors[k + 1] * thickness
            fraction = (z - lower) / (upper - lower)
            column[corner, 0] = _blend(grid.u[k, jj, ii], grid.u[k + 1, jj, ii], fraction)
            column[corner, 1] = _blend(grid.v[k, jj, ii], grid.v[k + 1, jj, ii], fraction)
            column[corner, 2] = _blend(grid.w[k, jj, ii], grid.w[k + 1, jj, ii], fraction)
        left, front = grid.min_x + i * grid.res_x, grid.min_y + j * grid.res_y
        fx = (x - left) / (grid.min_x + (i + 1) * grid.res_x - left)
        fy = (y - front) / (grid.min_y + (j + 1) * grid.res_y - front)
        for c in range(3):
            near = _blend(column[0, c], column[1, c], fx)
            far = _blend(column[2, c], column[3, c], fx)
            out[m, c] = _blend(near, far, fy)
    return out


def sample(grid: WindGrid | None, points: Array, outside: Array) -> Array:
    """Return the wind (M, 3) at points (M, 3): the grid's if there is one, else ``outside``."""
    if grid is None:
        return np.tile(outside, (points.shape[0], 1))
    return velocity_at(grid, points, outside)

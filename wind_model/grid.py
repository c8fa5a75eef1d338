# SPDX-License-Identifier: Apache-2.0
"""Terrain-following wind grid of document 003, and interpolation in it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.errors import InputError, refuse
from wind_model.parameters import Height

# A printed first or last factor may have lost digits.
_FACTOR_TOLERANCE = 1e-6


class WindGrid(NamedTuple):
    """Wind on the points of a grid, with the field names of the text file.

    Point (i, j, k) stands at x = min_x + i res_x, y = min_y + j res_y and
    z = bottom_z + vertical_spacing_factors[k] (top_z - bottom_z).
    """

    min_x: float  # m
    min_y: float  # m
    n_x: int
    n_y: int
    res_x: float  # m
    res_y: float  # m
    vertical_spacing_factors: Floats  # (n_z,), from 0 to 1, increasing
    bottom_z: Floats  # (n_y, n_x) m
    top_z: Floats  # (n_y, n_x) m
    u: Floats  # (n_z, n_y, n_x) m/s along x
    v: Floats  # (n_z, n_y, n_x) m/s along y
    w: Floats  # (n_z, n_y, n_x) m/s along z

    @property
    def n_z(self) -> int:
        """Number of layers."""
        return int(self.vertical_spacing_factors.shape[0])

    def lattice(self, where: str = 'wind field') -> Lattice:
        """Return the points of a grid and their wind.

        Raises
        ------
        InputError
            if rounding makes two layers of a column coincide.

        """
        factors = self.vertical_spacing_factors[:, np.newaxis, np.newaxis]
        z: Floats = self.bottom_z + factors * (self.top_z - self.bottom_z)
        z[-1] = self.top_z  # the sum above may miss it by its last bit
        if not (z[1:] > z[:-1]).all():
            raise InputError(f'{where}: vertical_spacing_factors: two layers of a column have '
                             'the same height')
        x: Floats = self.min_x + np.arange(self.n_x, dtype=np.float64) * self.res_x
        y: Floats = self.min_y + np.arange(self.n_y, dtype=np.float64) * self.res_y
        return Lattice(x, y, z, self.u, self.v, self.w)

    @classmethod
    def make(cls, min_x: float, min_y: float, n_x: int, n_y: int, res_x: float, res_y: float,
             vertical_spacing_factors: ArrayLike, bottom_z: ArrayLike, top_z: ArrayLike,
             wind: Iterable[ArrayLike], where: str = 'wind field') -> WindGrid:
        """Return the grid of flat or shaped arrays (flat ones count x first, then y, then z).

        Arguments are the fields of ``WindGrid``; ``wind`` is u, v and w.

        Raises
        ------
        InputError
            naming ``where`` and the field, for a wrong number of values, a value that is not
            finite, fewer than two points along an axis, a resolution that is not positive, factors
            that do not increase from 0 to 1, or a top that is not above its bottom.

        """
        refuse(
            *((not np.isfinite(number),
               f'{where}: {name}: got {number}, expected a finite number (m)')
              for name, number in (('min_x', min_x), ('min_y', min_y), ('res_x', res_x),
                                   ('res_y', res_y))),
            *((count < 2, f'{where}: {name}: got {count}, expected a whole number >= 2')
              for name, count in (('n_x', n_x), ('n_y', n_y))))
        for name, step, low, count in (('res_x', res_x, min_x, n_x), ('res_y', res_y, min_y, n_y)):
            last = low + (count - 1) * step
            refuse((not step > 0, f'{where}: {name}: got {step}, expected a number > 0 (m)'),
                   (not (np.isfinite(last) and low + step > low
                         and last > low + (count - 2) * step),
                    f'{where}: {name}: got {step}, expected a step that separates neighbouring '
                    'points'))
        factors = _factors(vertical_spacing_factors, where)
        n_z = factors.shape[0]
        plane, volume = (n_y, n_x), (n_z, n_y, n_x)
        bottom = _field('bottom_z', bottom_z, plane, where)
        top = _field('top_z', top_z, plane, where)
        with np.errstate(over='ignore'):
            thin = ~((top > bottom) & np.isfinite(top - bottom))
        if thin.any():
            j, i = (int(n) for n in np.argwhere(thin)[0])
            raise InputError(f'{where}: top_z: got {top[j, i]:g} at i={i} j={j}, expected more '
                             f'than bottom_z, {bottom[j, i]:g}')
        return cls(float(min_x), float(min_y), int(n_x), int(n_y), float(res_x), float(res_y),
                   factors, bottom, top, *(_field(name, values, volume, where)
                                           for name, values in zip('uvw', wind, strict=True)))


class Lattice(NamedTuple):
    """Coordinates and wind of all points of a grid, for look-up and messages."""

    x: Floats  # (n_x,) m, increasing
    y: Floats  # (n_y,) m, increasing
    z: Floats  # (n_z, n_y, n_x) m, increasing along the first axis
    u: Floats  # (n_z, n_y, n_x) m/s along x
    v: Floats  # (n_z, n_y, n_x) m/s along y
    w: Floats  # (n_z, n_y, n_x) m/s along z


def _factors(values: ArrayLike, where: str) -> Floats:
    """Return the vertical spacing factors, checked."""
    factors = np.array(values, dtype=np.float64).reshape(-1)
    name = f'{where}: vertical_spacing_factors'
    if factors.shape[0] < 2:
        raise InputError(f'{name}: got {factors.shape[0]} values, expected at least 2')
    factors = _field('vertical_spacing_factors', factors, factors.shape, where)
    rising = np.diff(factors) > 0
    k = int(np.argmin(rising))
    refuse((abs(factors[0]) > _FACTOR_TOLERANCE or abs(factors[-1] - 1) > _FACTOR_TOLERANCE,
            f'{name}: got values from {factors[0]:g} to {factors[-1]:g}, expected 0 to 1'),
           (not rising.all(), f'{name}: got {factors[k]:g} and then {factors[k + 1]:g}, expected '
                              'increasing values'))
    factors[0], factors[-1] = 0.0, 1.0
    return factors


def _field(name: str, values: ArrayLike, shape: tuple[int, ...], where: str) -> Floats:
    """Return values as a contiguous array of a shape, all finite."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    expected = math.prod(shape)
    if array.size != expected:
        raise InputError(f'{where}: {name}: got {array.size} values, expected {expected}')
    finite = np.isfinite(array)
    if not finite.all():
        flat = array.reshape(-1)
        index = int(np.argmin(finite.reshape(-1)))
        raise InputError(f'{where}: {name}: got {flat[index]} as value {index + 1}, expected '
                         'finite '
                         'numbers')
    return array.reshape(shape)


# Interpolation in the terrain-following grid (document 003; docs/errata.md R2).
#
# Linear in z in each of the four columns around a point, between that column's own layer heights;
# then in x, then in y. A point is inside when x and y are (edges included), it is not below all
# four bottoms and not above all four tops; a column that does not contain its height extrapolates
# from its two nearest layers.

@njit_inner
def _blend(a: float, b: float, fraction: float) -> float:
    """Return a at fraction 0, b at 1, both exactly."""
    return (1.0 - fraction) * a + fraction * b


@njit_inner
def _below(coordinates: Floats, value: float) -> int:
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
def _layer(heights: Floats, j: int, i: int, z: float) -> int:
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
def velocity_at(field: Lattice, points: Floats, outside: Floats) -> Floats:
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
def points_above(field: Lattice, xy: Floats, height: float) -> Floats:
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


def points_at(field: Lattice | None, xy: Floats, height: Height) -> Floats:
    """Return the points (M, 3) m over (x, y) (M, 2 or wider) at which a height has its wind."""
    if field is not None and height.above_terrain:
        return points_above(field, np.ascontiguousarray(xy, np.float64), height.value)
    return np.column_stack([xy[:, :2], np.full(len(xy), height.value)])


def sample(field: Lattice | None, points: Floats, outside: Floats) -> Floats:
    """Return the wind (M, 3) at points (M, 3): the field's if there is one, else ``outside``."""
    if field is None:
        return np.tile(outside, (points.shape[0], 1))
    return velocity_at(field, points, outside)

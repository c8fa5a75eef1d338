"""Terrain-following wind grid of document 003, validated."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot_common.errors import InputError

Array = NDArray[np.float64]

# A printed first or last factor may have lost digits.
FACTOR_TOLERANCE = 1e-6


class WindGrid(NamedTuple):
    """Wind on the points of a grid; the field names are those of the text file.

    Point (i, j, k) stands at x = min_x + i res_x, y = min_y + j res_y and
    z = bottom_z + vertical_spacing_factors[k] (top_z - bottom_z).
    """

    min_x: float  # m
    min_y: float  # m
    n_x: int
    n_y: int
    res_x: float  # m
    res_y: float  # m
    vertical_spacing_factors: Array  # (n_z,), from 0 to 1, increasing
    bottom_z: Array  # (n_y, n_x) m
    top_z: Array  # (n_y, n_x) m
    u: Array  # (n_z, n_y, n_x) m/s along x
    v: Array  # (n_z, n_y, n_x) m/s along y
    w: Array  # (n_z, n_y, n_x) m/s along z

    @property
    def n_z(self) -> int:
        """Number of layers."""
        return int(self.vertical_spacing_factors.shape[0])


class Lattice(NamedTuple):
    """Coordinates and wind of all points of a grid, for look-up and messages."""

    x: Array  # (n_x,) m, increasing
    y: Array  # (n_y,) m, increasing
    z: Array  # (n_z, n_y, n_x) m, increasing along the first axis
    u: Array  # (n_z, n_y, n_x) m/s along x
    v: Array  # (n_z, n_y, n_x) m/s along y
    w: Array  # (n_z, n_y, n_x) m/s along z


def make_lattice(grid: WindGrid, where: str = 'wind field') -> Lattice:
    """Return the points of a grid and their wind.

    Raises
    ------
    InputError
        if rounding makes two layers of a column coincide.

    """
    factors = grid.vertical_spacing_factors[:, np.newaxis, np.newaxis]
    z: Array = grid.bottom_z + factors * (grid.top_z - grid.bottom_z)
    z[-1] = grid.top_z  # the sum above may miss it by its last bit
    if not (z[1:] > z[:-1]).all():
        raise InputError(f'{where}: vertical_spacing_factors: two layers of a column have '
                         'the same height')
    x: Array = grid.min_x + np.arange(grid.n_x, dtype=np.float64) * grid.res_x
    y: Array = grid.min_y + np.arange(grid.n_y, dtype=np.float64) * grid.res_y
    return Lattice(x, y, z, grid.u, grid.v, grid.w)


def make_grid(min_x: float, min_y: float, n_x: int, n_y: int, res_x: float, res_y: float,
              vertical_spacing_factors: ArrayLike, bottom_z: ArrayLike, top_z: ArrayLike,
              wind: Iterable[ArrayLike], where: str = 'wind field') -> WindGrid:
    """Return the grid of flat or shaped arrays (flat ones count x first, then y, then z).

    Arguments are the fields of ``WindGrid``; ``wind`` is u, v and w.

    Raises
    ------
    InputError
        naming ``where`` and the field, for a wrong number of values, a value that is not finite,
        fewer than two points along an axis, a resolution that is not positive, factors that do not
        increase from 0 to 1, or a top that is not above its bottom.

    """
    for name, number in (('min_x', min_x), ('min_y', min_y), ('res_x', res_x), ('res_y', res_y)):
        if not np.isfinite(number):
            raise InputError(f'{where}: {name}: got {number}, expected a finite number (m)')
    for name, count in (('n_x', n_x), ('n_y', n_y)):
        if count < 2:
            raise InputError(f'{where}: {name}: got {count}, expected a whole number >= 2')
    for name, step, low, count in (('res_x', res_x, min_x, n_x), ('res_y', res_y, min_y, n_y)):
        if not step > 0:
            raise InputError(f'{where}: {name}: got {step}, expected a number > 0 (m)')
        if not (np.isfinite(low + (count - 1) * step) and low + step > low
                and low + (count - 1) * step > low + (count - 2) * step):
            raise InputError(f'{where}: {name}: got {step}, expected a step that separates '
                             'neighbouring points')
    factors = _factors(vertical_spacing_factors, where)
    n_z = factors.shape[0]
    plane, volume = (n_y, n_x), (n_z, n_y, n_x)
    bottom = _field('bottom_z', bottom_z, plane, where)
    top = _field('top_z', top_z, plane, where)
    with np.errstate(over='ignore'):
        thin = ~((top > bottom) & np.isfinite(top - bottom))
    if thin.any():
        j, i = (int(n) for n in np.argwhere(thin)[0])
        raise InputError(f'{where}: top_z: got {top[j, i]:g} at i={i} j={j}, expected more than '
                         f'bottom_z, {bottom[j, i]:g}')
    return WindGrid(float(min_x), float(min_y), int(n_x), int(n_y), float(res_x), float(res_y),
                    factors, bottom, top, *(_field(name, values, volume, where)
                                            for name, values in zip('uvw', wind, strict=True)))


def _factors(values: ArrayLike, where: str) -> Array:
    """Return the vertical spacing factors, checked."""
    factors = np.array(values, dtype=np.float64).reshape(-1)
    name = f'{where}: vertical_spacing_factors'
    if factors.shape[0] < 2:
        raise InputError(f'{name}: got {factors.shape[0]} values, expected at least 2')
    factors = _field('vertical_spacing_factors', factors, factors.shape, where)
    if abs(factors[0]) > FACTOR_TOLERANCE or abs(factors[-1] - 1) > FACTOR_TOLERANCE:
        raise InputError(f'{name}: got values from {factors[0]:g} to {factors[-1]:g}, '
                         'expected 0 to 1')
    if not (np.diff(factors) > 0).all():
        k = int(np.argmin(np.diff(factors) > 0))
        raise InputError(f'{name}: got {factors[k]:g} and then {factors[k + 1]:g}, expected '
                         'increasing values')
    factors[0], factors[-1] = 0.0, 1.0
    return factors


def _field(name: str, values: ArrayLike, shape: tuple[int, ...], where: str) -> Array:
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

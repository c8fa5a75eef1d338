"""Wind and terrain as .vtu files for ParaView (document 003, "Wind field visualization")."""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import InputError
from wind_model.grid import Lattice


def write_wind(path: str | Path, field: Lattice) -> None:
    """Write the points of a field as hexahedra with the point data `wind` (m/s, three numbers).

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    points = _points(field, field.z)
    wind = np.column_stack([field.u.ravel(), field.v.ravel(), field.w.ravel()])
    number = np.arange(points.shape[0]).reshape(field.z.shape)
    lower, upper = _squares(number[:-1]), _squares(number[1:])
    cells = np.concatenate([lower, upper], axis=1)
    _write(path, meshio.Mesh(points, [('hexahedron', cells)], point_data={'wind': wind}))


def write_terrain(path: str | Path, field: Lattice) -> None:
    """Write the lowest layer as squares with the point data `elevation` (m).

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    bottom = field.z[0]
    points = _points(field, bottom)
    number = np.arange(points.shape[0]).reshape(1, *bottom.shape)
    _write(path, meshio.Mesh(points, [('quad', _squares(number))],
                             point_data={'elevation': bottom.ravel()}))


def _points(field: Lattice, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x, y, z (M, 3) (m) of layers of the field at heights z (..., n_y, n_x)."""
    x, y = np.broadcast_to(field.x, z.shape), np.broadcast_to(field.y[:, np.newaxis], z.shape)
    return np.column_stack([x.ravel(), y.ravel(), z.ravel()])


def _squares(number: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the corners (M, 4) of each square of each layer, counter-clockwise from above."""
    return np.stack([number[:, :-1, :-1], number[:, :-1, 1:], number[:, 1:, 1:],
                     number[:, 1:, :-1]], axis=-1).reshape(-1, 4)


def _write(path: str | Path, mesh: meshio.Mesh) -> None:
    try:
        meshio.write(path, mesh, file_format='vtu')
    except OSError as error:
        raise InputError(f'{path}: cannot be written: {error.strerror}') from None

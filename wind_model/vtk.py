"""Wind and terrain as .vtu files for ParaView (document 003, "Wind field visualization")."""

from __future__ import annotations

import sys
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import InputError
from wind_model.grid import Lattice

_QUAD, _HEXAHEDRON = 9, 12  # VTK's numbers of cell types
_BLOCK = 32768  # bytes that are compressed together
_TYPES = {'f8': 'Float64', 'i8': 'Int64', 'u1': 'UInt8'}


def write_wind(path: str | Path, field: Lattice) -> None:
    """Write the points of a field as hexahedra with the point data `wind` (m/s, three numbers).

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    points = _points(field, field.z)
    wind = np.column_stack([field.u.ravel(), field.v.ravel(), field.w.ravel()])
    number = np.arange(points.shape[0], dtype=np.int64).reshape(field.z.shape)
    lower, upper = _squares(number[:-1]), _squares(number[1:])
    _write(path, points, _HEXAHEDRON, np.concatenate([lower, upper], axis=1), 'wind', wind)


def write_terrain(path: str | Path, field: Lattice) -> None:
    """Write the lowest layer as squares with the point data `elevation` (m).

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    bottom = field.z[0]
    points = _points(field, bottom)
    number = np.arange(points.shape[0], dtype=np.int64).reshape(1, *bottom.shape)
    _write(path, points, _QUAD, _squares(number), 'elevation', bottom.ravel())


def _points(field: Lattice, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x, y, z (M, 3) (m) of layers of the field at heights z (..., n_y, n_x)."""
    x, y = np.broadcast_to(field.x, z.shape), np.broadcast_to(field.y[:, np.newaxis], z.shape)
    return np.column_stack([x.ravel(), y.ravel(), z.ravel()])


def _squares(number: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the corners (M, 4) of each square of each layer, counter-clockwise from above."""
    return np.stack([number[:, :-1, :-1], number[:, :-1, 1:], number[:, 1:, 1:],
                     number[:, 1:, :-1]], axis=-1).reshape(-1, 4)


def _write(path: str | Path, points: NDArray[np.float64], kind: int, cells: NDArray[np.int64],
           name: str, data: NDArray[np.float64]) -> None:
    """Write cells (C, corners) of one kind between points (M, 3), with data (M, …) of each."""
    count, corners = cells.shape
    offsets = np.arange(1, count + 1, dtype=np.int64) * corners
    lines = (
        '<?xml version="1.0"?>',
        f'<VTKFile type="UnstructuredGrid" version="0.1" byte_order="{sys.byteorder.title()}'
        'Endian" header_type="UInt32" compressor="vtkZLibDataCompressor">',
        f'<UnstructuredGrid><Piece NumberOfPoints="{len(points)}" NumberOfCells="{count}">',
        f'<Points>{_array("Points", points)}</Points>',
        f'<Cells>{_array("connectivity", cells.ravel())}{_array("offsets", offsets)}'
        f'{_array("types", np.full(count, kind, np.uint8))}</Cells>',
        f'<PointData>{_array(name, data)}</PointData>',
        '</Piece></UnstructuredGrid></VTKFile>\n')
    try:
        Path(path).write_text('\n'.join(lines), encoding='ascii')
    except OSError as error:
        raise InputError(f'{path}: cannot be written: {error.strerror}') from None


def _array(name: str, values: NDArray[Any]) -> str:
    """Return a DataArray: sizes, then blocks compressed by zlib, both in base64."""
    raw = np.ascontiguousarray(values).tobytes()
    blocks = [zlib.compress(raw[first:first + _BLOCK]) for first in range(0, len(raw), _BLOCK)]
    sizes = np.array([len(blocks), _BLOCK, len(raw) - (len(blocks) - 1) * _BLOCK,
                      *map(len, blocks)], np.uint32)
    components = f' NumberOfComponents="{values.shape[1]}"' if values.ndim == 2 else ''
    return (f'<DataArray type="{_TYPES[values.dtype.str[1:]]}" Name="{name}"{components} '
            f'format="binary">{b64encode(sizes.tobytes()).decode()}'
            f'{b64encode(b"".join(blocks)).decode()}</DataArray>')

# SPDX-License-Identifier: Apache-2.0
"""Wind fields as pictures (PNG), and as files for ParaView (.vtu)."""

from __future__ import annotations

import sys
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sbot_common.errors import writing
from wind_model.grid import Lattice, velocity_at

# Wind and terrain as .vtu files for ParaView (document 003, "Wind field visualization").

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
    with writing(path):
        Path(path).write_text('\n'.join(lines), encoding='ascii')


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


_FINE = 200  # colours along the longer side
_ARROWS = 30


def write_preview(path: str | Path, field: Lattice, height: float) -> None:
    """Write a PNG of the wind at a height (m): colour is the speed, arrows the direction.

    Where the height is outside the field nothing is drawn; contours are the terrain.

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    width, depth = field.x[-1] - field.x[0], field.y[-1] - field.y[0]
    figure = Figure(figsize=(8, min(12.0, max(3.0, 1.2 + 7 * depth / width))), dpi=120,
                    layout='constrained')
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    x, y, wind = _sampled(field, height, _FINE)
    speed = np.sqrt((wind * wind).sum(axis=-1))
    shown = axes.pcolormesh(x, y, speed, shading='nearest', cmap='viridis', rasterized=True)
    figure.colorbar(shown, label='speed [m/s]')
    x, y, wind = _sampled(field, height, _ARROWS)
    arrows = _arrows(x, y, wind)
    axes.quiver(x, y, arrows[..., 0], arrows[..., 1], color='white', width=0.002, pivot='mid',
                angles='xy', scale_units='xy', scale=1.0)
    terrain = field.z[0]
    if terrain.min() < terrain.max():
        lines = axes.contour(field.x, field.y, terrain, 4, colors='black', linewidths=0.6)
        axes.clabel(lines, fmt='%g m', fontsize=7)
    axes.set(aspect='equal', xlabel='x [m]', ylabel='y [m]', title=f'wind at z = {height:g} m')
    with writing(path):
        figure.savefig(path, format='png')


def _arrows(x: np.ndarray[tuple[int], np.dtype[np.float64]],
            y: np.ndarray[tuple[int], np.dtype[np.float64]],
            wind: np.ndarray[tuple[int, int, int], np.dtype[np.float64]],
            ) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """Return arrows (len(y), len(x), 2) (m) that do not cross: none is longer than the spacing."""
    spacing = min(x[1] - x[0], y[1] - y[0])
    fastest = float(np.nanmax(np.hypot(wind[..., 0], wind[..., 1]), initial=0.0))
    return wind[..., :2] * (0.95 * spacing / fastest if fastest > 0.0 else 1.0)


def _sampled(field: Lattice, height: float, count: int) -> tuple[
        np.ndarray[tuple[int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.float64]],
        np.ndarray[tuple[int, int, int], np.dtype[np.float64]]]:
    """Return x, y and the wind (len(y), len(x), 3); NaN where the field is not."""
    width, depth = field.x[-1] - field.x[0], field.y[-1] - field.y[0]
    step = max(width, depth) / count
    x = np.linspace(field.x[0], field.x[-1], max(2, round(width / step)))
    y = np.linspace(field.y[0], field.y[-1], max(2, round(depth / step)))
    points = np.empty((y.size, x.size, 3))
    points[..., 0], points[..., 1], points[..., 2] = x, y[:, np.newaxis], height
    wind = velocity_at(field, points.reshape(-1, 3), np.full(3, np.nan))
    return x, y, wind.reshape(y.size, x.size, 3)

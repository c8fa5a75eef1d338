# SPDX-License-Identifier: Apache-2.0
"""Encode and decode messages of the wind: field, velocity, force and markers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.topics import WIND_FIELD
from sbot_common.wire import cdr
from sbot_common.wire.controller import encode_points, read_points
from sbot_common.wire.messages import read_vector, vector3
from sbot_common.wire.templates import ADD, ARROW, DELETE_ALL, encode_marker_array, marker
from wind_model.grid import Lattice, points_at, sample
from wind_model.parameters import Height

FRAME = 'map'

# One point of the field: where rviz2 draws it, then what a simulator uses, aligned to eight bytes.
SHOWN = ('x', 'y', 'z')
_USED = ('gx', 'gy', 'gz', 'u', 'v', 'w')
POINT = np.dtype({
    'names': [*SHOWN, *_USED],
    'formats': ['<f4'] * 3 + ['<f8'] * 6,
    'offsets': [0, 4, 8, 16, 24, 32, 40, 48, 56],
    'itemsize': 64,
})

_COLOUR = (0.1, 0.4, 0.9, 1.0)
_ARROWS = 20  # along the longer side of a field


def encode_vector(stamp_ns: int, vector: Floats) -> bytes:
    """Return geometry_msgs/Vector3Stamped of a vector (3,) in frame `map`."""
    return cdr.encode(cdr.message(
        'geometry_msgs/msg/Vector3Stamped', header=cdr.header(stamp_ns, FRAME),
        vector=vector3(*map(float, vector))))


def decode_vector(raw: bytes) -> tuple[int, Floats]:
    """Return the stamp (ns) and the vector (3,) of a geometry_msgs/Vector3Stamped.

    Raises
    ------
    DamagedMessage
        if the vector is not finite.

    """
    stamp_ns, vector = read_vector(raw)
    if not np.isfinite(vector).all():
        raise cdr.DamagedMessage(f'wind: got {list(vector)}, expected a finite vector')
    return stamp_ns, np.array(vector)


def encode_field(stamp_ns: int, field: Lattice | None) -> bytes:
    """Return sensor_msgs/PointCloud2 of a field; without a field it has no points.

    Width n_x, height n_y n_z; ``decode_field`` returns every number to the last bit.
    """
    points = np.zeros((0, 0), POINT)
    if field is not None:
        shaped = np.zeros(field.z.shape, POINT)
        shaped['gx'], shaped['gy'], shaped['gz'] = field.x, field.y[:, np.newaxis], field.z
        for shown in SHOWN:
            shaped[shown] = shaped['g' + shown]
        shaped['u'], shaped['v'], shaped['w'] = field.u, field.v, field.w
        points = shaped.reshape(-1, field.z.shape[2])
    return encode_points(stamp_ns, FRAME, points, dense=True)


def decode_field(raw: bytes) -> Lattice | None:
    """Return the field of a sensor_msgs/PointCloud2, or None for one without points.

    Raises
    ------
    DamagedMessage
        if the cloud is not laid out as ``encode_field`` does, or its points are no grid.

    """
    try:
        _, shape, points = read_points(raw, **dict.fromkeys(_USED, ('<f8', 1)))
    except cdr.DamagedMessage as error:
        raise cdr.DamagedMessage(f'{WIND_FIELD.name}: {error}') from None
    if 0 in shape:
        return None
    return _lattice({name: column.reshape(shape) for name, column in points.items()})


def _lattice(rows: dict[str, Floats]) -> Lattice:
    """Return the lattice of points, checked; each of their fields (n_z n_y, n_x)."""
    height, n_x = rows['gy'].shape
    same = np.flatnonzero(rows['gy'][1:, 0] == rows['gy'][0, 0])
    n_y = int(same[0]) + 1 if same.size else height
    error = cdr.DamagedMessage(f'{WIND_FIELD.name}: its points are not those of a wind grid')
    if n_x < 2 or n_y < 2 or height % n_y or height // n_y < 2:
        raise error
    shaped = {name: row.reshape(height // n_y, n_y, n_x) for name, row in rows.items()}
    x, y = shaped['gx'][0, 0].copy(), shaped['gy'][0, :, 0].copy()
    z, u, v, w = (np.ascontiguousarray(shaped[name]) for name in ('gz', 'u', 'v', 'w'))
    good = (
        (shaped['gx'] == x).all() and (shaped['gy'] == y[:, np.newaxis]).all()
        and (x[1:] > x[:-1]).all() and (y[1:] > y[:-1]).all() and (z[1:] > z[:-1]).all()
        and all(np.isfinite(array).all() for array in (x, y, z, u, v, w)))
    if not good:
        raise error
    return Lattice(x, y, z, u, v, w)


def encode_markers(stamp_ns: int, field: Lattice | None, outside: Floats,
                   height: Height) -> bytes:
    """Return visualization_msgs/MarkerArray: arrows of the wind where robots feel it.

    One arrow at the origin, a metre for each m/s, for uniform wind; for a field arrows all over
    it, the longest as long as they are apart. The first marker removes older ones.
    """
    arrows = [_arrow(stamp_ns, 0, DELETE_ALL, np.zeros((2, 3)))]
    for ends in _arrows(field, outside, height):
        arrows.append(_arrow(stamp_ns, len(arrows), ADD, ends))
    return encode_marker_array(arrows)


def _arrows(field: Lattice | None, outside: Floats, height: Height) -> Iterator[Floats]:
    """Yield start and end (2, 3) (m) of each arrow; still air has none."""
    if field is None:
        starts = np.array([[0.0, 0.0, height.value]])
    else:
        size = max(field.x[-1] - field.x[0], field.y[-1] - field.y[0])
        spacing = size / _ARROWS
        x = np.arange(field.x[0] + spacing / 2, field.x[-1], spacing)
        y = np.arange(field.y[0] + spacing / 2, field.y[-1], spacing)
        shape = (y.size, x.size)
        starts = points_at(field, np.column_stack([
            np.broadcast_to(x, shape).ravel(), np.broadcast_to(y[:, np.newaxis], shape).ravel()]),
            height)
    wind = sample(field, starts, outside)
    x, y, z = wind.T
    longest = float(np.sqrt(x * x + y * y + z * z).max(initial=0.0))
    if longest == 0:
        return
    metres = 1.0 if field is None else spacing / longest
    for start, velocity in zip(starts, wind, strict=True):
        if np.any(velocity):
            yield np.array([start, start + metres * velocity])


def _arrow(stamp_ns: int, number: int, action: int, ends: Floats) -> Any:  # noqa: ANN401
    """Return one arrow from start to end (2, 3) m; the shaft is a tenth as thick as it is long."""
    x, y, z = ends[1] - ends[0]
    thickness = 0.1 * math.sqrt(x * x + y * y + z * z)
    return marker('wind', number, ARROW, (thickness, 2 * thickness, 2 * thickness), _COLOUR,
                  stamp_ns=stamp_ns, action=action, points=ends)

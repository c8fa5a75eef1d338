"""Messages of the wind: field, velocity, force and markers, as bytes and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import InputError
from sbot_common.topics import WIND_FIELD, WIND_MARKERS, WIND_VELOCITY
from sbot_common.wire import cdr
from wind_model.grid import Lattice
from wind_model.interpolate import sample

Array = NDArray[np.float64]

FRAME = 'map'
CLOCK = 'rosgraph_msgs/msg/Clock'

# One point of the field: where rviz2 draws it, then what a simulator uses, aligned to eight bytes.
SHOWN = ('x', 'y', 'z')
USED = ('gx', 'gy', 'gz', 'u', 'v', 'w')
POINT = np.dtype({
    'names': [*SHOWN, *USED],
    'formats': ['<f4'] * 3 + ['<f8'] * 6,
    'offsets': [0, 4, 8, 16, 24, 32, 40, 48, 56],
    'itemsize': 64,
})
_FLOAT32, _FLOAT64 = 7, 8  # sensor_msgs/PointField

_COLOUR = (0.1, 0.4, 0.9, 1.0)
_ARROWS = 20  # along the longer side of a field


class StampedVector(NamedTuple):
    """Wind velocity (m/s) or force (N) at a time."""

    stamp_ns: int
    vector: Array  # (3,) frame `map`


def encode_vector(stamp_ns: int, vector: Array) -> bytes:
    """Return geometry_msgs/Vector3Stamped of a vector (3,) in frame `map`."""
    x, y, z = (float(c) for c in vector)
    return cdr.encode(cdr.message_class(WIND_VELOCITY.type)(
        header=cdr.header(stamp_ns, FRAME), vector=_xyz('geometry_msgs/msg/Vector3', x, y, z)))


def decode_vector(raw: bytes) -> StampedVector:
    """Return the stamp and the vector of a geometry_msgs/Vector3Stamped.

    Raises
    ------
    InputError
        if the vector is not finite.

    """
    message = cdr.decode(raw, WIND_VELOCITY.type)
    vector = np.array([message.vector.x, message.vector.y, message.vector.z])
    if not np.isfinite(vector).all():
        raise InputError(f'wind: expected a finite vector, found {vector.tolist()}')
    return StampedVector(cdr.stamp_ns(message.header.stamp), vector)


def decode_clock(raw: bytes) -> int:
    """Return the nanoseconds of a rosgraph_msgs/Clock."""
    return cdr.stamp_ns(cdr.decode(raw, CLOCK).clock)


def encode_field(stamp_ns: int, field: Lattice | None) -> bytes:
    """Return sensor_msgs/PointCloud2 of a field; no points where there is no field.

    Width n_x, height n_y n_z; ``decode_field`` returns every number to the last bit.
    """
    width, height = 0, 0
    points = np.zeros(0, POINT)
    if field is not None:
        n_z, n_y, width = field.z.shape
        height = n_z * n_y
        shaped = np.zeros(field.z.shape, POINT)
        shaped['gx'], shaped['gy'], shaped['gz'] = field.x, field.y[:, np.newaxis], field.z
        for shown in SHOWN:
            shaped[shown] = shaped['g' + shown]
        shaped['u'], shaped['v'], shaped['w'] = field.u, field.v, field.w
        points = shaped.reshape(-1)
    point_field = cdr.message_class('sensor_msgs/msg/PointField')
    assert POINT.fields is not None
    fields = [point_field(name=name, offset=place[1], count=1,
                          datatype=_FLOAT32 if place[0].itemsize == 4 else _FLOAT64)
              for name, place in POINT.fields.items()]
    return cdr.encode(cdr.message_class(WIND_FIELD.type)(
        header=cdr.header(stamp_ns, FRAME), height=height, width=width, fields=fields,
        is_bigendian=False, point_step=POINT.itemsize, row_step=POINT.itemsize * width,
        data=points.view(np.uint8), is_dense=True))


def decode_field(raw: bytes) -> Lattice | None:
    """Return the field of a sensor_msgs/PointCloud2, or None for one without points.

    Raises
    ------
    InputError
        if the cloud is not laid out as ``encode_field`` does, or its points are no grid.

    """
    message = cdr.decode(raw, WIND_FIELD.type)
    if message.width * message.height == 0:
        return None
    places = {field.name: (field.offset, field.datatype, field.count) for field in message.fields}
    for name in USED:
        offset, datatype, count = places.get(name, (0, 0, 0))
        if (datatype, count) != (_FLOAT64, 1) or offset + 8 > message.point_step:
            raise InputError(f"{WIND_FIELD.name}: expected a float64 field '{name}'")
    expected = message.point_step * message.width * message.height
    if message.is_bigendian or message.row_step != message.point_step * message.width or (
            message.data.size != expected):
        raise InputError(f'{WIND_FIELD.name}: expected {expected} little-endian bytes without '
                         f'padding, found {message.data.size}')
    layout = np.dtype({'names': list(USED), 'formats': ['<f8'] * len(USED),
                       'offsets': [places[name][0] for name in USED],
                       'itemsize': int(message.point_step)})
    rows = np.frombuffer(message.data.tobytes(), layout).reshape(message.height, message.width)
    return _lattice(rows)


def _lattice(rows: NDArray[np.void]) -> Lattice:
    """Return the lattice of points (n_z n_y, n_x), checked."""
    height, n_x = rows.shape
    same = np.flatnonzero(rows['gy'][1:, 0] == rows['gy'][0, 0])
    n_y = int(same[0]) + 1 if same.size else height
    error = InputError(f'{WIND_FIELD.name}: its points are not those of a wind grid')
    if n_x < 2 or n_y < 2 or height % n_y or height // n_y < 2:
        raise error
    shaped = rows.reshape(height // n_y, n_y, n_x)
    x, y = shaped['gx'][0, 0].copy(), shaped['gy'][0, :, 0].copy()
    z, u, v, w = (np.ascontiguousarray(shaped[name]) for name in ('gz', 'u', 'v', 'w'))
    good = (
        (shaped['gx'] == x).all() and (shaped['gy'] == y[:, np.newaxis]).all()
        and (x[1:] > x[:-1]).all() and (y[1:] > y[:-1]).all() and (z[1:] > z[:-1]).all()
        and all(np.isfinite(array).all() for array in (x, y, z, u, v, w)))
    if not good:
        raise error
    return Lattice(x, y, z, u, v, w)


def encode_markers(stamp_ns: int, field: Lattice | None, outside: Array, height: float) -> bytes:
    """Return visualization_msgs/MarkerArray: arrows of the wind at a height (m).

    One arrow at the origin, a metre for each m/s, for uniform wind; for a field arrows all over
    it, the longest as long as they are apart. The first marker removes older ones.
    """
    marker_class = cdr.message_class('visualization_msgs/msg/Marker')
    markers = [_marker(stamp_ns, 0, marker_class.DELETEALL, np.zeros(3), np.zeros(3))]
    for start, end in _arrows(field, outside, height):
        markers.append(_marker(stamp_ns, len(markers), marker_class.ADD, start, end))
    return cdr.encode(cdr.message_class(WIND_MARKERS.type)(markers=markers))


def _arrows(field: Lattice | None, outside: Array,
            height: float) -> Iterator[tuple[Array, Array]]:
    """Yield start and end (m) of each arrow; still air has none."""
    if field is None:
        starts, metres = np.array([[0.0, 0.0, height]]), 1.0
    else:
        size = max(field.x[-1] - field.x[0], field.y[-1] - field.y[0])
        spacing = size / _ARROWS
        x = np.arange(field.x[0] + spacing / 2, field.x[-1], spacing)
        y = np.arange(field.y[0] + spacing / 2, field.y[-1], spacing)
        shape = (y.size, x.size)
        starts = np.column_stack([
            np.broadcast_to(x, shape).ravel(), np.broadcast_to(y[:, np.newaxis], shape).ravel(),
            np.full(x.size * y.size, height)])
        metres = 0.0
    wind = sample(field, starts, outside)
    longest = float(np.sqrt((wind * wind).sum(axis=1)).max(initial=0.0))
    if longest == 0:
        return
    if field is not None:
        metres = spacing / longest
    for start, velocity in zip(starts, wind, strict=True):
        if np.any(velocity):
            yield start, start + metres * velocity


def _marker(stamp_ns: int, number: int, action: int, start: Array, end: Array) -> Any:  # noqa: ANN401
    """Return one arrow from start to end (3,) m; the shaft is a tenth as thick as it is long."""
    marker_class = cdr.message_class('visualization_msgs/msg/Marker')
    thickness = 0.1 * float(np.sqrt(((end - start) ** 2).sum()))
    red, green, blue, opacity = _COLOUR
    pose = cdr.message_class('geometry_msgs/msg/Pose')(
        position=_xyz('geometry_msgs/msg/Point', 0.0, 0.0, 0.0),
        orientation=cdr.message_class('geometry_msgs/msg/Quaternion')(x=0.0, y=0.0, z=0.0, w=1.0))
    return marker_class(
        header=cdr.header(stamp_ns, FRAME), ns='wind', id=number, type=marker_class.ARROW,
        action=action, pose=pose,
        scale=_xyz('geometry_msgs/msg/Vector3', thickness, 2 * thickness, 2 * thickness),
        color=cdr.message_class('std_msgs/msg/ColorRGBA')(r=red, g=green, b=blue, a=opacity),
        lifetime=cdr.message_class('builtin_interfaces/msg/Duration')(sec=0, nanosec=0),
        frame_locked=False,
        points=[_xyz('geometry_msgs/msg/Point', *(float(c) for c in place))
                for place in (start, end)],
        colors=[], texture_resource='', uv_coordinates=[], text='', mesh_resource='',
        texture=cdr.message_class('sensor_msgs/msg/CompressedImage')(
            header=cdr.header(0, ''), format='', data=np.zeros(0, np.uint8)),
        mesh_file=cdr.message_class('visualization_msgs/msg/MeshFile')(
            filename='', data=np.zeros(0, np.uint8)),
        mesh_use_embedded_materials=False)


def _xyz(type_name: str, x: float, y: float, z: float) -> Any:  # noqa: ANN401
    """Return a Point or a Vector3."""
    return cdr.message_class(type_name)(x=x, y=y, z=z)

"""A MarkerArray encoded once and then filled in: what changes each tick is written into the bytes.

Encoding hundreds of markers, field by field, would cost more than simulating the robots.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot_common.clock import NANOSECONDS
from sbot_common.wire import cdr

FRAME = 'map'
ADD, DELETE = 0, 2
CYLINDER, LINE_LIST, TEXT = 3, 5, 9

Colour = tuple[float, float, float, float]  # red, green, blue, opacity
Array = NDArray[np.float64]

_ENCAPSULATION = 4  # bytes in front of the message; alignment counts from behind them


def marker(name: str, number: int, kind: int, scale: tuple[float, float, float],
           colour: Colour = (1.0, 1.0, 1.0, 1.0), *, z: float = 0.0, text: str = '',
           points: int = 0, coloured: bool = False) -> Any:  # noqa: ANN401
    """Return a visualization_msgs/Marker in frame `map` whose positions are still zero.

    Parameters
    ----------
    name, number : namespace and id
    kind : its type
    scale : metres
    colour : of everything in it
    z : height of its pose (m)
    text : of a text marker
    points : how many points it has; a list without points is a deletion
    coloured : each point has its own colour

    """
    make = cdr.message_class
    vector, point, quaternion = (make(f'geometry_msgs/msg/{each}') for each in (
        'Vector3', 'Point', 'Quaternion'))
    rgba = make('std_msgs/msg/ColorRGBA')(*colour)
    empty = np.empty(0, np.uint8)
    return make('visualization_msgs/msg/Marker')(
        header=cdr.header(0, FRAME), ns=name, id=number, type=kind,
        action=DELETE if kind == LINE_LIST and not points else ADD,
        pose=make('geometry_msgs/msg/Pose')(position=point(x=0.0, y=0.0, z=z),
                                            orientation=quaternion(x=0.0, y=0.0, z=0.0, w=1.0)),
        scale=vector(*scale), color=rgba,
        lifetime=make('builtin_interfaces/msg/Duration')(sec=0, nanosec=0), frame_locked=False,
        points=[point(x=0.0, y=0.0, z=0.0)] * points, colors=[rgba] * (points * coloured),
        texture_resource='', texture=make('sensor_msgs/msg/CompressedImage')(
            header=cdr.header(0, ''), format='', data=empty),
        uv_coordinates=[], text=text, mesh_resource='',
        mesh_file=make('visualization_msgs/msg/MeshFile')(filename='', data=empty),
        mesh_use_embedded_materials=False)


class _Fields(NamedTuple):
    """Where a marker's fields are in the bytes."""

    stamp: int
    position: int
    colour: int
    points: int
    colours: int


class _Walk:
    """Steps through the bytes of a message, field by field."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = _ENCAPSULATION

    def skip(self, alignment: int, size: int) -> int:
        """Step over a field and return where it begins."""
        begin = self.at + (_ENCAPSULATION - self.at) % alignment
        self.at = begin + size
        return begin

    def count(self) -> int:
        """Step over a length and return it."""
        return int(struct.unpack_from('<I', self.raw, self.skip(4, 4))[0])

    def sequence(self, alignment: int, size: int) -> int:
        """Step over a sequence and return where its first element is, or would be."""
        count = self.count()
        return self.skip(alignment, count * size) if count else self.at

    def header(self) -> int:
        """Step over a header and return where its stamp is."""
        begin = self.skip(4, 8)
        self.sequence(1, 1)
        return begin

    def marker(self) -> _Fields:
        """Step over a visualization_msgs/Marker."""
        stamp = self.header()
        self.sequence(1, 1)  # namespace
        self.skip(4, 12)  # id, type, action
        position = self.skip(8, 56)
        self.skip(8, 24)  # scale
        colour = self.skip(4, 16)
        self.skip(4, 8)  # lifetime
        self.skip(1, 1)  # locked
        points, colours = self.sequence(8, 24), self.sequence(4, 16)
        self.sequence(1, 1)  # texture
        self.header()
        self.sequence(1, 1)
        self.sequence(1, 1)
        self.sequence(4, 8)  # texture coordinates
        for _ in range(4):  # text, mesh, its file's name and data
            self.sequence(1, 1)
        self.skip(1, 1)
        return _Fields(stamp, position, colour, points, colours)


class Template:
    """The bytes of a MarkerArray, to be filled in again and again."""

    def __init__(self, markers: Sequence[Any]) -> None:
        self._raw = np.frombuffer(cdr.encode(
            cdr.message_class('visualization_msgs/msg/MarkerArray')(markers=list(markers))),
            np.uint8).copy()
        walk = _Walk(self._raw.tobytes())
        self._fields = [walk.marker() for _ in range(walk.count())]
        self._stamps = np.array([field.stamp for field in self._fields])
        self._positions = np.array([field.position for field in self._fields])
        self._colours = np.array([field.colour for field in self._fields])

    def copy(self) -> Template:
        """Return another one to fill in, with the same markers."""
        twin = Template.__new__(Template)
        twin.__dict__.update(self.__dict__, _raw=self._raw.copy())
        return twin

    def _scatter(self, offsets: NDArray[np.int64], values: NDArray[Any]) -> None:
        data = np.ascontiguousarray(values).view(np.uint8)
        self._raw[offsets[:, None] + np.arange(data.shape[1])] = data

    def set_stamp(self, stamp_ns: int) -> None:
        """Write the time of every marker."""
        pair = np.array(divmod(stamp_ns, NANOSECONDS), '<u4')
        self._scatter(self._stamps, np.broadcast_to(pair, (len(self._stamps), 2)))

    def set_positions(self, first: int, xy: Array) -> None:
        """Write x, y (M, 2) (m) of the poses of M markers from number ``first`` on."""
        self._scatter(self._positions[first:first + len(xy)], xy.astype('<f8', copy=False))

    def set_colours(self, first: int, colours: ArrayLike) -> None:
        """Write the colours (M, 4) of M markers from number ``first`` on."""
        values = np.asarray(colours, '<f4')
        self._scatter(self._colours[first:first + len(values)], values)

    def set_points(self, number: int, points: Array) -> None:
        """Write the points (P, 3) (m) of one marker."""
        self._write(self._fields[number].points, points.astype('<f8', copy=False))

    def set_point_colours(self, number: int, colours: ArrayLike) -> None:
        """Write the colours (P, 4) of the points of one marker."""
        self._write(self._fields[number].colours, np.asarray(colours, '<f4'))

    def _write(self, begin: int, values: NDArray[Any]) -> None:
        data = np.frombuffer(values.tobytes(), np.uint8)
        self._raw[begin:begin + len(data)] = data

    def to_bytes(self) -> bytes:
        """Return the message as it stands."""
        return self._raw.tobytes()

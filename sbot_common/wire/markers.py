"""visualization_msgs/MarkerArray: builders, and a template that is filled in at every tick.

Encoding hundreds of markers, field by field, would cost more than simulating the robots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot_common.clock import NANOSECONDS
from sbot_common.wire import cdr
from sbot_common.wire.geometry import point, pose, vector3
from sbot_common.wire.layout import END, Layout

FRAME = 'map'
ADD, DELETE, DELETE_ALL = 0, 2, 3  # actions
ARROW, CUBE, CYLINDER, LINE_LIST, TEXT = 0, 1, 3, 5, 9  # types

Colour = tuple[float, float, float, float]  # red, green, blue, opacity
Array = NDArray[np.float64]

_ARRAY = 'visualization_msgs/msg/MarkerArray'
_IN_ARRAY = Layout(_ARRAY, 'markers')
_IN_MARKER = Layout('visualization_msgs/msg/Marker', 'header.stamp', 'pose.position',
                    'pose.orientation', 'color', 'points', END)


def marker(name: str, number: int, kind: int, scale: tuple[float, float, float],
           colour: Colour = (1.0, 1.0, 1.0, 1.0), *, stamp_ns: int = 0, action: int = ADD,
           z: float = 0.0, text: str = '', points: ArrayLike = (), lifetime: int = 0) -> Any:  # noqa: ANN401
    """Return a visualization_msgs/Marker in frame `map` at (0, 0, z).

    Parameters
    ----------
    name, number : namespace and id
    kind : its type
    scale : m
    colour : of everything in it
    stamp_ns : time (ns)
    action : what to do with it
    z : height of its pose (m)
    text : of a text marker
    points : (P, 3) m, of an arrow or a list
    lifetime : s; 0 is for ever

    """
    empty = np.empty(0, np.uint8)
    return cdr.message(
        'visualization_msgs/msg/Marker', header=cdr.header(stamp_ns, FRAME), ns=name, id=number,
        type=kind, action=action, pose=pose(point(z=z)), scale=vector3(*scale),
        color=cdr.message_class('std_msgs/msg/ColorRGBA')(*colour),
        lifetime=cdr.message('builtin_interfaces/msg/Duration', sec=lifetime, nanosec=0),
        frame_locked=False, points=[point(*row) for row in np.asarray(points).tolist()],
        colors=[], texture_resource='', uv_coordinates=[], text=text, mesh_resource='',
        texture=cdr.message('sensor_msgs/msg/CompressedImage', header=cdr.header(0, ''), format='',
                            data=empty),
        mesh_file=cdr.message('visualization_msgs/msg/MeshFile', filename='', data=empty),
        mesh_use_embedded_materials=False)


def encode_marker_array(markers: Sequence[Any]) -> bytes:
    """Return the visualization_msgs/MarkerArray (CDR) of markers."""
    return cdr.encode(cdr.message(_ARRAY, markers=list(markers)))


class Template:
    """The bytes of a MarkerArray, to be filled in again and again."""

    def __init__(self, markers: Sequence[Any]) -> None:
        raw = encode_marker_array(markers)
        self._raw = np.frombuffer(raw, np.uint8).copy()
        begin, = _IN_ARRAY.find(raw)
        places = _IN_MARKER.each(raw, begin, len(markers))
        (self._stamps, self._positions, self._orientations, self._colours,
         self._points) = np.array(places, np.int64).reshape(-1, 5).T

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

    def set_orientations(self, numbers: NDArray[np.int64], quaternions: Array) -> None:
        """Write the orientations (M, 4), x y z w, of the poses of markers (M,)."""
        self._scatter(self._orientations[numbers], quaternions.astype('<f8', copy=False))

    def set_colours(self, first: int, colours: ArrayLike) -> None:
        """Write the colours (M, 4) of M markers from number ``first`` on."""
        values = np.asarray(colours, '<f4')
        self._scatter(self._colours[first:first + len(values)], values)

    def set_points(self, number: int, points: Array) -> None:
        """Write the points (P, 3) (m) of one marker."""
        data = np.frombuffer(points.astype('<f8', copy=False).tobytes(), np.uint8)
        begin = self._points[number]
        self._raw[begin:begin + len(data)] = data

    def to_bytes(self) -> bytes:
        """Return the message as it stands."""
        return self._raw.tobytes()

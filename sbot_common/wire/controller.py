# SPDX-License-Identifier: Apache-2.0
"""Messages of controllers: inputs, commands, broadcast bytes, point clouds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common import topics
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.observation import BROADCAST_BYTES, INFRARED_SENSORS, Neighbours, Odometry, Twist
from sbot_common.wire import cdr, messages

# Packing of numbers into the nine bytes that robots broadcast to their neighbours.

_ROOM = BROADCAST_BYTES - 1  # bytes: the first byte is the sender's radius
_TYPES = ('bool', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64',
          'float16', 'float32', 'float64')
_MEASURED = ('range', 'bearing')  # of the sender, by the receiver


class Broadcast:
    """Message of named numbers for range and bearing, at most nine bytes long.

    ``Broadcast(heading='float32', hops='uint8')`` has two fields. A controller returns
    ``message.pack(heading=..., hops=...)`` after its speeds, and its neighbours read it with
    ``message.unpack(observation.neighbours)``. Numbers are little-endian, in the given order.

    Parameters
    ----------
    **fields : type of each field: bool, int8 to int64, uint8 to uint64, or float16 to float64

    Raises
    ------
    InputError
        for an unknown type, for no field, or for more than nine bytes in all.

    """

    def __init__(self, /, **fields: str) -> None:
        for name, kind in fields.items():
            if hasattr(np.recarray, name) or name in _MEASURED:  # which ``.name`` would give
                raise bad_value('Broadcast', name, 'a name that no attribute of an array has, '
                                'and not range or bearing, which each neighbour has')
            if kind not in _TYPES:
                raise bad_value(f'Broadcast.{name}', kind, f'one of {", ".join(_TYPES)}')
        self._fields = tuple(fields)
        self._type = np.dtype([(name, np.dtype(kind).newbyteorder('<'))
                               for name, kind in fields.items()])
        if not 1 <= self._type.itemsize <= _ROOM:
            raise bad_value('Broadcast', f'{self._type.itemsize} bytes', f'1 to {_ROOM} bytes')

    @property
    def size(self) -> int:
        """Length (bytes)."""
        return int(self._type.itemsize)

    def pack(self, /, **values: float) -> bytes:
        """Return the bytes of one value for each field.

        Raises
        ------
        InputError
            for a missing or unknown field, or a value that its type cannot hold.

        """
        for name in values:
            if name not in self._fields:
                raise unknown_name('Broadcast', name, self._fields)
        row = np.zeros(1, self._type)
        for name in self._fields:
            if name not in values:
                raise InputError(f'Broadcast needs {name}; give it a value')
            value, kind = values[name], self._type[name]
            try:
                with np.errstate(over='ignore'):
                    row[name] = value
                held = row[name][0]
                is_held = (math.isinf(value) or not math.isinf(held) if kind.kind == 'f'
                           else held == value)
            except (TypeError, ValueError, OverflowError):
                is_held = False
            if not is_held:
                raise bad_value(
                    f'Broadcast.{name}', value, f'a number that {kind.name} can hold'
                    if kind.kind in 'fb' else
                    f'a whole number from {np.iinfo(kind).min} to {np.iinfo(kind).max}')
        return row.tobytes()

    def unpack(self, neighbours: Neighbours) -> Any:  # noqa: ANN401 - fields by name
        """Return what M neighbours broadcast and where they are: a record array (M,).

        ``unpack(neighbours)['heading']`` or ``.heading`` is an array (M,), as are ``range`` (m)
        and ``bearing`` (rad, from the robot's heading). A robot that has broadcast nothing yet
        has zeros in the fields of the message.

        Raises
        ------
        InputError
            for anything but the neighbours of an observation.

        """
        if not isinstance(neighbours, Neighbours):
            raise bad_value('neighbours', neighbours, 'observation.neighbours')
        data: NDArray[np.uint8] = np.ascontiguousarray(neighbours.data[:, 1:1 + self.size])
        said = data.view(self._type).reshape(len(data))
        return np.rec.fromarrays(
            [neighbours.range, neighbours.bearing, *(said[name] for name in self._fields)],
            dtype=[(name, 'f4') for name in _MEASURED] + self._type.descr)


# Conversion between sensor_msgs/PointCloud2 and structured NumPy arrays.

_NAME = 'sensor_msgs/msg/PointCloud2'
# Values of sensor_msgs/PointField, all little-endian.
_NUMBERS = {np.dtype(text): number for number, text in enumerate(
    ('<i1', '<u1', '<i2', '<u2', '<i4', '<u4', '<f4', '<f8'), 1)}


@lru_cache
def _fields(layout: np.dtype[np.void]) -> list[Any]:
    """Return sensor_msgs/PointField of each field of a structured dtype."""
    return [cdr.message('sensor_msgs/msg/PointField', name=name, offset=offset,
                        datatype=_NUMBERS[dtype.base], count=math.prod(dtype.shape))
            for name, (dtype, offset, *_) in (layout.fields or {}).items()]


def encode_points(stamp_ns: int, frame_id: str, points: NDArray[np.void], *,
                  dense: bool) -> bytes:
    """Return the PointCloud2 of a structured array (height, width); its fields are the points'.

    ``dense`` : no number in it is infinite or NaN.
    """
    height, width = points.shape
    step = points.dtype.itemsize
    return cdr.encode(cdr.message(
        _NAME, header=cdr.header(stamp_ns, frame_id), height=height, width=width,
        fields=_fields(points.dtype), is_bigendian=False, point_step=step, row_step=step * width,
        data=np.frombuffer(points.tobytes(), np.uint8), is_dense=dense))


def read_points(raw: bytes, **kinds: tuple[str, int]) -> tuple[
        int, tuple[int, int], dict[str, NDArray[Any]]]:
    """Return some fields of a PointCloud2.

    Parameters
    ----------
    raw : the message in CDR
    kinds : type of a field's numbers, e.g. '<f4', and how many a point has

    Returns
    -------
    stamp (ns), (height, width), and each field by name: (points,), or (points, count) if a point
    has several numbers

    Raises
    ------
    DamagedMessage
        if the points are big-endian, padded at the end of rows or not all there, or a field is
        missing or of another type.

    """
    cloud = cdr.decode(raw, _NAME)
    stamp_ns, step = cdr.stamp_ns(cloud.header.stamp), cloud.point_step
    count = cloud.width * cloud.height
    if count and (cloud.is_bigendian or not step or cloud.data.size != step * count
                  or cloud.row_step != step * cloud.width):
        raise cdr.DamagedMessage(f'{_NAME}: expected {step * count} little-endian bytes without '
                                 f'padding, found {cloud.data.size}')
    fields = {field.name: field for field in cloud.fields}
    found = {}
    for name, (text, numbers) in kinds.items():
        kind, field = np.dtype(text), fields.get(name)
        shape = (count, numbers) if numbers > 1 else (count,)
        if not count:
            found[name] = np.zeros(shape, kind)
            continue
        if field is None:
            raise cdr.DamagedMessage(f"{_NAME}: its field '{name}' is missing")
        # A count of 0 is one number. A field behind the end of its point is in the next one.
        if (field.datatype, max(1, field.count)) != (_NUMBERS[kind], numbers) or (
                field.offset + numbers * kind.itemsize > step):
            raise cdr.DamagedMessage(
                f"{_NAME}: its field '{name}' has {field.count} numbers of type {field.datatype} "
                f'at byte {field.offset} of {step}, expected {numbers} of type {_NUMBERS[kind]} '
                f'({kind.name})')
        found[name] = np.ndarray(shape, kind, cloud.data, field.offset,
                                 (step, kind.itemsize)[:len(shape)]).copy()
    return stamp_ns, (cloud.height, cloud.width), found


def _read_twist_of(raw: bytes) -> tuple[int, tuple[float, float, float]]:
    """Return the stamp (ns) and twist (m/s, m/s, rad/s) of a nav_msgs/Odometry."""
    message = cdr.decode(raw, topics.BASE_POSE_GROUND_TRUTH.type)
    v, w = message.twist.twist.linear, message.twist.twist.angular
    return cdr.stamp_ns(message.header.stamp), (v.x, v.y, w.z)


def _read_wheel_odometry(raw: bytes) -> tuple[int, Odometry]:
    stamp_ns, _, x, y, yaw = messages.PoseStamped.of_odometry(raw)
    _, (v, lateral, omega) = _read_twist_of(raw)
    return stamp_ns, Odometry(x, y, yaw, v, omega, lateral)


def _read_wind(raw: bytes) -> tuple[int, tuple[float, float]]:
    stamp_ns, (x, y, _) = messages.read_vector(raw)
    return stamp_ns, (x, y)


def _read_infrared(raw: bytes) -> tuple[int, Any]:
    stamp_ns, _, points = read_points(raw, reading=('<f4', 1))
    readings = points['reading']
    if len(readings) != INFRARED_SENSORS:  # compiled controllers have room for so many
        raise cdr.DamagedMessage(f'{_NAME}: got {len(readings)} infrared readings, expected '
                                 f'{INFRARED_SENSORS}')
    return stamp_ns, readings


def _read_neighbours(raw: bytes) -> tuple[int, Neighbours]:
    stamp_ns, _, points = read_points(raw, range=('<f4', 1), bearing=('<f4', 1),
                                      data=('<u1', BROADCAST_BYTES))
    return stamp_ns, Neighbours(**points)


# The topic that carries a field of an ``Observation``, and its codec to (stamp in ns, value); in
# the order in which the simulator sends them.
Codecs = Mapping[str, tuple[topics.Topic, Callable[[bytes], tuple[int, Any]]]]

# Those that all controllers know; ``sbot_sim.sensors.registry.codecs`` has all sensors'.
FIELDS: Codecs = {
    'twist': (topics.BASE_POSE_GROUND_TRUTH, _read_twist_of),
    'scan': (topics.BASE_SCAN, messages.read_scan),
    'odometry': (topics.ODOM, _read_wheel_odometry),
    'infrared': (topics.INFRARED, _read_infrared),
    'neighbours': (topics.RANGE_AND_BEARING, _read_neighbours),
    'wind': (topics.WIND, _read_wind),
}


def write_command(topic: topics.Topic, stamp_ns: int, frame_id: str, command: Twist) -> bytes:
    """Return a command as Twist or TwistStamped, depending on the topic.

    ``frame_id`` is the robot's own frame.
    """
    if topic == topics.CMD_VEL:
        return messages.write_twist(*command)
    return cdr.encode(cdr.message(topic.type, header=cdr.header(stamp_ns, frame_id),
                                  twist=messages.twist(*command)))

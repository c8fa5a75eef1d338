"""Conversion between sensor_msgs/PointCloud2 and structured NumPy arrays."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import decoding, shown
from sbot_common.wire import cdr

_NAME = 'sensor_msgs/msg/PointCloud2'
# Values of sensor_msgs/PointField, all little-endian.
_DATATYPES = dict(enumerate(('<i1', '<u1', '<i2', '<u2', '<i4', '<u4', '<f4', '<f8'), 1))
_MOST_FIELDS = 1000
_LONGEST_NAME = 256
_LARGEST_EMPTY = 1 << 16  # bytes of a point of a cloud that has none
_NUMBERS = {np.dtype(text): number for number, text in _DATATYPES.items()}


@lru_cache
def _fields(layout: np.dtype[np.void]) -> list[Any]:
    """Return sensor_msgs/PointField of each field of a structured dtype."""
    return [cdr.message('sensor_msgs/msg/PointField', name=name, offset=offset,
                        datatype=_NUMBERS[dtype.base], count=math.prod(dtype.shape))
            for name, (dtype, offset, *_) in (layout.fields or {}).items()]


@lru_cache
def _layout(fields: tuple[tuple[str, int, int, int], ...], step: int) -> np.dtype[np.void]:
    """Return the structured dtype of PointFields (name, offset, datatype, count).

    Raises
    ------
    DamagedMessage
        if they are no layout of a point of ``step`` bytes.

    """
    names, offsets, *_ = zip(*fields, strict=True) if fields else ((),) * 4
    with decoding(f'{_NAME}: its fields are not the layout of a point', cdr.DamagedMessage):
        formats = []
        for name, offset, datatype, count in fields:
            kind = np.dtype(_DATATYPES[datatype])
            # NumPy adds in 32 bits, and then reads where nothing is.
            if offset + max(1, count) * kind.itemsize > step:
                raise ValueError(f'{shown(name)}, {count} of {kind} at byte {offset}, ends behind '
                                 f'the {step} bytes of a point')
            formats.append((kind, (count,) if count > 1 else ()))
        return np.dtype({'names': names, 'formats': formats, 'offsets': offsets,
                         'itemsize': step})


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


def decode_points(raw: bytes) -> tuple[int, NDArray[np.void]]:
    """Return the stamp (ns) and the points (height, width) of a PointCloud2.

    Raises
    ------
    DamagedMessage
        if the points are big-endian, padded at the end of rows or not all there.

    """
    cloud = cdr.decode(raw, _NAME)
    stamp_ns, step = cdr.stamp_ns(cloud.header.stamp), cloud.point_step
    count = cloud.width * cloud.height
    if count and (cloud.is_bigendian or not step or cloud.data.size != step * count
                  or cloud.row_step != step * cloud.width):
        raise cdr.DamagedMessage(f'{_NAME}: expected {step * count} little-endian bytes without '
                                 f'padding, found {cloud.data.size}')
    if len(cloud.fields) > _MOST_FIELDS or (not count and step > _LARGEST_EMPTY) or any(
            len(field.name) > _LONGEST_NAME for field in cloud.fields):
        raise cdr.DamagedMessage(f'{_NAME}: expected at most {_MOST_FIELDS} fields with names of '
                                 f'{_LONGEST_NAME} characters, and points of {_LARGEST_EMPTY} '
                                 'bytes where there are none')
    layout = _layout(tuple((field.name, field.offset, field.datatype, field.count)
                           for field in cloud.fields), step)
    if not count:
        return stamp_ns, np.zeros((0, 0), layout)
    with decoding(_NAME, cdr.DamagedMessage):
        points = np.frombuffer(cloud.data.tobytes(), layout)
        return stamp_ns, points.reshape(cloud.height, cloud.width)


def read_point_cloud(raw: bytes) -> tuple[int, dict[str, NDArray[Any]]]:
    """Return the stamp (ns) and the fields of a PointCloud2, each (points,) or (points, count).

    Raises
    ------
    DamagedMessage
        as ``decode_points``.

    """
    stamp_ns, points = decode_points(raw)
    return stamp_ns, {name: np.ascontiguousarray(points[name].reshape(-1, *points[name].shape[2:]))
                      for name in points.dtype.names or ()}

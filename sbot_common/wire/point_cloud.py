"""sensor_msgs/PointCloud2 of float32 columns and a byte field, to bytes and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.wire import cdr

_FLOAT32, _UINT8 = 7, 2  # sensor_msgs/PointField


def point_cloud(stamp_ns: int, frame_id: str, names: tuple[str, ...], columns: NDArray[np.float32],
                data: NDArray[np.uint8] | None = None) -> bytes:
    """Return a PointCloud2 of float32 columns (M, len(names)); bytes (M, 10) are field `data`."""
    field = cdr.message_class('sensor_msgs/msg/PointField')
    fields = [field(name=name, offset=4 * k, datatype=_FLOAT32, count=1)
              for k, name in enumerate(names)]
    rows = np.ascontiguousarray(columns, np.float32).view(np.uint8)
    rows = rows.reshape(len(columns), 4 * len(names))
    if data is not None:
        fields.append(field(name='data', offset=rows.shape[1], datatype=_UINT8,
                            count=data.shape[1]))
        rows = np.hstack([rows, data])
    step = rows.shape[1]
    return cdr.encode(cdr.message_class('sensor_msgs/msg/PointCloud2')(
        header=cdr.header(stamp_ns, frame_id), height=1, width=len(rows), fields=fields,
        is_bigendian=False, point_step=step, row_step=step * len(rows),
        data=np.ascontiguousarray(rows).reshape(-1), is_dense=False))


def read_point_cloud(raw: bytes) -> tuple[int, dict[str, NDArray[Any]]]:
    """Return the stamp (ns) and the fields of a PointCloud2 as ``point_cloud`` makes it."""
    message = cdr.decode(raw, 'sensor_msgs/msg/PointCloud2')
    rows = message.data.reshape(-1, message.point_step) if message.width else np.zeros(
        (0, message.point_step), np.uint8)
    out: dict[str, NDArray[Any]] = {}
    for field in message.fields:
        if field.datatype == _FLOAT32:
            out[field.name] = np.ascontiguousarray(
                rows[:, field.offset:field.offset + 4]).view(np.float32).reshape(-1)
        else:
            out[field.name] = rows[:, field.offset:field.offset + field.count].copy()
    return cdr.stamp_ns(message.header.stamp), out

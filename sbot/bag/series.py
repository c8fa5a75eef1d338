"""Time series of one topic as arrays: poses, vectors or scans."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import InputError
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, BASE_SCAN, WIND
from sbot_common.wire.cdr import little_endian
from sbot_common.wire.layout import END, Layout
from sbot_common.wire.messages import read_header_stamp

# Of each type: the fields that are kept, from the first up to the second; kind of the numbers.
_KEPT = {
    BASE_POSE_GROUND_TRUTH.type: (('pose.pose', 'pose.covariance'), '<f8'),
    WIND.type: (('vector', END), '<f8'),
    BASE_SCAN.type: (('angle_min', 'intensities#'), '<f4'),
}


class Series:
    """The messages of one topic, each with its header's stamp and a row of numbers.

    Rows of nav_msgs/Odometry are the seven numbers of the pose, of geometry_msgs/Vector3Stamped
    x, y, z; of sensor_msgs/LaserScan seven numbers from angle_min to range_max, the count of
    ranges (an integer) and the ranges.
    """

    def __init__(self, name: str, type_name: str) -> None:
        self._name = name
        self.type = type_name
        paths, self._dtype = _KEPT[type_name]
        self._layout = Layout(type_name, *paths)
        self._stamps: list[int] = []
        self._rows: list[bytes] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, payload: bytes) -> int:
        """Keep the numbers of one message and return its stamp (ns)."""
        payload = little_endian(payload, self.type)
        begin, end = self._layout.find(payload)
        if end > len(payload):
            raise InputError(f'{self._name}: a message ends after {len(payload)} bytes')
        stamp_ns = read_header_stamp(payload)
        self._stamps.append(stamp_ns)
        self._rows.append(payload[begin:end])
        return stamp_ns

    def clear(self) -> None:
        """Forget everything."""
        self._stamps.clear()
        self._rows.clear()

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return stamps (M,) (ns) and rows (M, width), in the order of the stamps.

        Raises
        ------
        InputError
            if the messages do not all hold the same count of numbers.

        """
        width = len(self._rows[0]) if self._rows else 0
        if any(len(row) != width for row in self._rows):
            raise InputError(f'{self._name}: its messages differ in size')
        stamps = np.array(self._stamps, np.int64)
        rows = np.frombuffer(b''.join(self._rows), self._dtype)
        rows = rows.reshape(len(stamps), width // rows.itemsize)
        order = np.argsort(stamps, kind='stable')
        return stamps[order], rows[order]


def held(stamps: NDArray[np.int64], known: NDArray[np.int64], rows: NDArray[Any]) -> NDArray[Any]:
    """Return at each of ``stamps`` the latest row that is known by then, else the first one."""
    place = np.searchsorted(known, stamps, side='right') - 1
    result: NDArray[Any] = rows[np.clip(place, 0, None)]
    return result

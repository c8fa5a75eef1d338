"""Numbers of many messages of one topic as arrays: only the bytes that matter are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, WIND
from sbot_common.wire.cdr import canonical

_ENCAPSULATION = 4  # bytes in front of a message; alignment counts from behind them
_STAMP = slice(4, 12)
_FRAME = 12  # where the length of frame_id is

Find = Callable[[bytes], tuple[int, int]]


def _aligned(offset: int, size: int) -> int:
    return offset + (_ENCAPSULATION - offset) % size


def _behind_string(payload: bytes, offset: int) -> int:
    offset = _aligned(offset, 4)
    return offset + 4 + int.from_bytes(payload[offset:offset + 4], 'little')


def find_pose(payload: bytes) -> tuple[int, int]:
    """Return where the seven doubles of the pose in a nav_msgs/Odometry begin and end."""
    begin = _aligned(_behind_string(payload, _behind_string(payload, _FRAME)), 8)
    return begin, begin + 56


def find_vector(payload: bytes) -> tuple[int, int]:
    """Return where the three doubles of a geometry_msgs/Vector3Stamped begin and end."""
    begin = _aligned(_behind_string(payload, _FRAME), 8)
    return begin, begin + 24


def find_ranges(payload: bytes) -> tuple[int, int]:
    """Return where the floats of a sensor_msgs/LaserScan begin and end, all but the intensities.

    Seven numbers from angle_min to range_max, the count of ranges (an integer), the ranges.
    """
    begin = _aligned(_behind_string(payload, _FRAME), 4)
    count = int.from_bytes(payload[begin + 28:begin + 32], 'little')
    return begin, begin + 32 + 4 * count


FINDERS: dict[str, Find] = {BASE_POSE_GROUND_TRUTH.type: find_pose, WIND.type: find_vector}


class Series:
    """The messages of one topic, each with its header's stamp and a row of numbers."""

    def __init__(self, name: str, type_name: str, find: Find, dtype: str = '<f8') -> None:
        self._name = name
        self._type = type_name
        self._find = find
        self._dtype = dtype
        self._size = -1  # of the last message; equal messages are laid out alike
        self._begin = self._end = 0
        self._pieces: list[bytes] = []

    def __len__(self) -> int:
        return len(self._pieces)

    def add(self, payload: bytes) -> int:
        """Keep the numbers of one message and return its stamp (ns)."""
        if payload[1:2] != b'\1':
            payload = canonical(payload, self._type)
        if len(payload) != self._size:
            self._begin, self._end = self._find(payload)
            if self._end > len(payload):
                raise InputError(f'{self._name}: a message ends after {len(payload)} bytes')
            self._size = len(payload)
        stamp = payload[_STAMP]
        self._pieces.append(stamp + payload[self._begin:self._end])
        return (int.from_bytes(stamp[:4], 'little', signed=True) * NANOSECONDS
                + int.from_bytes(stamp[4:], 'little'))

    def clear(self) -> None:
        """Forget everything."""
        self._pieces.clear()

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return stamps (M,) (ns) and rows (M, width), in the order of the stamps.

        Raises
        ------
        InputError
            if the messages do not all hold the same count of numbers.

        """
        width = len(self._pieces[0]) if self._pieces else 8
        if any(len(piece) != width for piece in self._pieces):
            raise InputError(f'{self._name}: its messages differ in size')
        item = np.dtype(self._dtype)
        layout = np.dtype([('s', '<i4'), ('ns', '<u4'),
                           ('row', item, ((width - 8) // item.itemsize,))])
        table = np.frombuffer(b''.join(self._pieces), layout)
        stamps = table['s'].astype(np.int64) * NANOSECONDS + table['ns']
        order = np.argsort(stamps, kind='stable')
        return stamps[order], table['row'][order]


def held(stamps: NDArray[np.int64], known: NDArray[np.int64], rows: NDArray[Any]) -> NDArray[Any]:
    """Return at each of ``stamps`` the latest row that is known by then, else the first one."""
    place = np.searchsorted(known, stamps, side='right') - 1
    result: NDArray[Any] = rows[np.clip(place, 0, None)]
    return result

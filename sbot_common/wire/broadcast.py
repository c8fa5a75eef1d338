"""Packing of numbers into the nine bytes that robots broadcast to their neighbours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.observation import BROADCAST_BYTES, Neighbours

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
            try:
                row[name] = self._checked(name, values[name])
            except InputError:
                raise
            except (TypeError, ValueError, OverflowError):
                raise bad_value(f'Broadcast.{name}', values[name],
                                f'a number that {self._type[name].name} can hold') from None
        return row.tobytes()

    def _checked(self, name: str, value: float) -> float:
        kind = self._type[name]
        if kind.kind == 'f':
            if math.isfinite(value) and abs(value) > float(np.finfo(kind).max):
                raise bad_value(f'Broadcast.{name}', value, f'a number that {kind.name} can hold')
            return value
        least, most = (0, 1) if kind.kind == 'b' else (np.iinfo(kind).min, np.iinfo(kind).max)
        if value != value or not least <= value <= most or value != int(value):
            raise bad_value(f'Broadcast.{name}', value, f'a whole number from {least} to {most}')
        return int(value)

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

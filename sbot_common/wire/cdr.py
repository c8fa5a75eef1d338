# SPDX-License-Identifier: Apache-2.0
"""Serialize and deserialize ROS 2 messages (CDR), and byte offsets of their fields.

The nodes publish these very bytes and the recorder stores them, so a live topic, a bag and an
in-process run carry the same values by construction. rosbags knows every message definition.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError


class DamagedMessage(InputError):
    """The bytes are not a message of the expected type; one line."""


# Packages that are no part of ROS 2 itself: the text of their messages.
OTHER_PACKAGES = {'ackermann_msgs': {
    'AckermannDrive': 'float32 steering_angle\nfloat32 steering_angle_velocity\nfloat32 speed\n'
                      'float32 acceleration\nfloat32 jerk\n',
    'AckermannDriveStamped': 'std_msgs/Header header\nAckermannDrive drive\n'}}


@cache
def typestore() -> Typestore:
    """Return the message definitions of Jazzy, successor of the oldest supported ROS 2."""
    store = get_typestore(Stores.ROS2_JAZZY)
    for package, messages in OTHER_PACKAGES.items():
        for name, text in messages.items():
            store.register(get_types_from_msg(text, f'{package}/msg/{name}'))
    return store


# Types that rosbags does not know, e.g. users' own: their classes of rclpy tell the fields.

def field_names(type_name: str, prefix: str = '') -> Iterator[str]:
    """Yield the names of a type's fields and theirs, 'pose.position.x', of lists without index."""
    for name, (kind, what) in typestore().fielddefs[type_name][1]:
        yield prefix + name
        if kind in (Nodetype.ARRAY, Nodetype.SEQUENCE):
            kind, what = what[0]
        if kind == Nodetype.NAME:
            yield from field_names(what, f'{prefix}{name}.')


def message_class(type_name: str) -> Any:  # noqa: ANN401 - rosbags builds the classes at run time
    """Return rosbags' dataclass of a type such as 'geometry_msgs/msg/Twist'."""
    return typestore().types[type_name]


def message(type_name: str, **fields: Any) -> Any:  # noqa: ANN401
    """Return a message of a type such as 'geometry_msgs/msg/Twist'."""
    return message_class(type_name)(**fields)


def encode(message: Any) -> bytes:  # noqa: ANN401
    """Return the little-endian CDR of a message built from ``message_class``."""
    return bytes(typestore().serialize_cdr(message, message.__msgtype__))


def decode(raw: bytes, type_name: str) -> Any:  # noqa: ANN401
    """Return the message that ``raw`` carries.

    Raises
    ------
    DamagedMessage
        if it carries none: it ends too early, or a length or a text in it cannot be.

    """
    try:
        return typestore().deserialize_cdr(raw, type_name)
    except Exception as error:  # generated code, which raises anything
        raise _damaged(raw, type_name, error) from None


def _damaged(raw: bytes, type_name: str, error: Exception) -> InputError:
    if type_name not in typestore().types:
        return InputError(f'unknown message type {type_name[:100]!r}')
    reason = ' '.join(str(error).split()) or type(error).__name__
    return DamagedMessage(
        f'{type_name}: {len(raw)} bytes are not such a message ({reason[:200]})')


def canonical(raw: bytes, type_name: str) -> bytes:
    """Return the same message with its padding zero: equal messages have equal canonical bytes.

    Raises
    ------
    InputError
        as ``decode``.

    """
    message = decode(raw, type_name)
    try:
        return encode(message)
    except Exception as error:  # e.g. text that is none
        raise _damaged(raw, type_name, error) from None


def little_endian(raw: bytes, type_name: str) -> bytes:
    """Return the same message in little-endian CDR; machines may send either byte order."""
    return raw if raw[1:2] == b'\1' else canonical(raw, type_name)


def stamp(stamp_ns: int) -> Any:  # noqa: ANN401
    """Return builtin_interfaces/Time of nanoseconds."""
    seconds, nanoseconds = divmod(stamp_ns, NANOSECONDS)
    return message('builtin_interfaces/msg/Time', sec=seconds, nanosec=nanoseconds)


def stamp_ns(time: Any) -> int:  # noqa: ANN401
    """Return nanoseconds of a builtin_interfaces/Time.

    Raises
    ------
    DamagedMessage
        as ``total_ns``.

    """
    return total_ns(int(time.sec), int(time.nanosec))


def total_ns(seconds: int, nanoseconds: int) -> int:
    """Return nanoseconds of the two numbers of a stamp.

    Raises
    ------
    DamagedMessage
        if the second is a whole second or more: carried over, the first may have no room for it.

    """
    if nanoseconds >= NANOSECONDS:
        raise DamagedMessage(f'a stamp has {nanoseconds} ns beside its seconds, expected less '
                             f'than {NANOSECONDS}')
    return seconds * NANOSECONDS + nanoseconds


def header(nanoseconds: int, frame_id: str) -> Any:  # noqa: ANN401
    """Return std_msgs/Header."""
    return message('std_msgs/msg/Header', stamp=stamp(nanoseconds), frame_id=frame_id)


# Byte offsets of message fields in CDR, derived from the message definitions.
#
# A number of n bytes is aligned to n, counted from behind the encapsulation header. A string or a
# sequence is its length (uint32) and then its elements, so what comes after it moves with it.

LITTLE_ENDIAN = b'\0\1\0\0'  # the encapsulation header
ENCAPSULATION = len(LITTLE_ENDIAN)
END = ''  # as a path: the end of the message
_MOST_KNOWN = 1000  # sizes of messages whose offsets a layout remembers

_CODES = {'bool': '?', 'octet': 'B', 'byte': 'B', 'char': 'B', 'int8': 'b', 'uint8': 'B',
          'int16': 'h', 'uint16': 'H', 'int32': 'i', 'uint32': 'I', 'int64': 'q', 'uint64': 'Q',
          'float32': 'f', 'float64': 'd'}


class _Field(NamedTuple):
    """Numbers of equal size, or the elements of a sequence."""

    path: str  # 'pose.position.x'; 'ranges#' is the length of the sequence 'ranges'
    numbers: str  # struct codes, of one element; '' if elements are not numbers of equal size
    is_sequence: bool = False

    @property
    def alignment(self) -> int:
        return struct.calcsize(self.numbers[:1]) or 1

    @property
    def size(self) -> int:
        return struct.calcsize(f'<{self.numbers}')


def _fields(type_name: str, prefix: str = '') -> Iterator[_Field]:
    for name, (kind, what) in typestore().fielddefs[type_name][1]:
        yield from _expanded(prefix + name, kind, what)


def _expanded(path: str, kind: Nodetype, what: Any) -> Iterator[_Field]:  # noqa: ANN401
    if kind == Nodetype.NAME:
        yield from _fields(what, f'{path}.')
    elif kind == Nodetype.ARRAY:
        (inner_kind, inner), length = what
        for _ in range(length):
            yield from _expanded(path, inner_kind, inner)
    elif kind == Nodetype.BASE and what[0] != 'string':
        yield _Field(path, _CODES[what[0]])
    else:
        yield _Field(f'{path}#', 'I')
        numbers = 's'
        if kind == Nodetype.SEQUENCE:
            inner_fields = list(_expanded(path, *what[0]))
            numbers = ''.join(field.numbers for field in inner_fields)
            if len({field.size for field in inner_fields}) > 1 or any(
                    field.is_sequence for field in inner_fields):
                numbers = ''
        yield _Field(path, numbers, is_sequence=True)


def struct_of(type_name: str, *paths: str) -> struct.Struct:
    """Return the struct of a type that holds numbers of equal size only, or of some such fields.

    ``paths`` stand next to each other in the definition; one may be of a message within it.
    """
    return struct.Struct('<' + ''.join(
        field.numbers for field in _fields(type_name)
        if not paths or f'{field.path}.'.startswith(tuple(f'{path}.' for path in paths))))


class _Step(NamedTuple):
    """Bytes to step over: numbers without padding, then as many items as the last of them says."""

    alignment: int
    size: int
    item_alignment: int = 1
    item_size: int = 0  # 0: no items


class Layout:
    """Where some fields of a message type are; the same for all messages of that type.

    Parameters
    ----------
    type_name : such as 'nav_msgs/msg/Odometry'
    paths : fields in the order of the definition, such as 'pose.pose', 'header.frame_id#' (the
        length of a string or sequence), 'ranges' (its first element), ``END``

    """

    def __init__(self, type_name: str, *paths: str) -> None:
        # By size of a message: lengths and their places, and the offsets that follow from them.
        self._known: dict[int, tuple[list[tuple[slice, bytes]], tuple[int, ...]]] = {}
        self._legs: list[tuple[tuple[_Step, ...], int]] = []  # steps to a path, and its alignment
        steps: list[_Step] = []
        wanted = list(paths)
        for field in (*_fields(type_name), _Field(END, '')):
            if wanted and (field.path == wanted[0] or field.path.startswith(f'{wanted[0]}.')):
                self._legs.append((tuple(steps), field.alignment))
                steps = []
                wanted.pop(0)
            if not wanted:
                return
            if field.is_sequence:
                if not field.numbers:
                    break
                before = steps.pop() if steps else _Step(1, 0)
                steps.append(before._replace(item_alignment=field.alignment,
                                             item_size=field.size))
            elif steps and not steps[-1].item_size and field.alignment <= steps[-1].alignment and (
                    steps[-1].size % field.alignment == 0):
                steps[-1] = steps[-1]._replace(size=steps[-1].size + field.size)
            else:
                steps.append(_Step(field.alignment, field.size))
        raise ValueError(f'{type_name}: no offset of {wanted[0]!r}')

    def find(self, raw: bytes | bytearray) -> tuple[int, ...]:
        """Return the offset of each path in a little-endian message.

        Offsets lie behind the end of a message that is cut off.
        """
        known = self._known.get(len(raw))
        if known is not None:
            for place, length in known[0]:
                if raw[place] != length:
                    break
            else:
                return known[1]
        places: list[slice] = []
        offsets = tuple(self._walk(raw, ENCAPSULATION, places))
        if len(self._known) < _MOST_KNOWN:
            self._known[len(raw)] = [(place, bytes(raw[place])) for place in places], offsets
        return offsets

    def each(self, raw: bytes | bytearray, at: int, count: int) -> list[list[int]]:
        """Return the offsets of the paths before ``END`` in each element of a sequence.

        Parameters
        ----------
        raw : bytes with the encapsulation header
        at : where the first element is
        count : how many there are

        """
        rows = []
        for _ in range(count):
            *places, at = self._walk(raw, at, [])
            rows.append(places)
        return rows

    def _walk(self, raw: bytes | bytearray, at: int, lengths: list[slice]) -> list[int]:
        """Return the offsets in a message or element at ``at``; add the places of lengths."""
        found = []
        for steps, alignment in self._legs:
            for before, size, item_alignment, item_size in steps:
                at += (ENCAPSULATION - at) % before + size
                if item_size:
                    lengths.append(slice(at - 4, at))
                    count = int.from_bytes(raw[at - 4:at], 'little')
                    if count:
                        at += (ENCAPSULATION - at) % item_alignment + count * item_size
            found.append(at + (ENCAPSULATION - at) % alignment)
        return found

"""Serialize and deserialize ROS 2 messages (CDR), with or without ROS installed.

The nodes publish these very bytes and the recorder stores them, so a live topic, a bag and an
in-process run carry the same values by construction. rosbags knows every message definition.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore

from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError


class DamagedMessage(InputError):
    """The bytes are no message of the type that was expected; one line."""


@cache
def typestore() -> Typestore:
    """Return the message definitions of Jazzy, successor of the oldest supported ROS 2."""
    return get_typestore(Stores.ROS2_JAZZY)


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

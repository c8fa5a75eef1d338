"""Recorded and new commands compared field by field; differences by robot."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sbot_common.errors import bad_value, first_of
from sbot_common.topics import CMD_VEL_STAMPED
from sbot_common.wire.cdr import decode

_NUMBERS = tuple(f'{part}.{axis}' for part in ('linear', 'angular') for axis in 'xyz')
_FRAME = 'header.frame_id'
_NO_FIELD = 'command'  # instead of a field: one of the two is missing


class CommandDifference(NamedTuple):
    """A command that is not as recorded."""

    tick: int
    stamp_ns: int
    topic: str
    field: str  # 'linear.x', ..., 'header.frame_id'; 'command' where one is missing
    recorded: float | str
    new: float | str

    def __str__(self) -> str:
        return (f'first difference: tick {self.tick}, {self.topic}, {self.field}: recorded '
                f'{self.recorded}; now {self.new}')


class LargestDifference(NamedTuple):
    """The number that is farthest from the recorded one."""

    size: float  # in the unit of the field
    field: str  # 'linear.x', ...
    topic: str
    tick: int
    tolerance: float  # of the field

    def __str__(self) -> str:
        allowed = f'; tolerance {self.tolerance:g}' if self.tolerance else ''
        return (f'largest difference: {self.size:.6g} ({self.topic}, {self.field}, tick '
                f'{self.tick}{allowed})')


class Tolerances:
    """How far numbers of commands may differ; without one they are compared bit for bit.

    Parameters
    ----------
    given : '1e-6' for all numbers, or 'angular.z=0.01' for one field; later ones win

    Raises
    ------
    InputError
        for a field that commands do not have, or what is no number >= 0.

    """

    def __init__(self, given: Iterable[str] = (), where: str = '--tolerance') -> None:
        self._of = dict.fromkeys(_NUMBERS, 0.0)
        for text in given:
            field, equals, value = str(text).rpartition('=')
            if equals and field not in self._of:
                raise bad_value(where, text, f'a number, or FIELD=NUMBER with one of '
                                f'{", ".join(_NUMBERS)}')
            try:
                number = float(value)
            except ValueError:
                number = math.nan
            if not 0.0 <= number < math.inf:
                raise bad_value(where, text, 'a number >= 0, or FIELD=NUMBER')
            self._of.update(dict.fromkeys([field] if equals else _NUMBERS, number))

    def of(self, field: str) -> float:
        """Return how far the numbers of a field may differ."""
        return self._of[field]

    def agree(self, field: str, recorded: float | str, new: float | str) -> bool:
        """Tell whether two values of a field are equal enough."""
        if isinstance(recorded, str) or isinstance(new, str):
            return recorded == new
        if struct.pack('d', recorded) == struct.pack('d', new):
            return True
        tolerance = self._of[field]
        return tolerance > 0.0 and abs(recorded - new) <= tolerance


def differences(recorded: bytes | None, new: bytes | None, type_name: str,
                tolerances: Tolerances) -> Iterator[tuple[str, float | str, float | str]]:
    """Yield the fields of two commands (None: there is none) that do not agree, and their values.

    The stamp of a TwistStamped is not compared: a node need not know the time.
    """
    if recorded is None or new is None:
        if recorded is not new:
            yield _NO_FIELD, _in_words(recorded, type_name), _in_words(new, type_name)
        return
    for (field, old), (_, value) in zip(_fields(recorded, type_name), _fields(new, type_name),
                                        strict=True):
        if not tolerances.agree(field, old, value):
            yield field, old, value


def _fields(raw: bytes, type_name: str) -> Iterator[tuple[str, float | str]]:
    message: Any = decode(raw, type_name)
    if type_name == CMD_VEL_STAMPED.type:
        yield _FRAME, message.header.frame_id
        message = message.twist
    for field in _NUMBERS:
        part, _, axis = field.partition('.')
        yield field, float(getattr(getattr(message, part), axis))


def _in_words(raw: bytes | None, type_name: str) -> str:
    if raw is None:
        return 'none'
    values = dict(_fields(raw, type_name))
    return ', '.join(f'{field} = {value}' for field, value in values.items()
                     if value not in (0.0, '')) or 'all 0'


# Differences of a replay by robot: how many commands differ, and from which tick on.

_SHOWN = 10  # robots


class DifferingRobot(NamedTuple):
    """A robot with commands that are not as recorded."""

    robot: int
    tick: int  # of the first difference
    differences: int  # commands


class Differing:
    """Count of the differences of each robot."""

    def __init__(self) -> None:
        self._of: dict[int, DifferingRobot] = {}

    def add(self, robot: int, tick: int) -> None:
        """Count a command that differs; ticks come in order."""
        known = self._of.get(robot, DifferingRobot(robot, tick, 0))
        self._of[robot] = known._replace(differences=known.differences + 1)

    def robots(self) -> tuple[DifferingRobot, ...]:
        """Return the robots that differ, by id."""
        return tuple(self._of[robot] for robot in sorted(self._of))


def in_words(robots: Sequence[DifferingRobot], compared: int) -> str:
    """Return one line on the robots that differ; '' if only one robot was compared."""
    if compared < 2 or not robots:
        return ''
    if 1 < len(robots) == compared and len({each[1:] for each in robots}) == 1:
        return (f'all {compared} robots differ from tick {robots[0].tick} on '
                f'({_commands(robots[0].differences)} each)')
    words = [f'robot {each.robot} from tick {each.tick} ({_commands(each.differences)})'
             for each in robots]
    return f'{len(robots)} of {compared} robots differ: {first_of(words, _SHOWN)}'


def _commands(count: int) -> str:
    return f'{count} command{"s" * (count != 1)}'

# SPDX-License-Identifier: Apache-2.0
"""Compare two recordings message by message, bit for bit."""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from sbot.bag.reader import Bag, Message
from sbot.bag.ticks import rate_of, robot_of
from sbot_common.clock import Rate
from sbot_common.errors import InputError, shown
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, DIAGNOSTICS, SCENARIO
from sbot_common.wire.cdr import canonical, decode, little_endian, stamp_ns
from sbot_common.wire.messages import PoseStamped

IGNORED = (DIAGNOSTICS.name,)  # wall-clock times


class _Difference(NamedTuple):
    """Two unequal messages at the same index of a topic."""

    tick: int | None  # None where the bag has no scenario
    stamp_ns: int
    robot: int | None  # None for a global topic
    topic: str
    field: str  # e.g. 'linear.x'; '' where a message could not be decoded
    first: str  # values
    second: str

    def __str__(self) -> str:
        where = f'tick {self.tick}' if self.tick is not None else f'stamp {self.stamp_ns} ns'
        robot = f', robot {self.robot}' if self.robot is not None else ''
        field = f' {self.field}' if self.field else ''
        return f'{where}{robot}: {self.topic}{field}: {self.first} != {self.second}'


class Comparison(NamedTuple):
    """The outcome of comparing two bags on the topics that both have."""

    messages: int  # pairs compared
    different: dict[str, int]  # topic: unequal pairs
    unpaired: dict[str, tuple[int, int]]  # topic: messages that only the first or second has
    only_first: list[str]  # topics
    only_second: list[str]
    first: _Difference | None  # the earliest: lowest tick, then robot; what is global comes last
    distances: dict[int, float]  # robot: metres between the last poses that both have

    @property
    def equal(self) -> bool:
        """Whether all messages of the common topics are equal."""
        return not self.different and not self.unpaired

    @classmethod
    def of(cls, first: Bag, second: Bag, ignored: Collection[str] = IGNORED) -> Comparison:
        """Compare two bags on the topics that both have, in memory that does not grow with them.

        The n-th message of a topic is compared with the n-th of the other bag. Messages are equal
        when they decode to equal values, numbers by their bits. Topics in ``ignored`` are left
        out.

        Raises
        ------
        InputError
            if a bag cannot be read, or no topic has messages in both: nothing was compared.

        """
        types = [{name: kind for name, kind in bag.names().items() if name not in ignored}
                 for bag in (first, second)]
        common = types[0].keys() & types[1].keys()
        differences = _Differences(first)
        unpaired: dict[str, tuple[int, int]] = {}
        last_poses: dict[int, tuple[bytes, bytes]] = {}
        counts = Counter[str]()
        for a, b in _pairs(first.messages(common), second.messages(common), unpaired):
            robot = robot_of(a.name)
            if robot is not None and robot[1] == BASE_POSE_GROUND_TRUTH.name and (
                    a.type == b.type == BASE_POSE_GROUND_TRUTH.type):
                last_poses[robot[0]] = a.payload, b.payload
            if a.payload != b.payload or a.type != b.type:
                differences.add(counts[a.name], a, b)
            counts[a.name] += 1
        if not counts and not unpaired:
            raise InputError(f'{first.path} and {second.path} have no topic with messages in '
                             'common: nothing to compare')
        return cls(
            counts.total(), differences.counts, unpaired, sorted(types[0].keys() - common),
            sorted(types[1].keys() - common), differences.earliest,
            {robot: _distance(*poses) for robot, poses in sorted(last_poses.items())})


def _distance(a: bytes, b: bytes) -> float:
    p, q = (PoseStamped.of_odometry(little_endian(raw, BASE_POSE_GROUND_TRUTH.type))
            for raw in (a, b))
    return math.hypot(p.x - q.x, p.y - q.y)


def _pairs(first: Iterator[Message], second: Iterator[Message],
           unpaired: dict[str, tuple[int, int]]) -> Iterator[tuple[Message, Message]]:
    """Yield the n-th messages of each topic of two streams; count those that only one has."""
    waiting: dict[str, tuple[deque[Message], deque[Message]]] = defaultdict(
        lambda: (deque(), deque()))
    spare = Counter[str](), Counter[str]()  # that came after the other stream's end
    for pair in zip_longest(first, second):
        for side, message in enumerate(pair):
            if message is not None:
                queues = waiting[message.name]
                if pair[1 - side] is None and not queues[1 - side]:
                    spare[side][message.name] += 1
                else:
                    queues[side].append(message)
                    if queues[1 - side]:
                        yield queues[0].popleft(), queues[1].popleft()
    for name, queues in waiting.items():
        numbers = tuple(len(queue) + more[name]
                        for queue, more in zip(queues, spare, strict=True))
        if any(numbers):
            unpaired[name] = numbers[0], numbers[1]


class _Differences:
    """Counts unequal pairs and keeps the earliest."""

    def __init__(self, bag: Bag) -> None:
        self.counts: dict[str, int] = {}
        self.earliest: _Difference | None = None
        self._own = bool(bag.metadata)  # then the log time is the tick's stamp
        self._rate: Rate | None
        try:
            self._rate = rate_of(bag)
        except InputError:
            self._rate = None

    def add(self, index: int, a: Message, b: Message) -> None:
        """Decode two messages with different bytes, and count them if they are different."""
        try:
            if a.type == b.type and canonical(a.payload, a.type) == canonical(b.payload, b.type):
                return
            decoded = decode(a.payload, a.type), decode(b.payload, b.type)
        except Exception:  # a type or bytes that rosbags does not know: any error may come
            decoded = None, None
        self.counts[a.name] = self.counts.get(a.name, 0) + 1
        stamp, tick = self._stamp_and_tick(index, a, decoded[0])
        robot = robot_of(a.name)
        new = _Difference(tick, stamp, robot[0] if robot else None, a.name, '', '', '')
        if self.earliest is not None and _sort_key(new) >= _sort_key(self.earliest):
            return
        found = None
        if decoded[0] is not None and a.type == b.type:
            found = _first_difference(*decoded)
        field, va, vb = found or ('', *(f'{m.type}, {len(m.payload)} bytes' for m in (a, b)))
        self.earliest = new._replace(field=field, first=va, second=vb)

    def _stamp_and_tick(self, index: int, message: Message,
                        decoded: Any) -> tuple[int, int | None]:  # noqa: ANN401
        """Return stamp (ns) and tick of a message."""
        inside = _stamp(decoded)
        stamp = message.stamp_ns if inside is None else inside
        if self._rate is None:
            return stamp, None
        # Without a stamp inside: our log times are the ticks' stamps, others' times of arrival.
        return stamp, index if inside is None and not self._own else self._rate.tick(stamp)


def _sort_key(difference: _Difference) -> tuple[bool, int, bool, int]:
    """Return a sort key: tick, robot, then global topics; the scenario's text comes last."""
    tick, stamp, robot, topic = difference[:4]
    return topic == SCENARIO.name, stamp if tick is None else tick, robot is None, robot or 0


def _stamp(message: Any) -> int | None:  # noqa: ANN401
    """Return the stamp (ns) that a message carries, if any."""
    if hasattr(message, 'transforms') and message.transforms:
        message = message.transforms[0]
    if hasattr(message, 'markers') and message.markers:
        message = message.markers[0]
    found = message.header.stamp if hasattr(message, 'header') else getattr(
        message, 'clock', None)
    try:
        return None if found is None else stamp_ns(found)
    except InputError:  # no stamp, yet equal or different all the same
        return None


def _first_difference(a: Any, b: Any) -> tuple[str, str, str] | None:  # noqa: ANN401
    """Return path and values of the first field that differs, numbers by their bits."""
    for (path, x), (other, y) in zip_longest(leaves(a), leaves(b), fillvalue=('', '')):
        if path != other:  # one text has more lines
            return (path, _value_text(x), "''") if path else (other, "''", _value_text(y))
        same = np.asarray(x).tobytes() == np.asarray(y).tobytes() if isinstance(
            x, float | np.floating) else x == y
        if not same:
            return path, _value_text(x), _value_text(y)
    return None


def leaves(value: Any, path: str = '') -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """Yield path and value of every number, line of text and length of a list in a message.

    The length of a list comes before its elements.
    """
    if is_dataclass(value):
        for field in fields(value):
            yield from leaves(getattr(value, field.name),
                               f'{path}.{field.name}' if path else field.name)
    elif isinstance(value, list | np.ndarray):
        yield f'{path}.length', len(value)
        for i, each in enumerate(value):
            yield from leaves(each, f'{path}[{i}]')
    elif isinstance(value, str) and '\n' in value:
        for number, line in enumerate(value.split('\n'), 1):
            yield f'{path} line {number}', line
    else:
        yield path, value


def _value_text(value: Any) -> str:  # noqa: ANN401
    return shown(value.item() if isinstance(value, np.generic) else value)

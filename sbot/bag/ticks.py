# SPDX-License-Identifier: Apache-2.0
"""Group a bag's messages into ticks: inputs and command of each robot.

Messages of one tick may be recorded in any order (``ros2 bag record`` writes them as they arrive),
so they are gathered by the stamp in their header. A command carries none: in lockstep a robot's
n-th command answers the n-th stamp.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from sbot.bag.reader import Bag
from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import load_mapping
from sbot_common import topics as topics_module
from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, CMD_VEL, COMMAND_TYPES, GOAL, Topic
from sbot_common.wire.cdr import little_endian
from sbot_common.wire.messages import read_header_stamp

_MOST_WAITING = 1000  # ticks gathered at once; more means that a message is missing
_TOPICS = {topic.name for topic in vars(topics_module).values() if isinstance(topic, Topic)}
_ROBOT_TOPIC = re.compile(r'/(?:robot_([0-9]{1,9})/)?([^/]+)')


class Tick(NamedTuple):
    """One tick of a recording; N robots."""

    tick: int
    stamp_ns: int
    restarted: bool  # time began again: the simulation was reset
    inputs: Mapping[str, Sequence[bytes | None]]  # by topic name: N messages, None where none is
    commands: Sequence[bytes | None]  # N messages
    goals: Mapping[int, bytes]  # robots whose goal changes at this tick


def robot_of(name: str) -> tuple[int, str] | None:
    """Return robot id and own name of a robot's topic, e.g. (3, 'odom') of '/robot_3/odom'.

    None for a global topic. A single robot has no namespace, so '/odom' is robot 0's.
    """
    match = _ROBOT_TOPIC.fullmatch(name)
    if match is None or (match[1] is None and not _is_of_a_robot(match[2])):
        return None
    return int(match[1] or 0), match[2]


def _is_of_a_robot(name: str) -> bool:
    if name in _TOPICS or f'/{name}' in _TOPICS:
        return name in _TOPICS
    from sbot_sim.sensors.registry import sensors
    return any(sensor.topic.name == name for sensor in sensors().values())


def count_robots(bag: Bag) -> int:
    """Return how many robots have poses in a bag.

    Raises
    ------
    InputError
        if none has.

    """
    robots = [found[0] for name in bag.names()
              if (found := robot_of(name)) and found[1] == BASE_POSE_GROUND_TRUTH.name]
    if not robots:
        raise InputError(f'{bag.path}: needs the poses of robots, the topics '
                         f'/robot_<i>/{BASE_POSE_GROUND_TRUTH.name}')
    if max(robots) >= limits().text_values:
        raise too_large(str(bag.path), 'robots', max(robots) + 1, 'text_values')
    return max(robots) + 1


def rate_of(bag: Bag) -> Rate:
    """Return the rate of the scenario that a bag carries.

    Raises
    ------
    InputError
        if it has none.

    """
    where = f'{bag.path}: scenario'
    scenario = load_mapping(bag.scenario_text, where)
    return Rate.parse(scenario.get('rate', 30), f'{where}: rate')


def ticks(bag: Bag, num_robots: int, rate: Rate, topics: Sequence[Topic],
          answering: Collection[int] | None = None) -> Iterator[Tick]:
    """Yield the complete ticks of a bag in order, in memory that does not grow with its length.

    A tick is complete when each of ``topics`` that the bag has for a robot, and a command of each
    robot that answers, are in. What is incomplete at the end is left out.

    Parameters
    ----------
    bag : to read
    num_robots : N
    rate : ticks a second
    topics : whose messages are inputs
    answering : robots that answer each tick, of others the commands are left out; None: all that
        send any

    Raises
    ------
    InputError
        if a message is missing in the middle, or a topic is of another type.

    """
    gather = _Gather(bag, num_robots, rate, topics,
                     range(num_robots) if answering is None else answering)
    for message in bag.messages_of(gather.types):
        with bag.named_errors():
            gather.put(message.name, little_endian(message.payload, message.type))
        # One tick later, so that a goal recorded just behind its tick's commands still counts.
        while len(gather.waiting) > 1 and gather.missing() is None:
            yield gather.release()
        if len(gather.waiting) > _MOST_WAITING:
            raise InputError(f'{bag.path}: tick {rate.tick(next(iter(gather.waiting)))}: '
                             f'{gather.missing()} is missing')
    while gather.waiting and gather.missing() is None:
        yield gather.release()


class _Gather:
    """Collects the messages of each stamp."""

    def __init__(self, bag: Bag, num_robots: int, rate: Rate, topics: Sequence[Topic],
                 answering: Collection[int]) -> None:
        present = bag.names()
        robots = range(num_robots)
        self._rate = rate
        self._names = {topic.name: [topic.resolve(robot, num_robots) for robot in robots]
                       for topic in topics}
        self._inputs = {name: topic.type for robot in robots for topic in topics
                        if (name := self._names[topic.name][robot]) in present}
        self._commands = [CMD_VEL.resolve(robot, num_robots) for robot in robots]
        self._queues = {name: deque[bytes]() for robot, name in enumerate(self._commands)
                        if robot in answering and name in present}
        self._goals = {GOAL.resolve(robot, num_robots): robot for robot in robots}
        self.types: dict[str, tuple[str, ...]] = {
            **dict.fromkeys(self._goals, (GOAL.type,)),
            **dict.fromkeys(self._queues, COMMAND_TYPES),
            **{name: (kind,) for name, kind in self._inputs.items()}}
        self.waiting: dict[int, dict[str, bytes]] = {}  # by stamp (ns), the oldest first
        self._new_goals: list[tuple[int, int, bytes]] = []
        self._released_ns: int | None = None

    def put(self, name: str, payload: bytes) -> None:
        """Take one message."""
        if name in self._queues:
            self._queues[name].append(payload)
            return
        stamp_ns = read_header_stamp(payload)
        if name not in self._inputs:
            self._new_goals.append((stamp_ns, self._goals[name], payload))
        elif stamp_ns != self._released_ns:  # else it is sent again, because an answer was late
            self.waiting.setdefault(stamp_ns, {})[name] = payload

    def missing(self) -> str | None:
        """Return the name of a topic that the oldest tick waits for; None if it is complete."""
        oldest = next(iter(self.waiting.values()))
        if len(oldest) < len(self._inputs):
            return next(name for name in self._inputs if name not in oldest)
        return next((name for name, queue in self._queues.items() if not queue), None)

    def release(self) -> Tick:
        """Return the oldest tick, and forget it."""
        stamp_ns = next(iter(self.waiting))
        found = self.waiting.pop(stamp_ns)
        restarted = self._released_ns is not None and stamp_ns < self._released_ns
        self._released_ns = stamp_ns
        commands = [self._queues[name].popleft() if name in self._queues else None
                    for name in self._commands]
        goals = {robot: payload for stamp, robot, payload in self._new_goals if stamp <= stamp_ns}
        self._new_goals = [goal for goal in self._new_goals if goal[0] > stamp_ns]
        inputs = {topic: [found.get(name) for name in names]
                  for topic, names in self._names.items()}
        return Tick(self._rate.tick(stamp_ns), stamp_ns, restarted, inputs, commands, goals)

# SPDX-License-Identifier: Apache-2.0
"""Recorded and new messages compared field by field; commands that held; differences by robot."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.bag.compare import leaves
from sbot.bag.reader import Bag
from sbot.bag.ticks import count_robots, rate_of, ticks
from sbot.controllers.shipped import EXTERNAL
from sbot.files.yaml_text import load_mapping
from sbot.scenario.controllers import external_robots
from sbot.scenario.load import parse_scenario
from sbot_common.errors import bad_value, first_of
from sbot_common.observation import STOP, Twist
from sbot_common.topics import (
    BASE_POSE_GROUND_TRUTH,
    CMD_VEL,
    CMD_VEL_STAMPED,
    COMMAND_TYPES,
)
from sbot_common.wire.cdr import decode, field_names
from sbot_common.wire.messages import PoseStamped, read_twist
from sbot_sim.ros.external import External

_NUMBERS = tuple(f'{part}.{axis}' for part in ('linear', 'angular') for axis in 'xyz')
_FRAME = 'header.frame_id'
Value = float | int | str


class Tolerances:
    """How far numbers may differ; without one they are compared bit for bit.

    Parameters
    ----------
    given : '1e-6' for all floating-point numbers, 'nav_msgs/msg/Odometry=1e-6' for those of a
        type of message, or 'angular.z=0.01' for a field and all within it, integers too, of lists
        without index; later ones win

    Raises
    ------
    InputError
        for what is no number >= 0.

    """

    def __init__(self, given: Iterable[str] = (), where: str = '--tolerance') -> None:
        self._where = where
        self._given: list[tuple[str, float, str]] = []  # key ('': all), number, as given
        for text in given:
            key, equals, value = str(text).rpartition('=')
            try:
                number = float(value)
            except ValueError:
                number = math.nan
            if not 0.0 <= number < math.inf or (equals and not key):
                raise bad_value(where, text, 'a number >= 0, FIELD=NUMBER or TYPE=NUMBER')
            self._given.append((key, number, text))

    def check(self, types: Collection[str]) -> None:
        """Raise InputError for a field or type that the compared types do not have."""
        known = {*types, *(name for each in types for name in _field_names(each))}
        for key, _, text in self._given:
            if key and key not in known:
                raise bad_value(self._where, text, 'a number, or FIELD=NUMBER with one of '
                                + first_of(sorted(known, key=_depth), 20))

    def of(self, field: str, type_name: str, whole: bool = False) -> float:
        """Return how far the numbers of a field may differ, which are ``whole`` or not."""
        plain = re.sub(r'\[\d+\]', '', field)
        return next((number for key, number, _ in reversed(self._given)
                     if f'{plain}.'.startswith(f'{key}.') or (
                         key in ('', type_name) and not whole)), 0.0)

    def agree(self, field: str, type_name: str, recorded: Value, new: Value) -> bool:
        """Tell whether two values of a field are equal enough."""
        if isinstance(recorded, str) or isinstance(new, str):
            return recorded == new
        whole = not isinstance(recorded, float)
        if recorded == new if whole else struct.pack('d', recorded) == struct.pack('d', new):
            return True
        tolerance = self.of(field, type_name, whole)
        return tolerance > 0.0 and abs(recorded - new) <= tolerance


def _depth(name: str) -> tuple[int, str]:
    return name.count('.'), name


def _field_names(type_name: str) -> Iterable[str]:
    return _NUMBERS if type_name in COMMAND_TYPES else field_names(type_name)


def differences(recorded: bytes | None, new: bytes | None, type_name: str,
                tolerances: Tolerances) -> Iterator[tuple[str, Value, Value]]:
    """Yield the fields of two messages (None: there is none) that do not agree, and their values.

    The stamp of a TwistStamped is not compared: a node need not know the time.
    """
    if recorded == new:
        return
    if recorded is None or new is None:
        yield ('command' if type_name in COMMAND_TYPES else 'message',
               _in_words(recorded, type_name), _in_words(new, type_name))
        return
    for (field, old), (other, value) in zip_longest(
            _fields(recorded, type_name), _fields(new, type_name), fillvalue=('', '')):
        if field != other:  # one text has more lines
            yield (field, str(old), '') if field else (other, '', str(value))
            return
        if not tolerances.agree(field, type_name, old, value):
            yield field, old, value
            if field.endswith('.length'):
                return


def _fields(raw: bytes, type_name: str) -> Iterator[tuple[str, Value]]:
    message: Any = decode(raw, type_name)
    if type_name not in COMMAND_TYPES:
        for field, value in leaves(message):
            yield field, value.item() if isinstance(value, np.generic) else value
        return
    if type_name == CMD_VEL_STAMPED.type:
        yield _FRAME, message.header.frame_id
        message = message.twist
    for field in _NUMBERS:
        part, _, axis = field.partition('.')
        yield field, float(getattr(getattr(message, part), axis))


def _in_words(raw: bytes | None, type_name: str) -> str:
    if raw is None:
        return 'none'
    if type_name not in COMMAND_TYPES:
        return 'one'
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


# Poses and commands of a recording as arrays, all in memory. Commands of users' own nodes answer
# no tick, only times.

class Recording(NamedTuple):
    """Poses and commands of a lockstep recording; T ticks, N robots."""

    scenario_text: str
    stamps_ns: NDArray[np.int64]  # (T,)
    poses: NDArray[np.float64]  # (T, N, 3) x, y (m), yaw (rad)
    # (T, N, 3) vx, vy (m/s), omega (rad/s); NaN for robots that send none. Of an external robot
    # the one that held.
    commands: NDArray[np.float64]

    @classmethod
    def read(cls, bag: Bag) -> Recording:
        """Return the complete ticks of a bag.

        Raises
        ------
        InputError
            if it has no poses or no scenario, or a message is missing in the middle.

        """
        robots = count_robots(bag)
        names = bag.names()
        types = [names.get(CMD_VEL.resolve(robot, robots), CMD_VEL.type)
                 for robot in range(robots)]
        stamps, poses, commands = [], [], []
        external = _robots_of_nodes(bag)
        answering = [robot for robot in range(robots) if robot not in external]
        for tick in ticks(bag, robots, rate_of(bag), (BASE_POSE_GROUND_TRUTH,), answering):
            stamps.append(tick.stamp_ns)
            rows = [PoseStamped.of_odometry(raw)
                    for raw in tick.inputs[BASE_POSE_GROUND_TRUTH.name] if raw is not None]
            poses.append([(row.x, row.y, row.yaw) for row in rows])
            commands.append([(np.nan,) * 3 if raw is None else read_twist(raw, type_name)
                             for raw, type_name in zip(tick.commands, types, strict=True)])
        recording = cls(bag.scenario_text, np.array(stamps, np.int64),
                        np.array(poses, np.float64).reshape(-1, robots, 3),
                        np.array(commands, np.float64).reshape(-1, robots, 3))
        for robot, held in held_commands(bag, recording.stamps_ns, robots, external).items():
            recording.commands[:, robot] = held
        return recording


def _robots_of_nodes(bag: Bag) -> dict[int, External]:
    """Return the robots whose commands answer no tick, only times: those of users' own nodes."""
    where = f'{bag.path}: scenario'
    entries = load_mapping(bag.scenario_text, where).get('robots')
    found = [i for i, entry in enumerate(entries if isinstance(entries, list) else [])
             if isinstance(entry, dict) and entry.get('controller') == EXTERNAL.name]
    if not found:  # only poses and commands are needed of a scenario, whatever else is in it
        return {}
    scenario = parse_scenario(bag.scenario_text, where, Path.cwd(), import_controllers=False)
    return {i: External() for i in found} | external_robots(scenario)


def held_commands(bag: Bag, stamps_ns: NDArray[np.int64], robots: int,
                  external: Mapping[int, External]) -> dict[int, NDArray[np.float64]]:
    """Return the commands (T, 3) that held at the ticks of a recording, by external robot.

    A command holds from the tick at which it came to the next one, or for the robot's
    ``command_timeout``. One that is not finite is taken as 0. Before the first they are NaN.

    Parameters
    ----------
    bag : of this package, so a message's log time is the stamp of its tick
    stamps_ns : (T,) of the ticks
    robots : how many there are
    external : how the nodes take part, by robot

    """
    robot_of = {CMD_VEL.resolve(robot, robots): robot for robot in external}
    sent: dict[int, list[tuple[int, Twist]]] = {robot: [] for robot in external}
    for message in bag.messages_of(dict.fromkeys(robot_of, COMMAND_TYPES)):
        with bag.named_errors():
            twist = read_twist(message.payload, message.type)
        sent[robot_of[message.name]].append(
            (message.stamp_ns, twist if np.isfinite(twist).all() else STOP))
    held = {}
    for robot, each in external.items():
        known = np.array([stamp_ns for stamp_ns, _ in sent[robot]], np.int64)
        newest = np.searchsorted(known, stamps_ns, side='right')  # 0: none
        held[robot] = np.array([(np.nan,) * 3, *(twist for _, twist in sent[robot])])[newest]
        if len(known):  # where none has come yet, the age is negative
            ages = (stamps_ns - known[newest - 1]).tolist()
            held[robot][[each.too_old(age) for age in ages]] = STOP
    return held

"""Differences of a replay by robot: how many commands differ, and from which tick on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sbot_common.errors import first_of

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

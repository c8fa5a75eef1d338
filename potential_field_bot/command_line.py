"""The command line of document 001 section 18: ROBOT_NUM_ID NUM_ROBOTS GOAL_X GOAL_Y."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from sbot_common.errors import InputError

USAGE = 'Usage: potfield_bot [ROBOT_NUM_ID] [NUM_ROBOTS] [GOAL_X] [GOAL_Y]'

_WHOLE = re.compile(r'[+-]?[0-9]+')


class Arguments(NamedTuple):
    """What the four arguments say."""

    robot_id: int
    num_robots: int
    goal_x: float  # m
    goal_y: float


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise InputError(f"'{text}' is not a whole number")
    return int(text)


def _finite(text: str) -> float:
    try:
        number = float(text) if '_' not in text else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"'{text}' is not a finite number")
    return number


def parse(arguments: Sequence[str]) -> Arguments:
    """Return the four arguments, checked.

    Raises
    ------
    InputError
        for any other number of arguments, anything that is not a number, a robot number below 0
        or not below the number of robots (docs/errata.md P8)

    """
    if len(arguments) != 4:
        raise InputError(f'expected 4 arguments, got {len(arguments)}')
    robot_id, num_robots = _whole(arguments[0]), _whole(arguments[1])
    if num_robots <= 0:
        raise InputError(f'NUM_ROBOTS is {num_robots}, expected 1 or more')
    if not 0 <= robot_id < num_robots:
        raise InputError(f'ROBOT_NUM_ID is {robot_id}, expected 0 to {num_robots - 1}')
    return Arguments(robot_id, num_robots, _finite(arguments[2]), _finite(arguments[3]))

# SPDX-License-Identifier: Apache-2.0
"""The command line of document 001 section 18: ROBOT_NUM_ID NUM_ROBOTS GOAL_X GOAL_Y."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from sbot_common import controller_inputs
from sbot_common.errors import InputError
from sbot_common.params import Spec

USAGE = 'Usage: potfield_bot [ROBOT_NUM_ID] [NUM_ROBOTS] [GOAL_X] [GOAL_Y]'

HELP = f"""{USAGE}
The controller of one robot (document 001). It subscribes to /robot_<i>/base_pose_ground_truth of
every robot and to its own base_scan, and publishes cmd_vel. A single robot has no namespace.

ROBOT_NUM_ID    number of this robot, from 0; robot 0 is the leader
NUM_ROBOTS      number of robots
GOAL_X, GOAL_Y  goal of the leader (m)

All other values are ROS parameters: append
  --ros-args -p conversion_constant_zeta:=0.2
While the node runs, ros2 param list and ros2 param describe show them."""

_WHOLE = re.compile(r'[+-]?[0-9]+')
_LARGEST = 2**31 - 1  # of an int in C++
COUNT = 4  # of arguments


class _Arguments(NamedTuple):
    """What the four arguments say."""

    robot_id: int
    num_robots: int
    goal_x: float  # m
    goal_y: float


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise InputError(f"got '{_short(text)}', expected a whole number")
    # Python itself refuses to convert thousands of digits.
    if len(text) >= 20 or abs(int(text)) > _LARGEST:
        raise InputError(f"got '{_short(text)}', expected at most {_LARGEST}")
    return int(text)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + '...'


def _finite(text: str) -> float:
    try:
        number = float(text) if '_' not in text else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"got '{_short(text)}', expected a finite number")
    return number


def parse(arguments: Sequence[str]) -> _Arguments:
    """Return the four arguments, checked; more mean nothing (docs/errata.md P17).

    Raises
    ------
    InputError
        for fewer arguments, anything that is not a number, a robot number below 0
        or not below the number of robots (docs/errata.md P8)

    """
    if len(arguments) < COUNT:
        raise InputError(f'got {len(arguments)} arguments, expected {COUNT}')
    robot_id, num_robots = _whole(arguments[0]), _whole(arguments[1])
    if num_robots <= 0:
        raise InputError(f'NUM_ROBOTS: got {num_robots}, expected 1 or more')
    if not 0 <= robot_id < num_robots:
        raise InputError(f'ROBOT_NUM_ID: got {robot_id}, expected 0 to {num_robots - 1}')
    return _Arguments(robot_id, num_robots, _finite(arguments[2]), _finite(arguments[3]))


# ROS parameters of the node `potfield_bot` in addition to the controller's constants.

OWN_SPECS: tuple[Spec, ...] = (
    Spec('publish_forces', False, '', 'Publish the forces as arrows on potential_field_forces.'),
    Spec('diagnostics_frequency_hz', 0.0, 'Hz', 'Lines of diagnostics per second in the log; '
         '0: none.', '001 section 17', minimum=0.0),
)
NODE_SPECS = (*controller_inputs.SPECS, *OWN_SPECS)

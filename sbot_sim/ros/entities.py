"""Entities of simulation_interfaces: names of robots and spawned obstacles, filters, poses."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from itertools import count
from typing import Any

from sbot_common.angles import quaternion_from_yaw, yaw_from_quaternion
from sbot_common.clock import NANOSECONDS
from sbot_common.elementary import sincos
from sbot_common.errors import InputError, shown
from sbot_sim.ros.spawned import Refused

_FRAMES = ('', 'map', 'world')  # of poses
_NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]{0,31}')
_NAMESPACE = re.compile(r'/?|/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*', re.ASCII)  # of ROS, relative or not
_OF_ROBOTS = re.compile(r'robot_\d+')  # also of robots that there are not
# A search can take exponential time where repeats stand within or beside others, or with many |.
_MOST_REPEATS, _LONGEST_FILTER = 3, 100
_REPEATED = re.compile(r'\\.|(\)?[*+?{]|\|)', re.DOTALL)
_VERBOSE = re.compile(r'\(\?[a-zA-Z]*x')  # hides the repeat of a group behind a space
_BACK = re.compile(r'\\[1-9]|\(\?P=')  # what a group has found, which makes repeats as slow


def robot_name(robot: int) -> str:
    """Return the name of a robot as an entity."""
    return f'robot_{robot}'


def robot_number(name: str) -> int:
    """Return which robot has this name."""
    return int(name.rpartition('_')[2])


def new_name(name: str, taken: Collection[str], may_rename: bool) -> str:
    """Return the name of a new obstacle, or one that nobody has; Refused if it cannot have it."""
    if not _NAME.fullmatch(name) and not (may_rename and not name):
        raise Refused('NAME_INVALID', f'name: got {shown(name)}, expected a letter, then letters, '
                                      'digits and _, at most 32 in all')
    name = name or 'obstacle'
    if name not in taken and not _OF_ROBOTS.fullmatch(name):
        return name
    if not may_rename:
        raise Refused('NAME_NOT_UNIQUE', f"name: got '{name}', expected a name that is neither "
                                         "taken nor a robot's (robot_<i>)")
    return next(new for k in count(1) if (new := f'{name}_copy_{k}') not in taken)


def check_namespace(given: str) -> None:
    """Raise Refused unless this may be a namespace; obstacles have no topics to put there."""
    if not _NAMESPACE.fullmatch(given) or '__' in given:
        raise Refused('NAMESPACE_INVALID', f'entity_namespace: got {shown(given)}, expected names '
                                           'of letters, digits and _, with / between them')


def filtered(filters: Any, names: Iterable[str]) -> list[str]:  # noqa: ANN401
    """Return the names that an EntityFilters lets through; Refused if it may take for ever."""
    if filters.categories or filters.tags.tags or filters.bounds.points:
        raise Refused('RESULT_FEATURE_UNSUPPORTED', 'filters: only names are filtered')
    repeats = [found[1] for found in _REPEATED.finditer(filters.filter) if found[1]]
    if (len(filters.filter) > _LONGEST_FILTER or len(repeats) > _MOST_REPEATS
            or any(each.startswith(')') for each in repeats)
            or _VERBOSE.search(filters.filter) or _BACK.search(filters.filter)):
        raise Refused('RESULT_OPERATION_FAILED', f'filter: expected at most {_LONGEST_FILTER} '
                      f'characters and {_MOST_REPEATS} of * + ? {{ |, none of them behind a '
                      'group, and neither (?x) nor references to groups')
    try:
        pattern = re.compile(filters.filter)
    except (re.error, RecursionError, OverflowError) as error:
        raise Refused('RESULT_OPERATION_FAILED', f'filter: {error}') from None
    return [name for name in names if pattern.search(name)]


def check_frame(header: Any, code: str) -> None:  # noqa: ANN401
    """Raise Refused with a code unless the header of a pose names the frame of the map."""
    frame = header.frame_id.lstrip('/')
    if frame not in _FRAMES:
        raise Refused(code, f'frame: got {shown(frame)}, expected map')


def read_pose(pose: Any) -> tuple[float, float, float]:  # noqa: ANN401
    """Return x, y (m), yaw (rad) of a geometry_msgs/Pose; InputError where it has none."""
    turn = pose.orientation
    found = (float(pose.position.x), float(pose.position.y),
             yaw_from_quaternion(turn.x, turn.y, turn.z, turn.w))
    if not all(map(math.isfinite, found)) or not any((turn.x, turn.y, turn.z, turn.w)):
        raise InputError(f'pose: got {found}, expected finite numbers')
    return found


def fill_state(state: Any, stamp_ns: int, pose: Iterable[float],  # noqa: ANN401
               twist: Iterable[float] = (0.0, 0.0, 0.0)) -> Any:  # noqa: ANN401
    """Fill in an EntityState: stamp, pose (m, m, rad), twist (m/s, m/s, rad/s) of the body."""
    state.header.stamp.sec, state.header.stamp.nanosec = divmod(stamp_ns, NANOSECONDS)
    x, y, yaw = pose
    forwards, left, turning = twist
    state.header.frame_id = 'map'
    state.pose.position.x, state.pose.position.y = x, y
    state.pose.orientation.z, state.pose.orientation.w = quaternion_from_yaw(yaw)
    s, c = sincos(yaw)  # the twist is in the frame of the pose here
    state.twist.linear.x = c * forwards - s * left
    state.twist.linear.y = s * forwards + c * left
    state.twist.angular.z = turning
    return state

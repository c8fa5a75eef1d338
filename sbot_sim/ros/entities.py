# SPDX-License-Identifier: Apache-2.0
"""Entities of simulation_interfaces: robots, and spawned obstacles (SDF, URDF)."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, ParseError

from sbot_common.angles import quaternion_from_yaw, yaw_from_quaternion
from sbot_common.clock import NANOSECONDS
from sbot_common.elementary import sincos
from sbot_common.errors import InputError, first_of, shown
from sbot_sim.engine.simulation import Engine
from sbot_sim.ros.run_control import Inbox

# Spawned obstacles: discs and boxes of SDF or URDF text, added to a running world.

FORMATS = ('sdf', 'urdf')
_SMALLEST, _LARGEST = 0.001, 1000.0  # m


class Refused(InputError):
    """A request that is refused; ``code`` names a constant of Result or of the service."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code

    @classmethod
    @contextmanager
    def with_code(cls, code: str) -> Iterator[None]:
        """Give what is raised as an InputError a code."""
        try:
            yield
        except InputError as error:
            raise cls(code, str(error)) from None


class Shape(NamedTuple):
    """A disc of radius, or a box of length along x and width along y (m); seen from above."""

    name: str  # of the description; may be empty
    radius: float
    length: float = 0.0
    width: float = 0.0

    @classmethod
    def read(cls, text: str) -> Shape:
        """Return the obstacle that SDF or URDF text describes.

        That is one link with one collision geometry at its origin: box, cylinder or sphere, whose
        height and z are not looked at.

        Raises
        ------
        Refused
            for anything else.

        """
        from defusedxml import DefusedXmlException, ElementTree  # a start does without it
        try:
            root = ElementTree.fromstring(text, forbid_dtd=True)
        except (ParseError, DefusedXmlException, ValueError) as error:
            raise Refused('RESOURCE_PARSE_ERROR', f'resource_string: not XML: {error}') from None
        if root.tag not in ('sdf', 'robot'):
            raise Refused('UNSUPPORTED_FORMAT', f'resource_string: got <{root.tag[:50]}>, '
                          'expected <sdf> or <robot>')
        model = root if root.tag == 'robot' else _single_element(root.findall('model'), 'model')
        if model.find('.//joint') is not None or model.find('.//plugin') is not None:
            raise _unsupported('a model with joints or plugins', 'an obstacle without; a robot is '
                               'spawned by its uri (get_spawnables)')
        link = _single_element(model.findall('link'), 'link')
        collision = _single_element(link.findall('collision'), 'collision')
        for each in (*model.findall('pose'), *model.findall('link/pose'),
                     *collision.findall('pose')):
            if each.get('relative_to'):
                raise _unsupported('a pose relative to a frame', 'one at the origin')
            _check_centred((each.text or '').split())
        for each in collision.findall('origin'):
            _check_centred([*each.get('xyz', '0 0 0').split(), *each.get('rpy', '0 0 0').split()])
        name = model.get('name', '')
        geometry = collision.find('geometry')
        kind = None if geometry is None else next(iter(geometry), None)
        if kind is not None and kind.tag == 'box':
            length, width, _ = _numbers(kind, 'size', 3)
            return cls(name, 0.0, length, width)
        if kind is not None and kind.tag in ('cylinder', 'sphere'):
            return cls(name, *_numbers(kind, 'radius', 1))
        raise _unsupported('no geometry' if kind is None else f'<{kind.tag}>',
                           'box, cylinder or sphere')


class Spawned(NamedTuple):
    """An obstacle where it stands."""

    shape: Shape
    pose: tuple[float, float, float]  # x, y (m), yaw (rad)


class SpawnedObstacles:
    """Obstacles by name; they stand still, and a reset removes them."""

    def __init__(self, engine: Engine, inbox: Inbox) -> None:
        self._engine, self._inbox = engine, inbox
        self.by_name: dict[str, Spawned] = {}

    def put(self, name: str, obstacle: Spawned) -> None:
        """Put an obstacle somewhere, or elsewhere; InputError where it cannot stand."""
        x, y, _ = obstacle.pose
        xmin, ymin, xmax, ymax = self._engine.parameters.world.bounds.tolist()
        if not (xmin <= x <= xmax and ymin <= y <= ymax):
            raise InputError(f'pose: got ({x:g}, {y:g}), expected a place within the bounds '
                             f'[{xmin:g}, {ymin:g}, {xmax:g}, {ymax:g}]')
        self._place({**self.by_name, name: obstacle})

    def remove(self, name: str) -> None:
        """Take an obstacle away."""
        self._place({key: each for key, each in self.by_name.items() if key != name})

    def new_name(self, name: str, may_rename: bool) -> str:
        """Return the name of a new obstacle, or one that is free; Refused if it cannot have it."""
        if not _NAME.fullmatch(name) and not (may_rename and not name):
            raise Refused('NAME_INVALID', f'name: got {shown(name)}, expected a letter, then '
                                          'letters, digits and _, at most 32 in all')
        name = name or 'obstacle'
        if name not in self.by_name and not _OF_ROBOTS.fullmatch(name):
            return name
        if not may_rename:
            raise Refused('NAME_NOT_UNIQUE', f"name: got '{name}', expected a name that is "
                                             "neither taken nor a robot's (robot_<i>)")
        return next(new for k in count(1) if (new := f'{name}_copy_{k}') not in self.by_name)

    def _place(self, table: dict[str, Spawned]) -> None:
        discs = [(*each.pose[:2], each.shape.radius) for each in table.values()
                 if each.shape.radius]
        boxes = [(*each.pose[:2], each.shape.length, each.shape.width, each.pose[2])
                 for each in table.values() if not each.shape.radius]
        self._engine.place_objects(discs, boxes, self._inbox.teleports)
        self.by_name = table


def _single_element(found: list[Element], tag: str) -> Element:
    if len(found) != 1:
        raise _unsupported(f'{len(found)} <{tag}>', 'one')
    return found[0]


def _check_centred(words: Iterable[str]) -> None:
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = [math.nan]
    if any(number != 0.0 for at, number in enumerate(numbers) if at != 2):
        raise _unsupported(f'a geometry at {numbers}', 'one at the origin')


def _numbers(kind: Element, name: str, count: int) -> list[float]:
    text = kind.get(name) or kind.findtext(name) or ''
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(
            _SMALLEST <= number <= _LARGEST for number in numbers):
        raise Refused('RESOURCE_PARSE_ERROR', f"resource_string: <{kind.tag}> {name}: got "
                      f"'{text.strip()[:50]}', expected {count} numbers from {_SMALLEST:g} to "
                      f'{_LARGEST:g} (m)')
    return numbers


def _unsupported(got: str, expected: str) -> Refused:
    return Refused('UNSUPPORTED_ASSETS', f'resource_string: got {got}, expected {expected}')


_FRAMES = ('', 'map', 'world')  # of poses
_NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]{0,31}')
_OF_ROBOTS = re.compile(r'robot_\d+')  # also of robots that there are not


def spawned_robot(name: str, may_rename: bool, reserve: Sequence[int],
                  taken: Collection[str]) -> int:
    """Return the robot in reserve that is spawned by a name, which is that of its topics.

    Raises
    ------
    Refused
        if none is left, or none may be meant.

    """
    if not reserve:
        raise Refused('RESULT_OPERATION_FAILED', 'uri: all robots with this body are in the '
                      'world; a scenario with more has robots with `reserved: true`')
    names = {f'robot_{robot}': robot for robot in reserve}
    if name not in names and not may_rename:
        code = 'NAME_NOT_UNIQUE' if name in taken else 'NAME_INVALID'
        raise Refused(code, f'name: got {shown(name)}, expected that of a robot in reserve, '
                            f'{first_of(list(names), 20)}, or allow_renaming')
    return names.get(name, reserve[0])


def filtered(filters: Any, names: Iterable[str]) -> list[str]:  # noqa: ANN401
    """Return the names that an EntityFilters lets through; Refused where it is none."""
    if filters.categories or filters.tags.tags or filters.bounds.points:
        raise Refused('RESULT_FEATURE_UNSUPPORTED', 'filters: only names are filtered')
    try:
        pattern = re.compile(filters.filter)
    except re.error as error:
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

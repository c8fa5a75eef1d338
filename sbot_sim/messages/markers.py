# SPDX-License-Identifier: Apache-2.0
"""Markers for rviz, zones among them, and `robot_description` (URDF)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from sbot_common.angles import quaternion_from_yaw
from sbot_common.arrays import Floats
from sbot_common.topics import namespace
from sbot_common.wire.templates import (
    ADD,
    CUBE,
    CYLINDER,
    DELETE,
    LINE_LIST,
    TEXT,
    Colour,
    Template,
    marker,
)
from sbot_sim.sensors.laser import ScanParameters, link_of
from sbot_sim.sensors.objects import rectangle_boxes
from sbot_sim.world.bodies import Shapes, is_there
from sbot_sim.world.geometry import World

# Roles of robots; each has a colour.
FOLLOWER, LEADER, STOPPED, SHELTERED = range(4)
ROLE_COLOURS: tuple[Colour, ...] = (
    (0.20, 0.45, 0.80, 1.0),  # follower: blue
    (0.90, 0.55, 0.00, 1.0),  # leader: orange
    (0.55, 0.55, 0.55, 1.0),  # stopped: grey
    (0.20, 0.65, 0.45, 1.0),  # in the lee of others: green
)
OBSTACLE_PERIOD = 5.0  # s; /markers is not latched: obstacles are sent again for late subscribers

_STOPPED_SPEED = 0.001  # m/s
_STOPPED_TURN = 0.01  # rad/s
_SHELTERED_BELOW = 0.5  # of the undisturbed wind
_WIND_SECONDS = 2.0  # an arrow is as long as the distance that air moves in this time (s)
_HEIGHT = 0.1  # m, of bodies and of everything drawn flat above them
_CHORDS = 48  # of a circle

_HEADING_COLOUR: Colour = (0.1, 0.1, 0.1, 1.0)
_GOAL_COLOUR: Colour = (0.85, 0.15, 0.15, 1.0)
_WIND_COLOUR: Colour = (0.35, 0.70, 0.90, 1.0)
_OBSTACLE_COLOUR: Colour = (0.25, 0.25, 0.25, 1.0)
_OBJECT_COLOURS: dict[str, Colour] = {
    'moving obstacles': (0.73, 0.75, 0.79, 1.0), 'boxes': (0.65, 0.50, 0.35, 1.0)}
_TEXT_COLOUR: Colour = (0.1, 0.1, 0.1, 1.0)


def robot_roles(twist: Floats, wind: Floats, free_wind: Floats | None = None) -> NDArray[np.int8]:
    """Return the role (N,) of each robot: LEADER for robot 0, else its state.

    Parameters
    ----------
    twist : (N, 3) in the robot's own frame (m/s, m/s, rad/s)
    wind : (N, 2) effective wind (m/s)
    free_wind : (N, 2) wind at the same places if no other robot were there (m/s); None: no
        robot counts as sheltered

    """
    roles = np.full(len(twist), FOLLOWER, np.int8)
    if free_wind is not None:
        free = np.hypot(*free_wind.T)
        roles[(free > 0.0) & (np.hypot(*wind.T) < _SHELTERED_BELOW * free)] = SHELTERED
    still = (np.hypot(twist[:, 0], twist[:, 1]) < _STOPPED_SPEED)
    roles[still & (np.abs(twist[:, 2]) < _STOPPED_TURN)] = STOPPED
    roles[:1] = LEADER
    return roles


def robot_markers(
    stamp_ns: int,
    pose: Floats,
    radius: Floats,
    roles: NDArray[np.int8],
    wind: Floats,
    goals: Floats,
    shapes: Shapes | None = None,
) -> bytes:
    """Return the visualization_msgs/MarkerArray (CDR) of N robots, in frame `map`.

    Parameters
    ----------
    stamp_ns : time (ns)
    pose : (N, 3) x, y (m), yaw (rad); of robots that are not there nothing is shown
    radius : (N,) m
    roles : (N,) as ``robot_roles`` gives them
    wind : (N, 2) effective wind (m/s), drawn as an arrow
    goals : (N, 2) x, y (m); NaN where a robot has none
    shapes : of the bodies; None: all are round

    """
    n, there, pose = len(pose), is_there(pose), np.nan_to_num(pose)
    has_goal = np.isfinite(goals).all(axis=1) & there
    sizes = np.zeros((n, 2)) if shapes is None else 2.0 * shapes.half_size
    template = _template(there.tobytes(), radius.tobytes(), int(has_goal.sum()),
                         sizes.tobytes()).copy()
    template.set_stamp(stamp_ns)
    template.set_positions(0, pose[:, :2])
    if shapes is not None and sizes.any():
        _turn(template, shapes, pose)
    template.set_colours(0, np.asarray(ROLE_COLOURS)[roles])
    template.set_positions(n, pose[:, :2] + np.column_stack([np.zeros(n), 1.6 * radius]))
    heading = np.column_stack([np.cos(pose[:, 2]), np.sin(pose[:, 2])])
    tails, heading = pose[there, :2], 1.5 * radius[:, None] * heading
    template.set_points(2 * n, _arrows(tails, heading[there]))
    template.set_points(2 * n + 1, _arrows(tails, _WIND_SECONDS * wind[there]))
    template.set_points(2 * n + 2, _targets(goals[has_goal], radius[has_goal]))
    return template.to_bytes()


def _turn(template: Template, shapes: Shapes, pose: Floats) -> None:
    """Put rectangular bodies where they are."""
    centres, pose = pose[:, :2].copy(), np.ascontiguousarray(pose)
    boxes, robots = rectangle_boxes(shapes, pose)
    centres[robots] = boxes[:, :2]
    template.set_positions(0, centres)
    turns = [(0.0, 0.0, *quaternion_from_yaw(yaw))
             for yaw in pose[robots, 2].tolist()]
    template.set_orientations(robots, np.array(turns))


def object_markers(stamp_ns: int, name: str, radius: Floats, pose: Floats,
                   half_size: Floats | None = None) -> bytes:
    """Return the MarkerArray (CDR) of discs and boxes that move.

    Parameters
    ----------
    stamp_ns : time (ns)
    name : 'moving obstacles' or 'boxes'
    radius : (M,) m
    pose : (M, 2) x, y (m), or (M, 3) with the yaw (rad)
    half_size : (M, 2) m, half of length and width; 0 of a disc; None: all are discs

    """
    half_size = np.zeros((len(pose), 2)) if half_size is None else half_size
    sides = 2.0 * np.where(half_size > 0.0, half_size, radius[:, np.newaxis])
    template = Template([
        marker(name, k, CUBE if half > 0.0 else CYLINDER, (length, width, _HEIGHT),
               _OBJECT_COLOURS[name], z=0.5 * _HEIGHT)
        for k, (half, (length, width)) in enumerate(zip(
            half_size[:, 0].tolist(), sides.tolist(), strict=True))])
    template.set_stamp(stamp_ns)
    template.set_positions(0, pose[:, :2])
    if pose.shape[1] == 3:
        template.set_orientations(np.arange(len(pose)), np.array(
            [(0.0, 0.0, *quaternion_from_yaw(yaw)) for yaw in pose[:, 2].tolist()]))
    return template.to_bytes()


def obstacle_markers(stamp_ns: int, world: World) -> bytes:
    """Return the MarkerArray (CDR) of walls, segments, rectangles and circles: one line list.

    Send it at the start and again every ``OBSTACLE_PERIOD`` for late subscribers.
    """
    outlines = [world.segments.reshape(-1, 2)]
    outlines += [_ring(np.array([[x, y]]), np.array([r])) for x, y, r in world.circles]
    points = np.vstack(outlines)
    template = Template([_lines('obstacles', 0.04, _OBSTACLE_COLOUR, len(points))])
    template.set_stamp(stamp_ns)
    template.set_points(0, _lifted(points, _HEIGHT))
    return template.to_bytes()


@lru_cache(maxsize=16)
def _template(there_bytes: bytes, radius_bytes: bytes, goals: int, size_bytes: bytes) -> Template:
    """Return the markers of n robots: n bodies, n names, headings, wind, goals."""
    there = np.frombuffer(there_bytes, np.bool_).tolist()
    n, shown, actions = len(there), sum(there), [ADD if each else DELETE for each in there]
    radius = np.frombuffer(radius_bytes).tolist()
    width = 0.1 * max(radius, default=0.1)
    sizes = np.frombuffer(size_bytes).reshape(-1, 2).tolist()
    names = [namespace(i, n).lstrip('/') or 'robot' for i in range(n)]
    return Template([
        *(marker('bodies', i, CUBE if length else CYLINDER,
                 (length or 2 * r, width_of or 2 * r, _HEIGHT), z=0.5 * _HEIGHT,
                 action=actions[i])
          for i, (r, (length, width_of)) in enumerate(zip(radius, sizes, strict=True))),
        *(marker('names', i, TEXT, (0.0, 0.0, 0.8 * r), _TEXT_COLOUR, z=2 * _HEIGHT, text=name,
                 action=actions[i])
          for i, (name, r) in enumerate(zip(names, radius, strict=True))),
        _lines('headings', 2 * width, _HEADING_COLOUR, 6 * shown),
        _lines('wind', width, _WIND_COLOUR, 6 * shown),
        _lines('goals', width, _GOAL_COLOUR, goals * 2 * (_CHORDS + 2)),
    ])


def _lines(name: str, width: float, colour: Colour, points: int) -> Any:  # noqa: ANN401
    """Return a line list with its points still at zero; one without points deletes the last."""
    return marker(name, 0, LINE_LIST, (width, 0.0, 0.0), colour, points=np.zeros((points, 3)),
                  action=ADD if points else DELETE)


def _lifted(xy: Floats, z: float) -> Floats:
    """Return points (P, 3) of (P, 2) at one height."""
    return np.column_stack([xy, np.full(len(xy), z)])


def _arrows(tails: Floats, vectors: Floats) -> Floats:
    """Return arrows as line ends (6 M, 3): shaft and two barbs for each tail and vector (M, 2)."""
    tips = tails + vectors
    across = np.column_stack([-vectors[:, 1], vectors[:, 0]])
    left, right = tips - 0.25 * vectors + 0.15 * across, tips - 0.25 * vectors - 0.15 * across
    ends = np.stack([tails, tips, tips, left, tips, right], axis=1)
    return _lifted(ends.reshape(-1, 2), 1.2 * _HEIGHT)


def _ring(centres: Floats, radii: Floats) -> Floats:
    """Return circles (M, 2), (M,) as line ends (2 M _CHORDS, 2)."""
    angles = np.linspace(0.0, 2.0 * math.pi, _CHORDS + 1)
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    corners = centres[:, None] + radii[:, None, None] * unit
    ends = np.stack([corners[:, :-1], corners[:, 1:]], axis=2)
    return ends.reshape(-1, 2)


def _targets(centres: Floats, radii: Floats) -> Floats:
    """Return a circle and a cross (P, 3) at each centre (M, 2)."""
    arm = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    crosses = centres[:, None] + 0.6 * radii[:, None, None] * arm
    points = np.vstack([_ring(centres, radii), crosses.reshape(-1, 2)])
    return _lifted(points, 0.5 * _HEIGHT)


# Markers of zones for rviz (`/markers`): named places on the floor, as flat discs with names.

_ZONE_HEIGHT = 0.01  # m: below everything that stands on the floor
_OPACITY = 0.3  # of a disc
_POINT = 0.15  # m, the side of a zone without radius
_LETTERS = 0.3  # m, the height of names


class ZoneSign(NamedTuple):
    """A named place on the floor, which has no effect."""

    name: str
    center: tuple[float, float]  # m
    radius: float | None  # m; None: a point
    colour: tuple[float, float, float]  # red, green, blue from 0 to 1


def zone_markers(stamp_ns: int, zones: tuple[ZoneSign, ...]) -> bytes:
    """Return the visualization_msgs/MarkerArray (CDR) of zones and their names, in frame `map`.

    As with obstacles, send it again for late subscribers.
    """
    markers = []
    for k, zone in enumerate(zones):
        if zone.radius is None:
            kind, side, colour = CUBE, _POINT, (*zone.colour, 1.0)
        else:
            kind, side, colour = CYLINDER, 2.0 * zone.radius, (*zone.colour, _OPACITY)
        markers += [
            marker('zones', k, kind, (side, side, _ZONE_HEIGHT), colour, z=0.5 * _ZONE_HEIGHT),
            marker('zone names', k, TEXT, (0.0, 0.0, _LETTERS), _TEXT_COLOUR, z=_LETTERS,
                   text=zone.name)]
    template = Template(markers)
    template.set_stamp(stamp_ns)
    template.set_positions(0, np.repeat(np.array([zone.center for zone in zones]), 2, axis=0))
    return template.to_bytes()


# `robot_description` (URDF) of a robot: a disc or box with a laser, for rviz2 and Nav2.

HEIGHT = 0.2  # m, of the body that is drawn; the simulation is flat


def robot_description(name: str, radius: float, lasers: Sequence[ScanParameters],
                      rectangle: tuple[float, float, float] | None = None) -> str:
    """Return the URDF of a robot with the links base_link, base_footprint and its lasers'.

    The links' names have no prefix: where frames have one, give it to rviz2 as TF prefix.

    Parameters
    ----------
    name : of the robot
    radius : m
    lasers : where its lasers are
    rectangle : length, width and offset (m) of a rectangular body; None: it is round

    """
    shape, ahead = f'<cylinder radius="{radius!r}" length="{HEIGHT!r}"/>', '0'
    if rectangle is not None:
        length, width, offset = rectangle
        shape, ahead = f'<box size="{length!r} {width!r} {HEIGHT!r}"/>', repr(offset)
    links = '\n'.join(
        f"""  <link name="{link_of(k)}"/>
  <joint name="{link_of(k)}_joint" type="fixed">
    <parent link="base_link"/><child link="{link_of(k)}"/>
    <origin xyz="{scan.laser_x!r} {scan.laser_y!r} 0" rpy="0 0 {scan.laser_yaw!r}"/>
  </joint>""" for k, scan in enumerate(lasers))
    return f"""<?xml version="1.0"?>
<robot name={quoteattr(name)}>
  <link name="base_link">
    <visual>
      <origin xyz="{ahead} 0 {HEIGHT / 2!r}"/>
      <geometry>{shape}</geometry>
    </visual>
    <collision>
      <origin xyz="{ahead} 0 {HEIGHT / 2!r}"/>
      <geometry>{shape}</geometry>
    </collision>
  </link>
  <link name="base_footprint"/>
  <joint name="base_footprint_joint" type="fixed">
    <parent link="base_link"/><child link="base_footprint"/>
  </joint>
{links}
</robot>
"""

# SPDX-License-Identifier: Apache-2.0
"""A behaviour of navground as a controller: observation in, command out (docs/navigate.md).

navground (J. Guzzi, IDSIA) computes in float32 and with libm: the same bits on one machine, over
ROS and in replay, but not on every machine. It is handed everything in the frame in which the
robot started, as ``navigate`` computes in: float32 resolves places wherever in the map they are,
and a scene that is turned or moved as a whole gives the same commands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sbot.controllers.entry import Entry, Sources
from sbot.controllers.navigate.damping import Frame, frame_at
from sbot_common.angles import wrap_angle
from sbot_common.arrays import Floats
from sbot_common.elementary import sincos, sincos_of
from sbot_common.errors import InputError, bad_value, install_command, unknown_name
from sbot_common.observation import Observation, Point, Scan
from sbot_common.params import refuse_unknown
from sbot_sim.world.bodies import BODIES, Body

PREFIX = 'navground:'
# Attributes of every behaviour that may be given beside its own properties, with our defaults.
# radius, wheels and largest speed are the body's.
_COMMON: dict[str, float] = {'optimal_speed': 1.5, 'max_speed': 2.0, 'max_angular_speed': math.pi,
                             'horizon': 5.0, 'safety_margin': 0.1, 'rotation_tau': 0.5}
_FOLLOW_KEY = 'follow_distance'  # m, our own: how near a robot without a goal comes to robot 0
_FOLLOW = 1.5
_APART = 0.1  # m, readings nearer to the last one that counts are left out
_HIT = 0.05  # m, radius of the disc that stands for a reading


def _core(where: str) -> Any:  # noqa: ANN401 - an optional module
    try:
        from navground import core
    except ImportError as error:
        raise InputError(f'{where}: needs the library navground ({error}): '
                         f'{install_command("navground")}') from None
    return core


def _behavior_names(where: str) -> list[str]:
    """Return the names of all behaviours that can be used, e.g. 'navground:HL'.

    Raises
    ------
    InputError
        if navground is not installed; the message begins with ``where``.

    """
    return [PREFIX + each for each in _core(where).Behavior.types
            if each and not each.endswith('Dummy')]


def _check_behavior(name: str, parameters: Mapping[str, object], where: str,
                    _: Sources) -> None:
    """Raise InputError for an unknown behaviour, or for parameters that it does not have.

    Parameters
    ----------
    name : 'navground:ORCA'
    parameters : by name
    where : what messages call it

    """
    _make_behavior(name, BODIES['robot'], parameters, where)


def _make_behavior(name: str, body: Body, parameters: Mapping[str, object],
                   where: str = 'controller') -> Any:  # noqa: ANN401 - of an optional module
    """Return a behaviour for a body; raise InputError as ``_check_behavior``."""
    core = _core(where)
    usable = _behavior_names(where)
    if name not in usable:
        raise unknown_name(where, name, usable)
    behavior = core.Behavior.make_type(name.removeprefix(PREFIX))
    refuse_unknown(parameters, [_FOLLOW_KEY, *_COMMON, *behavior.properties],
                   lambda each: f'{where}: {each}')
    values = {**_COMMON, **parameters}
    behavior.kinematics = core.kinematics.TwoWheelsDifferentialDriveKinematics(
        max_speed=body.top_speed, wheel_axis=body.wheel_distance,
        max_angular_speed=_number(values, 'max_angular_speed', where),
        max_forward_speed=_number(values, 'max_speed', where), max_backward_speed=0.0)
    behavior.radius = body.radius + body.collision_distance
    for each in ('optimal_speed', 'horizon', 'safety_margin', 'rotation_tau'):
        setattr(behavior, each, _number(values, each, where))
    behavior.optimal_angular_speed = _number(values, 'max_angular_speed', where)
    for each, declared in behavior.properties.items():
        if each in parameters:
            behavior.set(each, _as_declared(parameters[each], declared.default_value,
                                            f'{where}: {each}'))
    return behavior


def _as_declared(value: object, default: object, where: str) -> object:
    """Return a value in the type of a property's default; the library takes any without a word."""
    kind = type(default)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind:
        raise bad_value(where, value, f'a {kind.__name__}, e.g. {default}')
    return value


def _number(values: Mapping[str, object], name: str, where: str) -> float:
    value = values[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise bad_value(f'{where}: {name}', value, 'a number >= 0')
    return float(value)


class NavgroundController:
    """Drives a robot to its goal, or to robot 0 if it has none, by a behaviour of navground.

    Obstacles are the readings of the scan, a small disc each; neighbours are the other robots,
    taken to be of the same size, with the velocities of their last two poses.

    Parameters
    ----------
    name : 'navground:ORCA'
    body : of the robot
    parameters : properties of the behaviour, those of ``_COMMON`` and ``follow_distance``
    mount : of the laser: x, y (m), yaw (rad) in base_link

    """

    def __init__(self, name: str, body: Body, parameters: Mapping[str, object],
                 mount: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        self._mount = mount
        self._core = _core('controller')
        self._behavior = _make_behavior(name, body, parameters)
        self._radius = self._behavior.radius
        self._follow = _number({_FOLLOW_KEY: _FOLLOW, **parameters}, _FOLLOW_KEY, 'controller')
        self._start: Frame | None = None
        self._before: tuple[int, Floats] | None = None

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s)."""
        core, behavior, me = self._core, self._behavior, observation.robot_id
        poses = observation.poses
        if not np.isfinite(poses[me]).all():
            return 0.0, 0.0
        if self._start is None:
            self._start = frame_at(*poses[me].tolist())
        frame = self._start
        points = _in_frame(frame, poses[:, :2])
        target, tolerance = self._target(observation, frame, points)
        if target is None:
            return 0.0, 0.0
        x, y = points[me].tolist()
        yaw = wrap_angle(float(poses[me, 2]) - frame.yaw)
        heading = observation.scan_heading
        behavior.pose = core.Pose2((x, y), yaw)
        behavior.twist = self._twist(yaw, observation.twist)
        behavior.target = core.Target.Point(target, tolerance)
        state = behavior.environment_state
        state.neighbors = self._neighbors(observation, points)
        state.static_obstacles = self._obstacles(
            observation.scan, x, y, yaw if heading is None else heading - frame.yaw)
        command = behavior.compute_cmd(observation.dt, core.Frame.relative)
        v, omega = float(command.velocity[0]), float(command.angular_speed)
        return (v, omega) if math.isfinite(v) and math.isfinite(omega) else (0.0, 0.0)

    def _twist(self, yaw: float, twist: tuple[float, float, float]) -> Any:  # noqa: ANN401
        """Return the robot's twist for the behaviour, its velocity in the frame of the start.

        ORCA and HRVO read the two numbers as they are, whatever frame the twist says it is in; HL
        and SocialForce look at the frame. What all understand is the absolute frame.
        """
        forward, left, turn = twist
        sine, cosine = sincos(yaw)
        velocity = cosine * forward - sine * left, sine * forward + cosine * left
        return self._core.Twist2(velocity, turn, self._core.Frame.absolute)

    def _target(self, observation: Observation, frame: Frame,
                points: Floats) -> tuple[Point | None, float]:
        """Return where to (m), and how near (m)."""
        if observation.goal is not None:
            x, y = _in_frame(frame, np.array([observation.goal], np.float64))[0].tolist()
            return (x, y), self._radius / 2
        if observation.robot_id == 0 or not np.isfinite(observation.poses[0]).all():
            return None, 0.0
        return (float(points[0, 0]), float(points[0, 1])), self._follow

    def _neighbors(self, observation: Observation, points: Floats) -> list[Any]:
        """Return the other robots with their velocities since the last step."""
        velocities = np.zeros_like(points)
        if self._before is not None and observation.stamp_ns > self._before[0]:
            seconds = (observation.stamp_ns - self._before[0]) / 1e9
            velocities = (points - self._before[1]) / seconds
        self._before = observation.stamp_ns, points
        return [self._core.Neighbor(points[i], self._radius, velocities[i], i)
                for i in range(len(points))
                if i != observation.robot_id and np.isfinite(points[i]).all()
                and np.isfinite(velocities[i]).all()]

    def _obstacles(self, scan: Scan | None, x: float, y: float, heading: float) -> list[Any]:
        """Return a disc for each reading that is not near the one before."""
        if scan is None:
            return []
        hit = np.flatnonzero(np.isfinite(scan.ranges))
        sine, cosine = np.empty(len(hit)), np.empty(len(hit))
        angles = heading + scan.angle_min + hit * scan.angle_increment + self._mount[2]
        sincos_of(angles.astype(np.float64), sine, cosine)
        distance = scan.ranges[hit].astype(np.float64)
        ahead, aside, (s, c) = self._mount[0], self._mount[1], sincos(heading)
        x, y = x + (c * ahead - s * aside), y + (s * ahead + c * aside)
        points = np.column_stack((x + distance * cosine, y + distance * sine))
        discs: list[Any] = []
        last_x, last_y = math.inf, math.inf
        for (at_x, at_y), point in zip(points.tolist(), points, strict=True):
            dx, dy = at_x - last_x, at_y - last_y
            if dx * dx + dy * dy >= _APART * _APART:
                discs.append(self._core.Disc(point, _HIT))
                last_x, last_y = at_x, at_y
        return discs


def _in_frame(frame: Frame, points: Floats) -> Floats:
    """Return points (N, 2) m of `map` in a frame."""
    dx, dy = points[:, 0] - frame.x, points[:, 1] - frame.y
    return np.column_stack((frame.cosine * dx + frame.sine * dy,
                            frame.cosine * dy - frame.sine * dx))


ENTRY = Entry(PREFIX, 'A behaviour of navground, if that is installed: navground:NAME.',
              lambda place: NavgroundController(
                  place.name, place.body, place.parameters, place.mount),
              check=_check_behavior, fields=('twist', 'scan'))

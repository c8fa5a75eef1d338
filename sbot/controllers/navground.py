"""A behaviour of navground as a controller: observation in, command out (docs/navigate.md).

navground (J. Guzzi, IDSIA) computes in float32 and with libm: the same bits on one machine, over
ROS and in replay, but not on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.entry import NO_SOURCES, Entry, Place, Sources
from sbot_common.elementary import sincos_of
from sbot_common.errors import InputError, bad_value, install_command, unknown_name
from sbot_common.observation import Controller, Observation, Point, Scan
from sbot_common.params import refuse_unknown
from sbot_sim.world.bodies import BODIES, Body

PREFIX = 'navground:'
# Attributes of every behaviour that may be given beside its own properties, with our defaults.
# radius, wheels and largest speed are the body's.
COMMON: dict[str, float] = {'optimal_speed': 1.5, 'max_speed': 2.0, 'max_angular_speed': math.pi,
                            'horizon': 5.0, 'safety_margin': 0.1, 'rotation_tau': 0.5}
FOLLOW = 'follow_distance'  # m, our own: how near a robot without a goal comes to robot 0
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


def check_behavior(name: str, parameters: Mapping[str, object], where: str,
                   _: Sources = NO_SOURCES) -> None:
    """Raise InputError if there is no such behaviour, or it does not take the parameters.

    Parameters
    ----------
    name : 'navground:ORCA'
    parameters : by name
    where : what messages call it

    """
    make_behavior(name, BODIES['robot'], parameters, where)


def make_behavior(name: str, body: Body, parameters: Mapping[str, object],
                  where: str = 'controller') -> Any:  # noqa: ANN401 - of an optional module
    """Return a behaviour for a body; raise InputError as ``check_behavior``."""
    core = _core(where)
    kind = name.removeprefix(PREFIX)
    usable = [each for each in core.Behavior.types if each and not each.endswith('Dummy')]
    if kind not in usable:
        raise unknown_name(where, name, [PREFIX + each for each in usable])
    behavior = core.Behavior.make_type(kind)
    refuse_unknown(parameters, [FOLLOW, *COMMON, *behavior.properties],
                   lambda each: f'{where}: {each}')
    values = {**COMMON, **parameters}
    behavior.kinematics = core.kinematics.TwoWheelsDifferentialDriveKinematics(
        max_speed=body.max_wheel_speed * body.wheel_radius, wheel_axis=body.wheel_distance,
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
    """Drives a robot to its goal, or to robot 0 if it has none, as a behaviour of navground says.

    Obstacles are the readings of the scan, a small disc each; neighbours are the other robots,
    taken to be of the same size, with the velocities of their last two poses.

    Parameters
    ----------
    name : 'navground:ORCA'
    body : of the robot
    parameters : properties of the behaviour, those of ``COMMON`` and ``follow_distance``

    """

    def __init__(self, name: str, body: Body, parameters: Mapping[str, object]) -> None:
        self._core = _core('controller')
        self._behavior = make_behavior(name, body, parameters)
        self._radius = self._behavior.radius
        self._follow = _number({FOLLOW: _FOLLOW, **parameters}, FOLLOW, 'controller')
        self._before: tuple[int, NDArray[np.float64]] | None = None

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s)."""
        core, behavior, me = self._core, self._behavior, observation.robot_id
        poses = observation.poses
        target, tolerance = self._target(observation)
        if target is None or not np.isfinite(poses[me]).all():
            return 0.0, 0.0
        pose = poses[me].tolist()
        behavior.pose = core.Pose2(pose[:2], pose[2])
        forward, left, turn = observation.twist
        behavior.twist = core.Twist2((forward, left), turn, core.Frame.relative)
        behavior.target = core.Target.Point(target, tolerance)
        state = behavior.environment_state
        state.neighbors = self._neighbors(observation)
        heading = observation.scan_heading
        state.static_obstacles = self._obstacles(
            observation.scan, pose[0], pose[1], pose[2] if heading is None else heading)
        command = behavior.compute_cmd(observation.dt, core.Frame.relative)
        v, omega = float(command.velocity[0]), float(command.angular_speed)
        return (v, omega) if math.isfinite(v) and math.isfinite(omega) else (0.0, 0.0)

    def _target(self, observation: Observation) -> tuple[Point | None, float]:
        """Return where to (m), and how near (m)."""
        if observation.goal is not None:
            return observation.goal, self._radius / 2
        leader = observation.poses[0].tolist()
        if observation.robot_id == 0 or not all(map(math.isfinite, leader)):
            return None, 0.0
        return (leader[0], leader[1]), self._follow

    def _neighbors(self, observation: Observation) -> list[Any]:
        """Return the other robots with their velocities since the last step."""
        poses = observation.poses
        velocities = np.zeros((len(poses), 2))
        if self._before is not None and observation.stamp_ns > self._before[0]:
            seconds = (observation.stamp_ns - self._before[0]) / 1e9
            velocities = (poses[:, :2] - self._before[1]) / seconds
        self._before = observation.stamp_ns, poses[:, :2].copy()
        return [self._core.Neighbor(poses[i, :2], self._radius, velocities[i], i)
                for i in range(len(poses))
                if i != observation.robot_id and np.isfinite(poses[i, :2]).all()
                and np.isfinite(velocities[i]).all()]

    def _obstacles(self, scan: Scan | None, x: float, y: float, heading: float) -> list[Any]:
        """Return a disc for each reading that is not near the one before."""
        if scan is None:
            return []
        hit = np.flatnonzero(np.isfinite(scan.ranges))
        sine, cosine = np.empty(len(hit)), np.empty(len(hit))
        angles = heading + scan.angle_min + hit * scan.angle_increment
        sincos_of(angles.astype(np.float64), sine, cosine)
        distance = scan.ranges[hit].astype(np.float64)
        points = np.column_stack((x + distance * cosine, y + distance * sine))
        discs: list[Any] = []
        last_x, last_y = math.inf, math.inf
        for (at_x, at_y), point in zip(points.tolist(), points, strict=True):
            dx, dy = at_x - last_x, at_y - last_y
            if dx * dx + dy * dy >= _APART * _APART:
                discs.append(self._core.Disc(point, _HIT))
                last_x, last_y = at_x, at_y
        return discs


def _make(place: Place) -> Controller:
    return NavgroundController(place.name, place.body, place.parameters)


ENTRY = Entry(PREFIX, 'A behaviour of navground, where that is installed: navground:NAME.', _make,
              check=check_behavior, fields=('twist', 'scan'))

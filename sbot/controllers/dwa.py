# SPDX-License-Identifier: Apache-2.0
"""Entry of ``dwa``: the dynamic-window approach, a baseline without planning.

Fox, Burgard, Thrun, The Dynamic Window Approach to Collision Avoidance, IEEE Robotics and
Automation Magazine 4(1), 1997: of the speeds that can be reached within a time, and after which
the robot can still stop, the one with the greatest weighted sum of heading, distance and speed.
Obstacles are the readings of the scan, as points, and the other robots, as discs that stand.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sbot.controllers.entry import Entry
from sbot_common.angles import wrap_angle
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit
from sbot_common.elementary import acos, atan2, hypot, sincos, sincos_of
from sbot_common.observation import Observation
from sbot_common.params import Param
from sbot_sim.world.bodies import Body

_FAR = 6.0  # m, how far obstacles count: all else is as good as nothing in the way


class Parameters(NamedTuple):
    """Parameters of ``dwa``; compiled functions accept it whole."""

    max_speed: Annotated[float, Param(
        'm/s', 'Largest forward speed; no more than the wheels make.', minimum=0.0,
        open_minimum=True)] = 1.5
    max_turn_rate: Annotated[float, Param(
        'rad/s', 'Largest turn rate.', minimum=0.0, open_minimum=True)] = 2.0
    acceleration: Annotated[float, Param(
        'm/s^2', "Assumed acceleration, or the body's limit if that is lower.", minimum=0.0,
        open_minimum=True)] = 2.0
    angular_acceleration: Annotated[float, Param(
        'rad/s^2', "Assumed angular acceleration, or the body's limit if that is lower.",
        minimum=0.0, open_minimum=True)] = 8.0
    window: Annotated[float, Param(
        's', 'Time in which the robot must reach a speed that it tries.', minimum=0.0,
        open_minimum=True)] = 0.25
    heading_weight: Annotated[float, Param(
        '', 'Weight of the heading to the goal (2 in the paper).', minimum=0.0)] = 0.2
    distance_weight: Annotated[float, Param(
        '', 'Weight of the distance to the next obstacle (0.2 in the paper).',
        minimum=0.0)] = 1.0
    speed_weight: Annotated[float, Param(
        '', 'Weight of the forward speed (0.2 in the paper).', minimum=0.0)] = 0.2
    margin: Annotated[float, Param(
        'm', 'Distance kept from obstacles.', minimum=0.0)] = 0.1
    speeds: Annotated[int, Param('', 'Number of forward speeds that it tries.', minimum=2,
                                 maximum=100)] = 9
    turn_rates: Annotated[int, Param(
        '', 'Number of turn rates that it tries; odd, so that 0 is one of them.', minimum=3,
        maximum=201)] = 21
    goal_tolerance: Annotated[float, Param(
        'm', 'A robot at most this far from its goal has arrived.', minimum=0.0)] = 0.3
    follow_distance: Annotated[float, Param(
        'm', 'Distance to robot 0 that a robot without a goal keeps.', minimum=0.0)] = 1.5


class Dwa:
    """Drives to its goal, or after robot 0 if it has none, by the dynamic-window approach."""

    def __init__(self, parameters: Parameters, body: Body,
                 mount: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        self._mount = mount  # x, y (m), yaw (rad) of the laser in base_link
        acceleration = body.max_deceleration or body.max_acceleration or math.inf
        angular = body.max_angular_acceleration or math.inf
        self._parameters = parameters._replace(
            max_speed=min(parameters.max_speed, body.top_speed),
            acceleration=min(parameters.acceleration, acceleration,
                             body.max_acceleration or math.inf),
            angular_acceleration=min(parameters.angular_acceleration, angular))
        self._radius = body.radius + body.collision_distance

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (vx in m/s, omega in rad/s)."""
        p, me, poses = self._parameters, observation.robot_id, observation.poses
        goal, near = observation.goal, p.goal_tolerance
        if goal is None:
            goal, near = (float(poses[0, 0]), float(poses[0, 1])), p.follow_distance
        if not np.isfinite([*poses[me], *goal]).all() or (observation.goal is None and me == 0):
            return 0.0, 0.0
        x, y, yaw = poses[me].tolist()
        if hypot(goal[0] - x, goal[1] - y) <= near:
            return 0.0, 0.0
        others = np.delete(poses[:, :2], me, axis=0)
        others = others[np.isfinite(others).all(axis=1)]
        v, omega = observation.twist[0], observation.twist[2]
        points = np.vstack([_in_frame(x, y, yaw, others), self._hits(observation, yaw)])
        return _best_command(p, _in_frame(x, y, yaw, np.array([goal]))[0], points, len(others),
                             self._radius, v, omega)

    def _hits(self, observation: Observation, yaw: float) -> Floats:
        """Return where the scan has an echo (P, 2), m in the robot's frame."""
        scan, heading = observation.scan, observation.scan_heading
        assert scan is not None
        hit = np.flatnonzero(np.isfinite(scan.ranges) & (scan.ranges < _FAR))
        turned = 0.0 if heading is None else wrap_angle(heading - yaw)
        angles = scan.angle_min + hit * scan.angle_increment + turned + self._mount[2]
        sine, cosine = np.empty(len(hit)), np.empty(len(hit))
        sincos_of(angles.astype(np.float64), sine, cosine)
        ranges = scan.ranges[hit].astype(np.float64)
        ahead, aside, (s, c) = self._mount[0], self._mount[1], sincos(turned)
        return np.column_stack([(c * ahead - s * aside) + ranges * cosine,
                                (s * ahead + c * aside) + ranges * sine])


@njit
def _in_frame(x: float, y: float, yaw: float, points: Floats) -> Floats:
    """Return points (P, 2) m of `map` in the frame of a robot at (x, y, yaw)."""
    out, (s, c) = np.empty(points.shape), sincos(yaw)
    for k in range(len(points)):
        dx, dy = points[k, 0] - x, points[k, 1] - y
        out[k, 0], out[k, 1] = c * dx + s * dy, c * dy - s * dx
    return out


@njit
def _free_way(v: float, omega: float, points: Floats, robots: int, radius: float,
              margin: float) -> float:
    """Return how far (m) the origin of a disc gets on the arc of (v, omega), ``_FAR`` at most.

    Parameters
    ----------
    v, omega : m/s > 0, rad/s
    points : (P, 2) m, obstacles; the first ``robots`` are discs of the same radius
    radius, margin : of the disc, and what it keeps clear (m)

    """
    least = _FAR
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        reach = radius * (2.0 if k < robots else 1.0) + margin
        if x * x + y * y <= reach * reach:  # too near already: away from it only
            if x > 0.0:
                return 0.0
            continue
        if abs(omega) * 1e3 < v:
            if x > 0.0 and abs(y) < reach:
                least = min(least, x - math.sqrt(reach * reach - y * y))
            continue
        turn = v / omega  # m, of the arc about (0, turn)
        apart = hypot(x, y - turn)
        if abs(apart - abs(turn)) >= reach or apart + abs(turn) <= reach:
            continue
        # The angle of the obstacle about the middle of the arc, less that at which they touch.
        side = 1.0 if turn > 0.0 else -1.0
        at = atan2(x, side * (turn - y))
        if at < 0.0:
            at += 2.0 * math.pi
        cosine = (turn * turn + apart * apart - reach * reach) / (2.0 * abs(turn) * apart)
        least = min(least, abs(turn) * max(0.0, at - acos(min(max(cosine, -1.0), 1.0))))
    return least


@njit
def _best_command(p: Parameters, goal: Floats, points: Floats, robots: int, radius: float,
                  v: float, omega: float) -> tuple[float, float]:
    """Return the speeds (m/s, rad/s) in the dynamic window that are worth most.

    Where none is admissible the robot stops and turns to its goal.

    Parameters
    ----------
    p : parameters
    goal : (2,) m, in the robot's frame, as ``points`` (P, 2), the first of which are ``robots``
    radius : of the robot (m)
    v, omega : of the robot now

    """
    slow, fast = max(0.0, v - p.acceleration * p.window), v + p.acceleration * p.window
    away, direction = hypot(goal[0], goal[1]), atan2(goal[1], goal[0])
    # Fast enough to stop at the goal, not beyond.
    fast = max(slow, min(fast, p.max_speed, math.sqrt(2.0 * p.acceleration * away)))
    slow = min(slow, fast)
    low = max(omega - p.angular_acceleration * p.window, -p.max_turn_rate)
    high = min(omega + p.angular_acceleration * p.window, p.max_turn_rate)
    best, best_v = -math.inf, 0.0
    best_omega = min(max(2.0 * direction, low), high)
    for i in range(p.speeds):
        speed = slow + (fast - slow) * i / (p.speeds - 1)
        for j in range(p.turn_rates):
            turn = low + (high - low) * j / (p.turn_rates - 1)
            # Turning on the spot is admissible, and leads nowhere.
            way = 0.0 if speed == 0.0 else _free_way(speed, turn, points, robots, radius, p.margin)
            if speed * speed > 2.0 * way * p.acceleration:
                continue  # it could not stop
            angle = turn * p.window + turn * abs(turn) / (2.0 * p.angular_acceleration)
            off = direction - angle
            off -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
            value = (p.heading_weight * (1.0 - abs(off) / math.pi)
                     + p.distance_weight * way / _FAR + p.speed_weight * speed / p.max_speed)
            if value > best:
                best, best_v, best_omega = value, speed, turn
    return best_v, best_omega


def _warm_up() -> None:
    points = np.array([[2.0, 0.1], [1.0, 1.0]])
    _best_command(Parameters(), _in_frame(0.0, 0.0, 0.0, points)[0], points, 1, 0.3, 0.0, 0.0)


ENTRY = Entry('dwa', 'Dynamic-window approach: reacts to obstacles, does not plan '
                     '(docs/navigate.md).',
              lambda place: Dwa(place.parameters, place.body, place.mount), Parameters(),
              fields=('twist', 'scan'), goal_tolerance='goal_tolerance', warm_up=_warm_up,
              may_preload=True)

# SPDX-License-Identifier: Apache-2.0
"""Turns of robots in one compiled call: leader's sector, goals, velocity (document 001)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.forces import (
    Force,
    Scratch,
    follower_attraction,
    leader_attraction,
    make_scratch,
    nearby_repulsion,
    random_force,
    repels,
    repulsions,
    staying_put_index,
    update_average,
)
from potential_field_bot.parameters import GEOMETRIC, Parameters
from sbot_common.angles import wrap_angle
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import borrowed, njit, njit_inline, njit_inner
from sbot_common.elementary import asin, atan2, cos, sincos
from sbot_common.spatial import BucketGrid

# The leader's sector in a follower's scan (document 001, sections 9 and 10).
#
# Angles of readings run from the hit back to the sensor: heading + beam angle + pi. The listing's
# sector runs the other way, from the follower to the leader, and neither wraps (docs/errata.md
# P1). `as_written` keeps that bit for bit; `geometric` compares both in one frame and takes the
# angle that a disc really fills (docs/errata.md P12).

class _Leader(NamedTuple):
    """The sector of the leader as the listing has it (document 001 section 10)."""

    distance_threshold: float  # m; closer readings are obstacles in between
    theta_min: float  # rad
    theta_max: float  # rad


class _LeaderDisc(NamedTuple):
    """The sector of the leader in the plane, for the filter `geometric`."""

    distance_threshold: float  # m
    bearing: float  # rad in `map`, from the follower to the leader
    half_angle: float  # rad


@njit
def _laser_angle_min(heading: float, angle_min: float) -> float:
    """Return the angle (rad) of the first reading, hit to sensor, unwrapped.

    Document 001 section 9.
    """
    return heading + angle_min + math.pi


@njit
def _locate_leader(x0x: float, x0y: float, xjx: float, xjy: float, r0: float,
                  epsilon: float) -> _Leader:
    """Return the sector of a leader at (x0x, x0y) for a follower at (xjx, xjy) (m), as listed.

    Document 001 section 10; ``r0`` is the leader's radius (m).
    """
    sx = x0x - xjx
    sy = x0y - xjy
    sm = math.sqrt(sx * sx + sy * sy)
    s_theta = atan2(sy, sx)
    d_theta = abs(atan2(r0, sm))
    return _Leader(sm - (r0 + epsilon), s_theta - d_theta, s_theta + d_theta)


@njit
def _check_for_leader(leader: _Leader, laser_range: float, laser_angle: float) -> bool:
    """Tell whether a reading (m, rad hit to sensor) counts as the leader.

    Document 001 section 10.
    """
    return (laser_angle >= leader.theta_min and laser_angle <= leader.theta_max
            and laser_range >= leader.distance_threshold)


@njit
def _locate_leader_disc(x0x: float, x0y: float, xjx: float, xjy: float, r0: float,
                        epsilon: float) -> _LeaderDisc:
    """Return the sector that the leader's disc fills; all directions from within it."""
    sx = x0x - xjx
    sy = x0y - xjy
    sm = math.sqrt(sx * sx + sy * sy)
    half_angle = asin(r0 / sm) if r0 < sm else math.pi
    return _LeaderDisc(sm - (r0 + epsilon), atan2(sy, sx), half_angle)


@njit
def _check_for_leader_disc(leader: _LeaderDisc, laser_range: float, laser_angle: float) -> bool:
    """Tell whether a reading (m, rad hit to sensor) lies in the sector that the leader fills."""
    if not laser_range >= leader.distance_threshold:
        return False
    return abs(wrap_angle(laser_angle - math.pi - leader.bearing)) <= leader.half_angle


# Goal test and random goals (document 001, sections 15 and 16).

@njit
def _angle_of_draw(r: float) -> float:
    """Return the angle u in [-pi, pi) (rad) of a draw r in [0, 1) (document 001 section 11)."""
    return r * 2 * math.pi - math.pi


@njit
def is_on_goal(gx: float, gy: float, ex: float, ey: float, sigma: float) -> bool:
    """Tell whether the average position (ex, ey) is closer to the goal than ``sigma`` (m).

    Document 001 section 15.
    """
    sx = gx - ex
    sy = gy - ey
    return math.sqrt(sx * sx + sy * sy) < sigma


@njit
def generate_goal(x: float, y: float, r_distance: float, r_angle: float) -> tuple[float, float]:
    """Return a goal 0.5 to 1.5 m from (x, y) (m), from two draws in [0, 1): distance, then angle.

    Document 001 section 16.
    """
    um = 0.5 + r_distance
    ua = _angle_of_draw(r_angle)
    sine, cosine = sincos(ua)
    return x + um * cosine, y + um * sine


# Velocity command from force (document 001, section 13).

@njit
def _sgn(a: float) -> float:
    """Return -1, 0 or 1; 0 for NaN."""
    if a > 0:
        return 1.0
    if a < 0:
        return -1.0
    return 0.0


@njit_inner
def _reduce_angle(phi: float) -> float:
    """Return the same direction in [-pi, pi] (rad)."""
    sine, cosine = sincos(phi)
    return atan2(sine, cosine)


@njit
def _angular_velocity(kappa: float, theta: float, omega_max: float) -> float:
    """Return the turning speed (rad/s) for an angle ``theta`` (rad) between heading and force."""
    raw = kappa * theta
    capped = abs(raw)
    # Spelled out: std::min keeps its first argument unless the second is smaller, NaN included.
    if omega_max < capped:
        capped = omega_max
    return _sgn(raw) * capped


@njit
def _linear_velocity(lambda_: float, ftx: float, fty: float, theta: float, v_max: float) -> float:
    """Return the forward speed (m/s) for a total force ``theta`` (rad) off the heading; >= 0."""
    raw = lambda_ * math.sqrt(ftx * ftx + fty * fty) * cos(theta)
    if raw > 0:
        return v_max if v_max < raw else raw
    return 0.0



class State(NamedTuple):
    """What a robot remembers from turn to turn."""

    ema_x: float  # m, moving average of the position
    ema_y: float
    goal_x: float  # m
    goal_y: float
    tick_counter: int  # turns so far


class Turn(NamedTuple):
    """What one turn decided, and why. Forces have their components in `map`."""

    v: float  # m/s, linear.x of the command
    omega: float  # rad/s, angular.z of the command
    theta: float  # rad, from the heading to the total force
    total_x: float
    total_y: float
    attraction_x: float
    attraction_y: float
    random_x: float
    random_y: float
    laser_x: float  # repulsion by the readings
    laser_y: float
    other_x: float  # repulsion by the other robots, factor included
    other_y: float

    @property
    def valid(self) -> bool:
        """Whether force and pose were numbers; else the command is (0, 0)."""
        return not math.isnan(self.theta)


COMMAND = slice(0, 2)  # columns of a turn: linear.x and angular.z
THETA = Turn._fields.index('theta')


class Scans(NamedTuple):
    """The scans of the M robots that take a turn."""

    ranges: NDArray[np.float32]  # (M, beams) m; NaN and +inf push nothing; beams may be 0
    heading: Floats  # (M,) rad, of the robot when its scan arrived
    angle_min: float  # rad, as in the messages, promoted to double
    angle_increment: float  # rad


@njit_inner
def _attraction(p: Parameters, goal_x: float, goal_y: float, robot_id: int,
               poses: Floats) -> Force:
    """Return the pull of the goal on robot 0, or of robot 0 on a follower (section 6)."""
    x, y = poses[robot_id, 0], poses[robot_id, 1]
    if robot_id == 0:
        return leader_attraction(p.attraction_constant_gamma, goal_x, goal_y, x, y)
    return follower_attraction(p.repulsion_constant_alpha, p.attraction_constant_gamma,
                               poses[0, 0], poses[0, 1], x, y, p.robot_radius_m, p.robot_radius_m,
                               p.safe_distance_m, p.far_distance_m)


@njit
def _add_readings(p: Parameters, robot_id: int, poses: NDArray[np.float64],
                  ranges: NDArray[np.float32], angle_min: float, angle_increment: float,
                  fx: float, fy: float) -> tuple[float, float, float, float]:
    """Add the push of each reading that is not the leader to (fx, fy) (sections 7, 10, 12).

    Returns
    -------
    sum_x, sum_y : what became of (fx, fy), added up in the order of the readings
    laser_x, laser_y : the readings' share alone

    """
    n = ranges.shape[0]
    leader = _leader(p, robot_id, poses)
    # Readings that push nothing add zero, which changes no sum but -0.0.
    if fx == 0.0 or fy == 0.0:
        for i in range(n):
            way = np.float64(ranges[i])  # as below: no functions of another type
            if not repels(p, way) and not _is_leader(p, robot_id, leader, way,
                                                     angle_min + i * angle_increment):
                fx, fy = fx + 0.0, fy + 0.0
                break
    reading, count = np.empty(n, np.uint32), np.uint64(0)
    for i in range(n):  # no branch: which readings are near cannot be foreseen
        reading[count] = i
        count += np.uint64(repels(p, np.float64(ranges[i])))
    distance, angle, x, y = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    for k in range(count):
        distance[k] = ranges[reading[k]]
        angle[k] = angle_min + np.int32(reading[k]) * angle_increment
    repulsions(p, distance, angle, x, y)
    laser_x, laser_y = 0.0, 0.0
    for i in range(count):
        if _is_leader(p, robot_id, leader, distance[i], angle[i]):
            continue
        fx += x[i]
        fy += y[i]
        laser_x += x[i]
        laser_y += y[i]
    return fx, fy, laser_x, laser_y


@njit_inline
def _leader(p: Parameters, robot_id: int,
            poses: NDArray[np.float64]) -> tuple[_Leader, _LeaderDisc]:
    """Return where the leader is seen, in the form that the filter needs."""
    x0, y0 = poses[0, 0], poses[0, 1]
    xj, yj = poses[robot_id, 0], poses[robot_id, 1]
    nowhere = math.inf
    written = _Leader(nowhere, nowhere, nowhere)
    disc = _LeaderDisc(nowhere, nowhere, nowhere)
    if robot_id != 0:
        if p.leader_filter == GEOMETRIC:
            disc = _locate_leader_disc(x0, y0, xj, yj, p.robot_radius_m,
                                       p.error_constant_epsilon_m)
        else:
            written = _locate_leader(x0, y0, xj, yj, p.robot_radius_m, p.error_constant_epsilon_m)
    return written, disc


@njit_inline
def _is_leader(p: Parameters, robot_id: int, leader: tuple[_Leader, _LeaderDisc], distance: float,
               angle: float) -> bool:
    """Tell whether a reading (m, rad) is the leader's; never for the leader itself."""
    if robot_id == 0:
        return False
    if p.leader_filter == GEOMETRIC:
        return _check_for_leader_disc(leader[1], distance, angle)
    return _check_for_leader(leader[0], distance, angle)


@njit_inner
def _decide(p: Parameters, goal_x: float, goal_y: float, ema_x: float, ema_y: float, robot_id: int,
           poses: Floats, ranges: NDArray[np.float32], angle_min: float, angle_increment: float,
           u: float, other: Force) -> Turn:
    """Return one robot's turn, given its new average position and the other robots' push."""
    x, y, heading = poses[robot_id, 0], poses[robot_id, 1], poses[robot_id, 2]
    attraction_x, attraction_y = _attraction(p, goal_x, goal_y, robot_id, poses)
    random_x, random_y = random_force(p.conversion_constant_zeta,
                                      staying_put_index(x, y, ema_x, ema_y), u)
    fx, fy, laser_x, laser_y = _add_readings(p, robot_id, poses, ranges, angle_min,
                                             angle_increment, attraction_x + random_x,
                                             attraction_y + random_y)
    fx += other[0]
    fy += other[1]

    theta = _reduce_angle(atan2(fy, fx) - heading)
    v, omega = 0.0, 0.0
    if not math.isnan(theta):
        omega = _angular_velocity(p.angular_scaler_kappa, theta, p.rotate_speed_radps)
        v = _linear_velocity(p.linear_scaler_lambda, fx, fy, theta, p.forward_speed_mps)
    return Turn(v, omega, theta, fx, fy, attraction_x, attraction_y, random_x, random_y,
                laser_x, laser_y, other[0], other[1])


@njit
def take_turns(first: int, end: int, parameters: Parameters, ids: NDArray[np.int64],
               states: Floats, draws: Floats, poses: Floats, scans: Scans, grid: BucketGrid,
               turns: Floats) -> None:
    """Take the turns first ... end-1 of M of the N robots: the document's {Actuate Robot}.

    Drawing a new goal, which the document does last, is ``controller.generate_goal``. A command is
    always finite with 0 <= v <= forward_speed_mps and abs(omega) <= rotate_speed_radps. An
    infinite force gives the limits. A force or a pose that is not a number gives (0, 0) and a
    theta of NaN (docs/errata.md P2); without a pose the average stays.

    Parameters
    ----------
    parameters : the constants, the same for all M
    ids : (M,) which robots take a turn; 0 is the leader
    states : (M, 4) moving average of the position and goal, x, y (m) each; brought up to date
    draws : (M,) one number of each robot's generator, in [0, 1)
    poses : (N, 3) x, y (m), yaw (rad) of all robots in `map`
    scans : of the M robots
    grid : ``neighbours.repulsion_grid(parameters, poses)``, or ``neighbours.one_cell(N)``
    turns : (M, 13) the fields of ``Turn``; written to

    """
    scratch = make_scratch(poses.shape[0])
    _take_turns(first, end, parameters, borrowed(ids), borrowed(states), borrowed(draws),
                borrowed(poses), borrowed(scans), borrowed(grid), borrowed(scratch),
                borrowed(turns))
    for part in (scratch.dx, scratch.dy, scratch.distance, scratch.angle, scratch.x, scratch.y):
        part[0] = 0.0  # keeps them alive until here
    scratch.number[0] = 0


@njit_inline
def _take_turns(first: int, end: int, p: Parameters, ids: NDArray[np.int64], states: Floats,
                draws: Floats, poses: Floats, scans: Scans, grid: BucketGrid, scratch: Scratch,
                turns: Floats) -> None:
    for m in range(first, end):
        i = ids[m]
        x, y = poses[i, 0], poses[i, 1]
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(poses[i, 2])):
            for k in range(turns.shape[1]):  # the robot stands, and its average stays
                turns[m, k] = math.nan if THETA <= k < THETA + 3 else 0.0
            continue
        states[m, 0] = update_average(p.ema_coefficient_eta, states[m, 0], x)
        states[m, 1] = update_average(p.ema_coefficient_eta, states[m, 1], y)
        other = nearby_repulsion(p, i, poses, grid, scratch)
        turn = _decide(p, states[m, 2], states[m, 3], states[m, 0], states[m, 1], i, poses,
                      scans.ranges[m],
                      _laser_angle_min(scans.heading[m], scans.angle_min), scans.angle_increment,
                      _angle_of_draw(draws[m]), other)
        for k in range(turns.shape[1]):
            turns[m, k] = turn[k]

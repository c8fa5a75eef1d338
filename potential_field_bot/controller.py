"""One turn of one robot as a pure function: document 001, sections 6 and 12 to 14."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.forces import (
    Force,
    follower_attraction,
    leader_attraction,
    other_repulsion,
    random_force,
    repels,
    repulsions,
    staying_put_index,
    update_average,
)
from potential_field_bot.leader import (
    Leader,
    LeaderDisc,
    check_for_leader,
    check_for_leader_disc,
    locate_leader,
    locate_leader_disc,
)
from potential_field_bot.parameters import GEOMETRIC, Parameters
from potential_field_bot.velocity import angular_velocity, linear_velocity, reduce_angle
from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary import atan2


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
    valid: bool  # false: the force or the pose was not a number, so the command is (0, 0)


def initial_state(goal: tuple[float, float], pose: NDArray[np.float64]) -> State:
    """Return the state before the first turn: the average starts at the position (section 11).

    Parameters
    ----------
    goal : x, y (m)
    pose : (3,) x, y (m), yaw (rad) of the robot

    """
    return State(float(pose[0]), float(pose[1]), float(goal[0]), float(goal[1]), 0)


@njit
def attraction(p: Parameters, state: State, robot_id: int, poses: NDArray[np.float64]) -> Force:
    """Return the pull of the goal on robot 0, or of robot 0 on a follower (section 6)."""
    x, y = poses[robot_id, 0], poses[robot_id, 1]
    if robot_id == 0:
        return leader_attraction(p.attraction_constant_gamma, state.goal_x, state.goal_y, x, y)
    return follower_attraction(p.repulsion_constant_alpha, p.attraction_constant_gamma,
                               poses[0, 0], poses[0, 1], x, y, p.robot_radius_m, p.robot_radius_m,
                               p.safe_distance_m, p.far_distance_m)


@njit
def add_readings(p: Parameters, robot_id: int, poses: NDArray[np.float64],
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
            if not repels(p, ranges[i]) and not _is_leader(p, robot_id, leader, ranges[i],
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
def _leader(p: Parameters, robot_id: int, poses: NDArray[np.float64]) -> tuple[Leader, LeaderDisc]:
    """Return where the leader is seen, in the form that the filter needs."""
    x0, y0 = poses[0, 0], poses[0, 1]
    xj, yj = poses[robot_id, 0], poses[robot_id, 1]
    nowhere = math.inf
    written = Leader(nowhere, nowhere, nowhere)
    disc = LeaderDisc(nowhere, nowhere, nowhere)
    if robot_id != 0:
        if p.leader_filter == GEOMETRIC:
            disc = locate_leader_disc(x0, y0, xj, yj, p.robot_radius_m, p.error_constant_epsilon_m)
        else:
            written = locate_leader(x0, y0, xj, yj, p.robot_radius_m, p.error_constant_epsilon_m)
    return written, disc


@njit_inline
def _is_leader(p: Parameters, robot_id: int, leader: tuple[Leader, LeaderDisc], distance: float,
               angle: float) -> bool:
    """Tell whether a reading (m, rad) is the leader's; never for the leader itself."""
    if robot_id == 0:
        return False
    if p.leader_filter == GEOMETRIC:
        return check_for_leader_disc(leader[1], distance, angle)
    return check_for_leader(leader[0], distance, angle)


@njit_inner
def halted(state: State) -> tuple[State, Turn]:
    """Return the turn of a robot that does not know where it is: it stands, its average stays."""
    zero, nan = 0.0, math.nan
    after = State(state.ema_x, state.ema_y, state.goal_x, state.goal_y, state.tick_counter + 1)
    return after, Turn(zero, zero, nan, nan, nan, zero, zero, zero, zero, zero, zero, zero, zero,
                       False)


@njit
def decide(p: Parameters, state: State, robot_id: int, poses: NDArray[np.float64],
           ranges: NDArray[np.float32], angle_min: float, angle_increment: float, u: float,
           other_x: float, other_y: float) -> tuple[State, Turn]:
    """Take one turn, given the other robots' push; the arguments are those of ``actuate``."""
    x, y, heading = poses[robot_id, 0], poses[robot_id, 1], poses[robot_id, 2]
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(heading)):
        return halted(state)
    ema_x = update_average(p.ema_coefficient_eta, state.ema_x, x)
    ema_y = update_average(p.ema_coefficient_eta, state.ema_y, y)
    after = State(ema_x, ema_y, state.goal_x, state.goal_y, state.tick_counter + 1)

    attraction_x, attraction_y = attraction(p, state, robot_id, poses)
    random_x, random_y = random_force(p.conversion_constant_zeta,
                                      staying_put_index(x, y, ema_x, ema_y), u)
    fx, fy, laser_x, laser_y = add_readings(p, robot_id, poses, ranges, angle_min,
                                            angle_increment, attraction_x + random_x,
                                            attraction_y + random_y)
    fx += other_x
    fy += other_y

    theta = reduce_angle(atan2(fy, fx) - heading)
    v, omega = 0.0, 0.0
    valid = not math.isnan(theta)
    if valid:
        omega = angular_velocity(p.angular_scaler_kappa, theta, p.rotate_speed_radps)
        v = linear_velocity(p.linear_scaler_lambda, fx, fy, theta, p.forward_speed_mps)
    return after, Turn(v, omega, theta, fx, fy, attraction_x, attraction_y, random_x, random_y,
                       laser_x, laser_y, other_x, other_y, valid)


@njit
def actuate(parameters: Parameters, state: State, robot_id: int, poses: NDArray[np.float64],
            ranges: NDArray[np.float32], angle_min: float, angle_increment: float,
            u: float) -> tuple[State, Turn]:
    """Take one turn of one robot: the document's {Actuate Robot} up to its counter.

    Drawing a new goal, which the document does last, is ``goals.generate_goal``.

    Parameters
    ----------
    parameters : the constants
    state : before the turn
    robot_id : 0 is the leader
    poses : (N, 3) x, y (m), yaw (rad) of all robots in `map`
    ranges : (beams,) float32 m; NaN and +inf push nothing; may be empty
    angle_min : rad, ``leader.laser_angle_min`` of the heading when the scan arrived
    angle_increment : rad, a float32 promoted to double
    u : rad in [-pi, pi), the drawn angle of the random force

    Returns
    -------
    State, Turn
        The command is always finite with 0 <= v <= forward_speed_mps and
        abs(omega) <= rotate_speed_radps. An infinite force gives the limits; a force that is not
        a number gives (0, 0) and ``valid`` false (docs/errata.md P2).

    """
    other_x, other_y = other_repulsion(parameters, robot_id, poses)
    return decide(parameters, state, robot_id, poses, ranges, angle_min, angle_increment, u,
                  other_x, other_y)

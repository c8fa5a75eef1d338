# SPDX-License-Identifier: Apache-2.0
"""One turn of ``navigate``: see, estimate the drift, choose a target, a path and a velocity."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import (
    Drift,
    Place,
    drive,
    driven,
    estimated_dust,
    estimated_noise,
    fastest,
    into,
    is_calm,
    projected,
    room_ahead,
    steady_room,
    steered,
    updated_drift,
    without_dust,
)
from sbot.controllers.navigate.encounters import (
    Around,
    avoiding,
    evading,
    keep_apart,
)
from sbot.controllers.navigate.following import (
    follow,
    follower_target,
    leader_speed,
    on_trail,
)
from sbot.controllers.navigate.map import Grid, mark_line, shifted
from sbot.controllers.navigate.memory import (
    Memory,
    State,
    Task,
    Turning,
    resting_turn,
    same_side,
    turn_with_hysteresis,
    turned,
    wanting,
)
from sbot.controllers.navigate.moving import look_for_movers, meet_movers
from sbot.controllers.navigate.outline import kept_off
from sbot.controllers.navigate.parameters import (
    AT_REST,
    CREEPING,
    DEAD_ZONE,
    FALL,
    FORESIGHT,
    HOME,
    LEAST_MARGIN,
    LOOK_TIME,
    PASSAGE,
    RATE,
    RISE,
    SIDE,
    START,
    STILL,
    Parameters,
    Size,
    bounded,
)
from sbot.controllers.navigate.passages import on_lane, passage_ahead
from sbot.controllers.navigate.route import (
    Route,
    margin_ahead,
    margin_beside,
    next_point,
    nothing_planned,
    watched,
)
from sbot.controllers.navigate.sight import (
    limit_hidden,
    limit_near,
    list_neighbours,
    makes_room,
    see,
)
from sbot.controllers.navigate.view import (
    notice_leaving,
    seen_behind,
    sees_all_ahead,
)
from sbot.controllers.navigate.yielding import (
    PASSES,
    WAITS,
    Yield,
    is_occupied,
    negotiated,
    write_headings,
)
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import borrowed, njit, njit_inner
from sbot_common.elementary import sincos


class _Way(NamedTuple):
    """Where a robot is to go now."""

    points: int  # of the trail
    waiting: Yield
    route: Route
    to_x: float  # m, target
    to_y: float
    at_x: float  # m, point to head for
    at_y: float
    speed: float  # m/s, no faster
    is_to_goal: bool  # or to a place behind a leader


class _Sight(NamedTuple):
    """What a robot makes of a turn's observation."""

    grid: Grid
    robots: int  # rows of ``memory.near``
    near: int  # likewise, with obstacles that move
    seen: int  # rows of ``memory.limits`` of what it sees now
    limits: int  # likewise, with what it saw before; they hold for its velocity
    changed: bool  # an obstacle is new
    looked: float  # s, when obstacles that move were looked for
    noise: float  # m, standard deviation of ranges
    dust: float  # share of beams that end in the air
    ranges: NDArray[np.float32]  # (beams,) m, without dust


@njit_inner
def placed(state: State, poses: Floats, me: int, yaw: float) -> Place:
    """Return a robot's place in its frame, with a heading of ``yaw`` (rad) in `map`."""
    x, y = into(state.frame, poses[me, 0], poses[me, 1])
    sine, cosine = sincos(yaw - state.frame.yaw)
    return Place(x, y, cosine, sine)


@njit_inner
def _place_and_eye(state: State, task: Task, poses: Floats, yaw: float) -> tuple[Place, Place]:
    """Return a robot's place, and its laser's when the robot's heading was ``yaw`` (rad)."""
    me = task.robot_id
    x, y, cosine, sine = placed(state, poses, me, yaw)
    eye = Place(x + (cosine * task.eye_x - sine * task.eye_y),
                y + (sine * task.eye_x + cosine * task.eye_y), cosine, sine)
    return placed(state, poses, me, poses[me, 2]), eye


@njit_inner
def window(p: Parameters, state: State, memory: Memory, place: Place) -> Grid:
    """Return the grid; it is moved where the robot nears its edge, and what is known marked."""
    grid = Grid(memory.nearness, memory.evidence, memory.hits, state.origin_x, state.origin_y,
                p.cell_m)
    middle, is_new = SIDE / 2 * p.cell_m, state.turn == 0
    if max(abs(place.x - grid.origin_x - middle),
           abs(place.y - grid.origin_y - middle)) >= 0.75 * middle:
        origin_x, origin_y = shifted(grid, place.x, place.y)
        grid = Grid(memory.nearness, memory.evidence, memory.hits, origin_x, origin_y, p.cell_m)
        is_new = True
    if is_new:
        for x0, y0, x1, y1 in memory.known:
            mark_line(grid, x0, y0, x1, y1)
    return grid


@njit
def _negotiate(p: Parameters, grid: Grid, memory: Memory, state: State, me: int, poses: Floats,
               place: Place, to_x: float, to_y: float) -> Yield:
    """Return whether a robot on its way to (to_x, to_y) (m) waits for others now."""
    waiting, route = state.waiting, state.route
    found, passage = False, waiting.passage
    if waiting.mode != WAITS:
        found, passage = passage_ahead(p, grid, memory.path, route.length, route.at, place.x,
                                       place.y, to_x, to_y)
    if found or waiting.mode == WAITS:
        write_headings(state.frame, poses, memory.headings)
    return negotiated(p, grid, waiting, me, found, passage, memory.others, memory.mobile,
                      memory.headings, state.time)


@njit
def _way_to_goal(p: Parameters, grid: Grid, memory: Memory, state: State, task: Task,
                 followers: NDArray[np.int64], poses: Floats, place: Place, changed: bool) -> _Way:
    """Return the way of a robot with a goal; ``changed``: an obstacle is new."""
    x, y, waiting = place.x, place.y, state.waiting
    to_x, to_y = into(state.frame, task.goal_x, task.goal_y)
    speed = leader_speed(p, memory, followers, x, y)
    # No way may lead to where it waits, either: that says nothing about its goal.
    if poses.shape[0] > 1 and (waiting.mode == WAITS or (
            not state.route.closed and state.time - waiting.looked >= LOOK_TIME)):
        waiting = _negotiate(p, grid, memory, state, task.robot_id, poses, place, to_x, to_y)
    if waiting.mode == WAITS:
        to_x, to_y = waiting.spot_x, waiting.spot_y
    route, at_x, at_y = next_point(memory.walls, grid, memory.search, memory.path, state.route,
                                   state.time, changed, x, y, to_x, to_y,
                                   task.size.outline.side > 0.0)
    if waiting.mode == PASSES and not _is_at_home(p, state, task, place) and is_occupied(
            memory.others, task.robot_id, x, y, PASSAGE * p.robot_radius_m):
        at_x, at_y, most = on_lane(p, grid, waiting.passage, x, y, at_x, at_y)
        if is_occupied(memory.others, task.robot_id, x, y, FORESIGHT * p.robot_radius_m):
            speed = min(speed, most)
    return _Way(state.trail, waiting, route, to_x, to_y, at_x, at_y, speed, True)


@njit
def _way_of_follower(p: Parameters, grid: Grid, memory: Memory, state: State, task: Task,
                     place: Place, changed: bool) -> _Way:
    """Return the way of a robot that follows; ``changed``: an obstacle is new."""
    x, y, route = place.x, place.y, state.route
    leader_x, leader_y = memory.others[0, 0], memory.others[0, 1]
    if task.rank < 0 or not math.isfinite(leader_x + leader_y):
        return _Way(state.trail, state.waiting, route, x, y, x, y, 0.0, False)
    points = follow(memory.trail, state.trail, leader_x, leader_y, p.robot_radius_m)
    to_x, to_y, older = follower_target(p, grid, memory, task, points, x, y)
    at_x, at_y, seen = on_trail(p, grid, memory.trail, points, older, x, y, to_x, to_y)
    if seen:
        route = nothing_planned(route)
    else:
        route, at_x, at_y = next_point(memory.walls, grid, memory.search, memory.path, route,
                                       state.time, changed, x, y, to_x, to_y)
    return _Way(points, state.waiting, route, to_x, to_y, at_x, at_y, p.forward_speed_mps,
                False)


@njit_inner
def along(p: Parameters, way: _Way, x: float, y: float) -> tuple[float, float]:
    """Return the velocity (m/s) along a way, slower near its target."""
    far_x, far_y, dx, dy = way.to_x - x, way.to_y - y, way.at_x - x, way.at_y - y
    length = math.sqrt(dx * dx + dy * dy)
    if length == 0.0:
        return 0.0, 0.0
    speed = min(way.speed, p.position_gain * max(length, math.sqrt(far_x * far_x + far_y * far_y)))
    return speed * dx / length, speed * dy / length


@njit_inner
def _smoothed(p: Parameters, last: float, v: float, waits: bool, dt: float) -> float:
    """Return a speed (m/s) between the last one and ``v``; ``waits``: so may brakes."""
    if v > last:
        return last + min(p.forward_speed_mps / START * dt, min(1.0, dt / RISE) * (v - last))
    return last + min(1.0, dt / FALL) * (v - last) if waits else v


@njit
def commanded(p: Parameters, memory: Memory, sight: _Sight, state: State, size: Size,
              turning: Turning, way: _Way, place: Place, drift: Drift, air: tuple[float, float],
              dt: float) -> tuple[float, float]:
    """Return linear.x (m/s) and angular.z (rad/s) for a velocity through the air (m/s)."""
    (air_x, air_y), robots = air, sight.robots
    still = STILL * p.forward_speed_mps
    if air_x * air_x + air_y * air_y <= still * still:
        if robots == 0 or not way.is_to_goal:
            return 0.0, 0.0
        return 0.0, resting_turn(p, way.waiting, turning, place, way.at_x - place.x,
                                 way.at_y - place.y, way.to_x - place.x, way.to_y - place.y,
                                 state.time)
    v, angle = drive(air_x, air_y, place.cosine, place.sine)
    # Two robots that see each other choose anew in every turn, and each choice changes the
    # other's: 1.5 m/s, 0.9 m/s, 1.5 m/s, ... The mean of what they want does not. In wind, and
    # where an obstacle moves, brakes cannot wait. A slim body passes gaps by its exact heading;
    # inertia is smooth enough.
    calm, alone = is_calm(p, drift) and sight.near == robots, robots == 0
    sudden = (sight.near > robots or size.outline.side > 0.0
              or size.inertia.acceleration < math.inf)
    mean, steady = drive(turning.x, turning.y, place.cosine, place.sine)
    if calm:
        v = mean
    v = fastest(p, memory.limits, sight.limits, place, drift.x, drift.y,
                min(v, p.forward_speed_mps, max(0.0, turning.room)), state.margin)
    creeping, slow = CREEPING * p.forward_speed_mps, AT_REST * p.forward_speed_mps
    if not sudden:
        v = _smoothed(p, turning.v, v, calm and not alone, dt)
    gain, creeps = p.turn_gain, air_x * air_x + air_y * air_y < creeping * creeping or v < slow
    if calm and creeps and not alone:
        return v, turn_with_hysteresis(p, turning, angle, state.time)
    if calm and (creeps or not alone):
        angle, gain = steady, p.turn_gain / 2 if alone else p.turn_gain
    angle = same_side(turning, angle)
    if not sudden:
        zone = DEAD_ZONE if alone else DEAD_ZONE / 2
        angle -= min(zone, max(-zone, angle))
    omega = bounded(p, min(gain, 1.0 / dt) * angle)
    if not sudden:
        omega = turning.omega + min(1.0, dt / FALL) * (omega - turning.omega)
    return v, omega


@njit
def velocities(p: Parameters, memory: Memory, sight: _Sight, state: State, way: _Way, place: Place,
               drift: Drift, is_home: bool, aside: bool, forward: float, left: float,
               ) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the velocity (m/s) chosen among others, and the one through the air in the limits.

    ``is_home``: the robot makes room for others; ``aside``: it does nothing else; ``forward``,
    ``left`` are as in ``take_turn``.
    """
    vx, vy = (0.0, 0.0) if aside else along(p, way, place.x, place.y)
    if is_home:
        room_x, room_y = keep_apart(p, memory.near, sight.robots)
        vx, vy = vx + room_x, vy + room_y
    chosen = avoiding(p, sight.grid, place, memory.near, sight.near,
                      place.cosine * forward - place.sine * left,
                      place.sine * forward + place.cosine * left, state.chosen_x, state.chosen_y,
                      vx, vy, state.margin)
    vx, vy = projected(memory.limits, sight.seen, sight.limits, chosen[0], chosen[1])
    return chosen, (vx - drift.x, vy - drift.y)


@njit
def told(p: Parameters, memory: Memory, sight: _Sight, state: State, task: Task,
         turning: Turning, way: _Way, place: Place, beams: Floats, drift: Drift,
         air: tuple[float, float], dt: float) -> tuple[bool, float, float]:
    """Return whether a car backs, linear.x (m/s) and angular.z (rad/s), after evasion."""
    v, omega = commanded(p, memory, sight, state, task.size, turning, way, place, drift, air, dt)
    if sight.near > sight.robots:
        around = Around(sight.grid, place, drift.x, drift.y, memory.near, sight.robots, sight.near,
                        state.drift.v, task.size.inertia)
        v, omega = evading(p, around, memory.limits, sight.seen, sight.limits, state.margin, v,
                           omega, air, way.at_x - place.x, way.at_y - place.y, dt)
        turn = task.size.car.curvature * v
        if turn > 0.0:
            omega = min(turn, max(-turn, omega))
    elif task.size.car.curvature > 0.0:
        return steered(p, memory.limits, sight.limits, place, drift, state.margin, task.size.car,
                       state.backs, seen_behind(p, sight.grid, place), *air, dt)
    if task.size.outline.side > 0.0:
        return False, *kept_off(p, task.size.outline, sight.grid, place, task.eye_x, task.eye_y,
                                sight.ranges, beams, state.margin,
                                seen_behind(p, sight.grid, place), v, omega)
    return False, v, omega


@njit_inner
def _drifting(p: Parameters, state: State, forward: float, left: float, place: Place,
              dt: float) -> Drift:
    """Return the drift after one more measurement, with the command of the last turn."""
    if state.turn == 0:
        return state.drift
    x, y = updated_drift(state.drift, min(1.0, RATE * dt * p.drift_weight),
                         0.9 * p.forward_speed_mps, forward, left, place.cosine, place.sine, dt)
    return Drift(x, y, state.drift.v, state.drift.omega)


@njit
def _look_around(p: Parameters, state: State, memory: Memory, task: Task, poses: Floats,
                 ranges: NDArray[np.float32], beams: Floats, place: Place, eye: Place,
                 drift: Drift, is_home: bool, dt: float) -> _Sight:
    """Remember what is seen, and write who is near and the limits of the velocity.

    ``eye`` is the laser's place when the scan arrived, with the robot's heading; the others are
    as in ``take_turn``.
    """
    me, time, looked, noise = task.robot_id, state.time, state.looked, state.noise
    dust, given = state.dust, ranges
    ranges = without_dust(p, dust, noise, given, beams)
    grid = window(p, state, memory, place)
    robots = list_neighbours(p, grid, state.frame, memory, me, poses, place, dt, is_home)
    if time - looked >= LOOK_TIME:
        look_for_movers(p, grid, memory.movers, ranges, beams, eye, memory.mobile, me, time)
        looked, noise = time, estimated_noise(p, noise, ranges, beams)
        dust = estimated_dust(p, dust, noise, given, beams)
    near = meet_movers(p, memory.movers, place.x, place.y, time, memory.near, robots)
    seen, changed = see(memory.walls, grid, memory, me, place, eye, ranges, beams, drift, state,
                        noise, dt)
    apart = LEAST_MARGIN * p.robot_radius_m if state.waiting.mode == PASSES else p.margin_m
    seen = limit_near(p, memory, robots, near, seen, apart)
    limits = limit_hidden(memory.walls, grid, memory, place, eye, beams, drift, state.margin,
                          task.size.car.curvature > 0.0, seen)
    if task.size.outline.side > 0.0 and near == 0 and is_calm(p, drift):
        seen = limits = 0  # the limits are those of a disc: they would turn it out of a gap's axis
    changed |= grid.origin_x != state.origin_x or grid.origin_y != state.origin_y
    if not sees_all_ahead(beams):
        changed |= notice_leaving(p, grid, memory, me, eye, ranges, beams, time, dt)
    return _Sight(grid, robots, near, seen, limits, changed, looked, noise, dust,
                  ranges)


@njit
def take_turn(p: Parameters, state: State, memory: Memory, task: Task,
              followers: NDArray[np.int64], poses: Floats, ranges: NDArray[np.float32],
              beams: Floats, scan_yaw: float, forward: float, left: float, dt: float,
              ) -> tuple[State, float, float]:
    """Take one turn of one robot.

    Parameters
    ----------
    p : the constants
    state, memory : after the last turn; the memory is written
    task : goal, or place among the followers
    followers : ids of the robots that the leader waits for
    poses : (num_robots, 3) x, y (m), yaw (rad) in `map`, the robot's own finite
    ranges : (beams,) m
    beams : (2, beams) cosine and sine of the angles of the beams in the robot's frame
    scan_yaw : rad, heading when the scan arrived, in `map`
    forward, left : m/s, achieved velocity in the robot's frame
    dt : s, since the last turn

    Returns
    -------
    state, linear.x (m/s), angular.z (rad/s)
        linear.x is below 0 where a car or a slim body backs; both are bounded

    """
    # The record keeps the arrays; counting references at every call took a third of a turn.
    memory, followers, poses = borrowed(memory), borrowed(followers), borrowed(poses)
    ranges, beams = borrowed(ranges), borrowed(beams)
    place, eye = _place_and_eye(state, task, poses, scan_yaw)
    drift = _drifting(p, state, forward, left, place, dt)
    is_home = task.has_goal and _is_at_home(p, state, task, place)
    aside = task.has_goal and not is_home and makes_room(p, state, memory, task.robot_id)
    is_home |= task.has_goal and (aside or state.route.closed)
    sight = _look_around(p, state, memory, task, poses, ranges, beams, place, eye, drift, is_home,
                         dt)
    grid, robots = sight.grid, sight.robots
    if task.has_goal:
        way = _way_to_goal(p, grid, memory, state, task, followers, poses, place, sight.changed)
    else:
        way = _way_of_follower(p, grid, memory, state, task, place, sight.changed)
    route = way.route
    rests = is_home or not task.has_goal or way.waiting.mode == WAITS
    watch, closed = watched(memory.walls, grid, state.watch, memory.path, route, memory.near,
                            robots, rests, place.x, place.y, state.time)
    route = nothing_planned(route) if closed else route
    chosen, air = velocities(p, memory, sight, state, way, place, drift, is_home, aside, forward,
                             left)
    room = room_ahead(p, memory.limits, sight.seen - sight.near, place, drift.x, drift.y,
                      state.margin)
    turning = wanting(state.turning, air[0], air[1],
                      steady_room(p, state.turning.room, room, dt), dt)
    backs, v, omega = told(p, memory, sight, state, task, turning, way, place, beams, drift, air,
                           dt)
    wheels = driven(task.size.inertia, memory.asked, state.turn, state.drift, v, omega, dt)
    margin = _margin_kept(memory.walls, grid, memory, way, route, place)
    after = State(state.frame, Drift(drift.x, drift.y, *wheels), route, grid.origin_x,
                  grid.origin_y, way.points, state.time + dt, state.turn + 1, margin, way.waiting,
                  chosen[0], chosen[1], watch, sight.looked, sight.noise, sight.dust,
                  turned(turning, v, omega, state.time), backs)
    return after, v, omega


@njit_inner
def _margin_kept(p: Parameters, grid: Grid, memory: Memory, way: _Way, route: Route,
                 place: Place) -> float:
    """Return the margin (m) that is kept from obstacles in the next turn."""
    if way.waiting.mode == PASSES:
        return LEAST_MARGIN * p.robot_radius_m
    return min(margin_ahead(p, grid, memory.path, route),
               margin_beside(p, grid, place.x, place.y, way.at_x, way.at_y))


@njit_inner
def _is_at_home(p: Parameters, state: State, task: Task, place: Place) -> bool:
    """Tell whether a robot is so near to its goal that it makes room for others."""
    to_x, to_y = into(state.frame, task.goal_x, task.goal_y)
    dx, dy, home = to_x - place.x, to_y - place.y, HOME * p.robot_radius_m
    return dx * dx + dy * dy < home * home

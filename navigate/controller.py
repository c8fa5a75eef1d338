"""One turn of ``navigate``: see, estimate the drift, choose a target, a way, a velocity."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate import trail as trails
from navigate.damper import fastest, projected, robot_limit, wall_limit
from navigate.drift import Drift, drive, updated_drift
from navigate.encounters import avoiding, making_room
from navigate.frame import Frame, into
from navigate.grid import Grid, is_free_line, make_grid, shifted
from navigate.occupancy import add_hit, clear
from navigate.parameters import (
    BESIDE,
    CLEARING,
    CREEPING,
    HOME,
    LOOKAHEAD,
    RATE,
    REBUILDS,
    SCAN_TIME,
    SIDE,
    SIGHT,
    SLOW,
    STILL,
    TURN_BACK,
    TURN_BEGIN,
    TURN_END,
    WHEEL,
    Parameters,
)
from navigate.passage import Passage, passage_ahead, way_out
from navigate.route import (
    Route,
    Watch,
    margin_ahead,
    next_point,
    nothing_planned,
    sight_clearance,
    watched,
)
from navigate.search import LONGEST, Search, make_search
from navigate.yielding import (
    WAITS,
    Yield,
    heading_of,
    is_occupied,
    is_time_to_look,
    negotiated,
    no_yield,
    write_headings,
)
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2, sincos

Floats = NDArray[np.float64]


class State(NamedTuple):
    """What a robot remembers from turn to turn, beside ``Memory``."""

    frame: Frame
    drift: Drift
    route: Route
    origin_x: float  # m, of the grid's window
    origin_y: float
    trail: int  # points of the leader's trail so far
    time: float  # s since the first turn
    turn: int  # turns so far
    margin: float  # m, kept from obstacles beside the radius
    waiting: Yield
    chosen_x: float  # m/s, velocity of the last turn
    chosen_y: float
    watch: Watch


class Memory(NamedTuple):
    """Arrays that turns write."""

    nearness: NDArray[np.float32]  # of ``Grid``
    evidence: NDArray[np.int8]
    hits: NDArray[np.float32]
    search: Search
    path: Floats  # (search.LONGEST, 2) m
    trail: Floats  # (trail.LONGEST, 2) m
    others: Floats  # (num_robots, 2) m, positions of the turn before
    near: Floats  # (num_robots, 6) working memory of ``encounters``
    headings: Floats  # (num_robots, 2) unit vectors, working memory of ``yielding``
    group: NDArray[np.int8]  # (num_robots,) working memory of ``yielding``
    limits: Floats  # (num_robots + beams, 3) working memory of ``damper``


class Task(NamedTuple):
    """What a robot is to do."""

    robot_id: int
    has_goal: bool
    goal_x: float  # m, `map`
    goal_y: float
    rank: int  # among the followers; -1: follows nobody
    followers: int  # how many there are


def make_memory(num_robots: int, beams: int) -> Memory:
    """Return the memory of a robot that has seen nothing."""
    grid = make_grid(0.0, 0.0, 1.0)
    return Memory(grid.nearness, grid.evidence, grid.hits, make_search(), np.zeros((LONGEST, 2)),
                  np.zeros((trails.LONGEST, 2)), np.full((num_robots, 2), np.nan),
                  np.zeros((num_robots, 6)), np.zeros((num_robots, 2)),
                  np.zeros(num_robots, np.int8), np.zeros((num_robots + beams, 3)))


def initial_state(frame: Frame, p: Parameters) -> State:
    """Return the state before the first turn."""
    corner = -SIDE / 2 * p.cell_m
    return State(frame, Drift(0.0, 0.0, 0.0, 0.0), Route(0, 0, 0.0, 0, 0, 0.0, 0.0), corner,
                 corner, 0, 0.0, 0, p.margin_m, no_yield(), 0.0, 0.0, Watch(0.0, 0.0, 0.0))


@njit_inner
def is_robot(p: Parameters, others: Floats, robot_id: int, x: float, y: float) -> bool:
    """Tell whether a point (m) is on the body of another robot, or nearly."""
    return is_occupied(others, robot_id, x, y, p.robot_radius_m + p.margin_m)


@njit
def see(p: Parameters, grid: Grid, memory: Memory, robot_id: int, x: float, y: float,
        cosine: float, sine: float, ranges: NDArray[np.float32], beams: Floats,
        drift_x: float, drift_y: float, state: State, dt: float) -> tuple[int, bool]:
    """Remember what the laser sees, and write a limit for each near reading.

    Parameters
    ----------
    p, grid, memory : constants, and what is written; ``memory.others`` is up to date
    robot_id : its own
    x, y, cosine, sine : m, position and heading in the frame of the start
    ranges : (beams,) m; only finite ones are obstacles
    beams : (2, beams) cosine and sine of the beams' angles in the robot's frame
    drift_x, drift_y : m/s
    state, dt : after the last turn, and s since then; beams take turns in being remembered

    Returns
    -------
    how many limits, and whether an obstacle is new

    """
    count, new, budget = 0, False, REBUILDS
    often = max(1, math.floor(SCAN_TIME / dt + 0.5))
    phase, clearing = state.turn % often, CLEARING * p.robot_radius_m
    reach = p.robot_radius_m + p.margin_m + p.forward_speed_mps / max(WHEEL, p.damper_gain)
    for i in range(ranges.shape[0]):
        distance = np.float64(ranges[i])
        remembered = i % often == phase and distance >= 0.0
        if not (remembered or 0.0 <= distance < reach):
            continue
        ahead = cosine * beams[0, i] - sine * beams[1, i]
        aside = sine * beams[0, i] + cosine * beams[1, i]
        if distance < reach:
            limits = memory.limits
            limits[count, 0], limits[count, 1] = ahead, aside
            limits[count, 2] = wall_limit(p, distance, ahead * drift_x + aside * drift_y,
                                          state.margin)
            count += 1
        if remembered:
            budget = clear(grid, x, y, ahead, aside, min(clearing, distance), budget)
            hit_x, hit_y = x + distance * ahead, y + distance * aside
            if distance < math.inf and not is_robot(p, memory.others, robot_id, hit_x, hit_y):
                new |= add_hit(grid, hit_x, hit_y)
    return count, new


@njit
def meet(p: Parameters, frame: Frame, memory: Memory, robot_id: int, poses: Floats, x: float,
         y: float, dt: float, home: bool) -> int:
    """Write place and velocity of the robots in sight to ``memory.near``; return how many.

    A robot that is ``home`` asks for their headings, too.
    """
    count, sight = 0, SIGHT * p.robot_radius_m
    for i in range(poses.shape[0]):
        other_x, other_y = into(frame, poses[i, 0], poses[i, 1])
        dx, dy = other_x - x, other_y - y
        if i != robot_id and dx * dx + dy * dy < sight * sight:
            vx = (other_x - memory.others[i, 0]) / dt
            vy = (other_y - memory.others[i, 1]) / dt
            fast = not vx * vx + vy * vy < 4 * p.forward_speed_mps * p.forward_speed_mps
            near = memory.near
            near[count, 0], near[count, 1] = dx, dy
            near[count, 2], near[count, 3] = 0.0 if fast else vx, 0.0 if fast else vy
            if home:
                near[count, 4], near[count, 5] = heading_of(frame, poses[i, 2])
            count += 1
        memory.others[i, 0], memory.others[i, 1] = other_x, other_y
    return count


@njit
def limit_robots(p: Parameters, memory: Memory, near: int, count: int) -> int:
    """Write a limit for each robot in sight after ``count`` others; return how many there are."""
    for k in range(near):
        dx, dy = memory.near[k, 0], memory.near[k, 1]
        distance = math.sqrt(dx * dx + dy * dy)
        if distance > 0.0:
            limits = memory.limits
            limits[count, 0], limits[count, 1] = dx / distance, dy / distance
            limits[count, 2] = robot_limit(p, distance)
            count += 1
    return count


@njit
def leader_speed(p: Parameters, memory: Memory, followers: NDArray[np.int64], x: float,
                 y: float) -> float:
    """Return how fast (m/s) a leader at (x, y) (m) may be for its farthest follower."""
    farthest = 0.0
    for i in followers:
        dx, dy = memory.others[i, 0] - x, memory.others[i, 1] - y
        distance = math.sqrt(dx * dx + dy * dy)
        if not distance <= farthest:  # of one that is not known: as if it were far behind
            farthest = distance if distance > farthest else math.inf
    late = (farthest - p.far_distance_m) / max(p.far_distance_m, p.robot_radius_m)
    return p.cruise_speed_mps * min(1.0, max(SLOW, 1.0 - late))


@njit
def follower_target(p: Parameters, grid: Grid, memory: Memory, task: Task, count: int, x: float,
                    y: float) -> tuple[float, float, int]:
    """Return a follower's place (m), and the newest point of the trail before it."""
    behind, left = trails.place_in_formation(task.rank, task.followers, p.spacing_m)
    leader = memory.others[0]
    to_x, to_y, along_x, along_y, older = trails.place_on_trail(
        memory.trail, count, leader[0], leader[1], behind, x, y)
    for share in (1.0, 0.5):
        aside_x, aside_y = to_x - share * left * along_y, to_y + share * left * along_x
        if is_free_line(grid, to_x, to_y, aside_x, aside_y, sight_clearance(p), 0.0):
            return aside_x, aside_y, older
    return to_x, to_y, older


@njit
def on_trail(p: Parameters, grid: Grid, trail: Floats, count: int, older: int, x: float, y: float,
             to_x: float, to_y: float) -> tuple[float, float, bool]:
    """Return the point (m) of the trail to head for, and whether there is one.

    The place itself where the way there is free; else, near the trail, a point a little ahead on
    it (pure pursuit: Coulter, CMU-RI-TR-92-01, 1992); else the newest point that can be driven to.

    Parameters
    ----------
    p, grid : constants; walls that are known
    trail, count : the ring, and how many points it had so far
    older : newest point before the place
    x, y, to_x, to_y : m, the robot and its place

    """
    clearance, skip = sight_clearance(p), p.robot_radius_m
    beside = BESIDE * p.robot_radius_m
    if is_free_line(grid, x, y, to_x, to_y, clearance, skip):
        return to_x, to_y, True
    oldest = max(0, count - trails.LONGEST)
    nearest, least = older, beside * beside
    for k in range(older, oldest - 1, -1):
        dx, dy = trail[k % trails.LONGEST, 0] - x, trail[k % trails.LONGEST, 1] - y
        if dx * dx + dy * dy < least:
            nearest, least = k, dx * dx + dy * dy
    if least < beside * beside:
        ahead = min(older, nearest + LOOKAHEAD)
        return trail[ahead % trails.LONGEST, 0], trail[ahead % trails.LONGEST, 1], True
    for k in range(older, oldest - 1, -3):
        at_x, at_y = trail[k % trails.LONGEST, 0], trail[k % trails.LONGEST, 1]
        if is_free_line(grid, x, y, at_x, at_y, clearance, skip):
            return at_x, at_y, True
    return x, y, False


@njit
def negotiate(p: Parameters, grid: Grid, memory: Memory, frame: Frame, waiting: Yield,
              route: Route, points: int, me: int, poses: Floats, x: float, y: float, to_x: float,
              to_y: float, time: float) -> Yield:
    """Return whether a robot at (x, y) (m) on its way to (to_x, to_y) waits for others now."""
    found, passage = False, waiting.passage
    if waiting.mode != WAITS:
        found, inside, passage = passage_ahead(p, grid, memory.path, route.length, route.at, x, y,
                                               to_x, to_y)
        if inside:
            out_x, out_y = way_out(p, grid, memory.trail, points, x, y)
            passage = Passage(out_x, out_y, passage.far_x, passage.far_y)
    if found or waiting.mode == WAITS:
        write_headings(frame, poses, memory.headings)
    return negotiated(p, grid, waiting, me, found, passage, memory.others, memory.headings,
                      memory.group, time)


@njit_inner
def steadied(p: Parameters, omega: float, angle: float) -> float:
    """Return the turn (rad/s) of a slow robot by ``angle`` (rad), after a turn ``omega`` (rad/s).

    Hysteresis: a turn begins above one angle and ends below a smaller one, and one half round or
    nearly does not change its side.
    """
    if abs(angle) < (TURN_END if omega != 0.0 else TURN_BEGIN):
        return 0.0
    if omega * angle < 0.0 and abs(angle) > TURN_BACK:
        angle = -angle
    return min(p.rotate_speed_radps, max(-p.rotate_speed_radps, p.turn_gain / 2 * angle))


@njit
def resting_turn(p: Parameters, waiting: Yield, omega: float, cosine: float, sine: float,
                 dx: float, dy: float, far_x: float, far_y: float) -> float:
    """Return the turn (rad/s) of a robot at rest: others see by its heading where it wants to go.

    Who insists faces its way (dx, dy) (m), who waits turns its back on the passage.
    """
    if waiting.mode == WAITS:
        dx = waiting.passage.near_x - waiting.passage.far_x
        dy = waiting.passage.near_y - waiting.passage.far_y
    elif far_x * far_x + far_y * far_y < HOME * HOME * p.robot_radius_m * p.robot_radius_m:
        return 0.0
    return steadied(p, omega, atan2(cosine * dy - sine * dx, cosine * dx + sine * dy))


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
        0 <= linear.x <= forward_speed_mps, abs(angular.z) <= rotate_speed_radps

    """
    frame, me = state.frame, task.robot_id
    x, y = into(frame, poses[me, 0], poses[me, 1])
    sine, cosine = sincos(poses[me, 2] - frame.yaw)
    scan_sine, scan_cosine = sincos(scan_yaw - frame.yaw)
    grid = Grid(memory.nearness, memory.evidence, memory.hits, state.origin_x, state.origin_y,
                p.cell_m)
    middle = SIDE / 2 * p.cell_m
    if max(abs(x - grid.origin_x - middle), abs(y - grid.origin_y - middle)) >= 0.75 * middle:
        origin_x, origin_y = shifted(grid, x, y)
        grid = Grid(memory.nearness, memory.evidence, memory.hits, origin_x, origin_y, p.cell_m)
    drift_x, drift_y = state.drift.x, state.drift.y
    if state.turn > 0:
        drift_x, drift_y = updated_drift(state.drift, min(1.0, RATE * dt * p.drift_weight),
                                         0.9 * p.forward_speed_mps,
                                         forward, left, cosine, sine, dt)
    to_x, to_y, waiting, home = x, y, state.waiting, HOME * p.robot_radius_m
    if task.has_goal:
        to_x, to_y = into(frame, task.goal_x, task.goal_y)
    is_home = task.has_goal and ((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y)
                                 < home * home)
    near = meet(p, frame, memory, me, poses, x, y, dt, is_home)
    count, changed = see(p, grid, memory, me, x, y, scan_cosine, scan_sine, ranges, beams,
                         drift_x, drift_y, state, dt)
    limits = limit_robots(p, memory, near, count)

    # Where to
    points, route, speed = state.trail, state.route, 0.0
    if task.has_goal:
        speed = leader_speed(p, memory, followers, x, y)
        if waiting.mode != WAITS:
            points = trails.follow(memory.trail, points, x, y, p.robot_radius_m)
        if poses.shape[0] > 1 and is_time_to_look(waiting, state.time):
            waiting = negotiate(p, grid, memory, frame, waiting, route, points, me, poses, x, y,
                                to_x, to_y, state.time)
        if waiting.mode == WAITS:
            to_x, to_y = waiting.spot_x, waiting.spot_y
        route, at_x, at_y = next_point(p, grid, memory.search, memory.path, route, state.time,
                                       changed, x, y, to_x, to_y)
    elif task.rank >= 0 and math.isfinite(memory.others[0, 0] + memory.others[0, 1]):
        speed = p.forward_speed_mps
        points = trails.follow(memory.trail, points, memory.others[0, 0], memory.others[0, 1],
                               p.robot_radius_m)
        to_x, to_y, older = follower_target(p, grid, memory, task, points, x, y)
        at_x, at_y, seen = on_trail(p, grid, memory.trail, points, older, x, y, to_x, to_y)
        if seen:
            route = nothing_planned(route)
        else:
            route, at_x, at_y = next_point(p, grid, memory.search, memory.path, route, state.time,
                                           changed, x, y, to_x, to_y)
    else:
        at_x, at_y = x, y

    watch, closed = watched(p, grid, state.watch, memory.path, route, memory.near, near,
                            is_home or not task.has_goal or waiting.mode == WAITS, x, y,
                            state.time)
    if closed:
        route = nothing_planned(route)

    # How fast
    far_x, far_y, dx, dy = to_x - x, to_y - y, at_x - x, at_y - y
    way = math.sqrt(dx * dx + dy * dy)
    speed = min(speed, p.position_gain * max(way, math.sqrt(far_x * far_x + far_y * far_y)))
    vx, vy = 0.0, 0.0
    if way > 0.0:
        vx, vy = speed * dx / way, speed * dy / way
    if is_home:
        room_x, room_y = making_room(p, memory.near, near)
        vx, vy = vx + room_x, vy + room_y
    own_x, own_y = cosine * forward - sine * left, sine * forward + cosine * left
    vx, vy = avoiding(p, grid, x, y, memory.near, near, own_x, own_y, vx, vy,
                      state.chosen_x, state.chosen_y, state.margin)
    chosen_x, chosen_y = vx, vy
    vx, vy = projected(memory.limits, limits, vx, vy)

    # By what drive
    v, angle = drive(vx - drift_x, vy - drift_y, cosine, sine)
    still = STILL * p.forward_speed_mps
    air_x, air_y = vx - drift_x, vy - drift_y
    omega = 0.0
    if air_x * air_x + air_y * air_y > still * still:
        omega = min(p.rotate_speed_radps, max(-p.rotate_speed_radps,
                                              min(p.turn_gain, 1.0 / dt) * angle))
        creeping = CREEPING * p.forward_speed_mps
        if near > 0 and air_x * air_x + air_y * air_y < creeping * creeping:
            omega = steadied(p, state.drift.omega, angle)
        v = fastest(p, memory.limits, limits, cosine, sine, drift_x, drift_y,
                    min(v, p.forward_speed_mps), state.margin)
    else:
        v = 0.0
        if task.has_goal and near > 0:
            omega = resting_turn(p, waiting, state.drift.omega, cosine, sine, dx, dy, far_x, far_y)
    after = State(frame, Drift(drift_x, drift_y, v, omega), route, grid.origin_x, grid.origin_y,
                  points, state.time + dt, state.turn + 1,
                  margin_ahead(p, grid, memory.path, route), waiting, chosen_x, chosen_y, watch)
    return after, v, omega

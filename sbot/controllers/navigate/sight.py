# SPDX-License-Identifier: Apache-2.0
"""Perception of a robot: obstacles to remember, velocity limits, robots near it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import (
    Drift,
    Frame,
    Place,
    between,
    into,
    is_calm,
    mean_beside,
    robot_limit,
    wall_limit,
)
from sbot.controllers.navigate.map import Grid, add_hit, clear, column_of, fill, row_of
from sbot.controllers.navigate.memory import Memory, State
from sbot.controllers.navigate.moving import is_mover, is_robot
from sbot.controllers.navigate.parameters import (
    AT_REST,
    CLEARING,
    HIDDEN,
    LARGE_NOISE,
    NEAREST,
    PARKED,
    PERSONAL,
    REBUILDS,
    SCAN_TIME,
    SIDE,
    SIGHT,
    STUCK,
    WHEEL,
    Parameters,
)
from sbot.controllers.navigate.view import edge_of_view, sees_all_ahead, sees_all_round
from sbot.controllers.navigate.yielding import WAITS, heading_of
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner


@njit_inner
def _limit(limits: Floats, count: int, x: float, y: float, most: float) -> int:
    """Write a limit (m/s) along a unit vector after ``count`` others; return how many."""
    limits[count, 0], limits[count, 1], limits[count, 2] = x, y, most
    return count + 1


@njit
def see(p: Parameters, grid: Grid, memory: Memory, robot_id: int, place: Place, eye: Place,
        ranges: NDArray[np.float32], beams: Floats, drift: Drift, state: State, noise: float,
        dt: float) -> tuple[int, bool]:
    """Remember the obstacles of a scan, and write a limit for each near reading.

    Parameters
    ----------
    p, grid, memory : constants, and what is written; ``memory.others`` is up to date
    robot_id : its own
    place, eye : of the robot; of its laser when the scan arrived
    ranges : (beams,) m; only finite ones are obstacles
    beams : (2, beams) cosine and sine of the beams' angles in the robot's frame
    drift, noise : now; m, standard deviation of ``ranges``
    state, dt : after the last turn, and s since then; beams take turns in being remembered

    Returns
    -------
    how many limits, and whether an obstacle is new

    """
    count, new, budget = 0, False, REBUILDS
    often = max(1, math.floor(SCAN_TIME / dt + 0.5))
    phase, clearing = state.turn % often, CLEARING * p.robot_radius_m
    reach = p.robot_radius_m + p.margin_m + p.forward_speed_mps / max(WHEEL, p.damper_gain)
    x, y, apart = eye.x, eye.y, between(beams)
    off_x, off_y = x - place.x, y - place.y
    off = math.sqrt(off_x * off_x + off_y * off_y)
    noisy = apart > 0.0 and noise > LARGE_NOISE * p.robot_radius_m
    for i in range(ranges.shape[0]):
        distance = np.float64(ranges[i])
        remembered = i % often == phase and distance >= 0.0
        if not (remembered or 0.0 <= distance < reach + off):
            continue
        ahead = eye.cosine * beams[0, i] - eye.sine * beams[1, i]
        aside = eye.sine * beams[0, i] + eye.cosine * beams[1, i]
        if distance < reach + off:
            free = mean_beside(p, noise, ranges, apart, i) if noisy else distance
            near_x, near_y = ahead, aside
            if off > 0.0:
                near_x, near_y = off_x + free * ahead, off_y + free * aside
                free = math.sqrt(near_x * near_x + near_y * near_y)
                near_x, near_y = near_x / max(free, NEAREST), near_y / max(free, NEAREST)
            count = _limit(memory.limits, count, near_x, near_y, wall_limit(
                p, free, near_x * drift.x + near_y * drift.y, state.margin))
        if remembered:
            budget = clear(grid, x, y, ahead, aside, min(clearing, distance), budget)
            hit_x, hit_y = x + distance * ahead, y + distance * aside
            if distance < math.inf and not is_robot(
                    p, memory.mobile, robot_id, hit_x, hit_y) and not is_mover(
                    p, memory.movers, hit_x, hit_y, state.time):
                new |= add_hit(grid, hit_x, hit_y)
    return count, new


@njit
def limit_hidden(p: Parameters, grid: Grid, memory: Memory, place: Place, eye: Place,
                 beams: Floats, drift: Drift, margin: float, backs: bool, count: int) -> int:
    """Write limits for obstacles out of view, after ``count``; return their number.

    The robot saw them before. A laser at the nose, or one that sees less than what is ahead, hides
    some ahead, and from a car that ``backs`` what is behind it. And wind blows a robot to where a
    laser of 180 degrees does not look: without a limit there, a wall beside the robot would count
    in one turn and not in the next, as the robot turns to and fro, and the wind would blow it
    there meanwhile.
    """
    nose = place.cosine * (eye.x - place.x) + place.sine * (eye.y - place.y) > NEAREST
    narrow, blown = not sees_all_ahead(beams), not (is_calm(p, drift) or sees_all_round(beams))
    narrow |= (nose or backs) and beams.shape[1] > 0
    if not (narrow or blown):
        return count
    edge = edge_of_view(beams)
    reach = p.robot_radius_m + p.margin_m + p.forward_speed_mps / max(WHEEL, p.damper_gain)
    cells, most = math.ceil(reach / grid.cell), count + HIDDEN
    row, column = row_of(grid, place.y), column_of(grid, place.x)
    for r in range(max(0, row - cells), min(SIDE, row + cells + 1)):
        for c in range(max(0, column - cells), min(SIDE, column + cells + 1)):
            if grid.evidence[r, c] <= 0 or count == most:
                continue
            x = grid.origin_x + (c + np.float64(grid.hits[r, c, 0])) * grid.cell
            y = grid.origin_y + (r + np.float64(grid.hits[r, c, 1])) * grid.cell
            dx, dy, eye_x, eye_y = x - place.x, y - place.y, x - eye.x, y - eye.y
            distance = math.sqrt(dx * dx + dy * dy)
            ahead = place.cosine * dx + place.sine * dy
            before_eye = place.cosine * eye_x + place.sine * eye_y
            towards = dx * drift.x + dy * drift.y if blown else 0.0
            if (distance < reach and before_eye < edge * math.sqrt(eye_x * eye_x + eye_y * eye_y)
                    and ((narrow and (ahead > 0.0 or backs)) or towards > 0.0)):
                count = _limit(memory.limits, count, dx / distance, dy / distance,
                               wall_limit(p, distance, towards / distance, margin))
    return count


@njit
def list_neighbours(p: Parameters, grid: Grid, frame: Frame, memory: Memory, robot_id: int,
                    poses: Floats, place: Place, dt: float, home: bool) -> int:
    """Write the robots in sight to ``memory.near``; return how many.

    Those that have stood for long are obstacles of the map from then on, until they move.

    ``encounters.first_contact`` has the columns. A robot that is ``home`` asks for their headings,
    too.
    """
    count, sight = 0, SIGHT * p.robot_radius_m
    fastest, still = 2.0 * p.forward_speed_mps, AT_REST * p.forward_speed_mps
    for i in range(poses.shape[0]):
        other_x, other_y = into(frame, poses[i, 0], poses[i, 1])
        dx, dy = other_x - place.x, other_y - place.y
        if i != robot_id and dx * dx + dy * dy < sight * sight:
            vx = (other_x - memory.others[i, 0]) / dt
            vy = (other_y - memory.others[i, 1]) / dt
            speed2 = vx * vx + vy * vy
            moves = still * still <= speed2 < fastest * fastest
            near = memory.near
            near[count, 0], near[count, 1] = dx, dy
            near[count, 2], near[count, 3] = vx if moves else 0.0, vy if moves else 0.0
            if home:
                near[count, 4], near[count, 5] = heading_of(frame, poses[i, 2])
            near[count, 6] = 2 * p.robot_radius_m + p.margin_m / 2
            near[count, 7] = 2.0 if moves else 1.0
            memory.headings[i, 2] = 1.0 if moves else 0.0
            count += 1
        memory.others[i, 0], memory.others[i, 1] = other_x, other_y
        _note_standing(p, grid, memory, i, robot_id, dt)
    return count


@njit_inner
def _note_standing(p: Parameters, grid: Grid, memory: Memory, i: int, me: int, dt: float) -> None:
    """Note for how long robot i has stood where it is now, to within a radius."""
    stood, x, y, radius = memory.stood, memory.others[i, 0], memory.others[i, 1], p.robot_radius_m
    dx, dy = x - stood[i, 0], y - stood[i, 1]
    if not dx * dx + dy * dy <= radius * radius:
        if stood[i, 2] >= PARKED and i != me:
            fill(grid, stood[i, 0], stood[i, 1], radius, False)
        stood[i, 0], stood[i, 1], stood[i, 2] = x, y, 0.0
    stood[i, 2] += dt
    memory.mobile[i, 0], memory.mobile[i, 1] = x, y
    if stood[i, 2] >= PARKED and i != me:
        memory.mobile[i, 0] = math.nan
        fill(grid, stood[i, 0], stood[i, 1], radius, True)


@njit
def limit_near(p: Parameters, memory: Memory, robots: int, near: int, count: int,
               margin: float) -> int:
    """Write limits after ``count`` others; return how many there are.

    One for each robot in sight, and one for each obstacle that moves: what comes nearer counts
    as nearer by how fast it comes. ``margin`` (m) is kept from robots.
    """
    for k in range(near):
        dx, dy = memory.near[k, 0], memory.near[k, 1]
        distance = math.sqrt(dx * dx + dy * dy)
        if distance == 0.0:  # no way leads towards it; `lift_limits` needs its row
            count = _limit(memory.limits, count, 0.0, 0.0, math.inf)
            continue
        most = robot_limit(p, distance, margin)
        if k >= robots:
            towards = memory.near[k, 2] * dx + memory.near[k, 3] * dy
            most = p.damper_gain * (distance - memory.near[k, 6]) + min(0.0, towards / distance)
        count = _limit(memory.limits, count, dx / distance, dy / distance, most)
    return count


@njit
def makes_room(p: Parameters, state: State, memory: Memory, me: int) -> bool:
    """Tell whether a robot and one beside it with a lower number keep each other from going on.

    Side by side before a door, each is in the other's way; neither may be the first by its place.
    """
    stood, others, apart = memory.stood, memory.others, PERSONAL * p.robot_radius_m
    for k in range(me):
        dx, dy = others[k, 0] - others[me, 0], others[k, 1] - others[me, 1]
        if min(stood[k, 2], stood[me, 2]) > STUCK and dx * dx + dy * dy < apart * apart:
            return bool(state.waiting.mode != WAITS)
    return False

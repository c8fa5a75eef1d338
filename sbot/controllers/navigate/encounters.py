# SPDX-License-Identifier: Apache-2.0
"""Encounters with other robots and moving obstacles: reciprocal velocities, evading.

Van den Berg, Lin, Manocha, "Reciprocal velocity obstacles for real-time multi-agent navigation"
(ICRA 2008): of some velocities the one is taken that differs least from the wanted one and leads
to a contact latest, where each of two robots makes half of the change.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import Place, drive, fastest
from sbot.controllers.navigate.map import Grid, distance_at, is_free_line
from sbot.controllers.navigate.parameters import (
    BEHIND_WALLS,
    EVASION,
    EVASION_STEPS,
    GROWTH,
    HEADING_COSINE,
    HEADING_ROOM,
    HITS_WALL,
    IS_NEAR,
    KEEP,
    LOOK,
    NEAREST,
    PERSONAL,
    REST,
    SLOWEST,
    SPACE,
    TOUCHES,
    TURNS,
    WEIGHT,
    Inertia,
    Parameters,
    bounded,
)
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2, sincos

# Degrees off the wanted direction, the right hand first: so two robots that meet head on choose
# different sides.
_TURNS = (0.0, -10.0, 10.0, -20.0, 20.0, -35.0, 35.0, -50.0, 50.0, -70.0, 70.0, -95.0, 95.0)
_SPEEDS = (1.0, 0.6, 0.3)
_TIE = 1e-9  # share of the speed: right and left equal but for rounding; right comes first


@njit
def _time_to_contact(dx: float, dy: float, vx: float, vy: float, distance: float) -> float:
    """Return the time (s) until something at (dx, dy) (m) is ``distance`` (m) away, or inf.

    ``vx, vy`` (m/s) is one's own velocity against it. Nearer already: 0 if it comes nearer still.
    """
    towards = dx * vx + dy * vy
    if towards <= 0.0:
        return math.inf
    beyond = dx * dx + dy * dy - distance * distance
    if beyond <= 0.0:
        return 0.0
    speed2 = vx * vx + vy * vy
    root = towards * towards - speed2 * beyond
    if root < 0.0:
        return math.inf
    return (towards - math.sqrt(root)) / speed2


@njit
def first_contact(near: NDArray[np.float64], count: int, vx: float, vy: float, own_x: float,
                  own_y: float) -> float:
    """Return when (s) the first of the others is met if one drives on with (vx, vy) (m/s).

    ``near`` (rows, 8) are dx, dy (m), vx, vy (m/s) of others, two columns that are not used here,
    the distance of a contact (m), and by how much of one's own change the velocity against the
    other changes: 2 where the other is taken to make the same change (reciprocal: section IV of
    the paper), 1 for what stands, or moves and gives way to nobody. ``own_x, own_y`` (m/s) is the
    velocity now.
    """
    least = math.inf
    for k in range(count):
        share = near[k, 7]
        least = min(least, _time_to_contact(near[k, 0], near[k, 1],
                                            share * vx - (share - 1.0) * own_x - near[k, 2],
                                            share * vy - (share - 1.0) * own_y - near[k, 3],
                                            near[k, 6]))
    return least


@njit_inner
def _length(x: float, y: float) -> float:
    return math.sqrt(x * x + y * y)


@njit
def keep_apart(p: Parameters, near: NDArray[np.float64], count: int) -> tuple[float, float]:
    """Return the velocity (m/s) by which a robot at rest gives way to those that come near.

    Who heads for it gets more room: columns 4 and 5 of ``near`` are the others' headings.

    The separation of Reynolds, "Flocks, herds and schools" (SIGGRAPH 1987); ``near`` and ``count``
    are those of ``first_contact``.
    """
    x, y = 0.0, 0.0
    personal = PERSONAL * p.robot_radius_m
    for k in range(count):
        distance = math.sqrt(near[k, 0] * near[k, 0] + near[k, 1] * near[k, 1])
        wide = personal
        if near[k, 4] * near[k, 0] + near[k, 5] * near[k, 1] < -HEADING_COSINE * distance:
            wide = HEADING_ROOM * p.robot_radius_m
        if 0.0 < distance < wide:
            size = p.position_gain * (wide - distance) / distance
            x -= size * near[k, 0]
            y -= size * near[k, 1]
    return x, y


@njit
def avoiding(p: Parameters, grid: Grid, place: Place, near: NDArray[np.float64], count: int,
             own_x: float, own_y: float, last_x: float, last_y: float, wanted_x: float,
             wanted_y: float, margin: float) -> tuple[float, float]:
    """Return the velocity (m/s) nearest to the wanted one without an early encounter.

    Parameters
    ----------
    p, grid : constants; walls that are known
    place : of the robot
    near, count : as for ``first_contact``
    own_x, own_y : m/s, its velocity over ground
    last_x, last_y : m/s, what was chosen in the last turn; another must be better by some
    wanted_x, wanted_y : m/s
    margin : m, kept from walls

    """
    if count == 0 or not first_contact(near, count, wanted_x, wanted_y, own_x,
                                       own_y) < p.horizon_s:
        return wanted_x, wanted_y
    speed = math.sqrt(wanted_x * wanted_x + wanted_y * wanted_y)
    ahead_x, ahead_y = 1.0, 0.0
    if speed > 0.0:
        ahead_x, ahead_y = wanted_x / speed, wanted_y / speed
    best_x, best_y = 0.0, 0.0
    time = first_contact(near, count, best_x, best_y, own_x, own_y)
    weight, tie = WEIGHT * p.robot_radius_m, _TIE * p.forward_speed_mps
    keep = KEEP if last_x != 0.0 or last_y != 0.0 else 0.0  # who stands does not keep on standing
    least = REST * speed + weight / max(NEAREST, time) + keep * _length(last_x, last_y)
    for degrees in _TURNS:
        sine, cosine = sincos(degrees * (math.pi / 180.0))
        for share in _SPEEDS:
            size = share * max(speed, SLOWEST * p.forward_speed_mps)
            vx = size * (cosine * ahead_x - sine * ahead_y)
            vy = size * (sine * ahead_x + cosine * ahead_y)
            dx, dy = vx - wanted_x, vy - wanted_y
            penalty = math.sqrt(dx * dx + dy * dy) + keep * _length(vx - last_x, vy - last_y)
            if penalty >= least - tie:
                continue
            time = first_contact(near, count, vx, vy, own_x, own_y)
            if time < p.horizon_s:
                penalty += weight / max(NEAREST, time)
            if penalty >= least - tie:
                continue
            if degrees != 0.0 and not is_free_line(
                    grid, place.x, place.y, place.x + LOOK * vx, place.y + LOOK * vy,
                    p.robot_radius_m + margin, p.robot_radius_m):
                penalty += BEHIND_WALLS * p.forward_speed_mps
            if penalty < least - tie:
                least, best_x, best_y = penalty, vx, vy
    return best_x, best_y


# Evasion of moving obstacles: commands are simulated some seconds ahead.
#
# A command is tried by driving it ahead, as fast as the body can follow, while every obstacle goes
# on as it goes, in a circle that grows, as it may turn. One that would come near is replaced by
# the best of some arcs: the dynamic window approach (Fox, Burgard, Thrun, IEEE Robotics and
# Automation Magazine 4, 1997) among moving obstacles (Seder, Petrovic, ICRA 2007). Arcs end at the
# same headings in each turn: so a robot goes on with the arc that it has begun.

_HEADINGS = 16  # at which arcs end
_EVADING_SPEEDS = (1.0, 0.5)  # shares of the largest speed on them
_CLOSER = 0.98  # share of a distance: one that is too small must not shrink


class Around(NamedTuple):
    """What is near a robot, and how it moves."""

    grid: Grid
    place: Place
    drift_x: float  # m/s
    drift_y: float
    near: Floats  # (rows, 8) of ``encounters.first_contact``
    robots: int  # rows of robots
    rows: int  # likewise, with obstacles that move
    v: float  # m/s, that its wheels do
    inertia: Inertia


class _Trial(NamedTuple):
    """What comes of an arc, from now on."""

    x: float  # m, where it ends, from here
    y: float
    touch: float  # s until it touches what moves; inf: never
    near: float  # likewise, if that turns
    wall: float  # s until it touches what stands


@njit
def tried(p: Parameters, around: Around, angle: float, speed: float) -> _Trial:
    """Drive ahead: turn by ``angle`` (rad) as fast as possible, then straight at ``speed`` (m/s).

    Meanwhile with that part of the speed that is along the final heading.
    """
    place, near, step = around.place, around.near, EVASION / EVASION_STEPS
    turn = p.rotate_speed_radps * step / 2  # rad in half a step
    gain, loss = around.inertia.acceleration * step, around.inertia.deceleration * step
    sine, cosine = sincos(angle)
    end_x = place.cosine * cosine - place.sine * sine
    end_y = place.sine * cosine + place.cosine * sine
    sine, cosine = sincos(turn if angle > 0.0 else -turn)
    ahead_x, ahead_y, left, v = place.cosine, place.sine, abs(angle), around.v
    wall = min(p.robot_radius_m + SPACE * p.margin_m,
               _CLOSER * distance_at(around.grid, place.x, place.y))
    x, y, touch, close, hits = 0.0, 0.0, math.inf, math.inf, math.inf
    for k in range(EVASION_STEPS):
        for half in range(2):
            if left > turn:
                ahead_x, ahead_y = (cosine * ahead_x - sine * ahead_y,
                                    sine * ahead_x + cosine * ahead_y)
                left -= turn
            elif left > 0.0:
                ahead_x, ahead_y, left = end_x, end_y, 0.0
            if half == 0:
                v = min(max(speed * max(0.0, ahead_x * end_x + ahead_y * end_y), v - loss),
                        v + gain)
                x += step * (v * ahead_x + around.drift_x)
                y += step * (v * ahead_y + around.drift_y)
        time = (k + 1) * step
        room = GROWTH * p.robot_radius_m * time
        for i in range(around.rows):
            was_x, was_y = near[i, 0], near[i, 1]
            dx, dy = was_x + time * near[i, 2] - x, was_y + time * near[i, 3] - y
            square, most = dx * dx + dy * dy, _CLOSER * (was_x * was_x + was_y * was_y)
            reach = near[i, 6] + (room if i >= around.robots else 0.0)
            if square < min(near[i, 6] * near[i, 6], most):
                touch = min(touch, time)
            if square < min(reach * reach, most):
                close = min(close, time)
        if k < EVASION_STEPS // 2 and distance_at(around.grid, place.x + x, place.y + y) < wall:
            hits = min(hits, time)
    return _Trial(x, y, touch, close, hits)


@njit_inner
def _late(time: float) -> float:
    return 2.0 - time / EVASION if time < math.inf else 0.0


@njit
def _cost(p: Parameters, around: Around, angle: float, speed: float, along_x: float,
          along_y: float) -> float:
    """Return how bad an arc is: the sooner a touch the worse, and the less it gets along a way.

    ``along`` is a unit vector along it. Turns cost, too: so a robot goes on with an arc.
    """
    trial = tried(p, around, angle, speed)
    return (TOUCHES * _late(trial.touch) + IS_NEAR * _late(trial.near)
            + HITS_WALL * _late(trial.wall) + TURNS * abs(angle) / math.pi
            - (trial.x * along_x + trial.y * along_y) / (EVASION * p.forward_speed_mps))


@njit
def evading(p: Parameters, around: Around, limits: Floats, seen: int, bounds: int, margin: float,
            v: float, omega: float, air: tuple[float, float], to_x: float, to_y: float,
            dt: float) -> tuple[float, float]:
    """Return linear.x (m/s) and angular.z (rad/s): the given ones, or those of a better arc.

    Parameters
    ----------
    p, around : constants, and what is near
    limits, seen, bounds : of ``damper``; those of moving obstacles are lifted if it evades
    margin : m, kept from walls
    v, omega : the command that is tried
    air : m/s, the velocity through the air that it is for
    to_x, to_y : m, from here, the point that the robot heads for
    dt : s, of a turn

    """
    here = around.place
    _, angle = drive(air[0], air[1], here.cosine, here.sine)
    if tried(p, around, angle, _length(air[0], air[1])).near == math.inf:
        return v, omega
    size = max(_length(to_x, to_y), NEAREST)
    along_x, along_y = to_x / size, to_y / size
    best_angle, best_speed = angle, 0.0
    least = _cost(p, around, angle, 0.0, along_x, along_y)
    for k in range(_HEADINGS):
        sine, cosine = sincos(k * (2 * math.pi / _HEADINGS))
        turn = atan2(here.cosine * sine - here.sine * cosine,
                     here.cosine * cosine + here.sine * sine)
        for share in _EVADING_SPEEDS:
            cost = _cost(p, around, turn, share * p.forward_speed_mps, along_x, along_y)
            if cost < least - _TIE:
                least, best_angle, best_speed = cost, turn, share * p.forward_speed_mps
    lift_limits(around, limits, seen, bounds)
    v = fastest(p, limits, bounds, here, around.drift_x, around.drift_y,
                best_speed * max(0.0, sincos(best_angle)[1]), margin)
    return v, bounded(p, min(p.turn_gain, 1.0 / dt) * best_angle)


@njit
def lift_limits(around: Around, limits: Floats, seen: int, bounds: int) -> None:
    """Lift the limits that are of moving obstacles: an arc has been tried against them."""
    first_robot = seen - around.rows
    for k in range(bounds):
        if first_robot <= k < first_robot + around.robots:
            continue
        for i in range(around.robots, around.rows):
            dx, dy, reach = around.near[i, 0], around.near[i, 1], around.near[i, 6]
            aside = limits[k, 0] * dy - limits[k, 1] * dx
            if limits[k, 0] * dx + limits[k, 1] * dy > 0.0 and aside * aside < reach * reach:
                limits[k, 2] = math.inf

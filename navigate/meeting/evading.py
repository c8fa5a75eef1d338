"""Evasion of moving obstacles, which may turn round: commands are simulated a second ahead.

A command is tried by driving it ahead against every moving obstacle twice: it goes on as it goes,
or turns round now. One that would touch is replaced by the best of some arcs: the dynamic window
approach (Fox, Burgard, Thrun, IEEE Robotics and Automation Magazine 4, 1997) among moving
obstacles (Seder, Petrovic, ICRA 2007). Both futures count because a robot must not enter a state
from which it cannot get away, an inevitable collision state (Fraichard, Asama, Advanced Robotics
18, 2004).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.damping.damper import fastest
from navigate.frame import Place
from navigate.parameters import (
    EVASION,
    EVASION_ROOM,
    EVASION_STEPS,
    GOES_ON,
    HITS_WALL,
    SPACE,
    TURNS_ROUND,
    Parameters,
    bounded,
)
from navigate.ways.grid import Grid, distance_at
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import sincos

Floats = NDArray[np.float64]

_HEADINGS = 16  # of the arcs that are tried
_SPEEDS = (1.0, 0.5)  # shares of the largest speed on them
_TIE = 1e-9  # penalty: right and left equal but for rounding; right comes first
_CLOSER = 0.98  # share of a distance: one that is too small must not shrink


class Around(NamedTuple):
    """What is near a robot, and where it is."""

    grid: Grid
    place: Place
    drift_x: float  # m/s
    drift_y: float
    near: Floats  # (rows, 8) of ``encounters.first_contact``
    robots: int  # rows of robots
    rows: int  # likewise, with obstacles that move


class Trial(NamedTuple):
    """What comes of an arc, from now on."""

    x: float  # m, where it ends, from here
    y: float
    goes_on: float  # s until a touch if obstacles go on; inf: none
    turns_round: float  # likewise, if they turn round now
    wall: float  # likewise, of what stands


@njit
def tried(p: Parameters, around: Around, angle: float, speed: float, turns_first: bool) -> Trial:
    """Drive ahead: turn by ``angle`` (rad) as fast as possible, at ``speed`` (m/s), then straight.

    ``turns_first``: with only that part of the speed that is along the final heading.
    """
    place, near, step = around.place, around.near, EVASION / EVASION_STEPS
    turn = p.rotate_speed_radps * step / 2  # rad in half a step
    sine, cosine = sincos(angle)
    end_x = place.cosine * cosine - place.sine * sine
    end_y = place.sine * cosine + place.cosine * sine
    sine, cosine = sincos(turn if angle > 0.0 else -turn)
    ahead_x, ahead_y, left = place.cosine, place.sine, abs(angle)
    room = (SPACE - EVASION_ROOM) * p.margin_m
    wall = min(p.robot_radius_m + EVASION_ROOM * p.margin_m,
               _CLOSER * distance_at(around.grid, place.x, place.y))
    x, y, goes_on, turns_round, hits = 0.0, 0.0, math.inf, math.inf, math.inf
    for k in range(EVASION_STEPS):
        for half in range(2):
            if left > turn:
                ahead_x, ahead_y = (cosine * ahead_x - sine * ahead_y,
                                    sine * ahead_x + cosine * ahead_y)
                left -= turn
            elif left > 0.0:
                ahead_x, ahead_y, left = end_x, end_y, 0.0
            if half == 0:
                v = speed
                if turns_first:
                    v *= max(0.0, ahead_x * end_x + ahead_y * end_y)
                x += step * (v * ahead_x + around.drift_x)
                y += step * (v * ahead_y + around.drift_y)
        time = (k + 1) * step
        for i in range(around.rows):
            was_x, was_y = near[i, 0], near[i, 1]
            reach = near[i, 6] - (room if i >= around.robots else 0.0)
            least = min(reach * reach, _CLOSER * (was_x * was_x + was_y * was_y))
            gone_x, gone_y = time * near[i, 2], time * near[i, 3]
            dx, dy = was_x + gone_x - x, was_y + gone_y - y
            if dx * dx + dy * dy < least:
                goes_on = min(goes_on, time)
            dx, dy = was_x - gone_x - x, was_y - gone_y - y
            if i >= around.robots and dx * dx + dy * dy < least:
                turns_round = min(turns_round, time)
        if distance_at(around.grid, place.x + x, place.y + y) < wall:
            hits = min(hits, time)
    return Trial(x, y, goes_on, turns_round, hits)


@njit_inner
def _late(time: float) -> float:
    return 2.0 - time / EVASION if time < math.inf else 0.0


@njit_inner
def penalty(trial: Trial) -> float:
    """Return how bad an arc is: the sooner a touch the worse."""
    return (GOES_ON * _late(trial.goes_on) + TURNS_ROUND * _late(trial.turns_round)
            + HITS_WALL * _late(trial.wall))


@njit
def evading(p: Parameters, around: Around, limits: Floats, seen: int, bounds: int, margin: float,
            v: float, omega: float, angle: float, dt: float) -> tuple[float, float]:
    """Return linear.x (m/s) and angular.z (rad/s): the given ones, or those of a better arc.

    Parameters
    ----------
    p, around : constants, and what is near
    limits, seen, bounds : of ``damper``; those of moving obstacles are lifted if it evades
    margin : m, kept from walls
    v, omega : the command that is tried
    angle : rad, to the heading that it wants
    dt : s, of a turn

    """
    wanted = tried(p, around, angle, v, False)
    least = penalty(wanted)
    if least == 0.0:
        return v, omega
    found, best_angle, best_speed, best_first = False, 0.0, 0.0, False
    far = EVASION * p.forward_speed_mps
    for k in range(_HEADINGS):
        turn = (k - _HEADINGS / 2 + 1) * (2 * math.pi / _HEADINGS)
        for share in _SPEEDS:
            for first in (True, False):
                speed = share * p.forward_speed_mps
                trial = tried(p, around, turn, speed, first)
                dx, dy = trial.x - wanted.x, trial.y - wanted.y
                worse = penalty(trial) + math.sqrt(dx * dx + dy * dy) / far
                if worse < least - _TIE:
                    found, least = True, worse
                    best_angle, best_speed, best_first = turn, speed, first
    trial = tried(p, around, 0.0, 0.0, False)
    dx, dy = trial.x - wanted.x, trial.y - wanted.y
    if penalty(trial) + math.sqrt(dx * dx + dy * dy) / far < least:
        return 0.0, omega
    if not found:
        return v, omega
    lift_limits(around, limits, seen, bounds)
    if best_first:
        best_speed *= max(0.0, sincos(best_angle)[1])
    v = fastest(p, limits, bounds, around.place, around.drift_x, around.drift_y, best_speed,
                margin)
    rate = min(p.turn_gain, 1.0 / dt) * best_angle
    return v, bounded(p, rate)


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

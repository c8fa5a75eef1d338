"""Encounters with other robots: reciprocal velocity obstacles, sampled.

Van den Berg, Lin, Manocha, "Reciprocal velocity obstacles for real-time multi-agent navigation"
(ICRA 2008): of some velocities the one is taken that differs least from the wanted one and leads
to a contact latest, where each of two robots makes half of the change.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.frame import Place
from navigate.parameters import (
    BEHIND_WALLS,
    HEADING_COSINE,
    HEADING_ROOM,
    KEEP,
    LOOK,
    NEAREST,
    PERSONAL,
    REST,
    SLOWEST,
    WEIGHT,
    Parameters,
)
from navigate.ways.grid import Grid, is_free_line
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import sincos

# Degrees off the wanted direction, the right hand first: so two robots that meet head on choose
# different sides.
_TURNS = (0.0, -10.0, 10.0, -20.0, 20.0, -35.0, 35.0, -50.0, 50.0, -70.0, 70.0, -95.0, 95.0)
_SPEEDS = (1.0, 0.6, 0.3)
_TIE = 1e-9  # share of the speed: right and left equal but for rounding; right comes first


@njit
def time_to_contact(dx: float, dy: float, vx: float, vy: float, distance: float) -> float:
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
        time = time_to_contact(near[k, 0], near[k, 1],
                               share * vx - (share - 1.0) * own_x - near[k, 2],
                               share * vy - (share - 1.0) * own_y - near[k, 3], near[k, 6])
        if time < least:
            least = time
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


class Motion(NamedTuple):
    """How a robot moves (m/s)."""

    x: float  # its velocity over ground
    y: float
    chosen_x: float  # what ``avoiding`` chose in the last turn
    chosen_y: float


@njit
def avoiding(p: Parameters, grid: Grid, place: Place, near: NDArray[np.float64], count: int,
             motion: Motion, wanted_x: float, wanted_y: float, margin: float,
             ) -> tuple[float, float]:
    """Return the velocity (m/s) nearest to the wanted one without an early encounter.

    Parameters
    ----------
    p, grid : constants; walls that are known
    place : of the robot
    near, count : as for ``first_contact``
    motion : of the robot; another choice than the last must be better by some
    wanted_x, wanted_y : m/s
    margin : m, kept from walls

    """
    own_x, own_y, last_x, last_y = motion
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
    least = REST * speed + weight / max(NEAREST, time) + KEEP * _length(last_x, last_y)
    for degrees in _TURNS:
        sine, cosine = sincos(degrees * (math.pi / 180.0))
        for share in _SPEEDS:
            size = share * max(speed, SLOWEST * p.forward_speed_mps)
            vx = size * (cosine * ahead_x - sine * ahead_y)
            vy = size * (sine * ahead_x + cosine * ahead_y)
            dx, dy = vx - wanted_x, vy - wanted_y
            penalty = math.sqrt(dx * dx + dy * dy) + KEEP * _length(vx - last_x, vy - last_y)
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

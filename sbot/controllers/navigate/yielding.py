# SPDX-License-Identifier: Apache-2.0
"""Right of way in passages: which robot goes first, and where the others wait.

A passage in which two robots cannot pass belongs to those who are in it; before it, to who is
nearer. Of those that meet in it the lowest number goes on; the others back out to a place beside
the mouth (yielding areas: arXiv 2303.09139) and stay until the passage is free (hysteresis).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import Frame
from sbot.controllers.navigate.map import Grid, distance_at, is_free_line
from sbot.controllers.navigate.parameters import (
    ASIDE,
    CLEAR_TIME,
    LOOK_TIME,
    MEETING,
    WAITING,
    YIELD_TIME,
    Parameters,
)
from sbot.controllers.navigate.passages import (
    STRAIGHT,
    Passage,
    out_of,
    passage_with_lanes,
    station,
)
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import sincos

FREE = 0
WAITS = 1
KEEPS_ON = 2
PASSES = 3

_FACING = 0.2  # cosine
_ANGLES = (60.0, -60.0, 85.0, -85.0, 40.0, -40.0)  # degrees off the passage's axis
_AWAY = (5.0, 7.0, 9.0, 12.0)  # radii from the mouth
_TIE = 1e-9  # share of a square: left and right equal but for rounding; the first angle counts


class Yield(NamedTuple):
    """Whether a robot waits for others, and where."""

    mode: int  # FREE, WAITS, KEEPS_ON, PASSES
    since: float  # s, begin of the mode
    busy: float  # s, when the passage was last taken
    looked: float  # s, when passages were last looked for
    passage: Passage
    spot_x: float  # m, where it waits
    spot_y: float


NO_YIELD = Yield(0, 0.0, 0.0, -1e9, Passage(0.0, 0.0, 0.0, 0.0, STRAIGHT, 0), 0.0, 0.0)


@njit_inner
def heading_of(frame: Frame, yaw: float) -> tuple[float, float]:
    """Return the unit vector of a yaw (rad) of `map` in the frame; 0, 0 if it is unknown."""
    if not abs(yaw) < 1e6:
        return 0.0, 0.0
    sine, cosine = sincos(yaw - frame.yaw)
    return cosine, sine


@njit
def write_headings(frame: Frame, poses: NDArray[np.float64], headings: NDArray[np.float64],
                   ) -> None:
    """Write the unit vectors (N, 2) of the robots' headings; 0, 0 for one that is unknown.

    Column 2 of ``headings`` (N, 3), whether a robot moves, is written by
    ``sight.list_neighbours``.
    """
    for i in range(poses.shape[0]):
        headings[i, 0], headings[i, 1] = heading_of(frame, poses[i, 2])


@njit
def _is_taken(p: Parameters, passage: Passage, me: int, others: NDArray[np.float64],
              mobile: NDArray[np.float64], headings: NDArray[np.float64], mode: int, time: float,
              since: float) -> tuple[bool, bool]:
    """Tell whether a robot must leave a passage to others, and whether one is in it.

    Parameters
    ----------
    p, passage, me : constants; the passage; the robot's number
    others, mobile : (N, 2) m; without those that have stood for long: they are obstacles
    headings : (N, 3) unit vectors, and 1 of a robot that moves; its own, too
    mode, time, since : of ``Yield``; s, now and since when

    """
    r = p.robot_radius_m
    own_x, own_y = others[me, 0] - passage.near_x, others[me, 1] - passage.near_y
    here = station(p, passage, others[me, 0], others[me, 1])
    own, length = here.along, here.length
    inside = own > -0.5 * r and here.aside < ASIDE * r
    own_gap = math.sqrt(own_x * own_x + own_y * own_y) + (2.0 * r if mode == WAITS else 0.0)
    occupied, first, rank, theirs = False, False, 0, others.shape[0]
    for k in range(others.shape[0]):
        dx, dy = mobile[k, 0] - passage.near_x, mobile[k, 1] - passage.near_y
        if k == me or not dx * dx + dy * dy < (length + MEETING * r) * (length + MEETING * r):
            continue
        at = station(p, passage, others[k, 0], others[k, 1])
        along, aside = at.along, at.aside
        facing = headings[k, 0] * at.u_x + headings[k, 1] * at.u_y
        if -r < along < length + r and aside < ASIDE * r:
            if facing < -_FACING and (along > own or not inside):
                theirs, occupied = min(theirs, k), True
        elif along >= length + r and aside < 2.0 * along - 2.0 * length:
            to_x, to_y = passage.far_x - others[k, 0], passage.far_y - others[k, 1]
            gap = math.sqrt(to_x * to_x + to_y * to_y)
            if headings[k, 0] * to_x + headings[k, 1] * to_y > 0.5 * gap:
                rank += k < me
                first |= gap < own_gap - 0.1 * r or (k < me and gap < own_gap + 0.1 * r)
        elif mode == WAITS and -ASIDE * r < along <= -r and aside < ASIDE * r:
            occupied |= facing < -_FACING and headings[k, 2] > 0.0  # one at rest has arrived
    if inside:
        return theirs < me, occupied
    if occupied:
        return True, True
    if mode == KEEPS_ON and time - since < YIELD_TIME:
        return False, False
    return first and (mode != WAITS or time - since < YIELD_TIME * (1 + rank)), False


@njit
def _spot_beside(p: Parameters, grid: Grid, passage: Passage, me: int,
                 others: NDArray[np.float64]) -> tuple[float, float]:
    """Return where (m) to wait: beside the mouth, free, not taken; else straight back."""
    r = p.robot_radius_m
    u_x, u_y = out_of(p, passage)
    from_x, from_y = passage.near_x + 2.0 * r * u_x, passage.near_y + 2.0 * r * u_y
    best_x, best_y = from_x + 12.0 * r * u_x, from_y + 12.0 * r * u_y
    least = math.inf
    for away in _AWAY:
        for degrees in _ANGLES:
            sine, cosine = sincos(degrees * (math.pi / 180.0))
            x = from_x + away * r * (cosine * u_x - sine * u_y)
            y = from_y + away * r * (sine * u_x + cosine * u_y)
            dx, dy = x - others[me, 0], y - others[me, 1]
            way = dx * dx + dy * dy
            if way >= least - _TIE * way or distance_at(grid, x, y) < r + p.margin_m:
                continue
            if not is_free_line(grid, from_x, from_y, x, y, r + p.cell_m, 0.0):
                continue
            if is_occupied(others, me, x, y, 2.0 * r + 2.0 * p.margin_m):
                continue
            least, best_x, best_y = way, x, y
    return best_x, best_y


@njit_inner
def is_occupied(others: NDArray[np.float64], me: int, x: float, y: float, reach: float) -> bool:
    """Tell whether the centre of another robot is within ``reach`` (m) of (x, y) (m)."""
    for k in range(others.shape[0]):
        dx, dy = others[k, 0] - x, others[k, 1] - y
        if k != me and dx * dx + dy * dy < reach * reach:
            return True
    return False


@njit
def _is_out_of_the_way(p: Parameters, passage: Passage, x: float, y: float) -> bool:
    """Tell whether a robot at (x, y) (m) leaves room at the mouth of a passage."""
    r = p.robot_radius_m
    u_x, u_y = out_of(p, passage)
    dx, dy = x - passage.near_x, y - passage.near_y
    along, aside = dx * u_x + dy * u_y, abs(dy * u_x - dx * u_y)
    return along > WAITING * r or (along > 2.0 * r and aside > ASIDE * r)


@njit
def negotiated(p: Parameters, grid: Grid, state: Yield, me: int, found: bool, passage: Passage,
               others: NDArray[np.float64], mobile: NDArray[np.float64],
               headings: NDArray[np.float64], time: float) -> Yield:
    """Return whether the robot waits, after one more look.

    ``found`` and ``passage`` are of ``passage_ahead``, where the robot waits for nobody yet.
    """
    if state.mode != WAITS:
        if not found:
            return Yield(FREE, time, state.busy, time, state.passage, 0.0, 0.0)
        taken, occupied = _is_taken(p, passage, me, others, mobile, headings, state.mode, time,
                                    state.since)
        if taken or occupied:
            fits, line = passage_with_lanes(p, grid, passage)
            if fits:
                return Yield(PASSES, time, state.busy, time, line, 0.0, 0.0)
        if not taken:
            return Yield(KEEPS_ON if state.mode == KEEPS_ON else FREE, state.since, state.busy,
                         time, state.passage, 0.0, 0.0)
        x, y = others[me, 0], others[me, 1]
        if not _is_out_of_the_way(p, passage, x, y):
            x, y = _spot_beside(p, grid, passage, me, others)
        return Yield(WAITS, time, time, time, passage, x, y)
    taken, _ = _is_taken(p, state.passage, me, others, mobile, headings, WAITS, time, state.since)
    if taken:
        fits, line = passage_with_lanes(p, grid, state.passage)
        if fits:
            return Yield(PASSES, time, state.busy, time, line, 0.0, 0.0)
        busy = time
    elif time - state.busy >= CLEAR_TIME:
        insists = KEEPS_ON if time - state.since >= YIELD_TIME else FREE
        return Yield(insists, time, time, -1e9, state.passage, 0.0, 0.0)
    else:
        busy = state.busy
    x, y = state.spot_x, state.spot_y
    dx, dy = x - others[me, 0], y - others[me, 1]
    far = 3.0 * p.robot_radius_m
    if dx * dx + dy * dy > far * far and is_occupied(
            others, me, x, y, 2.0 * p.robot_radius_m + p.margin_m):
        x, y = _spot_beside(p, grid, state.passage, me, others)
    return Yield(WAITS, state.since, busy, state.looked, state.passage, x, y)


@njit_inner
def is_time_to_look(state: Yield, time: float) -> bool:
    """Tell whether to look for passages in this turn."""
    return state.mode == WAITS or time - state.looked >= LOOK_TIME

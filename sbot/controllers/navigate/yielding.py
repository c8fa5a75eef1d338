# SPDX-License-Identifier: Apache-2.0
"""Right of way in passages: which robot goes first, and where the others wait.

A passage in which two robots cannot pass belongs to those who are in it; before it, to who is
nearer. Of two rows that meet in it, the one with the lowest number goes on (priority inheritance:
Okumura et al. 2022); the others back out to a place beside the mouth (yielding areas: arXiv
2303.09139) and stay until the passage is free (hysteresis).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import Frame, into
from sbot.controllers.navigate.map import Grid, distance_at, is_free_line
from sbot.controllers.navigate.parameters import (
    ASIDE,
    CLEAR_TIME,
    MEETING,
    YIELD_TIME,
    Parameters,
)
from sbot.controllers.navigate.passages import NO_PASSAGE, Passage, has_lanes
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


NO_YIELD = Yield(0, 0.0, 0.0, -1e9, NO_PASSAGE, 0.0, 0.0)


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
              since: float) -> bool:
    """Tell whether a robot must leave a passage to others.

    Parameters
    ----------
    p, passage, me : constants; the passage; the robot's number
    others, mobile : (N, 2) m; without those that have stood for long: they are obstacles
    headings : (N, 3) unit vectors, and 1 of a robot that moves; its own, too
    mode, time, since : of ``Yield``; s, now and since when

    """
    r, near, length = p.robot_radius_m, passage.near, passage.length
    far_x, far_y = near.x + length * near.cosine, near.y + length * near.sine
    own, own_aside = into(near, others[me, 0], others[me, 1])
    inside = own > -0.5 * r and abs(own_aside) < ASIDE * r
    own_gap = math.sqrt(own * own + own_aside * own_aside) + (2.0 * r if mode == WAITS else 0.0)
    occupied, first, rank, nobody = False, False, 0, others.shape[0]
    ours, theirs, beyond = me, nobody, nobody  # lowest numbers
    for k in range(nobody):
        along, aside = into(near, mobile[k, 0], mobile[k, 1])
        reach, aside = length + MEETING * r, abs(aside)
        if k == me or not along * along + aside * aside < reach * reach:
            continue
        facing = headings[k, 0] * near.cosine + headings[k, 1] * near.sine
        on_axis = aside < ASIDE * r
        comes = on_axis and facing < -_FACING
        if on_axis and facing > _FACING and along < length + r:
            ours = min(ours, k)
        if along >= length + r:
            beyond = min(beyond, k) if comes else beyond
            to_x, to_y = far_x - mobile[k, 0], far_y - mobile[k, 1]
            gap = math.sqrt(to_x * to_x + to_y * to_y)
            if (aside < 2.0 * along - 2.0 * length
                    and headings[k, 0] * to_x + headings[k, 1] * to_y > 0.5 * gap):
                rank += k < me
                first |= gap < own_gap - 0.1 * r or (k < me and gap < own_gap + 0.1 * r)
        elif along > -r:
            theirs = min(theirs, k) if comes and (along > own or not inside) else theirs
        elif mode == WAITS and along > -ASIDE * r:
            occupied |= comes and headings[k, 2] > 0.0  # one at rest has arrived
    if inside:  # who follows another has its rank: else both sides may yield, and nobody can
        return bool(theirs < nobody and min(theirs, beyond) < ours)
    if occupied or theirs < nobody:
        return True
    if mode == KEEPS_ON and time - since < YIELD_TIME:
        return False
    return bool(first and (mode != WAITS or time - since < YIELD_TIME * (1 + rank)))


@njit
def _spot_beside(p: Parameters, grid: Grid, passage: Passage, me: int,
                 others: NDArray[np.float64]) -> tuple[float, float]:
    """Return where (m) to wait: beside the mouth, free, not taken; else straight back."""
    r = p.robot_radius_m
    u_x, u_y = -passage.near.cosine, -passage.near.sine
    from_x, from_y = passage.near.x + 2.0 * r * u_x, passage.near.y + 2.0 * r * u_y
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
def negotiated(p: Parameters, grid: Grid, state: Yield, me: int, found: bool, passage: Passage,
               others: NDArray[np.float64], mobile: NDArray[np.float64],
               headings: NDArray[np.float64], time: float) -> Yield:
    """Return whether the robot waits, after one more look.

    ``found`` and ``passage`` are of ``passage_ahead``, where the robot waits for nobody yet.
    """
    if state.mode != WAITS:
        if not found:
            return Yield(FREE, time, state.busy, time, state.passage, 0.0, 0.0)
        if has_lanes(p, grid, passage):
            return Yield(PASSES, time, state.busy, time, passage, 0.0, 0.0)
        if not _is_taken(p, passage, me, others, mobile, headings, state.mode, time, state.since):
            return Yield(KEEPS_ON if state.mode == KEEPS_ON else FREE, state.since, state.busy,
                         time, state.passage, 0.0, 0.0)
        x, y = _spot_beside(p, grid, passage, me, others)
        return Yield(WAITS, time, time, time, passage, x, y)
    taken = _is_taken(p, state.passage, me, others, mobile, headings, WAITS, time, state.since)
    if taken and has_lanes(p, grid, state.passage):
        return Yield(PASSES, time, state.busy, time, state.passage, 0.0, 0.0)
    if not taken and time - state.busy >= CLEAR_TIME:
        insists = KEEPS_ON if time - state.since >= YIELD_TIME else FREE
        return Yield(insists, time, time, -1e9, state.passage, 0.0, 0.0)
    return Yield(WAITS, state.since, time if taken else state.busy, state.looked, state.passage,
                 state.spot_x, state.spot_y)

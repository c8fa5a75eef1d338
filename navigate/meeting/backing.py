"""Deadlocks in passages: one of two robots that stand before each other backs out.

Who goes first is decided by poses alone, so each of two robots may wait for the other: one to let
the other out, who heads for where the first one stands. The one that insists breaks the circular
wait (Coffman, Elphick, Shoshani, "System deadlocks", ACM Computing Surveys 3, 1971) and gives up
what it holds: it drives back the way it came.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from navigate.parameters import BLOCKED_AHEAD, BLOCKED_COSINE, PROGRESS, STUCK, Parameters
from navigate.ways.route import Watch
from sbot_common.compiled.jit import njit, njit_inner


@njit_inner
def standing(p: Parameters, watch: Watch, rests: bool, x: float, y: float, time: float) -> Watch:
    """Return where and since when (s) a robot at (x, y) (m) stands without a reason."""
    dx, dy, gets_on = x - watch.x, y - watch.y, PROGRESS * p.robot_radius_m
    if rests or dx * dx + dy * dy > gets_on * gets_on:
        return Watch(x, y, time)
    return watch


@njit
def is_blocked(p: Parameters, me: int, others: NDArray[np.float64], headings: NDArray[np.float64],
               ahead_x: float, ahead_y: float, stands: float) -> bool:
    """Tell whether a robot has stood for too long (s) before another one at rest.

    Of two that stand before each other the one with the lower number leaves first: the rules of
    passages let it go on, and that did not help.

    Parameters
    ----------
    p, me : constants; the robot's number
    others, headings : (N, 2) m; (N, 3), where column 2 is 1 of a robot that moves
    ahead_x, ahead_y : m, from the robot to the next point of its way
    stands : s, since it got on

    """
    if stands < STUCK:
        return False
    length = math.sqrt(ahead_x * ahead_x + ahead_y * ahead_y)
    reach = BLOCKED_AHEAD * p.robot_radius_m
    for k in range(others.shape[0]):
        dx, dy = others[k, 0] - others[me, 0], others[k, 1] - others[me, 1]
        distance = math.sqrt(dx * dx + dy * dy)
        if k != me and distance < reach and headings[k, 2] == 0.0 and (
                ahead_x * dx + ahead_y * dy > BLOCKED_COSINE * length * distance):
            return me < k or stands > 2.0 * STUCK
    return False

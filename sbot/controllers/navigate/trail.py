"""Formation on the leader's trail: rows of followers at their distances behind it, along its path.

The leader has driven where its followers go, so the trail is free. The formation is the line of
leader-referenced formations in Balch and Arkin, "Behavior-based formation control for multirobot
teams" (IEEE Transactions on Robotics and Automation 14, 1998), bent along the trail.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.parameters import TRAIL_STEP
from sbot_common.compiled.jit import njit

LONGEST = 256  # points that are remembered


@njit
def follow(trail: NDArray[np.float64], count: int, x: float, y: float, radius: float) -> int:
    """Note where the leader is, (x, y) (m), if it has moved; return the count of points so far.

    ``trail`` (LONGEST, 2) is a ring: point k is row k modulo LONGEST. ``radius`` (m) of the body.
    """
    if count > 0:
        last = (count - 1) % LONGEST
        dx, dy = x - trail[last, 0], y - trail[last, 1]
        if dx * dx + dy * dy < TRAIL_STEP * radius * TRAIL_STEP * radius:
            return count
    trail[count % LONGEST, 0], trail[count % LONGEST, 1] = x, y
    return count + 1


@njit
def place_in_formation(rank: int, followers: int, spacing: float) -> tuple[float, float]:
    """Return how far behind the leader, and to its left, a follower's place is (m).

    Rows are as long as there are rows, nearly; ``rank`` counts followers from 0.
    """
    columns = max(1, math.ceil(math.sqrt(followers)))
    row, column = rank // columns, rank % columns
    in_row = min(columns, followers - row * columns)
    return (row + 1) * spacing, ((in_row - 1) / 2 - column) * spacing


@njit
def place_on_trail(trail: NDArray[np.float64], count: int, leader_x: float, leader_y: float,
                   behind: float, x: float, y: float,
                   ) -> tuple[float, float, float, float, int]:
    """Return the place ``behind`` (m) the leader along its way, for a follower at (x, y) (m).

    Where the trail is too short it goes on from its oldest point straight to the follower, who
    so stands still until the leader is far enough.

    Returns
    -------
    x, y : m
    along_x, along_y : unit vector of the way there, forwards
    older : number of the newest point of the trail that is before the place

    """
    at_x, at_y = leader_x, leader_y
    left = behind
    oldest = max(0, count - LONGEST)
    for k in range(count - 1, oldest - 2, -1):
        if k >= oldest:
            to_x, to_y = trail[k % LONGEST, 0], trail[k % LONGEST, 1]
        else:
            to_x, to_y = x, y
        dx, dy = to_x - at_x, to_y - at_y
        length = math.sqrt(dx * dx + dy * dy)
        if length > 0.0 and length >= left:
            return (at_x + dx * left / length, at_y + dy * left / length, -dx / length,
                    -dy / length, max(k, oldest))
        left -= length
        at_x, at_y = to_x, to_y
    return x, y, 0.0, 0.0, oldest

# SPDX-License-Identifier: Apache-2.0
"""Followers: their places in the formation, the way to them, and the leader's speed limit.

Formation on the leader's trail: rows of followers at their distances behind it, along its path.
The leader has driven where its followers go, so the trail is free. The formation is the line of
leader-referenced formations in Balch and Arkin, "Behavior-based formation control for multirobot
teams" (IEEE Transactions on Robotics and Automation 14, 1998), bent along the trail.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.map import Grid, is_free_line
from sbot.controllers.navigate.memory import Memory, Task
from sbot.controllers.navigate.parameters import (
    BESIDE,
    LONGEST_TRAIL,
    LOOKAHEAD,
    SLOW,
    TRAIL_STEP,
    Parameters,
)
from sbot.controllers.navigate.route import sight_clearance
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit


@njit
def follow(trail: NDArray[np.float64], count: int, x: float, y: float, radius: float) -> int:
    """Note where the leader is, (x, y) (m), if it has moved; return the count of points so far.

    ``trail`` (LONGEST_TRAIL, 2) is a ring: point k is row k modulo its length. ``radius`` (m) of
    the body.
    """
    if count > 0:
        last = (count - 1) % LONGEST_TRAIL
        dx, dy = x - trail[last, 0], y - trail[last, 1]
        if dx * dx + dy * dy < TRAIL_STEP * radius * TRAIL_STEP * radius:
            return count
    trail[count % LONGEST_TRAIL, 0], trail[count % LONGEST_TRAIL, 1] = x, y
    return count + 1


@njit
def _place_in_formation(rank: int, followers: int, spacing: float) -> tuple[float, float]:
    """Return how far behind the leader, and to its left, a follower's place is (m).

    Rows are as long as there are rows, nearly; ``rank`` counts followers from 0.
    """
    columns = max(1, math.ceil(math.sqrt(followers)))
    row, column = rank // columns, rank % columns
    in_row = min(columns, followers - row * columns)
    return (row + 1) * spacing, ((in_row - 1) / 2 - column) * spacing


@njit
def _place_on_trail(trail: NDArray[np.float64], count: int, leader_x: float, leader_y: float,
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
    oldest = max(0, count - LONGEST_TRAIL)
    for k in range(count - 1, oldest - 2, -1):
        if k >= oldest:
            to_x, to_y = trail[k % LONGEST_TRAIL, 0], trail[k % LONGEST_TRAIL, 1]
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
    behind, left = _place_in_formation(task.rank, task.followers, p.spacing_m)
    leader = memory.others[0]
    to_x, to_y, along_x, along_y, older = _place_on_trail(
        memory.trail, count, leader[0], leader[1], behind, x, y)
    aside_x, aside_y = to_x - left * along_y, to_y + left * along_x
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
    oldest = max(0, count - LONGEST_TRAIL)
    nearest, least = older, beside * beside
    for k in range(older, oldest - 1, -1):
        dx, dy = trail[k % LONGEST_TRAIL, 0] - x, trail[k % LONGEST_TRAIL, 1] - y
        if dx * dx + dy * dy < least:
            nearest, least = k, dx * dx + dy * dy
    if least < beside * beside:
        ahead = min(older, nearest + LOOKAHEAD)
        return trail[ahead % LONGEST_TRAIL, 0], trail[ahead % LONGEST_TRAIL, 1], True
    for k in range(older, oldest - 1, -3):
        at_x, at_y = trail[k % LONGEST_TRAIL, 0], trail[k % LONGEST_TRAIL, 1]
        if is_free_line(grid, x, y, at_x, at_y, clearance, skip):
            return at_x, at_y, True
    return x, y, False

"""Followers: their places in the formation, the way to them, and the leader's speed limit."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate import trail as trails
from sbot.controllers.navigate.map import Grid, is_free_line
from sbot.controllers.navigate.memory import Memory, Task
from sbot.controllers.navigate.parameters import BESIDE, LOOKAHEAD, SLOW, Parameters
from sbot.controllers.navigate.route import sight_clearance
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit


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

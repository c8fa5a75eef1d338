"""Lanes of passages in which two robots pass each other, each on its right."""

from __future__ import annotations

import math

from navigate.parameters import ABREAST, LANE_AHEAD, LANES, Parameters
from navigate.ways.grid import Grid
from navigate.ways.passage_line import (
    SHORTEST,
    STRAIGHT,
    Passage,
    line_at,
    part_of,
    station,
)
from navigate.ways.route import room_beside
from sbot_common.compiled.jit import njit


@njit
def has_lanes(p: Parameters, grid: Grid, passage: Passage) -> bool:
    """Tell whether two robots pass each other in a passage if each keeps to its side."""
    r, seen, some = p.robot_radius_m, False, False
    for part in range(passage.corners + 1):
        x, y, u_x, u_y, length = part_of(p, passage, part)
        if length <= SHORTEST * r:
            continue
        some = True
        for k in range(math.floor(length / r) + 1):
            left, right = room_beside(grid, x + k * r * u_x, y + k * r * u_y, u_x, u_y, r,
                                      ABREAST * r)
            if left - right < LANES * r:
                return False
            seen |= left - right < math.inf
    return some and seen


@njit
def passage_with_lanes(p: Parameters, grid: Grid, passage: Passage) -> tuple[bool, Passage]:
    """Return whether a passage has lanes, and the line along which it has them.

    Where it has none along its bends, the straight line is tried: a way through a wall that is
    not known yet has bends beside that wall.
    """
    if has_lanes(p, grid, passage):
        return True, passage
    if passage.corners > 0:
        straight = Passage(passage.near_x, passage.near_y, passage.far_x, passage.far_y,
                           STRAIGHT, 0)
        if has_lanes(p, grid, straight):
            return True, straight
    return False, passage


@njit
def on_lane(p: Parameters, grid: Grid, passage: Passage, x: float, y: float, at_x: float,
            at_y: float) -> tuple[float, float]:
    """Return the point (m) ahead on the right lane of a passage; (at_x, at_y) where it has none.

    Keeping to the right: Kirby, Simmons, Forlizzi, "COMPANION: A constraint-optimizing method
    for person-acceptable navigation" (RO-MAN 2009). Both walls and the other leave as much room.
    """
    r = p.robot_radius_m
    if passage.corners == 0:
        _, _, u_x, u_y, _ = part_of(p, passage, 0)
        to_x, to_y = x + LANE_AHEAD * r * u_x, y + LANE_AHEAD * r * u_y
    else:
        along = station(p, passage, x, y).along
        to_x, to_y, u_x, u_y = line_at(p, passage, along + LANE_AHEAD * r)
    left, right = room_beside(grid, to_x, to_y, u_x, u_y, r, ABREAST * r)
    if passage.corners > 0 and left - right == math.inf:  # one wall ends at the corner
        if left < math.inf:
            right = left - LANES * r
        elif right > -math.inf:
            left = right + LANES * r
    if not (left < math.inf and right > -math.inf):
        return at_x, at_y
    aside = (left + right) / 2 - (left - right + 2.0 * r) / 6
    return to_x - aside * u_y, to_y + aside * u_x

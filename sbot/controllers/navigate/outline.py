# SPDX-License-Identifier: Apache-2.0
"""Outline of a slim body: what drives and turns beside walls, where a disc does not fit.

The velocity damper (``damping``) in the space of poses: each point of the outline that is nearest
to an obstacle approaches it no faster than in proportion to the distance, by driving and by
turning together. So a corner touches nothing when the body turns.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import Place, into
from sbot.controllers.navigate.map import Grid, column_of, row_of
from sbot.controllers.navigate.parameters import (
    BACKS,
    BANNED,
    CREEPING,
    LEAST_MARGIN,
    SIDE,
    TURN_END,
    Outline,
    Parameters,
)
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner


@njit_inner
def _slower(p: Parameters, outline: Outline, margin: float, ahead: float, aside: float, v: float,
            omega: float, turns: bool) -> float:
    """Return the share of a speed, or if it ``turns`` of a turn, that a point leaves.

    ``ahead``, ``aside`` (m) is where the point is from the body; ``v`` (m/s) and ``omega`` (rad/s)
    are the command, ``margin`` (m) what is kept from the outline.
    """
    x = min(outline.front, max(-outline.rear, ahead))
    y = min(outline.side, max(-outline.side, aside))
    dx, dy = ahead - x, aside - y
    distance = math.sqrt(dx * dx + dy * dy)
    if distance == 0.0:  # noise: the point is in the body
        dx, dy = ahead, aside
    size = max(math.sqrt(dx * dx + dy * dy), 1e-9)
    drives, swings = dx / size * v, (dy * x - dx * y) / size * omega
    most = p.damper_gain * max(0.0, distance - margin)
    part, left = (swings, most - drives) if turns else (drives, most)
    return max(0.0, left) / part if part > left and part > 0.0 else 1.0


@njit
def _share(p: Parameters, outline: Outline, grid: Grid, place: Place, eye_x: float, eye_y: float,
           ranges: NDArray[np.float32], beams: Floats, margin: float, v: float, omega: float,
           turns: bool) -> float:
    """Return the least ``_slower`` of what is seen, and of obstacles that are known near."""
    least, reach = 1.0, outline.front + outline.rear + p.forward_speed_mps / p.damper_gain
    for i in range(ranges.shape[0]):
        if 0.0 <= ranges[i] < reach:
            least = min(least, _slower(p, outline, margin, eye_x + ranges[i] * beams[0, i],
                                       eye_y + ranges[i] * beams[1, i], v, omega, turns))
    cells, row, column = (math.ceil(reach / grid.cell), row_of(grid, place.y),
                          column_of(grid, place.x))
    for r in range(max(0, row - cells), min(SIDE, row + cells + 1)):
        for c in range(max(0, column - cells), min(SIDE, column + cells + 1)):
            if 0 < grid.evidence[r, c] < BANNED:  # a place that was closed is free of bodies
                ahead, aside = into(
                    place, grid.origin_x + (c + np.float64(grid.hits[r, c, 0])) * grid.cell,
                    grid.origin_y + (r + np.float64(grid.hits[r, c, 1])) * grid.cell)
                least = min(least, _slower(p, outline, margin, ahead, aside, v, omega, turns))
    return least


@njit
def kept_off(p: Parameters, outline: Outline, grid: Grid, place: Place, eye_x: float,
             eye_y: float, ranges: NDArray[np.float32], beams: Floats, margin: float,
             seen_behind: float, v: float, omega: float) -> tuple[float, float]:
    """Return linear.x (m/s) and angular.z (rad/s) with which the outline touches nothing.

    Parameters
    ----------
    p, outline, grid, place : constants; the body; obstacles that are known; where it is
    eye_x, eye_y : m, the laser in the robot's frame
    ranges, beams : (beams,) m, (2, beams) directions in the robot's frame
    margin : m, kept from walls
    seen_behind : m, how far it may back
    v, omega : the command

    """
    margin = min(margin, LEAST_MARGIN * p.robot_radius_m)
    v *= _share(p, outline, grid, place, eye_x, eye_y, ranges, beams, margin, v, omega, False)
    turn = omega * _share(p, outline, grid, place, eye_x, eye_y, ranges, beams, margin, v, omega,
                          True)
    if abs(omega) > TURN_END and abs(turn) < TURN_END and v < CREEPING * p.forward_speed_mps:
        v = -min(BACKS * p.forward_speed_mps, p.damper_gain * seen_behind)
        v *= _share(p, outline, grid, place, eye_x, eye_y, ranges, beams, margin, v, omega, False)
        turn = omega * _share(p, outline, grid, place, eye_x, eye_y, ranges, beams, margin, v,
                              omega, True)
    return v, turn

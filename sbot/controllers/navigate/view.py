# SPDX-License-Identifier: Apache-2.0
"""What a laser sees, by the directions of its beams, and what no beam has told of."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import (
    Grid,
    column_of,
    is_inside,
    is_marked,
    mark,
    row_of,
)
from sbot.controllers.navigate.memory import Memory
from sbot.controllers.navigate.moving import hit, is_mover, is_robot
from sbot.controllers.navigate.parameters import (
    BLIND_SIDE,
    HIT,
    UNSEEN,
    Parameters,
)
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2


@njit
def sees_all_ahead(beams: Floats) -> bool:
    """Tell whether a laser sees what is ahead to both sides, or has no beams."""
    last = beams.shape[1] - 1
    if last < 0 or (beams[0, 0] < BLIND_SIDE and beams[0, last] < BLIND_SIDE):
        return True
    return sees_all_round(beams)


@njit
def sees_all_round(beams: Floats) -> bool:
    """Tell whether a laser looks in every direction, or has no beams."""
    last = beams.shape[1] - 1
    # From any direction: the gap between last and first is less than two steps.
    return last < 0 or bool(last > 3 and _cosine(beams, 0, last) > _cosine(beams, 0, 2))


@njit_inner
def _cosine(beams: Floats, i: int, k: int) -> float:
    return float(beams[0, i] * beams[0, k] + beams[1, i] * beams[1, k])


@njit_inner
def edge_of_view(beams: Floats) -> float:
    """Return the cosine of half the view of a laser, on the side where it sees less."""
    first, last = beams[0, 0], beams[0, beams.shape[1] - 1]
    # The same on both sides but for rounding: the wider one, as ever, for the same bits.
    return float(min(first, last) if abs(first - last) < BLIND_SIDE else max(first, last))


@njit
def seen_behind(p: Parameters, grid: Grid, place: Place) -> float:
    """Return how far (m) a robot may back until it comes to a place that no beam has told of."""
    steps = math.ceil(UNSEEN * p.robot_radius_m / grid.cell)
    for k in range(1, steps):
        way = p.robot_radius_m + k * grid.cell
        for side in (-0.7, 0.0, 0.7):
            aside = side * p.robot_radius_m
            row = row_of(grid, place.y - way * place.sine + aside * place.cosine)
            column = column_of(grid, place.x - way * place.cosine - aside * place.sine)
            if not is_inside(row, column) or grid.evidence[row, column] == 0:
                return (k - 1) * grid.cell
    return steps * grid.cell


@njit
def notice_leaving(p: Parameters, grid: Grid, memory: Memory, me: int, eye: Place,
                   ranges: NDArray[np.float32], beams: Floats, time: float, dt: float) -> bool:
    """Note of near readings that may be out of view in the next turn, ``dt`` (s) later.

    Beams take turns in entering the map, so a robot that drives past an obstacle would forget most
    of its side. Returns whether an obstacle is new.
    """
    last, new = beams.shape[1] - 1, False
    first = atan2(beams[1, 0], beams[0, 0])
    apart = (atan2(beams[1, last], beams[0, last]) - first) / max(1, last)
    if apart <= 0.0:
        return False
    reach = UNSEEN * p.robot_radius_m
    leaving = dt * (p.rotate_speed_radps + p.forward_speed_mps / p.robot_radius_m) / apart
    for i in range(last + 1):
        distance = np.float64(ranges[i])
        if not (0.0 <= distance < reach and min(i, last - i) <= leaving):
            continue
        x, y = hit(ranges, beams, i, eye)
        if not is_marked(grid, x, y) and not is_robot(p, memory.mobile, me, x, y) and not is_mover(
                p, memory.movers, x, y, time):
            mark(grid, x, y, HIT)
            new = True
    return new

"""Watch over progress: a passage in which a robot alone gets stuck is taken for closed."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.grid import Grid, distance_at, mark
from navigate.parameters import ALONE, BANNED, GETS_ON, STUCK, Parameters
from navigate.route import Route
from sbot_common.compiled.jit import njit

_POINTS = 12  # of the path ahead


class Watch(NamedTuple):
    """Where and when a robot last got on."""

    x: float  # m
    y: float
    time: float  # s


@njit
def watched(p: Parameters, grid: Grid, watch: Watch, path: NDArray[np.float64], route: Route,
            near: NDArray[np.float64], count: int, rests: bool, x: float, y: float, time: float,
            ) -> tuple[Watch, bool]:
    """Return the watch after a turn at (x, y) (m), and whether a place was closed.

    Parameters
    ----------
    p, grid : constants; obstacles, written
    path, route : that is followed
    near, count : positions of others from the robot (m)
    rests : whether it has reason to stay
    x, y, time : m, s

    """
    r = p.robot_radius_m
    dx, dy = x - watch.x, y - watch.y
    alone = True
    for k in range(count):
        alone &= near[k, 0] * near[k, 0] + near[k, 1] * near[k, 1] > (ALONE * r) ** 2
    if rests or not alone or dx * dx + dy * dy > (GETS_ON * r) ** 2 or route.length == 0:
        return Watch(x, y, time), False
    if time - watch.time < STUCK:
        return watch, False
    least, at = math.inf, -1
    for k in range(min(route.at, 1), min(route.length, route.at + _POINTS)):
        distance = distance_at(grid, path[k, 0], path[k, 1])
        if distance < least:
            least, at = distance, k
    closed = at >= 0 and least < r + p.margin_m
    if closed:
        mark(grid, path[at, 0], path[at, 1], BANNED)
    return Watch(x, y, time), closed

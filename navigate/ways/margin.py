"""Margin that a robot keeps from obstacles: the whole one, or what a narrow gap leaves."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from navigate.parameters import BESIDE_GAP, LEAST_MARGIN, Parameters
from navigate.ways.grid import Grid, distance_at
from navigate.ways.route import Route, room_beside
from sbot_common.compiled.jit import njit


@njit
def margin_ahead(p: Parameters, grid: Grid, path: NDArray[np.float64], route: Route) -> float:
    """Return the margin (m) that the next points of the path leave: a narrow gap needs less."""
    least = p.margin_m
    for k in range(max(0, route.at - 4), min(route.length, route.at + 3)):
        distance = distance_at(grid, path[k, 0], path[k, 1])
        least = min(least, distance - p.robot_radius_m - 0.75 * p.cell_m)
    return max(least, min(p.margin_m, LEAST_MARGIN * p.robot_radius_m))


@njit
def margin_beside(p: Parameters, grid: Grid, x: float, y: float, to_x: float,
                  to_y: float) -> float:
    """Return the margin (m) that a gap leaves in which a robot at (x, y) (m) is.

    ``to`` is the point (m) that it heads for. A line from the robot to a point does not tell what
    is beside the robot, so without this the robot keeps the whole margin before it is through.
    """
    r, dx, dy = p.robot_radius_m, to_x - x, to_y - y
    size = math.sqrt(dx * dx + dy * dy)
    if not 0.0 < size < math.inf or distance_at(grid, x, y) >= r + p.margin_m:
        return p.margin_m
    left, right = room_beside(grid, x, y, dx / size, dy / size, BESIDE_GAP * r,
                              r + p.margin_m + grid.cell)
    room = (left - right) / 2 - r - 0.75 * grid.cell
    return max(min(p.margin_m, room), min(p.margin_m, LEAST_MARGIN * r))


@njit
def margin_for_corners(p: Parameters, grid: Grid, corner: float, x: float, y: float, to_x: float,
                       to_y: float) -> float:
    """Return the margin (m) that the corners of a body at (x, y) (m) need, as far as a gap has it.

    ``corner`` (m) is how far they reach from the centre, ``to`` (m) is as in ``margin_beside``. A
    disc of the body's area does not hold its corners. So in a gap that leaves no more than the
    least margin, a robot would come so near to one side that a corner touches when it turns.
    -inf: the radius holds the corners, or the robot heads for no point.
    """
    r, dx, dy = p.robot_radius_m, to_x - x, to_y - y
    size = math.sqrt(dx * dx + dy * dy)
    if not (corner > r and 0.0 < size < math.inf):
        return -math.inf
    left, right = room_beside(grid, x, y, dx / size, dy / size, BESIDE_GAP * r,
                              r + p.margin_m + grid.cell)
    return min(p.margin_m, corner - r, (left - right) / 2 - r - LEAST_MARGIN * r)

# SPDX-License-Identifier: Apache-2.0
"""Exact shortest path of a disc among segments and circles: the tangent graph, searched by A*.

The centre of a disc goes among obstacles that are grown by its radius. The shortest way is made of
straight lines, each a tangent of two grown corners or circles, and of arcs between them (Laumond,
Robot Motion Planning and Control, 1998, chapter 6; Liu and Arimoto, Path planning using a tangent
graph for mobile robots among polygonal and curved obstacles, IJRR 11(4), 1992). Its length is
exact but for rounding and ``_CUT``, by which the way may cut into an obstacle.
"""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import acos, atan2, sincos
from sbot_sim.world.geometry import World

_CUT = 1e-7  # m
_MOST = 3000  # corners and circles: the search has a number for each pair of them and side


class _Solids(NamedTuple):
    """Obstacles, grown by the body's radius, or by less where it would not fit at its start."""

    discs: Floats  # (D, 3) x, y, radius (m): the start, of radius 0, then corners and circles
    walls: Floats  # (W, 5) x0, y0, x1, y1, and how far from it a centre must be (m)


def shortest_length(world: World, radius: float, start: tuple[float, float],
                    goal: tuple[float, float], tolerance: float = 0.0) -> float | None:
    """Return the length (m) of the shortest way of a disc's centre to within a goal's tolerance.

    inf if there is no way, None if the world has more than ``_MOST`` corners and circles. That the
    disc stands free at its start is taken for granted.

    Parameters
    ----------
    world : bounds included
    radius : of the disc (m)
    start, goal : m
    tolerance : distance from the goal that counts as there (m)

    """
    walls, here = world.segments, np.array(start)
    corners = np.unique(np.round(walls.reshape(-1, 2), 9), axis=0)
    discs = np.vstack([np.column_stack([corners, np.zeros(len(corners))]), world.circles])
    if len(discs) > _MOST:
        return None
    away = np.sqrt(((discs[:, :2] - here) ** 2).sum(axis=1))
    discs[:, 2] = np.minimum(discs[:, 2] + radius, away)
    apart = [_wall_distance(*here, *wall) for wall in walls]
    solids = _Solids(np.vstack([[*here, 0.0], discs]), np.column_stack(
        [walls, np.minimum(radius, np.reshape(apart, len(walls)))]))
    return float(_search(solids, float(goal[0]), float(goal[1]), float(tolerance)))


@njit
def _wall_distance(x: float, y: float, x0: float, y0: float, x1: float, y1: float) -> float:
    """Return how far (m) a point is from a segment."""
    dx, dy = x1 - x0, y1 - y0
    share = ((x - x0) * dx + (y - y0) * dy) / max(dx * dx + dy * dy, 1e-300)
    share = min(max(share, 0.0), 1.0)
    across, along = x - x0 - share * dx, y - y0 - share * dy
    return math.sqrt(across * across + along * along)


def outline_distances(world: World, points: Floats) -> Floats:
    """Return how far points (P, 2) are from the nearest wall, side or circle (m); (P,).

    Within a circle the distance is negative; within anything else it is that from its outline.
    """
    return _least_distances(world.segments, world.circles, points)


@njit
def _least_distances(segments: Floats, circles: Floats, points: Floats) -> Floats:
    out = np.full(len(points), math.inf)
    for i in range(len(points)):
        x, y = points[i]
        for x0, y0, x1, y1 in segments:
            out[i] = min(out[i], _wall_distance(x, y, x0, y0, x1, y1))
        for at_x, at_y, radius in circles:
            dx, dy = x - at_x, y - at_y
            out[i] = min(out[i], math.sqrt(dx * dx + dy * dy) - radius)
    return out


@njit_inner
def _side(x: float, y: float, x0: float, y0: float, x1: float, y1: float) -> float:
    return (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)


@njit_inner
def _is_clear(solids: _Solids, px: float, py: float, qx: float, qy: float) -> bool:
    """Tell whether the centre may go straight from p to q (m)."""
    for k in range(len(solids.discs)):
        x, y, radius = solids.discs[k]
        if _wall_distance(x, y, px, py, qx, qy) < radius - _CUT:
            return False
    for k in range(len(solids.walls)):
        x0, y0, x1, y1, reach = solids.walls[k]
        if (min(_wall_distance(px, py, x0, y0, x1, y1), _wall_distance(qx, qy, x0, y0, x1, y1))
                < reach - _CUT):
            return False  # the wall's ends are discs
        if (_side(px, py, x0, y0, x1, y1) * _side(qx, qy, x0, y0, x1, y1) < 0.0
                and _side(x0, y0, px, py, qx, qy) * _side(x1, y1, px, py, qx, qy) < 0.0):
            return False
    return True


@njit_inner
def _turn(begin: float, end: float, sense: float) -> float:
    """Return the angle (rad) from one direction to another; sense 1.0: counter-clockwise."""
    angle = sense * (end - begin)
    angle -= 2.0 * math.pi * math.floor(angle / (2.0 * math.pi))
    return 0.0 if angle > 2.0 * math.pi - 1e-9 else angle


@njit_inner
def _reach(solids: _Solids, k: int, begin: float, sense: float) -> float:
    """Return how far (rad) the centre gets along circle ``k`` before the middle of an obstacle.

    In any obstacle that an arc crosses, it crosses a place that is nearest to it. Whoever leaves
    the circle within an obstacle but before that place is found out by ``_is_clear``.
    """
    x, y, radius = solids.discs[k]
    least = 2.0 * math.pi
    for j in range(1, len(solids.discs)):
        dx, dy = solids.discs[j, 0] - x, solids.discs[j, 1] - y
        if j != k and abs(math.sqrt(dx * dx + dy * dy) - radius) < solids.discs[j, 2] - _CUT:
            least = min(least, _turn(begin, atan2(dy, dx), sense))
    for j in range(len(solids.walls)):
        x0, y0, x1, y1, reach = solids.walls[j]
        if _wall_distance(x, y, x0, y0, x1, y1) > radius + reach:
            continue
        normal = atan2(x1 - x0, y0 - y1)
        s, c = sincos(normal)
        off = (x0 - x) * c + (y0 - y) * s  # of the line from the centre, along the normal
        half = acos(min(max(off / radius, -1.0), 1.0))  # where it crosses the circle, if it does
        for angle in (normal, normal + math.pi, normal + half, normal - half):
            s, c = sincos(angle)
            if (_wall_distance(x + radius * c, y + radius * s, x0, y0, x1, y1) < reach - _CUT):
                least = min(least, _turn(begin, angle, sense))
    return least


@njit
def _search(solids: _Solids, goal_x: float, goal_y: float, tolerance: float) -> float:
    """Return the length (m) of the shortest way from disc 0, inf if there is none.

    A* whose nodes are tangents: (from, to), each a disc and the sense in which it is passed. A
    tangent is tested for obstacles when it is the next best, as most never are.
    """
    discs = solids.discs
    paid = np.full((2 * len(discs), 2 * len(discs)), math.inf)
    gx, gy = goal_x - discs[0, 0], goal_y - discs[0, 1]
    if math.sqrt(gx * gx + gy * gy) <= tolerance:
        return 0.0
    # Estimate, length to the end of a tangent, its nodes (to -1: the goal; from -1: the start),
    # its ends, and the angle on the circle at which it arrives.
    heap = [(0.0, 0.0, -1, 0, discs[0, 0], discs[0, 1], discs[0, 0], discs[0, 1], 0.0)]
    while len(heap) > 0:
        _, length, node, to, px, py, qx, qy, angle = heappop(heap)
        if node >= 0 and to >= 0 and length > paid[node, to]:
            continue
        if node >= 0 and not _is_clear(solids, px, py, qx, qy):
            if to >= 0:
                paid[node, to] = -math.inf
            continue
        if to < 0:
            return length
        k, sense = to // 2, 1.0 if to % 2 == 0 else -1.0
        x, y, radius = discs[k]
        reach = _reach(solids, k, angle, sense) if k > 0 else 2.0 * math.pi
        _to_goal(heap, to, x, y, radius, angle, reach, length, goal_x, goal_y, tolerance)
        for other in range(2, 2 * len(discs)):
            j, turned = other // 2, 1.0 if other % 2 == 0 else -1.0
            dx, dy = discs[j, 0] - x, discs[j, 1] - y
            off, apart = turned * discs[j, 2] - sense * radius, dx * dx + dy * dy
            if j == k or off * off >= apart:
                continue
            straight = math.sqrt(apart - off * off)
            # The unit vector to the left of the tangent.
            nx, ny = (off * dx - straight * dy) / apart, (off * dy + straight * dx) / apart
            arc = _turn(angle, atan2(-sense * ny, -sense * nx), sense) if radius > 0.0 else 0.0
            whole = length + radius * arc + straight
            if arc > reach or whole >= paid[to, other]:
                continue
            paid[to, other] = whole
            off = turned * discs[j, 2]
            ex, ey = discs[j, 0] - off * nx, discs[j, 1] - off * ny
            left = math.sqrt((goal_x - ex) ** 2 + (goal_y - ey) ** 2) - tolerance
            heappush(heap, (whole + max(0.0, left), whole, to, other, x - sense * radius * nx,
                            y - sense * radius * ny, ex, ey, atan2(-turned * ny, -turned * nx)))
    return math.inf


@njit_inner
def _to_goal(heap: list[tuple[float, float, int, int, float, float, float, float, float]],
             node: int, x: float, y: float, radius: float, angle: float, reach: float,
             length: float, goal_x: float, goal_y: float, tolerance: float) -> None:
    """Add how a circle may be left for the goal: on a tangent, or on an arc that comes near it."""
    sense = 1.0 if node % 2 == 0 else -1.0
    dx, dy = goal_x - x, goal_y - y
    apart = dx * dx + dy * dy
    if apart >= radius * radius and apart > 0.0:
        straight = math.sqrt(apart - radius * radius)
        off = -sense * radius
        nx, ny = (off * dx - straight * dy) / apart, (off * dy + straight * dx) / apart
        arc = _turn(angle, atan2(-sense * ny, -sense * nx), sense) if radius > 0.0 else 0.0
        px, py, kept = x + off * nx, y + off * ny, max(0.0, straight - tolerance)
        whole = length + radius * arc + kept
        if arc <= reach:
            heappush(heap, (whole, whole, node, -1, px, py, px + kept * ny, py - kept * nx, 0.0))
    cosine = (apart + radius * radius - tolerance * tolerance) / max(
        2.0 * radius * math.sqrt(apart), 1e-300)
    if radius > 0.0 and abs(cosine) <= 1.0:
        middle, half = atan2(dy, dx), acos(cosine)
        arc = min(_turn(angle, middle - half, sense), _turn(angle, middle + half, sense))
        if arc <= reach:
            s, c = sincos(angle + sense * arc)
            px, py, whole = x + radius * c, y + radius * s, length + radius * arc
            heappush(heap, (whole, whole, node, -1, px, py, px, py, 0.0))

# SPDX-License-Identifier: Apache-2.0
"""Moving obstacles: detected in scans, tracked, and remembered outside the laser's view.

A part of a scan whose ends stand before something farther is an object; one no larger than some
bodies is taken for a disc. Its place and velocity are estimated by a growing-memory filter that
becomes an alpha-beta filter (Brookner, "Tracking and Kalman filtering made easy", 1998). What has
gone farther than noise explains, and is where the map knows no obstacle, is an obstacle that
moves; it is expected to go on as it went when it was last seen. (Detection by places that were
free before: Wang and Thorpe, "Simultaneous localization and mapping with detection and tracking
of moving objects", ICRA 2002.)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.map import Grid, is_marked
from sbot.controllers.navigate.parameters import (
    ANCHOR,
    DAMPING,
    FEWEST,
    FORGET,
    GAP,
    GATE,
    KNOWN,
    KNOWN_GAIN,
    LARGEST,
    LEAP,
    MISSING,
    MOVES,
    NOTCH,
    PLACE_GAIN,
    SIGHT,
    SPACE,
    SPEED_GAIN,
    SWERVE,
    WELL_IN_VIEW,
    Parameters,
)
from sbot.controllers.navigate.yielding import is_occupied
from sbot_common.compiled.jit import njit, njit_inner

MOST = 16  # objects that are followed at once
_WIDEST = -0.5  # cosine of the widest angle under which a disc is seen


class Movers(NamedTuple):
    """Objects that are followed, each at the time when it was last seen."""

    place: NDArray[np.float64]  # (MOST, 2) m, centre in the frame of the start
    velocity: NDArray[np.float64]  # (MOST, 2) m/s
    radius: NDArray[np.float64]  # (MOST,) m
    seen: NDArray[np.float64]  # (MOST,) s
    looks: NDArray[np.int64]  # (MOST,) how often it was seen; 0: none is followed here
    anchor: NDArray[np.float64]  # (MOST, 3) m, m, s: where and when it was some time ago
    known: NDArray[np.float64]  # (MOST,) share of it that is where obstacles were known
    moves: NDArray[np.bool_]  # (MOST,) whether it moves


def make_movers() -> Movers:
    """Return room for objects; none is followed."""
    return Movers(np.zeros((MOST, 2)), np.zeros((MOST, 2)), np.zeros(MOST), np.zeros(MOST),
                  np.zeros(MOST, np.int64), np.zeros((MOST, 3)), np.zeros(MOST),
                  np.zeros(MOST, np.bool_))


@njit
def expected(movers: Movers, k: int, time: float) -> tuple[float, float]:
    """Return where (m) object k is expected at a time (s)."""
    since = time - movers.seen[k]
    return (movers.place[k, 0] + since * movers.velocity[k, 0],
            movers.place[k, 1] + since * movers.velocity[k, 1])


@njit_inner
def _free_ends(ranges: NDArray[np.float32], first: int, last: int) -> int:
    """Return at how many ends what beams first ... last see stands before something farther.

    0 if fewer than ``FEWEST`` see it.
    """
    if last - first + 1 < FEWEST:
        return 0
    ends = int(first > 0 and ranges[first - 1] > ranges[first])
    return ends + int(last < ranges.shape[0] - 1 and ranges[last + 1] > ranges[last])


@njit
def _disc_seen(ranges: NDArray[np.float32], beams: NDArray[np.float64], first: int, last: int,
               ) -> tuple[float, float, float, float]:
    """Return the disc that beams first ... last see, by the angle that it fills.

    Returns
    -------
    x, y : unit vector to its centre in the robot's frame
    distance : m, of its nearest point
    radius : m; inf if it fills too wide an angle

    """
    x, y = beams[0, first] + beams[0, last], beams[1, first] + beams[1, last]
    dot = beams[0, first] * beams[0, last] + beams[1, first] * beams[1, last]
    distance = math.inf
    for i in range(first, last + 1):
        distance = min(distance, np.float64(ranges[i]))
    size = math.sqrt(x * x + y * y)
    if dot <= _WIDEST or size == 0.0:
        return 1.0, 0.0, distance, math.inf
    # An object reaches half a beam beyond its first and its last one.
    between = abs(beams[0, first] * beams[1, first + 1] - beams[1, first] * beams[0, first + 1])
    half = math.sqrt(0.5 * max(0.0, 1.0 - dot)) + 0.5 * between * math.sqrt(0.5 * (1.0 + dot))
    radius = distance * half / (1.0 - half) if half < 0.9 else math.inf
    return x / size, y / size, distance, radius


@njit_inner
def hit(ranges: NDArray[np.float32], beams: NDArray[np.float64], i: int,
        place: Place) -> tuple[float, float]:
    """Return the end (m) of beam i in the frame of the start."""
    distance = np.float64(ranges[i])
    ahead = place.cosine * beams[0, i] - place.sine * beams[1, i]
    aside = place.sine * beams[0, i] + place.cosine * beams[1, i]
    return place.x + distance * ahead, place.y + distance * aside


@njit_inner
def _share_known(grid: Grid, ranges: NDArray[np.float32], beams: NDArray[np.float64], first: int,
                 last: int, place: Place) -> float:
    """Return the share of the ends of beams first ... last that are in an obstacle's cell."""
    known = 0
    for i in range(first, last + 1):
        x, y = hit(ranges, beams, i, place)
        known += is_marked(grid, x, y)
    return known / (last - first + 1)


@njit_inner
def _matching(p: Parameters, movers: Movers, x: float, y: float, time: float) -> tuple[int, bool]:
    """Return which object is at (x, y) (m), and whether it is new there."""
    gate = GATE * p.robot_radius_m
    nearest, least, oldest = -1, gate * gate, 0
    for k in range(MOST):
        if movers.looks[k] > 0 and movers.seen[k] < time:
            at_x, at_y = expected(movers, k, time)
            apart = (at_x - x) * (at_x - x) + (at_y - y) * (at_y - y)
            if apart < least:
                nearest, least = k, apart
        if (movers.looks[k] == 0) > (movers.looks[oldest] == 0) or (
                movers.looks[k] > 0 < movers.looks[oldest]
                and movers.seen[k] < movers.seen[oldest]):
            oldest = k
    return (nearest, False) if nearest >= 0 else (oldest, True)


@njit
def _follow_object(p: Parameters, movers: Movers, x: float, y: float, distance: float,
                   radius: float, known: float, place: Place, time: float) -> None:
    """Note a disc that is seen in direction (x, y) (unit vector in the frame of the start).

    ``distance`` (m) is that of its nearest point, ``known`` the share of it that is where
    obstacles were known.
    """
    at_x, at_y = place.x + (distance + radius) * x, place.y + (distance + radius) * y
    k, new = _matching(p, movers, at_x, at_y, time)
    if new:
        movers.looks[k], movers.seen[k], movers.moves[k] = 1, time, False
        movers.radius[k], movers.known[k], movers.velocity[k] = radius, known, 0.0
        movers.place[k, 0], movers.place[k, 1] = at_x, at_y
        movers.anchor[k, 0], movers.anchor[k, 1], movers.anchor[k, 2] = at_x, at_y, time
    else:
        movers.radius[k] += max(0.1, 1.0 / (movers.looks[k] + 1)) * (radius - movers.radius[k])
        movers.known[k] += KNOWN_GAIN * (known - movers.known[k])
        away = distance + movers.radius[k]
        estimate(p, movers, k, place.x + away * x, place.y + away * y, time)
    _judge(p, movers, k, time)


@njit
def estimate(p: Parameters, movers: Movers, k: int, at_x: float, at_y: float,
             time: float) -> None:
    """Note that object k is at (at_x, at_y) (m).

    The memory of one that moves begins anew where it does not go on as it went: detection of
    manoeuvres, Bar-Shalom and Birmiwal, "Variable dimension filter for maneuvering target
    tracking" (IEEE Transactions on Aerospace and Electronic Systems 18, 1982).
    """
    n = movers.looks[k] + 1
    was_x, was_y = expected(movers, k, time)
    dx, dy, swerve = at_x - was_x, at_y - was_y, SWERVE * p.robot_radius_m
    if movers.moves[k] and dx * dx + dy * dy > swerve * swerve:
        n = min(n, 3)
    near = max(PLACE_GAIN, 2.0 * (2.0 * n - 1.0) / (n * (n + 1.0)))
    fast = max(SPEED_GAIN, 6.0 / (n * (n + 1.0))) / (time - movers.seen[k])
    movers.velocity[k, 0] += fast * dx
    movers.velocity[k, 1] += fast * dy
    movers.place[k, 0], movers.place[k, 1] = was_x + near * dx, was_y + near * dy
    movers.looks[k], movers.seen[k] = n, time


@njit
def _follow_part(p: Parameters, movers: Movers, ranges: NDArray[np.float32],
                 beams: NDArray[np.float64], first: int, last: int, place: Place,
                 time: float) -> None:
    """Note the part of a disc that beams first ... last see.

    Something before it hides the rest, or it is out of view. Only one that moves counts: a
    geometric fit of its centre with the known radius by a damped Gauss-Newton step (Levenberg
    1944) from where it is expected. A fit that is far from there is of something else.
    """
    seen_x, seen_y = hit(ranges, beams, (first + last) // 2, place)
    gate = GATE * p.robot_radius_m
    nearest, least = -1, gate
    for k in range(MOST):
        if movers.looks[k] > 0 and movers.moves[k] and movers.seen[k] < time:
            x, y = expected(movers, k, time)
            apart = abs(math.sqrt((seen_x - x) * (seen_x - x) + (seen_y - y) * (seen_y - y))
                        - movers.radius[k])
            if apart < least:
                nearest, least = k, apart
    if nearest < 0:
        return
    k, radius = nearest, movers.radius[nearest]
    was_x, was_y = expected(movers, k, time)
    x, y = was_x, was_y
    for _ in range(2):
        xx, xy, yy, x_e, y_e = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(first, last + 1):
            hit_x, hit_y = hit(ranges, beams, i, place)
            dx, dy = hit_x - x, hit_y - y
            size = math.sqrt(dx * dx + dy * dy)
            if size > 0.0:
                dx, dy = dx / size, dy / size
                xx, xy, yy = xx + dx * dx, xy + dx * dy, yy + dy * dy
                x_e, y_e = x_e + (size - radius) * dx, y_e + (size - radius) * dy
        damping = DAMPING * (last - first + 1)
        xx, yy = xx + damping, yy + damping
        determinant = xx * yy - xy * xy
        x += (yy * x_e - xy * y_e) / determinant
        y += (xx * y_e - xy * x_e) / determinant
    leap = LEAP * p.robot_radius_m
    if (x - was_x) * (x - was_x) + (y - was_y) * (y - was_y) > leap * leap:
        return
    estimate(p, movers, k, x, y, time)
    _judge(p, movers, k, time)


@njit_inner
def _judge(p: Parameters, movers: Movers, k: int, time: float) -> None:
    """Tell object k from one that stands."""
    dx = movers.place[k, 0] - movers.anchor[k, 0]
    dy = movers.place[k, 1] - movers.anchor[k, 1]
    away = MOVES * p.robot_radius_m
    moves = dx * dx + dy * dy > away * away
    if moves and movers.known[k] < KNOWN:
        movers.moves[k] = True
    if moves or time - movers.anchor[k, 2] > ANCHOR:
        movers.moves[k] &= moves
        movers.anchor[k, 0], movers.anchor[k, 1] = movers.place[k, 0], movers.place[k, 1]
        movers.anchor[k, 2] = time


@njit_inner
def _end_of_object(p: Parameters, ranges: NDArray[np.float32], first: int) -> int:
    """Return the last beam of the object that beam ``first`` sees.

    It ends where neighbouring ranges differ by ``GAP``. A disc is nearest at one place only: where
    ranges have become greater, and then less again, another one begins, which hides a part.
    """
    gap, notch = GAP * p.robot_radius_m, NOTCH * p.robot_radius_m
    top, least = first, ranges[first]
    for i in range(first + 1, ranges.shape[0]):
        if not abs(ranges[i] - ranges[i - 1]) < gap:
            return i - 1
        if ranges[i] < least:
            least, top = ranges[i], i
        if ranges[i] > ranges[top]:
            top = i
        if ranges[top] > least + notch and ranges[i] < ranges[top] - notch:
            return top
    return int(ranges.shape[0] - 1)


@njit
def look_for_movers(p: Parameters, grid: Grid, movers: Movers,
                    ranges: NDArray[np.float32], beams: NDArray[np.float64], place: Place,
                    others: NDArray[np.float64], me: int, time: float) -> None:
    """Follow the objects that a scan shows; forget those that are not where they should be.

    Parameters
    ----------
    p, grid, movers : constants; obstacles that are known; what is written
    ranges, beams : (beams,) m, and (2, beams) directions in the robot's frame
    place : of the robot when the scan arrived
    others, me : (N, 2) m, places of the robots, which are no objects, and its own number
    time : s, later than at the last look

    """
    first, n = 0, ranges.shape[0]
    while first < n:
        last = first
        if 0.0 < ranges[first] < math.inf:
            last = _end_of_object(p, ranges, first)
            ends = _free_ends(ranges, first, last)
            if ends == 2:
                ahead, aside, distance, radius = _disc_seen(ranges, beams, first, last)
                x = place.cosine * ahead - place.sine * aside
                y = place.sine * ahead + place.cosine * aside
                if radius < LARGEST * p.robot_radius_m and not is_robot(
                        p, others, me, place.x + distance * x, place.y + distance * y):
                    known = _share_known(grid, ranges, beams, first, last, place)
                    _follow_object(p, movers, x, y, distance, radius, known, place, time)
            elif ends == 1:
                x, y = hit(ranges, beams, (first + last) // 2, place)
                if not is_robot(p, others, me, x, y) and _share_known(
                        grid, ranges, beams, first, last, place) < KNOWN:
                    _follow_part(p, movers, ranges, beams, first, last, place, time)
        first = last + 1
    edge = max(WELL_IN_VIEW, min(beams[0, 0], beams[0, n - 1])) if n > 0 else WELL_IN_VIEW
    for k in range(MOST):
        since = time - movers.seen[k]
        if movers.looks[k] > 0 and since > 0.0:
            x, y = expected(movers, k, time)
            dx, dy = x - place.x, y - place.y
            in_view = place.cosine * dx + place.sine * dy > edge * math.sqrt(dx * dx + dy * dy)
            lasts = movers.moves[k] or edge > WELL_IN_VIEW  # else all that is ahead is in view
            if since > (MISSING if in_view or not lasts else FORGET):
                movers.looks[k] = 0


@njit_inner
def is_robot(p: Parameters, others: NDArray[np.float64], me: int, x: float, y: float) -> bool:
    """Tell whether a point (m) is on the body of another robot, or nearly."""
    return is_occupied(others, me, x, y, p.robot_radius_m + p.margin_m)


@njit
def is_mover(p: Parameters, movers: Movers, x: float, y: float, time: float) -> bool:
    """Tell whether a point (m) is on an obstacle that moves, or nearly."""
    for k in range(MOST):
        if movers.looks[k] > 0 and movers.moves[k]:
            at_x, at_y = expected(movers, k, time)
            reach = movers.radius[k] + p.margin_m
            if (at_x - x) * (at_x - x) + (at_y - y) * (at_y - y) < reach * reach:
                return True
    return False


@njit
def meet_movers(p: Parameters, movers: Movers, x: float, y: float, time: float,
                near: NDArray[np.float64], count: int) -> int:
    """Write the obstacles that move after ``count`` rows of ``near``; return how many rows.

    They do not give way: ``encounters.first_contact`` has the columns.
    """
    sight = SIGHT * p.robot_radius_m
    for k in range(MOST):
        if movers.looks[k] > 0 and movers.moves[k]:
            at_x, at_y = expected(movers, k, time)
            dx, dy = at_x - x, at_y - y
            if dx * dx + dy * dy < sight * sight:
                near[count, 0], near[count, 1] = dx, dy
                near[count, 2], near[count, 3] = movers.velocity[k, 0], movers.velocity[k, 1]
                near[count, 6] = p.robot_radius_m + SPACE * p.margin_m + movers.radius[k]
                near[count, 7] = 1.0
                count += 1
    return count

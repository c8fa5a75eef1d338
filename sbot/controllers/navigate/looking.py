# SPDX-License-Identifier: Apache-2.0
"""Looks to the side: a robot with a narrow laser turns to unseen cells before it drives there.

Its body sweeps cells that are beside its view. One that no beam has told of yet may hold an
obstacle, such as the far side of what it drives round. It stops before such a cell and turns until
it sees it: the next best view of Connolly (ICRA 1985), where the view decides whether it drives.
A look ends when all cells on that side that its body would sweep have been in view. So the number
of looks does not depend on how often it is asked. A beam that is not a number tells nothing
(REP 117), but a second look would tell no more: the cell counts as looked at.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.damping import Place, into
from sbot.controllers.navigate.map import (
    Grid,
    add_hit,
    column_of,
    is_inside,
    is_marked,
    mark,
    row_of,
)
from sbot.controllers.navigate.memory import NO_LOOK, Look, Memory
from sbot.controllers.navigate.moving import hit, is_mover, is_robot
from sbot.controllers.navigate.parameters import (
    BLIND_SIDE,
    HIT,
    IN_VIEW,
    LONGEST_LOOK,
    LOOK_AT,
    NEUTRAL,
    PASS,
    TURN_END,
    UNSEEN,
    Parameters,
    bounded,
)
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2, sincos


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
def _block(p: Parameters, grid: Grid, place: Place) -> tuple[int, int, int]:
    """Return the row and the column of a place, and how many cells around it count."""
    return (row_of(grid, place.y), column_of(grid, place.x),
            math.ceil(UNSEEN * p.robot_radius_m / grid.cell))


@njit_inner
def _from_here(grid: Grid, place: Place, row: int, column: int) -> tuple[float, float]:
    """Return how far (m) the middle of a cell is ahead, and how far to the left."""
    return into(place, grid.origin_x + (column + 0.5) * grid.cell,
                grid.origin_y + (row + 0.5) * grid.cell)


@njit
def notice_near(p: Parameters, grid: Grid, memory: Memory, me: int, eye: Place,
                ranges: NDArray[np.float32], beams: Floats, time: float) -> bool:
    """Note of the cells near the robot that it sees for the first time whether they are free.

    Beams take turns in entering the map, but a robot that looks aside sees them for a moment only.
    Returns whether an obstacle is new.
    """
    last, new = beams.shape[1] - 1, False
    first = atan2(beams[1, 0], beams[0, 0])
    apart = (atan2(beams[1, last], beams[0, last]) - first) / max(1, last)
    row, column, cells = _block(p, grid, eye)
    for r in range(row - cells, row + cells + 1):
        for c in range(column - cells, column + cells + 1):
            if not is_inside(r, c) or grid.evidence[r, c] != 0 or apart <= 0.0:
                continue
            ahead, aside = _from_here(grid, eye, r, c)
            i = math.floor((atan2(aside, ahead) - first) / apart + 0.5)
            if not 0 <= i <= last:
                continue
            distance, beam = math.sqrt(ahead * ahead + aside * aside), np.float64(ranges[i])
            if math.isnan(beam):
                grid.evidence[r, c] = NEUTRAL
            elif beam > distance + grid.cell / 2:
                grid.evidence[r, c] = NEUTRAL - PASS
            elif beam > distance - grid.cell / 2:
                x, y = hit(ranges, beams, i, eye)
                if not is_robot(p, memory.mobile, me, x, y) and not is_mover(
                        p, memory.movers, x, y, time):
                    new |= add_hit(grid, x, y)
    return new


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


@njit
def _is_hidden(grid: Grid, place: Place, row: int, column: int) -> bool:
    """Tell whether a cell is behind an obstacle that is known."""
    dx = grid.origin_x + (column + 0.5) * grid.cell - place.x
    dy = grid.origin_y + (row + 0.5) * grid.cell - place.y
    steps = math.ceil(2.0 * math.sqrt(dx * dx + dy * dy) / grid.cell)
    for k in range(1, steps):
        r = row_of(grid, place.y + dy * k / steps)
        c = column_of(grid, place.x + dx * k / steps)
        if is_inside(r, c) and grid.evidence[r, c] > 0:
            return True
    return False


@njit
def _first_unseen(p: Parameters, grid: Grid, memory: Memory, me: int, place: Place, edge: float,
                  side: float) -> tuple[float, float, float]:
    """Return how far (m) the robot may drive until it sweeps a cell that it never saw, and where.

    ``edge`` is the cosine of half its view. ``side``: 1 left only, -1 right only, 0 both. inf:
    there is none near.
    """
    width = p.robot_radius_m + grid.cell / 2
    row, column, cells = _block(p, grid, place)
    least, x, y = math.inf, 0.0, 0.0
    for r in range(row - cells, row + cells + 1):
        for c in range(column - cells, column + cells + 1):
            if not is_inside(r, c) or grid.evidence[r, c] != 0:
                continue
            ahead, aside = _from_here(grid, place, r, c)
            distance = math.sqrt(ahead * ahead + aside * aside)
            if not (0.0 < ahead < edge * distance and abs(aside) < width
                    and distance > p.robot_radius_m and side * aside >= 0.0):
                continue
            room = ahead - math.sqrt(width * width - aside * aside)
            if room < least:
                at_x = grid.origin_x + (c + 0.5) * grid.cell
                at_y = grid.origin_y + (r + 0.5) * grid.cell
                if not is_robot(p, memory.mobile, me, at_x, at_y) and not _is_hidden(
                        grid, place, r, c):
                    least, x, y = room, at_x, at_y
    return least, x, y


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
def back(look: Look, time: float) -> Look:
    """Return a look that ends at ``time`` (s): the robot turns to where it goes before it drives.

    On the way back it faces places that it does not go to, and needs no look at these.
    """
    return Look(look.x, look.y, time, look.cosine, look.sine, True)


@njit
def _next_look(p: Parameters, grid: Grid, memory: Memory, me: int, place: Place, beams: Floats,
               look: Look, time: float) -> Look:
    """Return a look at its cell, or at the next one on its side; ``back``: all were in view."""
    row, column = row_of(grid, look.y), column_of(grid, look.x)
    if is_inside(row, column) and grid.evidence[row, column] == 0:
        return look
    dx, dy = look.x - place.x, look.y - place.y
    side = 1.0 if look.cosine * dy > look.sine * dx else -1.0
    sine, cosine = sincos(side * TURN_END)  # it is back when it is so near to its heading
    heading = Place(place.x, place.y, look.cosine * cosine - look.sine * sine,
                    look.sine * cosine + look.cosine * sine)
    room, x, y = _first_unseen(p, grid, memory, me, heading, edge_of_view(beams), side)
    if room == math.inf:
        return back(look, time)
    return Look(x, y, look.since, look.cosine, look.sine, False)


@njit
def looking(p: Parameters, grid: Grid, memory: Memory, me: int, place: Place, beams: Floats,
            look: Look, v: float, omega: float, time: float, dt: float,
            ) -> tuple[Look, float, float]:
    """Return the look of a turn, linear.x (m/s) and angular.z (rad/s): it looks before it drives.

    Parameters
    ----------
    p, grid, memory, me : constants; obstacles; positions of robots, and its own number
    place, beams : of the robot; its laser's directions
    look : of the last turn
    v, omega : the command
    time, dt : s, now; since the last turn

    """
    if sees_all_ahead(beams):
        return look, v, omega
    if look.since == math.inf:
        if v == 0.0:
            return look, v, omega
        room, x, y = _first_unseen(p, grid, memory, me, place, edge_of_view(beams), 0.0)
        if v <= p.damper_gain * max(0.0, room):
            return look, v, omega
        look = Look(x, y, time, place.cosine, place.sine, False)
    if not look.turns_back:
        look = _next_look(p, grid, memory, me, place, beams, look, time)
    if look.turns_back:
        if abs(omega) <= TURN_END * p.turn_gain or time - look.since > LONGEST_LOOK:
            return NO_LOOK, v, omega
        return look, 0.0, omega
    row, column = row_of(grid, look.y), column_of(grid, look.x)
    dx, dy = look.x - place.x, look.y - place.y
    angle = atan2(place.cosine * dy - place.sine * dx, place.cosine * dx + place.sine * dy)
    side = 0 if angle < 0.0 else beams.shape[1] - 1
    edge = atan2(beams[1, side], beams[0, side])
    late = time - look.since > LONGEST_LOOK
    if late or abs(angle) < IN_VIEW * abs(edge):
        grid.evidence[row, column] = NEUTRAL
    if late:
        return back(look, time), 0.0, omega
    rate = min(p.turn_gain, 1.0 / dt) * (angle - LOOK_AT * edge)
    return look, 0.0, bounded(p, rate)

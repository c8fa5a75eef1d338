# SPDX-License-Identifier: Apache-2.0
"""One object at a time: the beams that it covers, and the ranges at which they hit it.

For sensors with few objects in view, and for rectangular bodies; ``cover`` looks at many together.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Indexes, Integers
from sbot_common.compiled.jit import least, njit, njit_inline, njit_inner
from sbot_common.elementary import hypot, sincos
from sbot_sim.sensors.rays import (
    BACKWARDS,
    END_ON,
    TOUCH,
    TOUCHED,
    Fan,
    beam_interval,
    circle_arc,
    circle_range,
    circle_touched,
    facing_range,
    lanes,
    nearer,
    segment_arc,
    segment_view,
    turned,
)
from sbot_sim.world.bodies import Shapes


@njit_inner
def farther(x0: float, y0: float, x1: float, y1: float, reach: float) -> bool:
    """Tell whether a segment lies farther than ``reach`` (m) from the origin, certainly.

    The ends are numbers or vectors of them.
    """
    ex, ey = x1 - x0, y1 - y0
    along = -(x0 * ex + y0 * ey)
    cross = x0 * ey - y0 * ex
    length2 = ex * ex + ey * ey
    reach2 = reach * reach
    # Beyond the nearer end, and beyond the line if its foot is between the ends.
    nearest2: float = least(x0 * x0 + y0 * y0, x1 * x1 + y1 * y1)
    return (nearest2 > reach2) & (
        (along <= 0.0) | (along >= length2) | (cross * cross > reach2 * length2))


@njit_inner
def _cover_circle(x: float, y: float, radius: float, fan: Fan, best: Floats) -> None:
    """Lower ``best`` where beams hit a circle at (x, y) in the sensor's frame."""
    start, width = circle_arc(x, y, radius)
    first, last = beam_interval(start, width, fan)
    radius2 = radius * radius
    while first <= fan.beams - 1:
        low, high = lanes(first, last, fan.beams)
        for i in range(np.uint64(low), np.uint64(high)):
            t = circle_range(x, y, radius2, fan.directions[0, i], fan.directions[1, i])
            # NaN and negative ranges are misses.
            best[i] = nearer(best[i], t if t >= 0.0 else math.inf)
        first += fan.period
        last += fan.period


@njit_inner
def _cover_segment(ax: float, ay: float, bx: float, by: float, ex: float, ey: float, cross: float,
                   fan: Fan, best: Floats) -> None:
    """Lower ``best`` where beams hit a FACING segment."""
    start, width = segment_arc(ax, ay, bx, by)
    first, last = beam_interval(start, width, fan)
    while first <= fan.beams - 1:
        low, high = lanes(first, last, fan.beams)
        for i in range(np.uint64(low), np.uint64(high)):
            t = facing_range(ax, ay, bx, by, ex, ey, cross, fan.directions[0, i],
                             fan.directions[1, i])
            best[i] = nearer(best[i], t)
        first += fan.period
        last += fan.period


@njit_inner
def _end_on_range(ax: float, ay: float, bx: float, by: float, ux: float, uy: float) -> float:
    """Return the range (m) at which the beam of direction u hits an END_ON one, inf if none."""
    side_a, side_b = ax * uy - ay * ux, bx * uy - by * ux
    t = min(ax * ux + ay * uy, bx * ux + by * uy)
    if t >= 0.0 and min(side_a, side_b) <= 0.0 <= max(side_a, side_b):
        return t
    return math.inf


@njit_inner
def cover_end(ax: float, ay: float, bx: float, by: float, fan: Fan, best: Floats) -> None:
    """Lower ``best`` where beams hit an END_ON segment; rare, so every beam is tried."""
    for i in range(fan.beams):
        t = _end_on_range(ax, ay, bx, by, fan.directions[0, i], fan.directions[1, i])
        best[i] = min(best[i], t)


@njit_inline
def _look_at_segment(x0: float, y0: float, x1: float, y1: float, cos_yaw: float, sin_yaw: float,
                     fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by a segment whose ends are relative to the sensor (m); tell if it touches.

    Parameters
    ----------
    x0, y0, x1, y1 : ends of the segment relative to the sensor (m), in frame `map`
    cos_yaw, sin_yaw : how the sensor is turned
    fan : its beams
    reach : how far it sees (m)
    best : the least range of each beam so far (m)

    """
    if farther(x0, y0, x1, y1, reach):
        return False
    v = segment_view(x0, y0, x1, y1, cos_yaw, sin_yaw)
    if v.kind == TOUCHED:
        return True
    if fan.forward and max(v.ax, v.bx) < -BACKWARDS * reach:
        return False
    if v.kind == END_ON:
        cover_end(v.ax, v.ay, v.bx, v.by, fan, best)
    else:
        _cover_segment(v.ax, v.ay, v.bx, v.by, v.ex, v.ey, v.cross, fan, best)
    return False


@njit_inline
def _look_at_circle(dx: float, dy: float, radius: float, cos_yaw: float, sin_yaw: float, fan: Fan,
                    reach: float, best: Floats) -> bool:
    """Lower ``best`` by a circle at (dx, dy) relative to the sensor (m); tell if it touches.

    The rest as for ``_look_at_segment``.
    """
    if circle_touched(dx, dy, radius):
        return True
    x, y = turned(dx, dy, cos_yaw, sin_yaw)
    if not (fan.forward and x + radius < -BACKWARDS * reach):
        _cover_circle(x, y, radius, fan, best)
    return False

SLACK = 1.0 + 1e-9  # what is out of reach by rounding only is still intersected, and judged then


@njit
def rectangle_boxes(shapes: Shapes, pose: Floats) -> tuple[Floats, Indexes]:
    """Return boxes (R, 7) of the rectangular ones of N robots, and whose they are (R,).

    Parameters
    ----------
    shapes : of N bodies
    pose : (N, 3) x, y (m), yaw (rad) of the robots

    """
    half_size, offset = shapes.half_size, shapes.offset
    robots = np.flatnonzero(half_size[:, 0] > 0.0)
    boxes = np.zeros((len(robots), 7))
    for k in range(len(robots)):
        i = robots[k]
        s, c = sincos(pose[i, 2])
        boxes[k, 0], boxes[k, 1] = pose[i, 0] + c * offset[i, 0], pose[i, 1] + s * offset[i, 0]
        boxes[k, 2], boxes[k, 3] = c, s
        boxes[k, 4], boxes[k, 5] = half_size[i, 0], half_size[i, 1]
    return boxes, robots


@njit_inner
def in_rectangle(box: Floats, x: float, y: float) -> bool:
    """Tell whether a point (m) is in a rectangle (7,) or within TOUCH of one of its sides."""
    u, v = turned(x - box[0], y - box[1], box[2], box[3])
    return bool(abs(u) <= box[4] + TOUCH and abs(v) <= box[5] + TOUCH)


@njit_inner
def _cover_side(box: Floats, along: int, x: float, y: float, cos_yaw: float, sin_yaw: float,
                fan: Fan, reach: float, best: Floats) -> bool:
    """Lower ``best`` by the side of a rectangle (7,) that faces a sensor; tell if it touches it.

    Parameters
    ----------
    box : the rectangle
    along : 0: of the two sides that are as long as its width, 1: as its height
    x, y, cos_yaw, sin_yaw : where the sensor is (m) and how it is turned
    fan, reach, best : see ``_cover_segment``

    """
    c, s = box[2], box[3]
    u, v = turned(x - box[0], y - box[1], c, s)
    away, half = (v, box[5]) if along == 0 else (u, box[4])
    if abs(away) < half:
        return False  # the sensor is between the two: it sees neither from outside
    if along == 0:
        au, av, bu, bv = -box[4], math.copysign(half, away), box[4], math.copysign(half, away)
    else:
        au, av, bu, bv = math.copysign(half, away), -box[5], math.copysign(half, away), box[5]
    dx, dy = box[0] - x, box[1] - y
    x0, y0 = dx + (c * au - s * av), dy + (s * au + c * av)
    x1, y1 = dx + (c * bu - s * bv), dy + (s * bu + c * bv)
    return _look_at_segment(x0, y0, x1, y1, cos_yaw, sin_yaw, fan, reach, best)


@njit_inner
def cover_body(box: Floats, around: float, x: float, y: float, cos_yaw: float, sin_yaw: float,
               fan: Fan, edge_x: float, edge_y: float, reach: float, best: Floats) -> bool:
    """Lower ``best`` by a body (7,); tell whether the sensor touches it, or is inside.

    Parameters
    ----------
    box, around : the body, and the radius of the circle around it (m)
    x, y, cos_yaw, sin_yaw : where the sensor is (m) and how it is turned
    edge_x, edge_y : direction of its first ray to the left; 0, 0: rays to all sides
    fan, reach, best : see ``_cover_segment``

    """
    dx, dy = box[0] - x, box[1] - y
    cx, cy = turned(dx, dy, cos_yaw, sin_yaw)
    # A little too far: rounding must not hide a body.
    far = around * SLACK + 2 * TOUCH
    # NaN: it, or the sensor, is not there.
    if not cx * cx + cy * cy <= (reach + far) * (reach + far) or (
            abs(cy) * edge_x - cx * edge_y > far) or (edge_x > 0.0 and -cx > far):
        return False
    if box[4] > 0.0:
        return (in_rectangle(box, x, y)
                or _cover_side(box, 0, x, y, cos_yaw, sin_yaw, fan, reach, best)
                or _cover_side(box, 1, x, y, cos_yaw, sin_yaw, fan, reach, best))
    return _look_at_circle(dx, dy, box[6], cos_yaw, sin_yaw, fan, reach, best)


@njit
def lower_by_rectangles(boxes: Floats, robot: Indexes, sensors: Floats, first: int, fan: Fan,
                        range_min: float, range_max: float, kit: Integers, carried: int,
                        column: int, ranges: NDArray[np.float32]) -> None:
    """Lower scans by rectangular bodies, in place; see ``laser``.

    Parameters
    ----------
    boxes : (R, 7) rectangles: cx, cy (m), cos yaw, sin yaw, half width, half height, 0
    robot : (R,) whose body each is; its own laser does not see it
    sensors : (N, 3) poses of the lasers (m, m, rad)
    first : the robot that carries the first of them; the others follow
    fan : their beams
    range_min, range_max : m
    kit, carried : (N,) of each robot, and that of this laser; of others nothing is changed
    column : of ``ranges``, where its beams begin
    ranges : (N, columns) m, changed

    """
    best, around = np.empty(fan.directions.shape[1]), np.empty(len(boxes))
    for k in range(len(boxes)):
        around[k] = hypot(boxes[k, 4], boxes[k, 5])
    reach = range_max * SLACK
    for j in range(len(sensors)):
        if kit[j] != carried:
            continue
        x, y = sensors[j, 0], sensors[j, 1]
        sin_yaw, cos_yaw = sincos(sensors[j, 2])
        best[:] = math.inf
        for k in range(len(boxes)):
            if robot[k] != first + j and cover_body(boxes[k], around[k], x, y, cos_yaw, sin_yaw,
                                                    fan, 0.0, 0.0, reach, best):
                best[:] = 0.0
        for i in range(fan.beams):
            if best[i] <= range_max:
                t = np.float32(-math.inf if best[i] < range_min else best[i])
                ranges[j, column + i] = min(ranges[j, column + i], t)

"""Rectangular bodies as sensors see them: the sides that face a sensor."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import hypot, sincos
from sbot_sim.sensors.beams import Fan
from sbot_sim.sensors.objects import look_at_circle, look_at_segment
from sbot_sim.sensors.rays import TOUCH, turned

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

SLACK = 1.0 + 1e-9  # what is out of reach by rounding only is still intersected, and judged then


@njit
def rectangle_boxes(half_size: Array, offset: Array, pose: Array) -> tuple[Array, Rows]:
    """Return boxes (R, 7) of the rectangular ones of N robots, and whose they are (R,).

    Parameters
    ----------
    half_size, offset : (N, 2) and (N, 3), see ``world.bodies.Shapes``
    pose : (N, 3) x, y (m), yaw (rad) of the robots

    """
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
def in_rectangle(box: Array, x: float, y: float) -> bool:
    """Tell whether a point (m) is in a rectangle (7,) or within TOUCH of one of its sides."""
    u, v = turned(x - box[0], y - box[1], box[2], box[3])
    return bool(abs(u) <= box[4] + TOUCH and abs(v) <= box[5] + TOUCH)


@njit_inner
def cover_side(box: Array, along: int, x: float, y: float, cos_yaw: float, sin_yaw: float,
               fan: Fan, reach: float, best: Array) -> bool:
    """Lower ``best`` by the side of a rectangle (7,) that faces a sensor; tell if it touches it.

    Parameters
    ----------
    box : the rectangle
    along : 0: of the two sides that are as long as its width, 1: as its height
    x, y, cos_yaw, sin_yaw : where the sensor is (m) and how it is turned
    fan, reach, best : see ``scan_kernel``

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
    return look_at_segment(x0, y0, x1, y1, cos_yaw, sin_yaw, fan, reach, best)


@njit_inner
def cover_body(box: Array, around: float, x: float, y: float, cos_yaw: float, sin_yaw: float,
               fan: Fan, edge_x: float, edge_y: float, reach: float, best: Array) -> bool:
    """Lower ``best`` by a body (7,); tell whether the sensor touches it, or is inside.

    Parameters
    ----------
    box, around : the body, and the radius of the circle around it (m)
    x, y, cos_yaw, sin_yaw : where the sensor is (m) and how it is turned
    edge_x, edge_y : direction of its first ray to the left; 0, 0: rays to all sides
    fan, reach, best : see ``scan_kernel``

    """
    dx, dy = box[0] - x, box[1] - y
    cx, cy = turned(dx, dy, cos_yaw, sin_yaw)
    # A little too far: rounding must not hide a body.
    far = around * SLACK + 2 * TOUCH
    if cx * cx + cy * cy > (reach + far) * (reach + far) or (
            abs(cy) * edge_x - cx * edge_y > far) or (edge_x > 0.0 and -cx > far):
        return False
    if box[4] > 0.0:
        return (in_rectangle(box, x, y)
                or cover_side(box, 0, x, y, cos_yaw, sin_yaw, fan, reach, best)
                or cover_side(box, 1, x, y, cos_yaw, sin_yaw, fan, reach, best))
    return look_at_circle(dx, dy, box[6], cos_yaw, sin_yaw, fan, reach, best)


@njit
def lower_by_rectangles(boxes: Array, robot: Rows, sensors: Array, first: int, fan: Fan,
                        range_min: float, range_max: float, ranges: NDArray[np.float32]) -> None:
    """Lower scans (N, beams) by rectangular bodies, in place; see ``scan_kernel.cast_all``.

    Parameters
    ----------
    boxes : (R, 7) rectangles: cx, cy (m), cos yaw, sin yaw, half width, half height, 0
    robot : (R,) whose body each is; its own laser does not see it
    sensors : (N, 3) poses of the lasers (m, m, rad)
    first : the robot that carries the first of them; the others follow
    fan : their beams
    range_min, range_max : m
    ranges : (N, beams) m, changed

    """
    best, around = np.empty(fan.directions.shape[1]), np.empty(len(boxes))
    for k in range(len(boxes)):
        around[k] = hypot(boxes[k, 4], boxes[k, 5])
    reach = range_max * SLACK
    for j in range(len(sensors)):
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
                ranges[j, i] = min(ranges[j, i], t)

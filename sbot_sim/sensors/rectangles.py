"""Rectangular bodies as sensors see them: the sides that face a sensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import hypot, sincos
from sbot_sim.sensors.beams import Fan
from sbot_sim.sensors.objects import look_at_circle, look_at_segment
from sbot_sim.sensors.rays import TOUCH, turned
from sbot_sim.world.bodies import Body

Array = NDArray[np.float64]

SLACK = 1.0 + 1e-9  # what is out of reach by rounding only is still intersected, and judged then


class Rectangles(NamedTuple):
    """The bodies of R robots that are rectangular, among N robots."""

    robot: NDArray[np.int64]  # (R,) whose they are
    offset: Array  # (R,) m, of their centres ahead of the robot's origin
    half_size: Array  # (R, 2) m, half length and half width
    disc: Array  # (N,) m, radius of each robot's disc; a rectangle hides that of its robot


def make_rectangles(bodies: Sequence[Body]) -> Rectangles | None:
    """Return the rectangular bodies; None if all are round."""
    rows = [i for i, body in enumerate(bodies) if body.is_rectangle]
    if not rows:
        return None
    # Well inside of the rectangle, which a beam therefore hits before.
    disc = [0.25 * min(body.length - 2.0 * abs(body.offset), body.width) if body.is_rectangle
            else body.radius for body in bodies]
    return Rectangles(
        np.array(rows, np.int64), np.array([bodies[i].offset for i in rows]),
        np.array([(0.5 * bodies[i].length, 0.5 * bodies[i].width) for i in rows]),
        np.array(disc))


def rectangle_of(rectangles: Rectangles | None, robot: int) -> tuple[float, float, float] | None:
    """Return length, width and offset (m) of a robot's body; None if it is round."""
    if rectangles is None or robot not in rectangles.robot:
        return None
    k = int(np.flatnonzero(rectangles.robot == robot)[0])
    length, width = (2.0 * float(half) for half in rectangles.half_size[k])
    return length, width, float(rectangles.offset[k])


def rectangle_boxes(rectangles: Rectangles, pose: Array) -> Array:
    """Return the boxes (R, 7) of ``lower_by_rectangles`` of robots at ``pose`` (N, 3)."""
    boxes = np.zeros((len(rectangles.robot), 7))
    for k, (i, offset) in enumerate(zip(rectangles.robot.tolist(), rectangles.offset.tolist(),
                                        strict=True)):
        x, y, yaw = (float(value) for value in pose[i, :3])
        s, c = sincos(yaw)
        boxes[k, :4] = x + c * offset, y + s * offset, c, s
    boxes[:, 4:6] = rectangles.half_size
    return boxes


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
def lower_by_rectangles(boxes: Array, robot: NDArray[np.int64], sensors: Array, fan: Fan,
                        range_min: float, range_max: float, ranges: NDArray[np.float32]) -> None:
    """Lower scans (N, beams) by rectangular bodies, in place; see ``scan_kernel.cast_all``.

    Parameters
    ----------
    boxes : (R, 7) rectangles: cx, cy (m), cos yaw, sin yaw, half width, half height, 0
    robot : (R,) whose body each is; its own laser does not see it
    sensors : (N, 3) poses of the lasers (m, m, rad)
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
            if robot[k] != j and cover_body(boxes[k], around[k], x, y, cos_yaw, sin_yaw, fan,
                                            0.0, 0.0, reach, best):
                best[:] = 0.0
        for i in range(fan.beams):
            if best[i] <= range_max:
                t = np.float32(-math.inf if best[i] < range_min else best[i])
                ranges[j, i] = min(ranges[j, i], t)

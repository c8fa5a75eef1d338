"""What Fast2D's distance sensors measure: the rays of ``rays.py`` among bodies of any shape."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit
from sbot_sim.beams import Fan
from sbot_sim.fast2d_motion import Movers, boxes_at, centres
from sbot_sim.grid import Grid, cell_index, cell_of
from sbot_sim.rays import END_ON, TOUCH, TOUCHED, circle_touched, segment_view, turned
from sbot_sim.scan_kernel import cover_circle, cover_end, cover_segment, cover_static, farther
from sbot_sim.scene import Discs, Scene, row_stretch, sort_discs

Array = NDArray[np.float64]
Indexes = NDArray[np.int32]

_SLACK = 1.0 + 1e-9  # what is out of reach by rounding only is still intersected, and judged then


class Fans(NamedTuple):
    """K tables of beams, as arrays of the fields of ``beams.Fan``."""

    directions: Array  # (K, 2, padded beams)
    beams: NDArray[np.int64]  # (K,)
    angle_min: Array  # (K,) rad
    per_radian: Array  # (K,)
    period: Array  # (K,)
    forward: NDArray[np.bool_]  # (K,)


class Sensors(NamedTuple):
    """S sensors, those of one body in a row."""

    starts: Indexes  # (N + 1,): body i carries the sensors starts[i] … starts[i + 1] - 1
    mount: Array  # (S, 4) x, y (m), cosine and sine of the angle in the object's frame
    range: Array  # (S,) m
    fan: Indexes  # (S,)
    outside: NDArray[np.bool_]  # (S,) not on its own body: may be inside of others
    weights: Array  # all rays' weights
    first_weight: Indexes  # (S,)
    reach: Array  # (N,) m, how far a body's sensors see from the centre of its box


class Solids(NamedTuple):
    """The fixed rectangles as solids; a cell lists whatever may contain a point of it."""

    boxes: Array  # (R, 7)
    grid: Grid


@njit
def _fan(fans: Fans, k: int) -> Fan:
    return Fan(fans.directions[k], fans.beams[k], fans.angle_min[k], fans.per_radian[k],
               fans.period[k], fans.forward[k])


@njit
def in_rectangle(box: Array, x: float, y: float) -> bool:
    """Tell whether a point (m) is in a rectangle (7,) or within TOUCH of one of its sides."""
    u, v = turned(x - box[0], y - box[1], box[2], box[3])
    return bool(abs(u) <= box[4] + TOUCH and abs(v) <= box[5] + TOUCH)


@njit
def _inside_solid(solids: Solids, x: float, y: float) -> bool:
    """Tell whether a point (m) is inside a fixed rectangle."""
    grid = solids.grid
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for entry in range(grid.starts[cell], grid.starts[cell + 1]):
        if in_rectangle(solids.boxes[grid.items[entry]], x, y):
            return True
    return False


@njit
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
    if farther(x0, y0, x1, y1, reach):
        return False
    view = segment_view(x0, y0, x1, y1, cos_yaw, sin_yaw)
    if view.kind == TOUCHED:
        return True
    if view.kind == END_ON:
        cover_end(view.ax, view.ay, view.bx, view.by, fan, best)
    else:
        cover_segment(view.ax, view.ay, view.bx, view.by, view.ex, view.ey, view.cross, fan, best)
    return False


@njit
def cover_body(box: Array, x: float, y: float, cos_yaw: float, sin_yaw: float, fan: Fan,
               reach: float, best: Array) -> bool:
    """Lower ``best`` by a body (7,); tell whether the sensor touches it, or is inside."""
    dx, dy = box[0] - x, box[1] - y
    if box[4] > 0.0:
        return (in_rectangle(box, x, y)
                or cover_side(box, 0, x, y, cos_yaw, sin_yaw, fan, reach, best)
                or cover_side(box, 1, x, y, cos_yaw, sin_yaw, fan, reach, best))
    if circle_touched(dx, dy, box[6]):
        return True
    cx, cy = turned(dx, dy, cos_yaw, sin_yaw)
    cover_circle(cx, cy, box[6], fan, best)
    return False


@njit
def _near(discs: Discs, own: int, x: float, y: float, reach: float, found: Indexes) -> int:
    """List in ``found`` the other bodies within ``reach`` (m) of a point; return how many."""
    grid, count, farthest = discs.grid, 0, reach + discs.largest
    first_row = cell_index(y - farthest, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + farthest, grid.y0, grid.cell, grid.ny)
    for row in range(first_row, last_row + 1):
        start, end = row_stretch(grid, row, x, y, farthest)
        for k in range(start, end):
            dx, dy, far = discs.x[k] - x, discs.y[k] - y, reach + discs.radius[k]
            if dx * dx + dy * dy <= far * far and discs.robot[k] != own:
                found[count] = discs.robot[k]
                count += 1
    return count


@njit
def activations(scene: Scene, solids: Solids, movers: Movers, sensors: Sensors, fans: Fans,
                pose: Array) -> Array:
    """Return what the sensors measure (S,): weighted averages of the rays' distances (m).

    Parameters
    ----------
    scene, solids : what stands still
    movers, pose : the bodies, and where the objects are (N, 3)
    sensors, fans : the sensors and their beams

    """
    centre = centres(movers, pose)
    boxes = boxes_at(movers, centre)
    widest = 0.0
    for i in range(len(centre)):
        widest = max(widest, sensors.reach[i])
    discs = sort_discs(centre, movers.around, max(0.5 * widest, 1e-6))
    out, near = np.empty(len(sensors.mount)), np.empty(len(centre), np.int32)
    best = np.empty(fans.directions.shape[2])
    for i in range(len(centre)):
        if sensors.starts[i] == sensors.starts[i + 1]:
            continue
        count = _near(discs, i, centre[i, 0], centre[i, 1], sensors.reach[i] * _SLACK, near)
        cos_i, sin_i = math.cos(pose[i, 2]), math.sin(pose[i, 2])
        for k in range(sensors.starts[i], sensors.starts[i + 1]):
            mx, my = sensors.mount[k, 0], sensors.mount[k, 1]
            mc, ms = sensors.mount[k, 2], sensors.mount[k, 3]
            x, y = pose[i, 0] + (cos_i * mx - sin_i * my), pose[i, 1] + (sin_i * mx + cos_i * my)
            c, s = cos_i * mc - sin_i * ms, sin_i * mc + cos_i * ms
            fan, reach = _fan(fans, sensors.fan[k]), sensors.range[k] * _SLACK
            best[:] = math.inf
            touched = sensors.outside[k] and _inside_solid(solids, x, y)
            touched = touched or cover_static(scene, x, y, c, s, fan, reach, best)
            for entry in range(count):
                j = near[entry]
                dx, dy, far = boxes[j, 0] - x, boxes[j, 1] - y, reach + movers.around[j]
                if not touched and dx * dx + dy * dy <= far * far:
                    touched = cover_body(boxes[j], x, y, c, s, fan, reach, best)
            total, first = 0.0, sensors.first_weight[k]
            if not touched:
                for ray in range(fan.beams):
                    total += sensors.weights[first + ray] * min(best[ray], sensors.range[k])
            out[k] = total
    return out

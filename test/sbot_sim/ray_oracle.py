"""Oracle of the fast ray casters: every beam against every object, by the rules of ``rays``."""

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import sincos
from sbot_sim.sensors.laser import ScanParameters, _mounted
from sbot_sim.sensors.objects import _end_on_range
from sbot_sim.sensors.rays import (
    FACING,
    TOUCHED,
    beam_directions,
    circle_range,
    circle_touched,
    facing_range,
    segment_view,
    turned,
)
from sbot_sim.world.geometry import World

Floats = NDArray[np.float64]


@njit_inner
def cast_beam(segments: Floats, circles: Floats, skip: int, x: float, y: float, cos_yaw: float,
              sin_yaw: float, ux: float, uy: float) -> float:
    """Return the distance (m) to the nearest hit of one beam but circle ``skip``, inf for none."""
    best = math.inf
    for k in range(segments.shape[0]):
        v = segment_view(segments[k, 0] - x, segments[k, 1] - y, segments[k, 2] - x,
                         segments[k, 3] - y, cos_yaw, sin_yaw)
        if v.kind == TOUCHED:
            return 0.0
        if v.kind == FACING:
            t = facing_range(v.ax, v.ay, v.bx, v.by, v.ex, v.ey, v.cross, ux, uy)
        else:
            t = _end_on_range(v.ax, v.ay, v.bx, v.by, ux, uy)
        best = min(best, t)
    for k in range(circles.shape[0]):
        if k == skip:
            continue
        dx, dy, radius = circles[k, 0] - x, circles[k, 1] - y, circles[k, 2]
        if circle_touched(dx, dy, radius):
            return 0.0
        cx, cy = turned(dx, dy, cos_yaw, sin_yaw)
        t = circle_range(cx, cy, radius * radius, ux, uy)
        if 0.0 <= t < best:
            best = t
    return best


@njit
def cast_oracle(segments: Floats, circles: Floats, own: NDArray[np.int64], pose: Floats,
                directions: Floats) -> Floats:
    """Return (N, beams) m of N sensors that do not see their own circles (-1: no circle)."""
    out = np.empty((pose.shape[0], directions.shape[1]))
    for j in range(pose.shape[0]):
        sin_yaw, cos_yaw = sincos(pose[j, 2])
        for i in range(directions.shape[1]):
            out[j, i] = cast_beam(segments, circles, own[j], pose[j, 0], pose[j, 1],
                                  cos_yaw, sin_yaw, directions[0, i], directions[1, i])
    return out


def cast_scans_slowly(world: World, pose: Floats, radius: Floats,
                      parameters: ScanParameters) -> NDArray[np.float32]:
    """Return what scans must be, bit for bit: every beam against every object."""
    p = parameters
    n = pose.shape[0]
    robots = np.column_stack([pose[:, :2], radius]) if p.sees_robots else np.empty((0, 3))
    circles = np.ascontiguousarray(np.concatenate([world.circles, robots]))
    own = np.arange(n) + len(world.circles) if p.sees_robots else np.full(n, -1)
    ranges = cast_oracle(world.segments, circles, own,
                         _mounted(pose, np.array([p.laser_x, p.laser_y, p.laser_yaw])),
                         beam_directions(p.beams, p.angle_min, p.angle_increment))
    ranges[ranges > p.range_max] = np.inf
    ranges[ranges < p.range_min] = -np.inf
    return ranges.astype(np.float32)

"""Snapshot of a tick: arrays with a row for each robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Floats32
from sbot_sim.sensors.range_and_bearing import Heard


class Snapshot(NamedTuple):
    """The world at one tick, as messages carry it; N robots, frame `map` unless noted."""

    tick: int
    pose: Floats  # (N, 3) x, y (m), yaw (rad) as decoded from the quaternion that is sent
    twist: Floats  # (N, 3) m/s, m/s, rad/s in the robot's own frame, wind included
    wind: Floats  # (N, 2) m/s, effective wind of this tick and the push of forces
    free_wind: Floats  # (N, 2) m/s, the same before other robots took their share
    true_pose: Floats  # (N, 3) with the simulator's own yaw
    odometry: Floats  # (N, 3) frame `odom`
    odometry_twist: Floats  # (N, 3) by the wheels
    ranges: Floats32  # (N, beams) m
    infrared: Floats32  # (N, 15, 2) range (m), reading; or (N, 0, 2)
    heard: Heard  # compressed rows
    heard_sent: bool  # range and bearing is on
    rab_data: NDArray[np.uint8]  # (N, 10)
    updraft: Floats  # (N,) m/s, vertical part of the effective wind
    collided: NDArray[np.bool_]  # (N,) intersected something in the last tick
    reverted: NDArray[np.bool_]  # (N,) was put back where it was
    readings: Mapping[str, Floats] = {}  # (N, columns) of sensors with a kernel, by name
    moved: NDArray[np.int64] | None = None  # (M,) ticks in which obstacles on paths have moved
    obstacles: Floats | None = None  # (M, 2) m, centres of those on a path
    boxes: Floats | None = None  # (B, 3) x, y (m), yaw (rad) of pushable boxes

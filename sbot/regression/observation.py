"""Recorded messages turned back into what a controller saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sbot.bag.ticks import Tick
from sbot_common.observation import Neighbours, Observation
from sbot_common.topics import (
    BASE_POSE_GROUND_TRUTH,
    BASE_SCAN,
    INFRARED,
    POSES,
    RANGE_AND_BEARING,
    WIND,
)
from sbot_common.wire.cdr import decode
from sbot_common.wire.messages import read_odometry, read_poses, read_scan, read_vector
from sbot_common.wire.point_cloud import read_point_cloud

# Those that every controller sees come first.
TOPICS = (BASE_POSE_GROUND_TRUTH, BASE_SCAN, INFRARED, RANGE_AND_BEARING, WIND)


def observations(tick: Tick, dt: float, goals: Sequence[tuple[float, float] | None],
                 reads_all: Sequence[bool]) -> Callable[[int], Observation]:
    """Return a function from robot id to its observation at a tick.

    Parameters
    ----------
    tick : of a bag with ``TOPICS``, or the first two where no robot reads all; also `/poses`
        where controllers take all poses from there
    dt : length of a tick (s)
    goals : each robot's goal (m)
    reads_all : robots whose controllers look at more than poses, scan and goal

    """
    poses = _poses(tick)

    def observation(robot: int) -> Observation:
        raw = tick.inputs[BASE_SCAN.name][robot]
        scan = None if raw is None else read_scan(raw).scan
        basic = Observation(robot, len(poses), tick.tick, tick.stamp_ns, dt, poses, scan,
                            goals[robot], None, None, (0.0, 0.0), (0.0, 0.0, 0.0))
        return _with_the_rest(basic, tick, robot) if reads_all[robot] else basic

    return observation


def _poses(tick: Tick) -> NDArray[np.float64]:
    """Return x, y (m), yaw (rad) of N robots from `/poses` where that is an input, (N, 3)."""
    odometry = tick.inputs[BASE_POSE_GROUND_TRUTH.name]
    together = tick.inputs.get(POSES.name, [None])[0]
    if together is not None:
        return read_poses(together, len(odometry)).rows
    rows = [read_odometry(raw) for raw in odometry if raw is not None]
    return np.array([(row.x, row.y, row.yaw) for row in rows])


def _with_the_rest(observation: Observation, tick: Tick, robot: int) -> Observation:
    infrared = tick.inputs[INFRARED.name][robot]
    heard = tick.inputs[RANGE_AND_BEARING.name][robot]
    wind = tick.inputs[WIND.name][robot]
    odometry = tick.inputs[BASE_POSE_GROUND_TRUTH.name][robot]
    if infrared is not None:
        observation = observation._replace(infrared=read_point_cloud(infrared)[1]['reading'])
    if heard is not None:
        fields = read_point_cloud(heard)[1]
        observation = observation._replace(neighbours=Neighbours(
            fields['range'], fields['bearing'], fields['data']))
    if wind is not None:
        x, y, _ = read_vector(wind)[1]
        observation = observation._replace(wind=(x, y))
    if odometry is not None:
        twist = decode(odometry, BASE_POSE_GROUND_TRUTH.type).twist.twist
        observation = observation._replace(
            twist=(twist.linear.x, twist.linear.y, twist.angular.z))
    return observation


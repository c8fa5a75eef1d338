"""Recorded messages turned back into what a controller saw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbot.bag.ticks import Tick
from sbot_common.clock import Rate
from sbot_common.observation import Observation, Point, make_observation
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, POSES
from sbot_common.wire.controller import FIELDS
from sbot_common.wire.messages import read_odometry, read_poses

TOPICS = tuple(dict.fromkeys(topic for topic, _ in FIELDS.values()))


def recorded_poses(tick: Tick) -> NDArray[np.float64]:
    """Return x, y (m), yaw (rad) of N robots from `/poses` where that is an input, (N, 3)."""
    odometry = tick.inputs[BASE_POSE_GROUND_TRUTH.name]
    together = tick.inputs.get(POSES.name, [None])[0]
    if together is not None:
        return read_poses(together, len(odometry)).rows
    rows = [read_odometry(raw) for raw in odometry if raw is not None]
    return np.array([(row.x, row.y, row.yaw) for row in rows])


def recorded_observation(tick: Tick, robot: int, rate: Rate, goal: Point | None,
                         poses: NDArray[np.float64], fields: Sequence[str]) -> Observation:
    """Return what one robot's controller saw at a tick.

    Parameters
    ----------
    tick : of a bag with the topics of the fields
    robot : whose observation
    rate : of the simulation
    goal : the robot's goal (m)
    poses : of all robots, from ``recorded_poses``
    fields : of an ``Observation`` that the controller is given; what was not recorded is left out

    """
    recorded = {field: tick.inputs[FIELDS[field][0].name][robot] for field in fields}
    return make_observation(robot, rate, goal, tick.stamp_ns, poses, {
        field: FIELDS[field][1](raw)[1] for field, raw in recorded.items() if raw is not None})

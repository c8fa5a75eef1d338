"""Controller inputs from recorded messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sbot.bag.ticks import Tick
from sbot_common.errors import InputError
from sbot_common.observation import Inputs
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, POSES, Topic
from sbot_common.wire.messages import read_odometry, read_poses
from sbot_sim.sensors.registry import codecs


def sensor_topics() -> list[Topic]:
    """Return the topics of all sensors, each once."""
    return list(dict.fromkeys(topic for topic, _ in codecs().values()))


def recorded_inputs(tick: Tick) -> Callable[[int, Sequence[str]], Inputs]:
    """Return a function from a robot's id, and fields of its ``Observation``, to its inputs.

    ``tick`` is of a bag with the topics of the fields. Poses are taken from `/poses` where the
    controllers took them from there. A field that was not recorded is left out.
    """
    odometry = tick.inputs[BASE_POSE_GROUND_TRUTH.name]
    together = tick.inputs.get(POSES.name, [None])[0]
    if together is not None:
        poses = read_poses(together, len(odometry)).rows
    else:
        rows = [read_odometry(raw) for raw in odometry if raw is not None]
        poses = np.array([(row.x, row.y, row.yaw) for row in rows])
        poses.flags.writeable = False

    def inputs(robot: int, fields: Sequence[str]) -> Inputs:
        values = {}
        for field in fields:
            topic, read = codecs()[field]
            raw = tick.inputs[topic.name][robot]
            if raw is not None:
                try:
                    values[field] = read(raw)[1]
                except InputError as error:
                    raise InputError(f'tick {tick.tick}: robot {robot}: {topic.name}: {error}'
                                     ) from None
        return Inputs(tick.stamp_ns, poses, values)

    return inputs

"""Record of the true velocity, which is sent with the pose; ``worlds.motion`` computes it."""

from __future__ import annotations

from sbot_common.topics import BASE_POSE_GROUND_TRUTH
from sbot_sim.sensors.record import Sensor, decoded_as

SENSOR = Sensor('twist', "(N, 3) m/s, m/s, rad/s in the robot's frame, wind included",
                BASE_POSE_GROUND_TRUTH, decoded_as('twist'), order=(0, 0),
                observe=lambda snapshot, scan, robot: tuple(snapshot.twist[robot].tolist()),
                keep=lambda snapshot: snapshot.twist, arrays={'twist': 'twist'})

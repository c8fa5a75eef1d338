# SPDX-License-Identifier: Apache-2.0
"""Latest received commands, wind and teleports: the inputs of the next tick."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import bad_value
from sbot_common.topics import Outgoing, Topic
from sbot_common.wire.messages import read_pose
from sbot_sim.engine.simulation import Place
from sbot_sim.messages.snapshot import read_rab_data
from sbot_sim.sensors.range_and_bearing import DATA_BYTES
from wind_model.gust import Wind, still_air


class Inbox:
    """Commands, wind, range-and-bearing data and teleports since the last tick.

    ``teleports`` has the robots to put elsewhere, into the world or out of it.
    """

    def __init__(self, num_robots: int) -> None:
        self.commands: NDArray[np.float64] = np.zeros((num_robots, 3))  # vx, vy, omega
        self.messages: dict[int, bytes] = {}  # what `commands` were read from
        self.recorded: list[Outgoing] = []  # messages of users' nodes on topics that are recorded
        self.teleports: dict[int, Place] = {}
        self.wind = still_air()
        self.rab_data = np.zeros((num_robots, DATA_BYTES), np.uint8)

    def on_teleport(self, robot: int, topic: Topic, raw: bytes) -> None:
        """Store a teleport, from a message of `teleport` or `initialpose`.

        Raises
        ------
        InputError
            if its frame is another one than `map` (or none).

        """
        pose = read_pose(raw, topic.type)
        if pose.frame_id.lstrip('/') not in ('', 'map'):
            raise bad_value('frame', pose.frame_id, 'map')
        self.teleports[robot] = pose.x, pose.y, pose.yaw

    def on_rab_data(self, robot: int, raw: bytes) -> None:
        """Store a robot's broadcast, from a UInt8MultiArray."""
        self.rab_data[robot] = read_rab_data(raw)

    def on_wind(self, part: str, vector: NDArray[np.float64]) -> None:
        """Store the wind's 'velocity' (m/s), 'force' (N) or 'gust' (m/s)."""
        self.wind = Wind(**{**self.wind._asdict(), part: vector})

    def reset(self) -> None:
        """Clear everything but the wind's grid, which is sent once."""
        self.commands[:] = 0.0
        self.rab_data[:] = 0
        self.messages.clear()
        self.teleports.clear()
        self.wind = still_air()._replace(field=self.wind.field)

"""Record of the wind sensor: the effective wind at a robot; ``worlds.air`` computes it."""

from __future__ import annotations

from sbot_common.topics import WIND
from sbot_sim.sensors.record import Sensor, decoded_as

SENSOR = Sensor('wind', '(N, 2) m/s, effective, and what forces add', WIND, decoded_as('wind'),
                order=(90, 90),
                observe=lambda snapshot, scan, robot: tuple(snapshot.wind[robot].tolist()),
                keep=lambda snapshot: snapshot.wind)

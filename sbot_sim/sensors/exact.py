# SPDX-License-Identifier: Apache-2.0
"""Sensors without noise: the true velocity, and the effective wind at a robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common import topics
from sbot_common.elementary import sincos
from sbot_sim.sensors.registry import Sensor, decoded_as
from sbot_sim.worlds.air import add_forces

# Record of the true velocity, which is sent with the pose; ``worlds.motion`` computes it.

TWIST = Sensor('twist', "(N, 3) m/s, m/s, rad/s in the robot's frame, wind included",
                topics.BASE_POSE_GROUND_TRUTH, decoded_as('twist'), order=(0, 0),
                observe=lambda snapshot, scan, robot: tuple(snapshot.twist[robot].tolist()),
                keep=lambda snapshot: snapshot.twist, arrays={'twist': 'twist'})


def _turned(wind: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    sine, cosine = sincos(angle)
    x, y = wind[..., 0], wind[..., 1]
    return np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1)


WIND = Sensor(
    'wind',
    '(N, 2) m/s, effective, and what forces add',
    topics.WIND,
    decoded_as('wind'),
    order=(90, 90),
    turned=_turned,
    observe=lambda snapshot, scan, robot: tuple(snapshot.wind[robot].tolist()),
    keep=lambda snapshot: snapshot.wind,
    arrays={'wind': 'observed_wind'},
    in_wind=lambda _: [add_forces],
)

SENSOR = (TWIST, WIND)

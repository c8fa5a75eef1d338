# SPDX-License-Identifier: Apache-2.0
"""Sensors without noise: the true velocity, and the effective wind at a robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common import topics
from sbot_common.elementary import sincos
from sbot_sim.sensors.registry import Sensor, decoded_as
from sbot_sim.worlds.air import force_of
from sbot_sim.worlds.state import Batch, shared

# Record of the true velocity, which is sent with the pose; ``worlds.motion`` computes it.

TWIST = Sensor('twist', "(N, 3) m/s, m/s, rad/s in the robot's frame, wind included",
                topics.BASE_POSE_GROUND_TRUTH, decoded_as('twist'), order=(0, 0),
                observe=lambda snapshot, scan, robot: tuple(snapshot.twist[robot].tolist()),
                keep=lambda snapshot: snapshot.twist, arrays={'twist': 'twist'})


def _turned(wind: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    sine, cosine = sincos(angle)
    x, y = wind[..., 0], wind[..., 1]
    return np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1)


@shared
def _add_forces(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Add the velocity that forces give in a tick to the wind that robots observe."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for k in range(first, end):
        x, y = force_of(setting, worlds, k)
        for row in range(max(a, k * n), min(z, (k + 1) * n)):
            mass = setting.bodies.mass[row]
            # 0 and -0 add the same: a force that is not there leaves no sign.
            push_x, push_y = 0.0 + x * setting.dt / mass, 0.0 + y * setting.dt / mass
            worlds.observed_wind[row, 0] = worlds.wind[row, 0] + push_x
            worlds.observed_wind[row, 1] = worlds.wind[row, 1] + push_y
            worlds.observed_free_wind[row, 0] = worlds.free_wind[row, 0] + push_x
            worlds.observed_free_wind[row, 1] = worlds.free_wind[row, 1] + push_y


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
    in_wind=lambda _: [_add_forces],
)

SENSOR = (TWIST, WIND)

"""Record of the infrared sensors; ``sensors.infrared`` simulates them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.topics import INFRARED
from sbot_sim.sensors.infrared.sensor import InfraredSettings, infrared_points
from sbot_sim.sensors.record import Encode, Place, Sensor, decoded_as

_POINT = np.dtype([(name, '<f4') for name in ('x', 'y', 'z', 'range', 'reading')])


def _keep(snapshot: Any) -> NDArray[np.float32]:  # noqa: ANN401
    readings: NDArray[np.float32] = snapshot.infrared[:, :, -1]
    return readings


def _encoder(place: Place) -> Encode | None:
    from sbot_common.wire.controller import encode_points
    if place.sensors.infrared is None:
        return None
    frames = [place.frame('base_link', i) for i in range(place.num_robots)]
    return lambda stamp_ns, snapshot, robot: encode_points(
        stamp_ns, frames[robot], infrared_points(
            snapshot.infrared[robot], place.radius[robot]).view(_POINT).reshape(1, -1),
        dense=False)


SENSOR = Sensor('infrared', '(N, 15) readings', INFRARED, decoded_as('infrared'),
                settings=InfraredSettings(), switch='infrared', order=(60, 15), encoder=_encoder,
                observe=lambda snapshot, scan, robot: snapshot.infrared[robot, :, -1], keep=_keep)

"""Record of range and bearing; ``sensors.range_and_bearing`` simulates it."""

from __future__ import annotations

from typing import Any

import numpy as np

from sbot_common.elementary import sincos_of
from sbot_common.observation import Neighbours
from sbot_common.topics import RANGE_AND_BEARING
from sbot_sim.sensors.range_and_bearing import DATA_BYTES, HeardRows, RangeAndBearing, padded
from sbot_sim.sensors.record import Encode, Place, Sensor, decoded_as

_POINT = np.dtype([*((name, '<f4') for name in ('x', 'y', 'z', 'range', 'bearing')),
                   ('data', 'u1', DATA_BYTES)])


def _observe(snapshot: Any, _: Any, robot: int) -> Neighbours:  # noqa: ANN401
    starts, indexes, ranges, bearings = snapshot.heard
    row = slice(int(starts[robot]), int(starts[robot + 1]))
    return Neighbours(ranges[row].astype(np.float32), bearings[row].astype(np.float32),
                      snapshot.rab_data[indexes[row]])


def _encoder(place: Place) -> Encode | None:
    from sbot_common.wire.controller import encode_points
    if not place.sensors.range_and_bearing:
        return None
    frames = [place.frame('base_link', i) for i in range(place.num_robots)]

    def encode(stamp_ns: int, snapshot: Any, robot: int) -> bytes:  # noqa: ANN401
        starts, indexes, ranges, bearings = snapshot.heard
        row = slice(starts[robot], starts[robot + 1])
        points = np.zeros((1, row.stop - row.start), _POINT)
        sine, cosine = np.empty(points.size), np.empty(points.size)
        sincos_of(bearings[row], sine, cosine)
        points['x'], points['y'] = ranges[row] * cosine, ranges[row] * sine
        points['range'], points['bearing'] = ranges[row], bearings[row]
        points['data'] = snapshot.rab_data[indexes[row]]
        return encode_points(stamp_ns, frames[robot], points, dense=False)
    return encode


def _keep(snapshot: Any) -> HeardRows:  # noqa: ANN401
    starts, robots, ranges, bearings = (each[np.newaxis] for each in snapshot.heard)
    rows = padded(starts, robots, ranges, bearings, snapshot.rab_data)
    return HeardRows(*(each[0] for each in rows))


SENSOR = Sensor('neighbours', 'a tuple of number (N,), robot, range (m), bearing (rad) '
                '(N, N - 1), data (N, N - 1, 10)', RANGE_AND_BEARING, decoded_as('neighbours'),
                settings=RangeAndBearing(), switch='range_and_bearing', order=(70, 16),
                for_wakes=True, encoder=_encoder, observe=_observe, keep=_keep)

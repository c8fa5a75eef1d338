"""Record of the laser; ``sensors.scan`` simulates it."""

from __future__ import annotations

from typing import Any

from sbot_common.observation import Scan
from sbot_common.topics import BASE_SCAN
from sbot_sim.sensors.record import Encode, Place, Sensor, decoded_as
from sbot_sim.sensors.scan import ScanParameters, ScanSettings, angle_max


def _observe(snapshot: Any, scan: ScanParameters, robot: int) -> Scan:  # noqa: ANN401
    return Scan(snapshot.ranges[robot], scan.angle_min, scan.angle_increment, scan.range_min,
                scan.range_max)


def _encoder(place: Place) -> Encode:
    from sbot_common.wire.templates import ScanTemplate
    scan = place.sensors.scan
    templates = [ScanTemplate(
        place.frame('laser', i), scan.beams, scan.angle_min, angle_max(scan), scan.angle_increment,
        place.dt, scan.range_min, scan.range_max) for i in range(place.num_robots)]
    return lambda stamp_ns, snapshot, robot: templates[robot].fill(
        stamp_ns, snapshot.ranges[robot])


SENSOR = Sensor('scan', '(N, beams) m, +inf: no echo', BASE_SCAN, decoded_as('scan'),
                settings=ScanSettings(), order=(10, 10), encoder=_encoder, observe=_observe,
                keep=lambda snapshot: snapshot.ranges)

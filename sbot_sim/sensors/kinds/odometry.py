"""Record of wheel odometry; ``sensors.odometry`` simulates it."""

from __future__ import annotations

from typing import Any

from sbot_common.angles import decoded_yaw, quaternion_from_yaw
from sbot_common.observation import Odometry
from sbot_common.topics import ODOM
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.record import Encode, Place, Sensor, decoded_as


def _observe(snapshot: Any, _: Any, robot: int) -> Odometry:  # noqa: ANN401
    x, y, yaw = snapshot.odometry[robot].tolist()
    vx, vy, omega = snapshot.odometry_twist[robot].tolist()
    return Odometry(x, y, decoded_yaw(yaw), vx, omega, vy)


def _encoder(place: Place) -> Encode:
    from sbot_common.wire.templates import OdometryTemplate
    templates = [OdometryTemplate(place.frame('odom', i), place.frame('base_link', i))
                 for i in range(place.num_robots)]
    for template in templates:
        template.raise_variances(place.variance_floor)
    written: Any = None  # the snapshot whose covariances the templates have

    def encode(stamp_ns: int, snapshot: Any, robot: int) -> bytes:  # noqa: ANN401
        nonlocal written
        if place.covariances is not None and written is not snapshot:
            written = snapshot
            for template, of_pose, of_twist in zip(templates, *place.covariances.at(
                    snapshot.tick, snapshot.odometry, snapshot.odometry_twist), strict=True):
                template.set_covariances(of_pose, of_twist)
                template.raise_variances(place.variance_floor)
        x, y, yaw = snapshot.odometry[robot].tolist()
        return templates[robot].fill(stamp_ns, x, y, *quaternion_from_yaw(yaw),
                                     *snapshot.odometry_twist[robot].tolist())
    return encode


SENSOR = Sensor('odometry', '(N, 3) x, y (m), yaw (rad) by the wheels, frame `odom`', ODOM,
                decoded_as('odometry'), settings=OdometryParameters(), order=(20, 20),
                encoder=_encoder, observe=_observe, keep=lambda snapshot: snapshot.odometry)

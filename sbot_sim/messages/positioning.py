"""Encode readings of IMU and GNSS receivers as ROS messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sbot_common import topics
from sbot_common.angles import quaternion_from_yaw
from sbot_common.topics import Topic
from sbot_common.wire.positioning import FixTemplate, ImuTemplate
from sbot_sim.engine.state import Snapshot
from sbot_sim.sensors.positioning.gnss import GnssSettings
from sbot_sim.sensors.positioning.imu import GRAVITY, ImuSettings, variances

IMU_LINK, GNSS_LINK = 'imu_link', 'gnss_link'  # frames, both at the origin of base_link


class PositioningEncoder:
    """Messages `imu` and `gnss` of N robots.

    Parameters
    ----------
    imu, gnss : None: robots have none
    dt : s, of a tick
    frame : from a frame's name and a robot to its id
    num_robots : N

    """

    def __init__(self, imu: ImuSettings | None, gnss: GnssSettings | None, dt: float,
                 frame: Callable[[str, int], str], num_robots: int) -> None:
        robots = range(num_robots)
        self._imus: list[ImuTemplate] = []
        self._receivers: list[FixTemplate] = []
        if imu is not None:
            spread = variances(imu, dt).tolist()
            self._imus = [ImuTemplate(frame(IMU_LINK, i), GRAVITY, spread) for i in robots]
        if gnss is not None:
            flat = gnss.gnss_noise * gnss.gnss_noise
            upwards = gnss.gnss_noise_vertical * gnss.gnss_noise_vertical
            self._receivers = [FixTemplate(frame(GNSS_LINK, i), (flat, flat, upwards))
                               for i in robots]

    @property
    def links(self) -> list[str]:
        """Frames of the sensors that robots have."""
        return [IMU_LINK] * bool(self._imus) + [GNSS_LINK] * bool(self._receivers)

    def messages(self, snapshot: Snapshot, robot: int,
                 stamp_ns: int) -> Iterator[tuple[Topic, bytes]]:
        """Yield one robot's messages."""
        if snapshot.imu is not None:
            yaw, turn_rate, forwards, left = snapshot.imu[robot].tolist()
            yield topics.IMU, self._imus[robot].fill(
                stamp_ns, *quaternion_from_yaw(yaw), turn_rate, forwards, left)
        if snapshot.gnss is not None:
            yield topics.GNSS, self._receivers[robot].fill(
                stamp_ns, *snapshot.gnss[robot].tolist())

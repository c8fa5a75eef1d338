"""Encode snapshots as ROS messages: poses, scans, odometry, wind, infrared, /tf.

The nodes publish and the recorder stores what ``SnapshotEncoder`` returns, in its order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common import topics
from sbot_common.angles import quaternion_from_yaw
from sbot_common.elementary import sincos, sincos_of
from sbot_common.topics import Topic
from sbot_common.wire import cdr, templates
from sbot_common.wire.messages import write_bool
from sbot_common.wire.point_cloud import encode_points
from sbot_sim.engine.state import Snapshot
from sbot_sim.messages.interfaces import Interfaces
from sbot_sim.messages.outgoing import Outgoing
from sbot_sim.messages.positioning import PositioningEncoder
from sbot_sim.sensors.infrared.sensor import infrared_points
from sbot_sim.sensors.odometry_covariance import OdometryCovariances
from sbot_sim.sensors.positioning.gnss import GnssSettings
from sbot_sim.sensors.positioning.imu import ImuSettings
from sbot_sim.sensors.scan import ScanParameters, angle_max

INFRARED = np.dtype([(name, '<f4') for name in ('x', 'y', 'z', 'range', 'reading')])
HEARD = np.dtype([*((name, '<f4') for name in ('x', 'y', 'z', 'range', 'bearing')),
                  ('data', 'u1', 10)])


class EncoderOptions(NamedTuple):
    """What the messages depend on beside the snapshot."""

    num_robots: int
    scan: ScanParameters
    scan_period: float  # s
    radius: NDArray[np.float64]  # (N,) m
    tf_namespaced: bool = False
    poses_topic: bool = False  # all poses in one message, too
    covariances: OdometryCovariances | None = None  # None: zero
    interfaces: Interfaces = Interfaces()
    imu: ImuSettings | None = None
    gnss: GnssSettings | None = None


class SnapshotEncoder:
    """Turns the snapshots of one run into messages."""

    def __init__(self, options: EncoderOptions) -> None:
        self._options = options
        n, scan = options.num_robots, options.scan
        frame = self._frame
        self._ground = [templates.OdometryTemplate('map', frame('base_link', i)) for i in range(n)]
        self._poses = templates.PosesTemplate('map', n) if options.poses_topic else None
        self._obstacles: templates.PosesTemplate | None = None
        self._boxes: templates.PosesTemplate | None = None
        self._odom = [templates.OdometryTemplate(frame('odom', i), frame('base_link', i))
                      for i in range(n)]
        self._scans = [templates.ScanTemplate(
            frame('laser', i), scan.beams, scan.angle_min, angle_max(scan), scan.angle_increment,
            options.scan_period, scan.range_min, scan.range_max) for i in range(n)]
        self._wind = templates.VectorTemplate('map')
        self._positioning = PositioningEncoder(options.imu, options.gnss, options.scan_period,
                                               frame, n)
        groups = [[i] for i in range(n)] if options.tf_namespaced else [list(range(n))]
        self._groups = groups
        self._transforms = [templates.TransformsTemplate([
            pair for i in group for pair in (('map', frame('odom', i)),
                                             (frame('odom', i), frame('base_link', i)))
            if pair[0] != 'map' or options.interfaces.publish_map_odom_tf])
            for group in groups]

    def _frame(self, name: str, robot: int) -> str:
        if self._options.tf_namespaced:
            return name
        return topics.frame(name, robot, self._options.num_robots)

    def _tf(self, topic: Topic, group: list[int]) -> str:
        if not self._options.tf_namespaced:
            return topic.name
        return topics.namespace(group[0], self._options.num_robots) + topic.name

    def static(self, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield `/tf_static`, published once: the poses of the lasers on the robots."""
        scan = self._options.scan
        z, w = quaternion_from_yaw(scan.laser_yaw)
        for group in self._groups:
            links = [('laser', (scan.laser_x, scan.laser_y, z, w))]
            links += [(link, (0.0, 0.0, 0.0, 1.0)) for link in self._positioning.links]
            if self._options.interfaces.publish_robot_description:
                links.append(('base_footprint', (0.0, 0.0, 0.0, 1.0)))
            frames = [(self._frame('base_link', i), self._frame(link, i))
                      for i in group for link, _ in links]
            payload = templates.TransformsTemplate(frames).fill(
                stamp_ns, [place for _ in group for _, place in links])
            yield Outgoing(self._tf(topics.TF_STATIC, group), topics.TF_STATIC, payload)

    def snapshot(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield a tick's messages: first all that scans and poses need, robot by robot."""
        n = self._options.num_robots
        self._set_covariances(snapshot)
        yield from self.poses(snapshot, stamp_ns)
        for i in range(n):
            yield (scan := self.scan(snapshot, i, stamp_ns))
            if self._options.interfaces.publish_scan:
                yield Outgoing(topics.resolve(topics.SCAN, i, n), topics.SCAN, scan.payload)
        for i in range(n):
            yield from self._others(snapshot, i, stamp_ns)
        if self._options.interfaces.publish_contact:
            for i, met in enumerate(snapshot.collided.tolist()):
                yield Outgoing(topics.resolve(topics.CONTACT, i, n), topics.CONTACT,
                               write_bool(met))
        yield from self._tree(snapshot, stamp_ns)
        if snapshot.obstacles is not None:
            rows = [(x, y, 0.0, 1.0) for x, y in snapshot.obstacles.tolist()]
            if self._obstacles is None:
                self._obstacles = templates.PosesTemplate('map', len(rows))
            yield Outgoing(topics.OBSTACLES.name, topics.OBSTACLES,
                           self._obstacles.fill(stamp_ns, rows))
        if snapshot.boxes is not None:
            rows = [(x, y, *quaternion_from_yaw(yaw)) for x, y, yaw in snapshot.boxes.tolist()]
            if self._boxes is None:
                self._boxes = templates.PosesTemplate('map', len(rows))
            yield Outgoing(topics.BOXES.name, topics.BOXES, self._boxes.fill(stamp_ns, rows))

    def poses(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield every robot's ground truth, then all poses in one message where asked for."""
        n = self._options.num_robots
        rows = [(x, y, *quaternion_from_yaw(yaw)) for x, y, yaw in snapshot.true_pose.tolist()]
        for i, (row, twist) in enumerate(zip(rows, snapshot.twist.tolist(), strict=True)):
            yield Outgoing(topics.resolve(topics.BASE_POSE_GROUND_TRUTH, i, n),
                           topics.BASE_POSE_GROUND_TRUTH,
                           self._ground[i].fill(stamp_ns, *row, *twist))
        if self._poses is not None:
            yield Outgoing(topics.POSES.name, topics.POSES, self._poses.fill(stamp_ns, rows))

    def scan(self, snapshot: Snapshot, robot: int, stamp_ns: int) -> Outgoing:
        """Return one robot's scan."""
        return Outgoing(topics.resolve(topics.BASE_SCAN, robot, self._options.num_robots),
                        topics.BASE_SCAN,
                        self._scans[robot].fill(stamp_ns, snapshot.ranges[robot]))

    def inputs(self, snapshot: Snapshot, robot: int, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield all that one robot's controller may wait for; its scan comes last."""
        self._set_covariances(snapshot)
        yield from self.poses(snapshot, stamp_ns)
        yield from self._others(snapshot, robot, stamp_ns)
        yield self.scan(snapshot, robot, stamp_ns)

    def wind(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield the wind that each robot feels."""
        for i in range(self._options.num_robots):
            yield self.wind_of(snapshot, i, stamp_ns)

    def wind_of(self, snapshot: Snapshot, robot: int, stamp_ns: int) -> Outgoing:
        """Return the wind that one robot feels."""
        u, v = snapshot.wind[robot].tolist()
        return Outgoing(topics.resolve(topics.WIND, robot, self._options.num_robots), topics.WIND,
                        self._wind.fill(stamp_ns, u, v, float(snapshot.updraft[robot])))

    def _others(self, snapshot: Snapshot, i: int, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield what one robot senses beside its scan."""
        n = self._options.num_robots
        x, y, yaw = snapshot.odometry[i].tolist()
        twist = snapshot.odometry_twist[i].tolist()
        yield Outgoing(topics.resolve(topics.ODOM, i, n), topics.ODOM, self._odom[i].fill(
            stamp_ns, x, y, *quaternion_from_yaw(yaw), *twist))
        for topic, payload in self._positioning.messages(snapshot, i, stamp_ns):
            yield Outgoing(topics.resolve(topic, i, n), topic, payload)
        if snapshot.infrared is not None:
            yield Outgoing(topics.resolve(topics.INFRARED, i, n), topics.INFRARED,
                           self._infrared(snapshot, i, stamp_ns))
        if snapshot.heard_sent:
            yield Outgoing(topics.resolve(topics.RANGE_AND_BEARING, i, n),
                           topics.RANGE_AND_BEARING, self._heard(snapshot, i, stamp_ns))

    def _set_covariances(self, snapshot: Snapshot) -> None:
        """Write the covariances of a tick into the messages of all odometries."""
        covariances = self._options.covariances
        if covariances is not None:
            for template, of_pose, of_twist in zip(self._odom, *covariances.at(
                    snapshot.tick, snapshot.odometry, snapshot.odometry_twist), strict=True):
                template.set_covariances(of_pose, of_twist)
        least = self._options.interfaces.odom_covariance_floor
        if least > 0.0:
            for template in self._odom:
                template.raise_variances(least)

    def _infrared(self, snapshot: Snapshot, i: int, stamp_ns: int) -> bytes:
        assert snapshot.infrared is not None
        points = infrared_points(snapshot.infrared[i], self._options.radius[i])
        return self._cloud(i, stamp_ns, points.view(INFRARED))

    def _heard(self, snapshot: Snapshot, i: int, stamp_ns: int) -> bytes:
        starts, indexes, ranges, bearings = snapshot.heard
        row = slice(starts[i], starts[i + 1])
        points = np.zeros((row.stop - row.start, 1), HEARD)
        sine, cosine = np.empty(len(points)), np.empty(len(points))
        sincos_of(bearings[row], sine, cosine)
        points['x'][:, 0] = ranges[row] * cosine
        points['y'][:, 0] = ranges[row] * sine
        points['range'][:, 0] = ranges[row]
        points['bearing'][:, 0] = bearings[row]
        points['data'][:, 0] = snapshot.rab_data[indexes[row]]
        return self._cloud(i, stamp_ns, points)

    def _cloud(self, i: int, stamp_ns: int, points: NDArray[np.void]) -> bytes:
        """Return the PointCloud2 of points (M, 1)."""
        return encode_points(stamp_ns, self._frame('base_link', i), points.reshape(1, -1),
                             dense=False)

    def _tree(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        for group, template in zip(self._groups, self._transforms, strict=True):
            numbers = []
            for i in group:
                x, y, yaw = snapshot.true_pose[i].tolist()
                ox, oy, o_yaw = snapshot.odometry[i].tolist()
                turn = yaw - o_yaw  # the drift of the odometry: map -> odom = pose * odometry^-1
                s, c = sincos(turn)
                if self._options.interfaces.publish_map_odom_tf:
                    numbers.append((x - (c * ox - s * oy), y - (s * ox + c * oy),
                                    *quaternion_from_yaw(turn)))
                numbers.append((ox, oy, *quaternion_from_yaw(o_yaw)))
            yield Outgoing(self._tf(topics.TF, group), topics.TF, template.fill(stamp_ns, numbers))


def read_rab_data(raw: bytes) -> NDArray[np.uint8]:
    """Return the bytes of a std_msgs/UInt8MultiArray: at most 10, the rest zero; shape (10,)."""
    data = np.asarray(cdr.decode(raw, 'std_msgs/msg/UInt8MultiArray').data, np.uint8)[:10]
    return np.concatenate([data, np.zeros(10 - len(data), np.uint8)])

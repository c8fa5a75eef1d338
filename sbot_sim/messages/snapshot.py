# SPDX-License-Identifier: Apache-2.0
"""Encode snapshots as ROS messages: poses, scans, odometry, wind, infrared, /tf.

The nodes publish and the recorder stores what ``SnapshotEncoder`` returns, in its order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common import topics
from sbot_common.angles import quaternion_from_yaw
from sbot_common.elementary import sincos
from sbot_common.params import Param
from sbot_common.topics import Outgoing, Topic
from sbot_common.wire import cdr, templates
from sbot_common.wire.messages import write_bool
from sbot_sim.drives.record import Wheeled
from sbot_sim.drives.shipped import WHEEL_JOINTS
from sbot_sim.engine.simulation import Snapshot
from sbot_sim.sensors.laser import link_of, scan_encoder
from sbot_sim.sensors.odometry import OdometryCovariances, WheelStates
from sbot_sim.sensors.registry import Encode, Place, Sensor, sensors
from sbot_sim.world.bodies import is_there
from sbot_sim.worlds.parameters import SensorParameters

# Interfaces to Nav2, AMCL and SLAM: what the simulator publishes, and what it leaves to them.

class Interfaces(NamedTuple):
    """Parameters of the node `sbot_sim`; no part of a scenario, as they change no result."""

    publish_map: Annotated[bool, Param(
        '', 'Publish `/map`; `false` if map_server or SLAM does.', at_runtime=False)] = True
    publish_map_odom_tf: Annotated[bool, Param(
        '', 'Publish the transform from `map` to `odom`; `false` if AMCL or SLAM does.',
        at_runtime=False)] = True
    publish_robot_description: Annotated[bool, Param(
        '', 'Publish `robot_description` (URDF) of each robot and its frame `base_footprint`.',
        at_runtime=False)] = False
    odom_covariance_floor: Annotated[float, Param(
        'm^2, rad^2, (m/s)^2, (rad/s)^2', 'Least variance on the diagonals of `odom`; '
        'robot_localization refuses zeros, as in odometry without noise.', minimum=0.0,
        maximum=1e6, at_runtime=False)] = 0.0
    publish_scan: Annotated[bool, Param(
        '', 'Publish scans also on `scan`, the name in TurtleBot3 and Nav2.',
        at_runtime=False)] = False
    publish_contact: Annotated[bool, Param(
        '', 'Publish `contact`: whether each robot touched something in the last tick.',
        at_runtime=False)] = False
    publish_joint_states: Annotated[bool, Param(
        '', 'Publish `joint_states` of robots with two wheels, and obey `joint_commands`, speeds '
        'of these wheels, for ros2_control.', at_runtime=False)] = False
    simulation_interfaces: Annotated[bool, Param(
        '', 'Offer the services of the package simulation_interfaces.', at_runtime=False)] = False


class EncoderOptions(NamedTuple):
    """What the messages depend on beside the snapshot."""

    num_robots: int
    sensors: SensorParameters
    dt: float  # s, of a tick
    radius: NDArray[np.float64]  # (N,) m
    tf_namespaced: bool = False
    poses_topic: bool = False  # all poses in one message, too
    covariances: OdometryCovariances | None = None  # None: zero
    interfaces: Interfaces = Interfaces()
    bodies: Wheeled | None = None  # None: no `joint_states`


class SnapshotEncoder:
    """Turns the snapshots of one run into messages."""

    def __init__(self, options: EncoderOptions) -> None:
        self._options = options
        n, frame = options.num_robots, self._frame
        self._ground = [templates.OdometryTemplate('map', frame('base_link', i)) for i in range(n)]
        self._poses = templates.PosesTemplate('map', n) if options.poses_topic else None
        self._obstacles: templates.PosesTemplate | None = None
        self._boxes: templates.PosesTemplate | None = None
        self._wind = templates.VectorTemplate('map')
        place = Place(n, options.dt, options.radius, options.sensors, frame, options.covariances,
                      options.interfaces.odom_covariance_floor)
        encoders = [(sensor, sensor.encoders(place)) for sensor in sensors().values()]
        self._sensed: list[tuple[Sensor, Encode]] = [
            (sensor, encode) for sensor, encode in encoders if encode is not None]
        self._links = [sensor.kernel.link for sensor, _ in self._sensed
                       if sensor.kernel is not None and sensor.kernel.link != 'base_link']
        lasers = options.sensors.lasers
        # Stage's names where a robot has several lasers: base_scan_0 is base_scan.
        self._numbered = [[
            (topics.BASE_SCAN._replace(name=f'{topics.BASE_SCAN.name}_{k}'),
             scan_encoder(place, i, lasers.of(i), k)) for k in range(len(lasers.of(i)))]
            if len(lasers.of(i)) > 1 else [] for i in range(n)]
        self._wheels = WheelStates(options.bodies, options.dt) if (
            options.bodies is not None and options.interfaces.publish_joint_states) else None
        self._groups = [[i] for i in range(n)] if options.tf_namespaced else [list(range(n))]
        # Of each group: the robots that were in the world, and the template of their frames.
        self._transforms: dict[int, tuple[tuple[int, ...], templates.TransformsTemplate]] = {}

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
        others = [(link, (0.0, 0.0, 0.0, 1.0)) for link in self._links]
        if self._options.interfaces.publish_robot_description:
            others.append(('base_footprint', (0.0, 0.0, 0.0, 1.0)))
        for group in self._groups:
            links = [(i, link, place) for i in group for link, place in [
                *((link_of(k), (p.laser_x, p.laser_y, *quaternion_from_yaw(p.laser_yaw)))
                  for k, p in enumerate(self._options.sensors.lasers.of(i))), *others]]
            frames = [(self._frame('base_link', i), self._frame(link, i)) for i, link, _ in links]
            payload = templates.TransformsTemplate(frames).fill(
                stamp_ns, [place for _, _, place in links])
            yield Outgoing(self._tf(topics.TF_STATIC, group), topics.TF_STATIC, payload)

    def snapshot(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield a tick's messages: first all that scans and poses need, robot by robot."""
        n = self._options.num_robots
        yield from self.poses(snapshot, stamp_ns)
        for i in range(n):
            yield from self._readings(snapshot, i, stamp_ns, scan=True)
        for i in range(n):
            yield from self._readings(snapshot, i, stamp_ns, scan=False)
        if self._options.interfaces.publish_contact:
            for i, met in enumerate(snapshot.collided.tolist()):
                yield Outgoing(topics.resolve(topics.CONTACT, i, n), topics.CONTACT,
                               write_bool(met))
        if self._wheels is not None:
            for i, angles, speeds in zip(self._wheels.robots, *self._wheels.at(
                    snapshot.tick, snapshot.odometry_twist), strict=True):
                yield Outgoing(topics.resolve(topics.JOINT_STATES, i, n), topics.JOINT_STATES,
                               cdr.encode(cdr.message(
                                   topics.JOINT_STATES.type, header=cdr.header(stamp_ns, ''),
                                   name=list(WHEEL_JOINTS), position=angles, velocity=speeds,
                                   effort=np.empty(0))))
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

    def inputs(self, snapshot: Snapshot, robot: int, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield all that one robot's controller may wait for; its scan comes last."""
        yield from self.poses(snapshot, stamp_ns)
        yield from self._readings(snapshot, robot, stamp_ns, scan=False)
        yield from self._readings(snapshot, robot, stamp_ns, scan=True)

    def wind(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield the wind that each robot feels."""
        for i in range(self._options.num_robots):
            yield self.wind_of(snapshot, i, stamp_ns)

    def wind_of(self, snapshot: Snapshot, robot: int, stamp_ns: int) -> Outgoing:
        """Return the wind that one robot feels."""
        u, v = snapshot.wind[robot].tolist()
        return Outgoing(topics.resolve(topics.WIND, robot, self._options.num_robots), topics.WIND,
                        self._wind.fill(stamp_ns, u, v, float(snapshot.updraft[robot])))

    def _readings(self, snapshot: Snapshot, robot: int, stamp_ns: int,
                  scan: bool) -> Iterator[Outgoing]:
        """Yield one robot's scan, or what else it senses."""
        for sensor, encode in self._sensed:
            if (sensor.topic == topics.BASE_SCAN) == scan:
                payload = encode(stamp_ns, snapshot, robot)
                for topic, encode_laser in self._numbered[robot] if scan else ():
                    yield Outgoing(topics.resolve(topic, robot, self._options.num_robots), topic,
                                   encode_laser(stamp_ns, snapshot))
                names = [sensor.topic]
                if scan and self._options.interfaces.publish_scan:
                    names.append(topics.SCAN)
                for topic in names:
                    yield Outgoing(topics.resolve(topic, robot, self._options.num_robots), topic,
                                   payload)

    def _template_of(self, group: int, robots: tuple[int, ...]) -> templates.TransformsTemplate:
        """Return the template of the frames of those of a group that are in the world."""
        known, frame = self._transforms.get(group), self._frame
        if known is None or known[0] != robots:
            known = self._transforms[group] = robots, templates.TransformsTemplate([
                pair for i in robots for pair in (('map', frame('odom', i)),
                                                  (frame('odom', i), frame('base_link', i)))
                if pair[0] != 'map' or self._options.interfaces.publish_map_odom_tf])
        return known[1]

    def _tree(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        there = is_there(snapshot.true_pose).tolist()
        for group in self._groups:
            robots, numbers = tuple(i for i in group if there[i]), []
            for i in robots:
                x, y, yaw = snapshot.true_pose[i].tolist()
                ox, oy, o_yaw = snapshot.odometry[i].tolist()
                turn = yaw - o_yaw  # the drift of the odometry: map -> odom = pose * odometry^-1
                s, c = sincos(turn)
                if self._options.interfaces.publish_map_odom_tf:
                    numbers.append((x - (c * ox - s * oy), y - (s * ox + c * oy),
                                    *quaternion_from_yaw(turn)))
                numbers.append((ox, oy, *quaternion_from_yaw(o_yaw)))
            yield Outgoing(self._tf(topics.TF, group), topics.TF,
                           self._template_of(group[0], robots).fill(stamp_ns, numbers))


def read_rab_data(raw: bytes) -> NDArray[np.uint8]:
    """Return the bytes of a std_msgs/UInt8MultiArray: at most 10, the rest zero; shape (10,)."""
    data = np.asarray(cdr.decode(raw, 'std_msgs/msg/UInt8MultiArray').data, np.uint8)[:10]
    return np.concatenate([data, np.zeros(10 - len(data), np.uint8)])

# SPDX-License-Identifier: Apache-2.0
"""All messages of a run in order, published or recorded; diagnostics of the simulator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common import topics
from sbot_common.angles import quaternion_from_yaw
from sbot_common.elementary import sincos
from sbot_common.observation import Twist
from sbot_common.params import Param
from sbot_common.topics import Outgoing, Topic
from sbot_common.wire import cdr, templates
from sbot_common.wire.controller import write_command
from sbot_common.wire.messages import write_clock, write_string
from sbot_sim.drives.registry import WHEEL_JOINTS
from sbot_sim.engine.simulation import Snapshot
from sbot_sim.messages.markers import (
    OBSTACLE_PERIOD,
    ZoneSign,
    object_markers,
    obstacle_markers,
    robot_description,
    robot_markers,
    robot_roles,
    zone_markers,
)
from sbot_sim.messages.occupancy import map_message
from sbot_sim.sensors.laser import link_of, scan_encoder
from sbot_sim.sensors.odometry import OdometryCovariances, WheelStates
from sbot_sim.sensors.registry import Encode, Place, Sensor, sensors
from sbot_sim.world.bodies import is_there
from sbot_sim.worlds.parameters import SimulationParameters
from wind_model import messages as wind_messages
from wind_model.gust import Wind
from wind_model.parameters import Height

# Real-time factor, late ticks and collisions of the simulator, for `/diagnostics`.

class Pace:
    """Measures simulated against wall time."""

    def __init__(self, dt: float) -> None:
        self._dt = dt
        self._ticks = 0
        self._since: float | None = None
        self._previous: float | None = None
        self._late = 0

    def tick(self, now: float) -> None:
        """Note that a tick ended at ``now`` (s of wall time)."""
        if self._since is None:
            self._since = now
        else:
            self._ticks += 1
        if self._previous is not None and now - self._previous > 1.5 * self._dt:
            self._late += 1
        self._previous = now

    def take(self, now: float) -> tuple[float, int]:
        """Return the real-time factor since the last time, and how many ticks were late so far."""
        elapsed = 0.0 if self._since is None else now - self._since
        factor = self._ticks * self._dt / elapsed if elapsed > 0 else 0.0
        if self._since is not None:
            self._since, self._ticks = now, 0
        return factor, self._late


def diagnostics(stamp_ns: int, report: tuple[float, int], snapshot: Snapshot,
                node: str = 'sbot_sim') -> bytes:
    """Return diagnostic_msgs/DiagnosticArray.

    ``report``: of ``Pace``. ``node``: its full name. As ``diagnostic_aggregator`` has it, an
    entry is named 'node: task'.
    """
    values = {'tick': snapshot.tick, 'real_time_factor': f'{report[0]:.3f}',
              'late_ticks': report[1],
              'robots': int(np.count_nonzero(is_there(snapshot.pose))),
              'robots_in_collision': int(np.count_nonzero(snapshot.collided)),
              'robots_put_back': int(np.count_nonzero(snapshot.reverted))}
    return status_of(stamp_ns, node, 'simulation', f'{report[0]:.2f} x real time',
                     values=values)


def status_of(stamp_ns: int, node: str, task: str, message: str, *, warns: bool = False,
              values: Mapping[str, object] = {}) -> bytes:
    """Return diagnostic_msgs/DiagnosticArray with the status of one task of a node (full name)."""
    name, get = node.lstrip('/'), cdr.message_class
    status = get('diagnostic_msgs/msg/DiagnosticStatus')(
        level=int(warns), name=f'{name}: {task}', message=message, hardware_id=name,
        values=[get('diagnostic_msgs/msg/KeyValue')(key=key, value=str(value))
                for key, value in values.items()])
    return cdr.encode(get(topics.DIAGNOSTICS.type)(header=cdr.header(stamp_ns, ''),
                                                   status=[status]))


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


_MARKER_PERIOD = 0.1  # s


class BroadcastOptions(NamedTuple):
    """What the messages depend on beside the simulator's parameters."""

    scenario: str  # the scenario as run (YAML)
    goals: Sequence[tuple[float, float] | None]  # (N,) m
    tf_namespaced: bool = False
    poses_topic: bool = False  # all poses on `/poses`, too
    cmd_vel_stamped: bool = False
    gust: bool = False  # there is a gust in m/s, on `/wind/gust`
    interfaces: Interfaces = Interfaces()
    zones: tuple[ZoneSign, ...] = ()


class Broadcast:
    """Encodes a run's messages in the order of a recording; ``goals`` may change while it runs.

    A recording begins with ``start``, and each tick is as ``recorded`` yields it.
    """

    def __init__(self, parameters: SimulationParameters, options: BroadcastOptions) -> None:
        obstacles = parameters.obstacles
        self._world = parameters.world if obstacles is None else obstacles.still
        self._obstacles = obstacles
        self._radius = parameters.bodies.radius
        self._lasers, self._shapes = parameters.sensors.lasers, parameters.bodies.shape
        height = parameters.wind_height
        self._height = height if isinstance(height, Height) else Height(height)
        self._options = options
        self.interfaces = options.interfaces  # what is published for others, or left to them
        self.cmd_vel = topics.CMD_VEL_STAMPED if options.cmd_vel_stamped else topics.CMD_VEL
        covariances = OdometryCovariances(
            parameters.odometry, parameters.bodies, parameters.dt)
        self._n = n = len(self._radius)
        frame = self._frame
        self._ground = [templates.OdometryTemplate('map', frame('base_link', i)) for i in range(n)]
        self._poses = templates.PosesTemplate('map', n) if options.poses_topic else None
        self._discs, self._boxes = (templates.PosesTemplate('map', count) for count in (
            (0, 0) if obstacles is None else
            (len(obstacles.paths.radius), len(obstacles.boxes.radius))))
        self._wind = templates.NumbersTemplate.of_vector('map')
        place = Place(n, parameters.dt, self._radius, parameters.sensors, frame,
                      covariances if covariances.known else None,
                      options.interfaces.odom_covariance_floor)
        encoders = [(sensor, sensor.encoders(place)) for sensor in sensors().values()]
        self._sensed: list[tuple[Sensor, Encode]] = [
            (sensor, encode) for sensor, encode in encoders if encode is not None]
        self._links = [sensor.kernel.link for sensor, _ in self._sensed
                       if sensor.kernel is not None and sensor.kernel.link != 'base_link']
        # Stage's names where a robot has several lasers: base_scan_0 is base_scan.
        self._numbered = [[
            (topics.BASE_SCAN._replace(name=f'{topics.BASE_SCAN.name}_{k}'),
             scan_encoder(place, i, self._lasers.of(i), k))
            for k in range(len(self._lasers.of(i)))]
            if len(self._lasers.of(i)) > 1 else [] for i in range(n)]
        self._wheels = WheelStates(parameters.bodies, parameters.dt) if (
            options.interfaces.publish_joint_states) else None
        self._groups = [[i] for i in range(n)] if options.tf_namespaced else [list(range(n))]
        # Of each group: the robots that were in the world, and the template of their frames.
        self._transforms: dict[int, tuple[tuple[int, ...], templates.TransformsTemplate]] = {}
        self._marker_ticks = max(1, round(_MARKER_PERIOD / parameters.dt))
        self._obstacle_ticks = max(1, round(OBSTACLE_PERIOD / parameters.dt))
        self.goals: NDArray[np.float64] = np.array(
            [(np.nan, np.nan) if goal is None else goal for goal in options.goals])

    def latched(self, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield the messages that the simulator publishes once, at the start."""
        yield Outgoing(topics.SCENARIO.name, topics.SCENARIO, write_string(self._options.scenario))
        if self.interfaces.publish_map:
            yield Outgoing(topics.MAP.name, topics.MAP,
                           map_message(stamp_ns, self._world))
        yield from self._static(stamp_ns)
        if self.interfaces.publish_robot_description:
            for i in range(n := len(self._radius)):
                yield Outgoing(
                    topics.ROBOT_DESCRIPTION.resolve(i, n), topics.ROBOT_DESCRIPTION,
                    write_string(robot_description(
                        f'robot_{i}', float(self._radius[i]), self._lasers.of(i),
                        self._shapes.rectangle(i))))

    def start(self, stamp_ns: int, wind: Wind) -> Iterator[Outgoing]:
        """Yield the messages that all nodes together publish once, at the start."""
        yield from self.latched(stamp_ns)
        yield Outgoing(topics.WIND_FIELD.name, topics.WIND_FIELD,
                       wind_messages.encode_field(0, wind.field))
        yield Outgoing(topics.WIND_MARKERS.name, topics.WIND_MARKERS, wind_messages.encode_markers(
            0, wind.field, wind.velocity, self._height))

    def recorded(self, stamp_ns: int, wind: Wind, snapshot: Iterable[Outgoing],
                 answers: Iterable[Outgoing]) -> Iterator[Outgoing]:
        """Yield all messages of a tick: time, wind, snapshot, and the controllers' answers.

        Parameters
        ----------
        stamp_ns : of the tick
        wind : of the tick
        snapshot : from ``snapshot`` and ``sensed_wind``
        answers : the controllers' announcements, then ``command`` of each robot that has one

        """
        yield self.clock(stamp_ns)
        for topic, vector in ((topics.WIND_VELOCITY, wind.velocity),
                              (topics.WIND_FORCE, wind.force)):
            yield Outgoing(topic.name, topic, wind_messages.encode_vector(stamp_ns, vector))
        if self._options.gust:
            yield Outgoing(topics.WIND_GUST.name, topics.WIND_GUST,
                           wind_messages.encode_vector(stamp_ns, wind.gust))
        yield from snapshot
        yield from answers

    def command(self, robot: int, stamp_ns: int, command: Twist) -> Outgoing:
        """Return one robot's command as a message."""
        n = len(self._radius)
        frame_id = topics.frame('base_link', robot, n)
        return Outgoing(self.cmd_vel.resolve(robot, n), self.cmd_vel,
                        write_command(self.cmd_vel, stamp_ns, frame_id, command))

    def clock(self, stamp_ns: int) -> Outgoing:
        """Return the time of a tick."""
        return Outgoing(topics.CLOCK.name, topics.CLOCK, write_clock(stamp_ns))

    def sensed_wind(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield a tick's wind at each robot, and the markers that show it."""
        for i, ((u, v), w) in enumerate(zip(
                snapshot.wind.tolist(), snapshot.updraft.tolist(), strict=True)):
            yield Outgoing(topics.WIND.resolve(i, self._n), topics.WIND,
                           self._wind.fill(stamp_ns, u, v, w))
        if snapshot.tick % self._marker_ticks == 0:
            roles = robot_roles(snapshot.twist, snapshot.wind, snapshot.free_wind)
            yield Outgoing(topics.MARKERS.name, topics.MARKERS, robot_markers(
                stamp_ns, snapshot.pose, self._radius, roles, snapshot.wind, self.goals,
                self._shapes))
            if snapshot.obstacles is not None and self._obstacles is not None:
                yield Outgoing(topics.MARKERS.name, topics.MARKERS, object_markers(
                    stamp_ns, 'moving obstacles', self._obstacles.paths.radius,
                    snapshot.obstacles))
            if snapshot.boxes is not None and self._obstacles is not None:
                yield Outgoing(topics.MARKERS.name, topics.MARKERS, object_markers(
                    stamp_ns, 'boxes', self._obstacles.boxes.radius, snapshot.boxes,
                    self._obstacles.boxes.shape.half_size))
        if snapshot.tick % self._obstacle_ticks == 0:
            yield Outgoing(topics.MARKERS.name, topics.MARKERS,
                           obstacle_markers(stamp_ns, self._world))
            if self._options.zones:
                yield Outgoing(topics.MARKERS.name, topics.MARKERS,
                               zone_markers(stamp_ns, self._options.zones))

    def _frame(self, name: str, robot: int) -> str:
        if self._options.tf_namespaced:
            return name
        return topics.frame(name, robot, self._n)

    def _tf(self, topic: Topic, group: list[int]) -> str:
        if not self._options.tf_namespaced:
            return topic.name
        return topics.namespace(group[0], self._n) + topic.name

    def _static(self, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield `/tf_static`, published once: the poses of the lasers on the robots."""
        others = [(link, (0.0, 0.0, 0.0, 1.0)) for link in self._links]
        if self.interfaces.publish_robot_description:
            others.append(('base_footprint', (0.0, 0.0, 0.0, 1.0)))
        for group in self._groups:
            links = [(i, link, place) for i in group for link, place in [
                *((link_of(k), (p.laser_x, p.laser_y, *quaternion_from_yaw(p.laser_yaw)))
                  for k, p in enumerate(self._lasers.of(i))), *others]]
            frames = [(self._frame('base_link', i), self._frame(link, i)) for i, link, _ in links]
            payload = templates.TransformsTemplate(frames).fill(
                stamp_ns, [place for _, _, place in links])
            yield Outgoing(self._tf(topics.TF_STATIC, group), topics.TF_STATIC, payload)

    def snapshot(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield a tick's messages: first all that scans and poses need, robot by robot."""
        n = self._n
        yield from self._true_poses(snapshot, stamp_ns)
        for i in range(n):
            yield from self._readings(snapshot, i, stamp_ns, scan=True)
        for i in range(n):
            yield from self._readings(snapshot, i, stamp_ns, scan=False)
        if self.interfaces.publish_contact:
            for i, met in enumerate(snapshot.collided.tolist()):
                yield Outgoing(topics.CONTACT.resolve(i, n), topics.CONTACT,
                               cdr.LITTLE_ENDIAN + bytes([met]))
        if self._wheels is not None:
            for i, angles, speeds in zip(self._wheels.robots, *self._wheels.at(
                    snapshot.tick, snapshot.odometry_twist), strict=True):
                yield Outgoing(topics.JOINT_STATES.resolve(i, n), topics.JOINT_STATES,
                               cdr.encode(cdr.message(
                                   topics.JOINT_STATES.type, header=cdr.header(stamp_ns, ''),
                                   name=list(WHEEL_JOINTS), position=angles, velocity=speeds,
                                   effort=np.empty(0))))
        yield from self._tree(snapshot, stamp_ns)
        if snapshot.obstacles is not None:
            yield Outgoing(topics.OBSTACLES.name, topics.OBSTACLES, self._discs.fill(
                stamp_ns, [(x, y, 0.0, 1.0) for x, y in snapshot.obstacles.tolist()]))
        if snapshot.boxes is not None:
            yield Outgoing(topics.BOXES.name, topics.BOXES, self._boxes.fill(stamp_ns, [
                (x, y, *quaternion_from_yaw(yaw)) for x, y, yaw in snapshot.boxes.tolist()]))

    def _true_poses(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield every robot's ground truth, then all poses in one message where asked for."""
        n = self._n
        rows = [(x, y, *quaternion_from_yaw(yaw)) for x, y, yaw in snapshot.true_pose.tolist()]
        for i, (row, twist) in enumerate(zip(rows, snapshot.twist.tolist(), strict=True)):
            yield Outgoing(topics.BASE_POSE_GROUND_TRUTH.resolve(i, n),
                           topics.BASE_POSE_GROUND_TRUTH,
                           self._ground[i].fill(stamp_ns, *row, *twist))
        if self._poses is not None:
            yield Outgoing(topics.POSES.name, topics.POSES, self._poses.fill(stamp_ns, rows))

    def _readings(self, snapshot: Snapshot, robot: int, stamp_ns: int,
                  scan: bool) -> Iterator[Outgoing]:
        """Yield one robot's scan, or what else it senses."""
        for sensor, encode in self._sensed:
            if (sensor.topic == topics.BASE_SCAN) == scan:
                payload = encode(stamp_ns, snapshot, robot)
                for topic, encode_laser in self._numbered[robot] if scan else ():
                    yield Outgoing(topic.resolve(robot, self._n), topic,
                                   encode_laser(stamp_ns, snapshot))
                names = [sensor.topic]
                if scan and self.interfaces.publish_scan:
                    names.append(topics.SCAN)
                for topic in names:
                    yield Outgoing(topic.resolve(robot, self._n), topic,
                                   payload)

    def _template_of(self, group: int, robots: tuple[int, ...]) -> templates.TransformsTemplate:
        """Return the template of the frames of those of a group that are in the world."""
        known, frame = self._transforms.get(group), self._frame
        if known is None or known[0] != robots:
            known = self._transforms[group] = robots, templates.TransformsTemplate([
                pair for i in robots for pair in (('map', frame('odom', i)),
                                                  (frame('odom', i), frame('base_link', i)))
                if pair[0] != 'map' or self.interfaces.publish_map_odom_tf])
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
                if self.interfaces.publish_map_odom_tf:
                    numbers.append((x - (c * ox - s * oy), y - (s * ox + c * oy),
                                    *quaternion_from_yaw(turn)))
                numbers.append((ox, oy, *quaternion_from_yaw(o_yaw)))
            yield Outgoing(self._tf(topics.TF, group), topics.TF,
                           self._template_of(group[0], robots).fill(stamp_ns, numbers))


def read_rab_data(raw: bytes) -> NDArray[np.uint8]:
    """Return the bytes of a std_msgs/UInt8MultiArray: at most 10, the rest zero; shape (10,)."""
    data = np.asarray(cdr.decode(raw, 'std_msgs/msg/UInt8MultiArray').data, np.uint8)[:10]
    return np.concatenate([data, np.zeros(10 - len(data), np.uint8)])

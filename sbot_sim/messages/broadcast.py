# SPDX-License-Identifier: Apache-2.0
"""All messages of a run in order, published or recorded; diagnostics of the simulator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common import topics
from sbot_common.observation import Twist
from sbot_common.topics import Outgoing
from sbot_common.wire import cdr
from sbot_common.wire.controller import write_command
from sbot_common.wire.messages import write_clock, write_string
from sbot_sim.engine.simulation import Snapshot
from sbot_sim.messages.markers import (
    OBSTACLE_PERIOD,
    ZoneSign,
    box_markers,
    moving_markers,
    obstacle_markers,
    robot_description,
    robot_markers,
    robot_roles,
    zone_markers,
)
from sbot_sim.messages.occupancy import map_message
from sbot_sim.messages.snapshot import EncoderOptions, Interfaces, SnapshotEncoder
from sbot_sim.sensors.odometry import OdometryCovariances
from sbot_sim.world.bodies import is_there, rectangle_of
from sbot_sim.worlds.parameters import SimulationParameters
from wind_model import messages as wind_messages
from wind_model.gust import Wind
from wind_model.parameters import Height

# Real-time factor, late ticks and collisions of the simulator, for `/diagnostics`.

class _Report(NamedTuple):
    """Real-time factor and late ticks of the last period."""

    real_time_factor: float
    late_ticks: int  # so far: ticks that began more than half a tick late


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

    def take(self, now: float) -> _Report:
        """Return the report since the last one."""
        elapsed = 0.0 if self._since is None else now - self._since
        factor = self._ticks * self._dt / elapsed if elapsed > 0 else 0.0
        if self._since is not None:
            self._since, self._ticks = now, 0
        return _Report(factor, self._late)


def diagnostics(stamp_ns: int, report: _Report, snapshot: Snapshot,
                node: str = 'sbot_sim') -> bytes:
    """Return diagnostic_msgs/DiagnosticArray.

    ``node``: its full name. As ``diagnostic_aggregator`` has it, an entry is named 'node: task'.
    """
    values = {'tick': snapshot.tick, 'real_time_factor': f'{report.real_time_factor:.3f}',
              'late_ticks': report.late_ticks,
              'robots': int(np.count_nonzero(is_there(snapshot.pose))),
              'robots_in_collision': int(np.count_nonzero(snapshot.collided)),
              'robots_put_back': int(np.count_nonzero(snapshot.reverted))}
    return status_of(stamp_ns, node, 'simulation', f'{report.real_time_factor:.2f} x real time',
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


Point = tuple[float, float]

_MARKER_PERIOD = 0.1  # s


class BroadcastOptions(NamedTuple):
    """What the messages depend on beside the simulator's parameters."""

    scenario: str  # the scenario as run (YAML)
    goals: Sequence[Point | None]  # (N,) m
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
        self._moving = None if obstacles is None else obstacles.paths.radius
        self._boxes = None if obstacles is None else obstacles.boxes
        self._radius = parameters.bodies.radius
        self._lasers, self._shapes = parameters.sensors.lasers, parameters.bodies.shape
        height = parameters.wind_height
        self._height = height if isinstance(height, Height) else Height(height)
        self._options = options
        self.cmd_vel = topics.CMD_VEL_STAMPED if options.cmd_vel_stamped else topics.CMD_VEL
        covariances = OdometryCovariances(
            parameters.odometry, parameters.bodies, parameters.dt)
        self._encoder = SnapshotEncoder(EncoderOptions(
            len(self._radius), parameters.sensors, parameters.dt, self._radius,
            options.tf_namespaced, options.poses_topic,
            covariances if covariances.known else None, options.interfaces, parameters.bodies))
        self._marker_ticks = max(1, round(_MARKER_PERIOD / parameters.dt))
        self._obstacle_ticks = max(1, round(OBSTACLE_PERIOD / parameters.dt))
        self.goals: NDArray[np.float64] = np.array(
            [(np.nan, np.nan) if goal is None else goal for goal in options.goals])

    @property
    def interfaces(self) -> Interfaces:
        """What the simulator publishes for others, or leaves to them."""
        return self._options.interfaces

    def latched(self, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield the messages that the simulator publishes once, at the start."""
        yield Outgoing(topics.SCENARIO.name, topics.SCENARIO, write_string(self._options.scenario))
        if self._options.interfaces.publish_map:
            yield Outgoing(topics.MAP.name, topics.MAP,
                           map_message(stamp_ns, self._world))
        yield from self._encoder.static(stamp_ns)
        if self._options.interfaces.publish_robot_description:
            for i in range(n := len(self._radius)):
                yield Outgoing(
                    topics.resolve(topics.ROBOT_DESCRIPTION, i, n), topics.ROBOT_DESCRIPTION,
                    write_string(robot_description(
                        f'robot_{i}', float(self._radius[i]), self._lasers.of(i),
                        rectangle_of(self._shapes, i))))

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
        return Outgoing(topics.resolve(self.cmd_vel, robot, n), self.cmd_vel,
                        write_command(self.cmd_vel, stamp_ns, frame_id, command))

    def clock(self, stamp_ns: int) -> Outgoing:
        """Return the time of a tick."""
        return Outgoing(topics.CLOCK.name, topics.CLOCK, write_clock(stamp_ns))

    def snapshot(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Return a tick's poses and scans, then the rest, except messages that need the wind."""
        return self._encoder.snapshot(snapshot, stamp_ns)

    def sensed_wind(self, snapshot: Snapshot, stamp_ns: int) -> Iterator[Outgoing]:
        """Yield a tick's wind at each robot, and the markers that show it."""
        yield from self._encoder.wind(snapshot, stamp_ns)
        if snapshot.tick % self._marker_ticks == 0:
            roles = robot_roles(snapshot.twist, snapshot.wind, snapshot.free_wind)
            yield Outgoing(topics.MARKERS.name, topics.MARKERS, robot_markers(
                stamp_ns, snapshot.pose, self._radius, roles, snapshot.wind, self.goals,
                self._shapes))
            if snapshot.obstacles is not None and self._moving is not None:
                yield Outgoing(topics.MARKERS.name, topics.MARKERS, moving_markers(
                    stamp_ns, snapshot.obstacles, self._moving))
            if snapshot.boxes is not None and self._boxes is not None:
                yield Outgoing(topics.MARKERS.name, topics.MARKERS, box_markers(
                    stamp_ns, self._boxes, snapshot.boxes))
        if snapshot.tick % self._obstacle_ticks == 0:
            yield Outgoing(topics.MARKERS.name, topics.MARKERS,
                           obstacle_markers(stamp_ns, self._world))
            if self._options.zones:
                yield Outgoing(topics.MARKERS.name, topics.MARKERS,
                               zone_markers(stamp_ns, self._options.zones))

    def inputs(self, snapshot: Snapshot, robot: int, stamp_ns: int,
               sensed_wind: bool) -> Iterator[Outgoing]:
        """Yield the inputs of a robot's controller again; ``sensed_wind``: the wind is known."""
        yield from self._encoder.inputs(snapshot, robot, stamp_ns)
        if sensed_wind:
            yield self._encoder.wind_of(snapshot, robot, stamp_ns)

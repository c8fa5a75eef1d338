# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 node `sbot_sim`: messages in, one call of its run control, messages out."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer
from std_srvs.srv import SetBool, Trigger

from sbot_common import ros, topics
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import STOP
from sbot_common.topics import Outgoing, Topic
from sbot_common.wire import cdr
from sbot_common.wire.messages import PoseStamped, read_twist
from sbot_sim.drives.record import Message
from sbot_sim.drives.registry import messages_of
from sbot_sim.messages.broadcast import Pace, diagnostics, read_rab_data
from sbot_sim.ros.connections import Connections
from sbot_sim.ros.external import External
from sbot_sim.ros.lockstep import FreeRunning, Lockstep
from sbot_sim.ros.run_control import Actions, Inbox, Phase, RunControl, Setup
from sbot_sim.ros.standard_services import SERVICES, StandardServices, load_interfaces
from sbot_sim.world.bodies import is_there
from wind_model import messages as wind_messages
from wind_model.gust import Wind

_WATCH_PERIOD = 0.05  # s of wall time between checks of missing nodes
_SHUTDOWN_DELAY = 0.1  # s of wall time, for the delivery of the last messages
_DIAGNOSTICS_PERIOD = 1.0  # s of wall time
# Fast DDS has 512 KiB of shared memory for what a process sends, unless a file says otherwise.
_LARGEST = 500_000  # bytes
_PROFILES = 'FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE'


class SimulatorNode(Node):  # type: ignore[misc]
    """ROS 2 node of the simulator: advances an engine by received commands and wind.

    A subclass has ``build``. ``exit_code`` is 1 after an error, which is logged.
    """

    def __init__(self, **node_options: Any) -> None:  # noqa: ANN401
        super().__init__('sbot_sim', **node_options)
        self.exit_code = 0
        self._engine, self._broadcast, options, self._observer, bodies = self.build()
        self._rate, self._lockstep = options.rate, options.lockstep
        self._n, self._run = len(options.awaited), topics.run_namespace(self.get_namespace())
        self._depth = ros.LOCKSTEP_DEPTH if options.lockstep else 1
        self._inbox, self._pace = Inbox(self._n), Pace(options.rate.dt)
        self._foreign: set[str] = set()  # what was said of other publishers
        self._driven = False  # a robot that lockstep does not wait for was given a command
        self._awaited, self._external = options.awaited, options.external
        self._snapshot: list[Outgoing] = []  # of the current tick, once it is published
        first = list(self._broadcast.snapshot(self._engine.snapshot, self._stamp_ns))
        published = {each.name for each in first}
        outside = [i for i, awaited in enumerate(options.awaited) if not awaited]
        self._messages = messages_of(self._engine.parameters.bodies, outside, published)
        self._subscribe(options.wind_parts)
        # All publishers are created before the node waits for others.
        latched = list(self._broadcast.latched(self._stamp_ns))
        self._connections = Connections(self, [
            *latched, self._broadcast.clock(self._stamp_ns), *first,
            *self._broadcast.sensed_wind(self._engine.snapshot, self._stamp_ns),
            Outgoing(topics.DIAGNOSTICS.name, topics.DIAGNOSTICS, b'')],
            options.awaited, self._broadcast.cmd_vel, self._depth, options.external,
            self._guarded(lambda: self._control.proceed()), self._messages,
            options.record_topics, self._guarded(self._on_recorded))
        self._triggers = self._check_triggers(options.external, published)
        self._connections.publish(latched)
        actions = Actions(
            tick=lambda: self._engine.tick, start=self._start, end=self._end,
            publish_clock=self._publish_clock, publish_snapshot=self._publish_snapshot,
            publish_wind=self._publish_wind, publish_inputs=self._publish_inputs, stop=self._stop,
            observe=self._observe, advance=self._advance, reset=self._reset,
            wait=self.get_logger().info, ask=self._connections.external.ask,
            ask_for_time=lambda: self._connections.external.ask(
                self._connections.external.teams(), ros.CLOCK_REQUESTS),
            unheard=self._connections.external.silent, publish_triggers=self._publish_triggers,
            node_of=self._connections.external.node_of)
        self._control: RunControl = (
            Lockstep(options, actions, time.monotonic, self._connections) if options.lockstep
            else FreeRunning(options, actions, time.monotonic, self._connections))
        self.create_service(Trigger, '~/reset', self._on_reset)
        self.create_service(SetBool, '~/pause', self._on_pause)
        self.create_service(Trigger, '~/step', self._on_step)
        self._standard: StandardServices | None = None
        if self._broadcast.interfaces.simulation_interfaces:
            self._standard = self._offer_standard_services(bodies)
        # Wall time even if a launch file sets use_sim_time.
        self._wall_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._every(_WATCH_PERIOD, self._guarded(self._control.watch))
        self._every(_DIAGNOSTICS_PERIOD, self._guarded(self._report))
        self._pacer: Timer | None = None
        self._set_pace()
        ros.warn_of_unknown(self)

    def build(self) -> Setup:
        """Declare whatever parameters are needed, and return the set-up."""
        raise NotImplementedError

    def change(self, **options: float) -> None:
        """Change options that may change while the node runs, from the next tick on."""
        self._control.change(**options)
        self._set_pace()

    def close(self) -> None:
        """Let the observer finish; called once, after the last callback."""
        try:
            self._observer.close()
        except RuntimeError as error:  # a recorder that could not write the rest
            print(error, file=sys.stderr, flush=True)
            self.exit_code = 1

    # --- set-up

    def _offer_standard_services(self, bodies: Sequence[str]) -> StandardServices:
        messages, services = load_interfaces()
        standard = StandardServices(
            self._engine, self._control, self._inbox, lambda: self._stamp_ns,
            lambda: self._observer.recording, self._end, messages, services, bodies)
        for name, kind in SERVICES.items():
            if hasattr(services, kind):  # older versions have fewer
                self.create_service(getattr(services, kind), f'~/{name}', getattr(standard, name))
        return standard

    def _set_pace(self) -> None:
        if self._pacer is not None:
            self.destroy_timer(self._pacer)
            self._pacer = None
        if self._control.period > 0:
            self._pacer = self._every(self._control.period, self._guarded(self._control.on_timer))
        else:
            self._control.proceed()

    def _check_triggers(self, external: Mapping[int, External],
                        names: Collection[str]) -> set[str]:
        """Return the topics that wait until external robots' nodes have read the others."""
        triggers = set[str]()
        for i, each in external.items():
            found = each.acts_on(i, self._n, names)
            if each.trigger and not each.timed and not found:
                prefix = Topic('', '').resolve(i, self._n)
                own = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
                raise bad_value(f'robot {i}: parameter trigger', each.trigger,
                                f'one of {", ".join(each for each in own if "/" not in each)}')
            triggers.update(found)
        return triggers

    def _every(self, period: float, callback: Callable[[], None]) -> Timer:
        return self.create_timer(period, callback, clock=self._wall_clock)

    def _guarded(self, callback: Callable[..., None]) -> Callable[..., None]:
        """Return a callback whose errors end the run with one line; none after the run."""
        def call(*arguments: Any) -> None:  # noqa: ANN401
            if self._control.phase is Phase.OVER:
                return
            try:
                callback(*arguments)
            except cdr.DamagedMessage:
                raise  # whoever subscribes for us ignores it
            except (InputError, RuntimeError) as error:
                # A defect (a recorder raises subclasses); or rclpy, when a signal has ended the
                # context in the middle of this callback: the executor knows.
                ended = type(error).__module__.startswith('rclpy') and not self.context.ok()
                if type(error) is RuntimeError or ended:
                    raise
                self._fail(str(error))
        return call

    def _subscribe(self, wind_parts: Sequence[str]) -> None:
        # What announces something comes before the commands, so that it is handled first.
        self._hear(topics.WIND_FIELD, 0, self._on_field)
        self._hear(topics.WIND_MARKERS, 0)
        for part, topic in (('velocity', topics.WIND_VELOCITY), ('force', topics.WIND_FORCE),
                            ('gust', topics.WIND_GUST)):
            if part in wind_parts:
                self._listen(topic, topic.name, partial(self._on_wind, part), wakes=True)
        for i in range(self._n):
            self._hear(topics.GOAL, i, partial(self._on_goal, i))
            self._hear(topics.GOAL_REACHED, i)
            # Where AMCL or SLAM localises, `initialpose` is theirs.
            for topic in (topics.TELEPORT,
                          *[topics.INITIAL_POSE] * self._broadcast.interfaces.publish_map_odom_tf):
                self._listen(topic, self._resolve(topic, i),
                             partial(self._on_teleport, i, topic))
            if self._engine.parameters.sensors.range_and_bearing:
                self._hear(topics.RAB_DATA, i, partial(self._on_rab_data, i))
        topic = self._broadcast.cmd_vel
        for i in range(self._n):
            self._listen(topic, self._resolve(topic, i), partial(self._on_command, i), wakes=True)
        for i, message in [*self._messages.items()]:
            name = self._resolve(message.topic, i)
            try:
                self._listen(message.topic, name, partial(self._on_message, i, message),
                             wakes=True)
            except ImportError:
                self.get_logger().info(
                    f'{message.topic.type.partition("/")[0]} is not installed: {name} is not '
                    f'heard, only {self._resolve(topic, i)}')
                del self._messages[i]

    def _hear(self, topic: Topic, robot: int,
              note: Callable[[bytes], None] = lambda _: None) -> None:
        """Note what other nodes publish now and then; record it at the stamp that is current."""
        name = self._resolve(topic, robot)

        def heard(raw: bytes) -> None:
            note(raw)
            if self._observer.recording:
                payload = cdr.canonical(raw, topic.type)  # padding is not sent clean
                self._observer.record(self._stamp_ns, [Outgoing(name, topic, payload)])
        self._listen(topic, name, heard)

    def _listen(self, topic: Topic, name: str, callback: Callable[[bytes], None], *,
                wakes: bool = False) -> None:
        # What comes now and then is looked for when a command, wind or a timer wakes the node.
        # Free-running, commands of any publisher are heard.
        commands = {self._broadcast.cmd_vel, *(each.topic for each in self._messages.values())}
        ros.subscribe(self, topic, topics.within(self._run, name), self._guarded(callback),
                      self._depth, wakes=wakes and self._lockstep,
                      reliable=self._lockstep or topic not in commands)

    def _resolve(self, topic: Topic, robot: int) -> str:
        return topic.resolve(robot, self._n)

    # --- messages and services

    def _on_command(self, robot: int, raw: bytes) -> None:
        command = read_twist(raw, self._broadcast.cmd_vel.type)
        if not all(np.isfinite(command)):
            self.get_logger().error(f'robot {robot}: command {command} is not finite; taken as 0',
                                    throttle_duration_sec=1.0)
            command = STOP
        if (self._lockstep and not self._driven and not self._awaited[robot]
                and robot not in self._external):
            self._driven = True  # rclpy's `once` costs 60 times a command
            self.get_logger().warning(
                f'robot {robot} has controller: none, and lockstep does not wait for its '
                f'{self._resolve(self._broadcast.cmd_vel, robot)}, so this run cannot be '
                'repeated. To wait for its node, use controller: external; to wait for no node, '
                'lockstep: false')
        if self._control.accept_command(robot, raw):
            self._inbox.commands[robot] = command
            self._inbox.messages[robot] = raw
        self._control.proceed()

    def _on_message(self, robot: int, message: Message, raw: bytes) -> None:
        """Take another message than a Twist for the command that it means."""
        command = message.read(raw, self._engine.parameters.bodies, robot)
        self._on_command(robot, self._broadcast.command(robot, self._stamp_ns, command).payload)

    def _on_wind(self, part: str, raw: bytes) -> None:
        stamp_ns, vector = wind_messages.decode_vector(raw)
        if self._control.accept_wind(part, stamp_ns):
            self._inbox.wind = Wind(**{**self._inbox.wind._asdict(), part: vector})
            self._control.proceed()

    def _on_field(self, raw: bytes) -> None:
        self._inbox.wind = self._inbox.wind._replace(field=wind_messages.decode_field(raw))
        self._connections.field_heard = True

    def _on_teleport(self, robot: int, topic: Topic, raw: bytes) -> None:
        try:
            self._inbox.on_teleport(robot, topic, raw)
        except cdr.DamagedMessage:
            raise
        except InputError as error:
            self.get_logger().error(f'{topic.name} of robot {robot}: {error}; ignored')

    def _on_goal(self, robot: int, raw: bytes) -> None:
        goal = PoseStamped.of_pose(raw)
        self._broadcast.goals[robot] = goal.x, goal.y

    def _on_rab_data(self, robot: int, raw: bytes) -> None:
        self._inbox.rab_data[robot] = read_rab_data(raw)

    def _on_recorded(self, topic: Topic, raw: bytes) -> None:
        if len(raw) > _LARGEST and not any(name in os.environ for name in _PROFILES):
            self.get_logger().warning(
                f'{topic.name}: a message of {len(raw)} bytes does not fit into the shared memory '
                f'of Fast DDS and may come late, so runs may differ; set {_PROFILES[0]} '
                '(docs/lockstep.md)', once=True)
        payload = cdr.canonical(raw, topic.type)
        if self._control.accept_message(topic.name, topic.latched):
            self._inbox.recorded.append(Outgoing(topic.name, topic, payload))

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._control.pause(bool(request.data))
        response.success, response.message = True, 'paused' if request.data else 'running'
        return response

    def _on_step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        tick = self._engine.tick
        response.success = self._control.step()
        response.message = f'tick {tick}' if response.success else (
            f'the simulation is not paused: call {self.resolve_service_name("~/pause")} first')
        return response

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = not self._observer.recording
        response.message = ('starts again at tick 0' if response.success else
                            'a recording cannot go back in time: stop it first')
        if response.success:
            self._control.reset()
        return response

    # --- actions of the run control

    @property
    def _stamp_ns(self) -> int:
        return self._rate.stamp_ns(self._engine.tick)

    def _start(self) -> None:
        if self._observer.recording:
            self._observer.record(self._stamp_ns, self._broadcast.latched(self._stamp_ns))
        self.get_logger().info('all nodes are connected, starting')

    def _publish_clock(self) -> None:
        self._connections.publish([self._broadcast.clock(self._stamp_ns)])

    def _publish_snapshot(self) -> Iterator[Sequence[int]]:
        self._snapshot = list(self._broadcast.snapshot(self._engine.snapshot, self._stamp_ns))
        return self._connections.publish_in_turns(
            [each for each in self._snapshot if each.name not in self._triggers])

    def _publish_triggers(self) -> Iterator[Sequence[int]]:
        return self._connections.publish_in_turns(
            [each for each in self._snapshot if each.name in self._triggers])

    def _publish_wind(self) -> Iterator[Sequence[int]]:
        self._engine.sense_wind(self._inbox.wind)
        sensed_wind = list(self._broadcast.sensed_wind(self._engine.snapshot, self._stamp_ns))
        self._snapshot += sensed_wind
        return self._connections.publish_in_turns(sensed_wind)

    def _publish_inputs(self, robot: int) -> None:
        """Publish all poses of the tick once more, and the messages of the robot's own."""
        poses = topics.BASE_POSE_GROUND_TRUTH, topics.POSES
        self._connections.publish(
            each for each in self._snapshot if each.topic in poses or (
                not each.topic.name.startswith('/')
                and each.name == self._resolve(each.topic, robot)))

    def _stop(self, robot: int) -> None:
        self._inbox.commands[robot] = 0.0

    def _observe(self) -> None:
        self._observer.tick(self._engine)
        if self._observer.recording:
            topic = self._broadcast.cmd_vel
            commands = [Outgoing(self._resolve(topic, i), topic, cdr.canonical(raw, topic.type))
                        for i, raw in sorted(self._inbox.messages.items())]
            self._observer.record(self._stamp_ns, self._broadcast.recorded(
                self._stamp_ns, self._inbox.wind, self._snapshot, commands))
            # Of several nodes, which message comes first is chance; of a topic it is not.
            self._observer.record(self._stamp_ns, sorted(
                self._inbox.recorded, key=lambda each: each.name))
        self._inbox.recorded.clear()
        self._inbox.messages.clear()
        self._pace.tick(time.monotonic())

    def _advance(self) -> None:
        if self._inbox.teleports:
            self._teleport()
        self._engine.advance(self._inbox.commands, self._inbox.wind, self._inbox.rab_data)

    def _teleport(self) -> None:
        """Put robots elsewhere; where they do not fit all at once, one by one."""
        inbox, there = self._inbox, is_there(self._engine.snapshot.true_pose)
        try:
            self._engine.teleport(inbox.teleports)
        except InputError:
            for robot, place in sorted(inbox.teleports.items()):
                try:
                    self._engine.teleport({robot: place})
                except InputError as error:
                    self.get_logger().error(str(error))
        inbox.teleports.clear()
        changed = is_there(self._engine.snapshot.true_pose) != there
        inbox.commands[changed] = inbox.rab_data[changed] = 0

    def _reset(self) -> None:
        self._engine.reset()
        if self._standard is not None:
            self._standard.forget_spawned()
        self._observer.reset()
        self._inbox.reset()
        self.get_logger().info('reset: starting again at tick 0')

    def _end(self) -> None:
        self._every(_SHUTDOWN_DELAY, rclpy.try_shutdown)

    def _report(self) -> None:
        """Publish `/diagnostics`; name others who publish what is this run's, or end it."""
        self._observer.alive()
        running = self._control.phase is not Phase.CONNECTING
        for text in self._connections.foreign() if running else ():
            if self._lockstep:
                raise self._connections.refusal(text)
            if text not in self._foreign:
                self._foreign.add(text)
                self.get_logger().warning(f'{text}, expected one')
        report = self._pace.take(time.monotonic())
        self._connections.publish([Outgoing(
            topics.DIAGNOSTICS.name, topics.DIAGNOSTICS,
            diagnostics(self._stamp_ns, report, self._engine.snapshot,
                        self.get_fully_qualified_name()))])

    def _fail(self, reason: str) -> None:
        if not self._observer.failed(reason):
            self.get_logger().error(reason)
        self.exit_code = 1
        self._control.phase = Phase.OVER
        rclpy.try_shutdown()

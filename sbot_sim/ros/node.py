"""The ROS 2 node `sbot_sim`: messages in, one tick, messages out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.timer import Timer
from std_srvs.srv import SetBool, Trigger

from sbot_common import ros, topics
from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_common.topics import Topic
from sbot_common.wire import cdr
from sbot_common.wire.messages import read_pose, read_twist, read_twist_stamped
from sbot_sim.engine.simulation import Engine
from sbot_sim.engine.state import SimulationState, StepInputs, still_air
from sbot_sim.messages.broadcast import Broadcast
from sbot_sim.messages.diagnostics import Pace, diagnostics
from sbot_sim.messages.snapshot import Outgoing, read_rab_data
from sbot_sim.ros.ledger import Ledger
from sbot_sim.sensors.range_and_bearing import DATA_BYTES
from wind_model import messages as wind_messages

_WATCH_PERIOD = 0.05  # s of wall time between looks at who is missing
_ASK_AGAIN_AFTER = 0.5  # s of wall time
_MATCHING_TIMEOUT = 60.0  # s of wall time: nodes may have to compile first
_GOAL_GRACE = 1.0  # s of wall time to wait for topics that controllers need not have
_FAREWELL = 0.1  # s of wall time: last latched messages still arrive
_DIAGNOSTICS_PERIOD = 1.0  # s of wall time


class Options(NamedTuple):
    """How the node runs; all of it from the scenario."""

    rate: Rate
    ticks: int  # 0: endless
    lockstep: bool
    lockstep_timeout: float  # s
    target_real_time_factor: float  # 0: as fast as possible
    cmd_vel_timeout: float  # s, free-running only; 0: never
    cmd_vel_stamped: bool
    awaited: Sequence[bool]  # (N,) who has a controller


class Observer(Protocol):
    """Who looks on: a recorder, a tally, a progress bar."""

    recording: bool

    def row(self, engine: Engine) -> None:
        """Take note of a tick's snapshot and state."""

    def told(self, stamp_ns: int, outgoing: Iterable[Outgoing]) -> None:
        """Take note of messages that belong to a stamp."""

    def reset(self) -> None:
        """Begin again."""

    def close(self) -> None:
        """Finish: the run is over."""


class Setup(NamedTuple):
    """What the node drives, and who looks on."""

    engine: Engine
    broadcast: Broadcast
    options: Options
    observer: Observer


class SimulatorNode(Node):  # type: ignore[misc]
    """Drives an engine by the commands and the wind that it hears.

    ``build`` declares whatever parameters it needs on the node and returns the set-up; it may call
    ``change`` of the node later. ``exit_code`` is 1 after an error, which is logged.
    """

    def __init__(self, build: Callable[[Node], Setup], **node_options: Any) -> None:  # noqa: ANN401
        super().__init__('sbot_sim', **node_options)
        self.exit_code = 0
        self._engine, self._broadcast, options, self._observer = build(self)
        self._options = options
        self._n = len(self._engine.state.pose)
        self._ledger = Ledger(options.awaited)
        self._depth = ros.LOCKSTEP_DEPTH if options.lockstep else 1
        self._commands = np.zeros((self._n, 2))
        self._payloads: dict[int, bytes] = {}
        self._heard_at = np.full(self._n, -np.inf)
        self._rab_data = np.zeros((self._n, DATA_BYTES), np.uint8)
        self._wind = still_air()
        self._wind_stamps = [0, 0]
        self._field_heard = False
        self._matched_since: float | None = None
        self._teleports: dict[int, tuple[float, float, float]] = {}
        self._started = self._waiting = self._paused = self._reset_wanted = self._done = False
        self._steps_wanted = 0
        self._asked_at = self._due = 0.0
        self._pace = Pace(options.rate.dt)
        self._topics: dict[str, Publisher] = {}
        self._subscribe()
        self._advertise()
        self.create_service(Trigger, '/sbot_sim/reset', self._on_reset)
        self.create_service(SetBool, '/sbot_sim/pause', self._on_pause)
        self.create_service(Trigger, '/sbot_sim/step', self._on_step)
        self._created = time.monotonic()
        # Wall time even where a launch file sets use_sim_time everywhere: /clock comes from here.
        self._wall_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._every(_WATCH_PERIOD, self._guarded(self._watch))
        self._every(_DIAGNOSTICS_PERIOD, self._guarded(self._report))
        self._pacer: Timer | None = None
        self._set_pace()

    def change(self, **options: float) -> None:
        """Change options that may change while the node runs, from the next tick on."""
        self._options = self._options._replace(**options)  # type: ignore[arg-type]
        self._set_pace()

    def close(self) -> None:
        """Let the observer finish; called once, after the last callback."""
        try:
            self._observer.close()
        except RuntimeError as error:  # a recorder that could not write the rest
            print(error, file=sys.stderr, flush=True)
            self.exit_code = 1

    # --- set-up

    def _set_pace(self) -> None:
        factor = self._options.target_real_time_factor if self._options.lockstep else 1.0
        self._period = self._options.rate.dt / factor if factor > 0 else 0.0
        if self._pacer is not None:
            self.destroy_timer(self._pacer)
            self._pacer = None
        if self._period > 0:
            self._pacer = self._every(self._period, self._guarded(self._on_wall_tick))
        elif self._started:
            self._proceed()

    def _every(self, period: float, callback: Callable[[], None]) -> Timer:
        return self.create_timer(period, callback, clock=self._wall_clock)

    def _guarded(self, callback: Callable[..., None]) -> Callable[..., None]:
        """Return a callback whose InputError ends the run with one line."""
        def call(*arguments: Any) -> None:  # noqa: ANN401
            if self._done:
                return
            try:
                callback(*arguments)
            except InputError as error:
                self._fail(str(error))
            except RuntimeError as error:
                if type(error) is RuntimeError:
                    raise
                self._fail(str(error))
        return call

    def _subscribe(self) -> None:
        # What announces something comes before the commands, so that it is handled first.
        self._listen(topics.WIND_FIELD, topics.WIND_FIELD.name, self._on_field)
        self._listen(topics.WIND_MARKERS, topics.WIND_MARKERS.name,
                     partial(self._on_latched, topics.WIND_MARKERS, topics.WIND_MARKERS.name))
        self._listen(topics.WIND_VELOCITY, topics.WIND_VELOCITY.name, self._on_wind_velocity)
        self._listen(topics.WIND_FORCE, topics.WIND_FORCE.name, self._on_wind_force)
        robots = range(self._n)
        for i in robots:
            self._listen(topics.GOAL, self._resolve(topics.GOAL, i), partial(self._on_goal, i))
            name = self._resolve(topics.GOAL_REACHED, i)
            self._listen(topics.GOAL_REACHED, name,
                         partial(self._on_latched, topics.GOAL_REACHED, name))
            self._listen(topics.TELEPORT, self._resolve(topics.TELEPORT, i),
                         partial(self._on_teleport, i))
            if self._engine.parameters.sensors.range_and_bearing:
                self._listen(topics.RAB_DATA, self._resolve(topics.RAB_DATA, i),
                             partial(self._on_rab_data, i))
        for i in robots:
            self._listen(self._cmd_vel, self._resolve(self._cmd_vel, i),
                         partial(self._on_cmd_vel, i))

    def _listen(self, topic: Topic, name: str, callback: Callable[[bytes], None]) -> None:
        # What comes now and then is looked for when a command, wind or a timer wakes the node.
        wakes = topic in (self._cmd_vel, topics.WIND_VELOCITY, topics.WIND_FORCE)
        ros.subscribe(self, topic, name, self._guarded(callback), self._depth,
                      wakes=wakes and self._options.lockstep)

    @property
    def _cmd_vel(self) -> Topic:
        return topics.CMD_VEL_STAMPED if self._options.cmd_vel_stamped else topics.CMD_VEL

    def _resolve(self, topic: Topic, robot: int) -> str:
        return topics.resolve(topic, robot, self._n)

    def _advertise(self) -> None:
        """Create all publishers before anybody is waited for, and send what is sent once."""
        stamp_ns = self._options.rate.stamp_ns(0)
        latched = list(self._broadcast.latched(stamp_ns))
        first = [*latched, self._broadcast.clock(stamp_ns),
                 *self._broadcast.snapshot(self._engine.snapshot, stamp_ns),
                 Outgoing(topics.DIAGNOSTICS.name, topics.DIAGNOSTICS, b'')]
        missing: set[str] = set()
        for name, topic, _ in first:
            try:
                if name not in self._topics:
                    self._topics[name] = ros.advertise(self, topic, name, self._depth)
            except ImportError:
                missing.add(topic.type.partition('/')[0])
        for package in sorted(missing):
            self.get_logger().info(
                f'{package} is not installed: its topics are in recordings but not published live')
        self._publish(latched)

    def _publish(self, outgoing: Iterable[Outgoing]) -> None:
        for name, _, payload in outgoing:
            publisher = self._topics.get(name)
            if publisher is not None:
                publisher.publish(payload)

    # --- inputs

    def _on_cmd_vel(self, robot: int, raw: bytes) -> None:
        now = time.monotonic()
        command = (read_twist_stamped(raw) if self._options.cmd_vel_stamped
                   else read_twist(raw))
        if not all(np.isfinite(command)):
            self.get_logger().error(f'robot {robot}: command {command} is not finite; taken as 0',
                                    throttle_duration_sec=1.0)
            command = (0.0, 0.0)
        self._heard_at[robot] = now
        if not self._options.lockstep or not self._options.awaited[robot]:
            self._commands[robot] = command
            self._payloads[robot] = raw
            return
        if not self._waiting:
            raise InputError(f'robot {robot}: a command that no stamp asked for; expected exactly '
                             'one publisher of its cmd_vel, which answers each stamp once')
        if self._ledger.answer(robot, now):
            self._commands[robot] = command
            self._payloads[robot] = raw
        self._try_to_finish()

    def _on_wind_velocity(self, raw: bytes) -> None:
        stamp_ns, vector = wind_messages.decode_vector(raw)
        if self._is_wanted(stamp_ns):
            self._wind = self._wind._replace(velocity=vector)
            self._wind_stamps[0] = stamp_ns
            self._try_to_finish()

    def _on_wind_force(self, raw: bytes) -> None:
        stamp_ns, vector = wind_messages.decode_vector(raw)
        if self._is_wanted(stamp_ns):
            self._wind = self._wind._replace(force=vector)
            self._wind_stamps[1] = stamp_ns
            self._try_to_finish()

    def _is_wanted(self, stamp_ns: int) -> bool:
        """Tell whether wind of a stamp counts: in lockstep only that of the current tick does."""
        return not self._options.lockstep or stamp_ns == self._stamp_ns

    def _on_field(self, raw: bytes) -> None:
        self._wind = self._wind._replace(field=wind_messages.decode_field(raw))
        self._field_heard = True
        self._on_latched(topics.WIND_FIELD, topics.WIND_FIELD.name, raw)

    def _on_latched(self, topic: Topic, name: str, raw: bytes) -> None:
        """Pass on what other nodes publish now and then, at the stamp that is current."""
        if self._observer.recording:
            payload = cdr.canonical(raw, topic.type)  # padding is not sent clean
            self._observer.told(self._options.rate.stamp_ns(self._engine.state.tick),
                                [Outgoing(name, topic, payload)])

    def _on_goal(self, robot: int, raw: bytes) -> None:
        goal = read_pose(raw)
        self._broadcast.goals[robot] = goal.x, goal.y
        self._on_latched(topics.GOAL, self._resolve(topics.GOAL, robot), raw)

    def _on_teleport(self, robot: int, raw: bytes) -> None:
        pose = read_pose(raw)
        self._teleports[robot] = pose.x, pose.y, pose.yaw

    def _on_rab_data(self, robot: int, raw: bytes) -> None:
        self._rab_data[robot] = read_rab_data(raw)

    # --- services

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._paused = bool(request.data)
        response.success, response.message = True, 'paused' if self._paused else 'running'
        self._steps_wanted = 0
        if not self._paused:
            self._asked_at = self._started_waiting = time.monotonic()
            self._proceed()
        return response

    def _on_step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._paused
        response.message = f'tick {self._engine.state.tick}'
        if self._paused:
            self._steps_wanted += 1
            self._proceed()
        else:
            response.message = 'the simulation is not paused: call /sbot_sim/pause first'
        return response

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if self._observer.recording:
            response.success = False
            response.message = 'a recording cannot go back in time: stop it first'
            return response
        self._reset_wanted = True
        response.success, response.message = True, 'starts again at tick 0'
        self._proceed()
        return response

    # --- ticks

    def _watch(self) -> None:
        """Start when everybody is there, ask silent robots again, give up in the end."""
        now = time.monotonic()
        if not self._started:
            self._start_if_matched(now)
            return
        if not self._options.lockstep or not self._waiting:
            return
        self._try_to_finish()
        if not self._waiting or now - self._asked_at < _ASK_AGAIN_AFTER:
            return
        silent = self._ledger.silent()
        names = [f'robot {i}' for i in silent] + ([] if self._wind_is_in() else ['wind_model'])
        waited = 0.0 if self._paused else now - self._started_waiting
        if names and waited > self._options.lockstep_timeout:
            raise InputError(f'{", ".join(names)} silent for {self._options.lockstep_timeout:g} s '
                             f'(lockstep_timeout) at tick {self._engine.state.tick}')
        self._asked_at = now
        stamp_ns = self._stamp_ns
        if not self._wind_is_in():
            self._publish([self._broadcast.clock(stamp_ns)])
        for robot in silent:
            self._ledger.ask_again(robot)
            self._publish(self._broadcast.inputs(self._engine.snapshot, robot, stamp_ns))

    def _start_if_matched(self, now: float) -> None:
        missing = self._unmatched() if self._options.lockstep else []
        if missing:
            if now - self._created > max(_MATCHING_TIMEOUT, self._options.lockstep_timeout):
                raise InputError(f'waited {now - self._created:.0f} s for {", ".join(missing)}')
            self._matched_since = None
            return
        if self._matched_since is None:
            self._matched_since = now
        # Controllers announce goals, though a stranger's need not; a first one must not come late.
        silent = self._options.lockstep and not all(
            self.count_publishers(self._resolve(topics.GOAL, i)) >= 1
            for i, awaited in enumerate(self._options.awaited) if awaited)
        if silent and now - self._matched_since < _GOAL_GRACE:
            return
        self._started = True
        self._started_waiting = now
        if self._observer.recording:
            stamp_ns = self._options.rate.stamp_ns(0)
            self._observer.told(stamp_ns, self._broadcast.latched(stamp_ns))
        self._due = now
        self.get_logger().info('everybody is there, starting')
        self._proceed()

    def _unmatched(self) -> list[str]:
        """Return who is not connected yet."""
        controllers = sum(self._options.awaited)
        missing = []
        everybody = self._followers(topics.POSES.name) if topics.POSES.name in self._topics else 0
        for i, awaited in enumerate(self._options.awaited):
            pose_name = self._resolve(topics.BASE_POSE_GROUND_TRUTH, i)
            followers = max(everybody, self._followers(pose_name))
            scan = self._topics[self._resolve(topics.BASE_SCAN, i)]
            listens = not awaited or scan.get_subscription_count() >= 1
            speaks = not awaited or self.count_publishers(self._resolve(self._cmd_vel, i)) >= 1
            if not (listens and speaks and followers >= controllers):
                missing.append(f'robot {i}')
        for topic in (topics.CLOCK, topics.WIND_VELOCITY):
            if self.count_publishers(topic.name) > 1:
                missing.append(f'another run in this ROS domain to end (it publishes {topic.name};'
                               ' ROS_DOMAIN_ID keeps runs apart)')
        wind = (topics.WIND_VELOCITY, topics.WIND_FORCE, topics.WIND_FIELD)
        if (self._topics[topics.CLOCK.name].get_subscription_count() < 1
                or not all(self.count_publishers(topic.name) for topic in wind)
                or not self._field_heard):
            missing.append('wind_model')
        return missing

    def _followers(self, name: str) -> int:
        """Return how many callbacks listen to a topic."""
        return int(self._topics[name].get_subscription_count()) + ros.sharers(name)

    def _check_publishers(self) -> None:
        for topic in (topics.CLOCK, topics.WIND_VELOCITY):
            if self.count_publishers(topic.name) > 1:
                raise InputError(f'another run in this ROS domain publishes {topic.name}; '
                                 'ROS_DOMAIN_ID keeps runs apart')
        for i, awaited in enumerate(self._options.awaited):
            count = self.count_publishers(self._resolve(self._cmd_vel, i))
            if awaited and count > 1:
                raise InputError(f'{self._resolve(self._cmd_vel, i)} has {count} publishers, '
                                 'expected exactly one in lockstep')

    @property
    def _stamp_ns(self) -> int:
        return self._options.rate.stamp_ns(self._engine.state.tick)

    def _on_wall_tick(self) -> None:
        """Go on at the pace of the wall clock."""
        if self._options.lockstep:
            self._proceed()
        elif self._started and self._may_go_on():
            self._free_tick()

    def _may_go_on(self) -> bool:
        if self._reset_wanted:
            self._reset()
        if not self._paused:
            return True
        if self._steps_wanted > 0:
            self._steps_wanted -= 1
            return True
        return False

    def _proceed(self) -> None:
        """Begin the next tick in lockstep, if it is time and nothing speaks against it."""
        if not self._options.lockstep or not self._started or self._waiting or self._done:
            return
        now = time.monotonic()
        if self._period > 0 and now < self._due - 0.25 * self._period:
            return
        if self._may_go_on():
            self._due = max(self._due + self._period, now - self._period)
            self._ask()

    def _ask(self) -> None:
        """Send a tick out, and wait for the answers."""
        stamp_ns = self._stamp_ns
        snapshot = self._engine.snapshot
        self._ledger.begin()
        self._waiting = True
        self._asked_at = self._started_waiting = time.monotonic()
        self._publish([self._broadcast.clock(stamp_ns)])
        self._outgoing = list(self._broadcast.snapshot(snapshot, stamp_ns))
        self._publish(self._outgoing)
        self._try_to_finish()

    def _wind_is_in(self) -> bool:
        return self._wind_stamps == [self._stamp_ns, self._stamp_ns]

    def _try_to_finish(self) -> None:
        if (self._waiting and self._wind_is_in()
                and self._ledger.complete(time.monotonic())):
            self._waiting = False
            self._note()
            self._advance()
            self._proceed()

    def _note(self) -> None:
        """Let the observer see the tick as it was."""
        self._observer.row(self._engine)
        if not self._observer.recording:
            return
        stamp_ns = self._stamp_ns
        self._observer.told(stamp_ns, [
            self._broadcast.clock(stamp_ns),
            Outgoing(topics.WIND_VELOCITY.name, topics.WIND_VELOCITY,
                     wind_messages.encode_vector(stamp_ns, self._wind.velocity)),
            Outgoing(topics.WIND_FORCE.name, topics.WIND_FORCE,
                     wind_messages.encode_vector(stamp_ns, self._wind.force)),
            *self._outgoing,
            *(Outgoing(self._resolve(self._cmd_vel, i), self._cmd_vel,
                       cdr.canonical(raw, self._cmd_vel.type))
              for i, raw in sorted(self._payloads.items()))])
        self._payloads.clear()

    def _advance(self) -> None:
        """Move the world one tick, or end the run after its last one."""
        tick = self._engine.state.tick
        self._pace.tick(time.monotonic())
        if self._options.ticks and tick >= self._options.ticks:
            self._done = True
            self._every(_FAREWELL, self._end)
            return
        for robot, pose in sorted(self._teleports.items()):
            try:
                self._engine.teleport(robot, pose)
            except InputError as error:
                self.get_logger().error(str(error))
        self._teleports.clear()
        self._engine.advance(StepInputs(self._commands.copy(), self._wind, self._rab_data.copy()))

    def _free_tick(self) -> None:
        """One tick by the wall clock, with whatever has been heard lately."""
        now = time.monotonic()
        if self._options.cmd_vel_timeout > 0:
            self._commands[now - self._heard_at > self._options.cmd_vel_timeout] = 0.0
        stamp_ns = self._stamp_ns
        self._outgoing = list(self._broadcast.snapshot(self._engine.snapshot, stamp_ns))
        self._publish(self._outgoing)
        # Last, as it makes the controllers' timers due: then they find the inputs of this tick.
        self._publish([self._broadcast.clock(stamp_ns)])
        self._note()
        self._advance()

    def _reset(self) -> None:
        self._reset_wanted = False
        self._engine.reset()
        self._observer.reset()
        self._commands[:] = 0.0
        self._payloads.clear()
        self._rab_data[:] = 0
        self._teleports.clear()
        self._wind_stamps = [0, 0]
        self._wind = self._wind._replace(velocity=np.zeros(3), force=np.zeros(3))
        self.get_logger().info('reset: starting again at tick 0')

    def _report(self) -> None:
        if self._options.lockstep and self._started:
            self._check_publishers()
        state: SimulationState = self._engine.state
        self._publish([Outgoing(topics.DIAGNOSTICS.name, topics.DIAGNOSTICS, diagnostics(
            self._stamp_ns, self._pace.take(time.monotonic()), state))])

    # --- the end

    def _fail(self, reason: str) -> None:
        self.get_logger().error(reason)
        self.exit_code = 1
        self._done = True
        self._end()

    def _end(self) -> None:
        rclpy.try_shutdown()

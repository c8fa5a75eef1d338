# SPDX-License-Identifier: Apache-2.0
"""Base class of ROS 2 nodes that run a robot controller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from rclpy.node import Node
from rclpy.parameter import Parameter

from sbot_common import controller_inputs, ros, topics
from sbot_common.angles import quaternion_from_yaw, yaw_from_quaternion
from sbot_common.clock import Rate
from sbot_common.controller_inputs import (
    ALL_POSES,
    INPUTS,
    RELIABLE,
    Inputs,
    Key,
    Latest,
    Lockstep,
)
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import STOP, ControlledRobot, Controller, Point, Twist
from sbot_common.params import Spec, Value
from sbot_common.random import CONTROLLER, TickGenerator
from sbot_common.wire import messages
from sbot_common.wire.controller import FIELDS, Codecs, write_command
from sbot_common.wire.messages import PoseStamped, write_broadcast, write_pose


class _Source(NamedTuple):
    """A topic of one robot, and the inputs that its messages carry."""

    topic: topics.Topic
    robot: int
    keys: tuple[Key, ...]
    codecs: Codecs = FIELDS

    def read(self, num_robots: int, raw: bytes) -> tuple[int, dict[Key, Any]]:
        """Return the stamp (ns) of a message and the inputs that it carries, by key.

        Raises
        ------
        InputError
            if the message is damaged, or for another number of poses.

        """
        stamp_ns, values = 0, dict[Key, Any]()
        for key in self.keys:
            if key == ALL_POSES:
                stamp_ns, values[key] = _read_poses(raw, num_robots)
            elif isinstance(key, int):
                stamp_ns, _, *values[key] = _read_odometry(raw)
            else:
                stamp_ns, values[key] = self.codecs[key][1](raw)
        return stamp_ns, values


def _sources(robot_id: int, num_robots: int, fields: Sequence[str], poses_topic: bool,
             codecs: Codecs = FIELDS) -> Iterator[_Source]:
    """Yield the inputs of a controller with these fields, in the order of sending."""
    for robot in range(num_robots):
        keys: tuple[Key, ...] = () if poses_topic else (robot,)
        if robot == robot_id and 'twist' in fields:
            keys += ('twist',)
        if keys:
            yield _Source(topics.BASE_POSE_GROUND_TRUTH, robot, keys, codecs)
    if poses_topic:
        yield _Source(topics.POSES, robot_id, (ALL_POSES,), codecs)
    for field, (topic, _) in codecs.items():
        if field in fields and topic != topics.BASE_POSE_GROUND_TRUTH:
            yield _Source(topic, robot_id, (field,), codecs)


# Several nodes of a process are given the same bytes one after another.
_read_odometry = lru_cache(maxsize=1)(messages.PoseStamped.of_odometry)
_read_poses = lru_cache(maxsize=1)(messages.read_poses)


class _PoseTable:
    """Poses of a run's robots, collected once for all controllers of this process, in lockstep.

    Parameters
    ----------
    node : that subscribes
    rate : of the simulation
    name : of a robot's topic

    """

    def __init__(self, node: ControllerHost, rate: Rate,
                 name: Callable[[topics.Topic, int], str]) -> None:
        self._count = node.num_robots
        self._receivers: list[Callable[[int, Mapping[Key, Any]], None]] = []
        self._sync = Lockstep(self._count, (), rate)
        topic, names = topics.BASE_POSE_GROUND_TRUTH, []
        for robot in range(self._count):
            names.append(name(topic, robot))
            self._last = ros.subscribe(
                node, topic, names[-1], partial(self._on_pose, _Source(topic, robot, (robot,))),
                wakes=False, awaited=partial(self._sync.lacks, (robot,)))
        ros.watch_publishers(node, names, lockstep=True)

    def add(self, receive: Callable[[int, Mapping[Key, Any]], None], *, wakes: bool) -> None:
        """Hand all poses of a stamp to one more controller; it has no later inputs: ``wakes``."""
        self._receivers.append(receive)
        self._last.wakes = self._last.wakes or wakes

    def _on_pose(self, source: _Source, raw: bytes) -> None:
        arrival = self._sync.put(*source.read(self._count, raw))
        if arrival.inputs is not None:
            for receive in self._receivers:
                receive(arrival.inputs.stamp_ns, {ALL_POSES: arrival.inputs.poses})


class ControllerHost(Node):  # type: ignore[misc]
    """Feeds one robot's controller and publishes its commands (docs/lockstep.md).

    A subclass declares its parameters, makes its controller, and calls ``drive``.

    Parameters
    ----------
    name : of the node
    specs : its parameters beside ``controller_inputs.SPECS``; `loop_rate` is one
    given : values that replace the defaults of ROS parameters
    options : as for ``rclpy.node.Node``

    """

    def __init__(self, name: str, specs: Sequence[Spec], given: Mapping[str, Value] = {},
                 **options: Any) -> None:  # noqa: ANN401
        super().__init__(name, **options)
        self.values = ros.declare(
            self, [spec._replace(default=given.get(spec.name, spec.default))
                   for spec in (*controller_inputs.SPECS, *specs)], self._on_parameters)
        self.robot_id: int = self.values['robot_id']
        self.num_robots: int = self.values['num_robots']
        if self.robot_id >= self.num_robots:
            raise bad_value(f'{self.get_name()}: parameter robot_id', self.robot_id,
                            f'a number below num_robots ({self.num_robots})')
        self._run = topics.run_namespace(self.get_namespace(), self.robot_id, self.num_robots)
        self._lockstep = self.values['trigger'] == INPUTS
        self._depth = ros.LOCKSTEP_DEPTH if self._lockstep else 1
        self._outputs: dict[str, Any] = {}
        self._logged: dict[str, str] = {}
        self._command = b''
        self._telling = False  # the parameters of the goal follow the goal, not it them
        self._given_goal = self.values['goal_x'], self.values['goal_y']

    # --- what a subclass uses or overrides

    def drive(self, make_controller: Callable[[], Controller], goal: Point | None, rate: Rate,
              fields: Sequence[str], *, takes_goals: bool = True,
              follows: int | None = None, holonomic: bool = False,
              codecs: Codecs = FIELDS) -> None:
        """Connect to all topics and start.

        Parameters
        ----------
        make_controller : returns a controller that has seen nothing; also called after a reset
        goal : x, y (m) at the start and after a reset
        rate : of the simulation
        fields : of ``Observation`` that the controller is given beside the poses
        takes_goals : whether `goal_pose` gives it new goals
        follows : the robot, if any, without whose pose it stands still
        holonomic : whether its drive moves it to the side, too
        codecs : topic and decoder of each field

        """
        self._make_controller, self._first_goal, self._rate = make_controller, goal, rate
        self._holonomic, self._codecs = holonomic, codecs
        yaw_from_quaternion(0.0, 0.0, *quaternion_from_yaw(0.0))  # load machine code now
        # Of the controllers of one process only the first one hears all poses, for all.
        table = None if self.values['poses_topic'] or not self._lockstep else ros.in_common(
            (self._run, self.num_robots), lambda: _PoseTable(self, rate, self._resolve))
        together = self.values['poses_topic'] or table is not None
        self._complete = Lockstep(self.num_robots, fields, rate, together)
        self._latest = Latest(self.robot_id, self.num_robots, fields, follows)
        self._begin()
        self._cmd_vel = (topics.CMD_VEL_STAMPED if self.values['stamped_cmd_vel']
                         else topics.CMD_VEL)
        for topic in (self._cmd_vel, topics.GOAL, topics.GOAL_REACHED):
            self.advertise(topic)
        if 'neighbours' in fields:
            self.advertise(topics.RAB_DATA)
        heard = list(_sources(self.robot_id, self.num_robots, fields, together, codecs))
        if table is not None:
            heard = [source for source in heard if source.keys != (ALL_POSES,)]
            table.add(self._on_values, wakes=not heard)
        for source in heard:
            # What is sent last wakes the node; the rest is there by then, or is awaited
            # (LeanExecutor).
            ros.subscribe(
                self, source.topic, self._resolve(source.topic, source.robot),
                partial(self._on_input, source), self._depth,
                wakes=self._lockstep and source is heard[-1],
                awaited=partial(self._complete.lacks, source.keys) if self._lockstep else None,
                reliable=self._lockstep or self.values['reliability'] == RELIABLE)
        ros.watch_publishers(self, [self._resolve(source.topic, source.robot)
                                    for source in heard], self._lockstep)
        if takes_goals:
            ros.subscribe(self, topics.GOAL_POSE, self._resolve(topics.GOAL_POSE, self.robot_id),
                          self._on_goal_pose)
        if not self._lockstep:
            self.create_timer(1 / self.values['loop_rate'], self._on_timer)
        ros.warn_of_unknown(self)

    def change_parameters(self, new: dict[str, Any], values: dict[str, Any]) -> None:
        """Take over a change at run time, or raise InputError; ``values``: all, with the new."""

    def report(self, inputs: Inputs) -> None:
        """Publish or log results of a turn beside its command."""

    def advertise(self, topic: topics.Topic) -> None:
        """Create the publisher of one of the robot's topics."""
        name = self._resolve(topic, self.robot_id)
        self._outputs[topic.name] = ros.advertise(self, topic, name, self._depth)

    def publish(self, topic: topics.Topic, raw: bytes) -> None:
        """Publish the bytes of a message."""
        self._outputs[topic.name].publish(raw)

    def log_state(self, what: str, names: list[str]) -> None:
        """Log a state when it begins and when it ends, not at every turn."""
        text = ', '.join(names)
        if bool(text) != bool(self._logged.get(what)):
            if text:
                self.get_logger().warning(f'{what} {text}')
            else:
                self.get_logger().info(f'no longer {what} {self._logged[what]}')
        self._logged[what] = text

    # --- parameters, goals, reset

    def _resolve(self, topic: topics.Topic, robot: int) -> str:
        return topics.within(self._run, topic.resolve(robot, self.num_robots))

    def _on_parameters(self, new: dict[str, Any]) -> None:
        """Take over changes at run time; they take effect at the next turn."""
        values = {**self.values, **new}
        self.change_parameters(new, values)
        if ('goal_x' in new or 'goal_y' in new) and not self._telling:
            self._robot.set_goal(values['goal_x'], values['goal_y'])
        self.values = values

    def _on_goal_pose(self, raw: bytes) -> None:
        pose = PoseStamped.of_pose(raw)
        try:
            if pose.frame_id.lstrip('/') not in ('', 'map'):
                raise bad_value('frame', pose.frame_id, 'map')
            self._robot.set_goal(pose.x, pose.y)
        except InputError as error:
            self.get_logger().error(f'goal_pose: {error}; goal ignored')

    def _begin(self) -> None:
        self._robot = ControlledRobot(
            self.robot_id, self._make_controller(),
            TickGenerator(self.values['seed'], self.robot_id, CONTROLLER), self._first_goal,
            self._rate, self._holonomic, self._codecs)

    def _reset(self) -> None:
        """Begin again, as after a reset of the simulation."""
        self.get_logger().info('the simulation was reset')
        self._begin()
        self._forward_goal(*self._given_goal)

    def _forward_goal(self, x: float, y: float) -> None:
        """Set the parameters of the goal to what it is by now."""
        new = {name: value for name, value in (('goal_x', x), ('goal_y', y))
               if self.values[name] != value}
        if new:
            self._telling = True
            try:
                self.set_parameters([Parameter(name, Parameter.Type.DOUBLE, float(value))
                                     for name, value in new.items()])
            finally:
                self._telling = False

    # --- turns

    def _on_input(self, source: _Source, raw: bytes) -> None:
        stamp_ns, values = source.read(self.num_robots, raw)
        if self._lockstep:
            self._on_values(stamp_ns, values)
        else:
            self._latest.put(stamp_ns, values, ros.now_ns(self.get_clock()))

    def _on_values(self, stamp_ns: int, values: Mapping[Key, Any]) -> None:
        arrival = self._complete.put(stamp_ns, values)
        if arrival.reset:
            self._reset()
        if arrival.inputs is not None:
            self._take_turn(arrival.inputs)
        for _ in range(arrival.repeats):
            self.publish(self._cmd_vel, self._command)

    def _on_timer(self) -> None:
        """Take a turn on the newest inputs, or stand still when they are old."""
        now_ns = ros.now_ns(self.get_clock())
        if self._latest.restarted(now_ns):
            self._reset()
        missing = self._latest.missing()
        self.log_state('waiting for', missing)
        if missing:
            return
        required, others = self._latest.stale(now_ns, self.values['stale_timeout'])
        self.log_state('stopped without a new', required)
        self.log_state('moving without a new', others)
        inputs = self._latest.inputs()
        if required:
            self._publish_command(inputs.stamp_ns, STOP)
        else:
            self._take_turn(inputs)

    def _take_turn(self, inputs: Inputs) -> None:
        """Let the controller decide; announce a new goal before the command that heads for it."""
        decision = self._robot.step(*inputs)
        for topic, (x, y) in decision.announced:
            self.get_logger().info(f'{topic.name.replace("_", " ")}: ({x:g}, {y:g}) m')
            self.publish(topic, write_pose(inputs.stamp_ns, 'map', x, y))
            if topic == topics.GOAL:
                self._forward_goal(x, y)
        if decision.data is not None:
            self.publish(topics.RAB_DATA, write_broadcast(decision.data))
        self.report(inputs)
        self._publish_command(inputs.stamp_ns, decision.command)

    def _publish_command(self, stamp_ns: int, command: Twist) -> None:
        frame_id = topics.frame('base_link', self.robot_id, self.num_robots)
        self._command = write_command(self._cmd_vel, stamp_ns, frame_id, command)
        self.publish(self._cmd_vel, self._command)

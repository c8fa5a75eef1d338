"""The ROS 2 node `potfield_bot`: one robot's controller (document 001, section 18)."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rclpy.node import Node
from rclpy.utilities import remove_ros_args

from potential_field_bot import command_line
from potential_field_bot.bot import PotentialField, warm_up
from potential_field_bot.diagnostics import diagnostic_line
from potential_field_bot.inputs import Arrival, Inputs, Latest, Lockstep
from potential_field_bot.messages import write_forces
from potential_field_bot.node_parameters import INPUTS, NODE_SPECS, TIMER
from potential_field_bot.parameters import SPECS
from potential_field_bot.timing import check_frequency
from sbot_common import ros, topics
from sbot_common.code_cache import is_compiled
from sbot_common.errors import InputError, bad_value
from sbot_common.params import Value
from sbot_common.rng import CONTROLLER, generator
from sbot_common.wire import messages

_CONTROLLER_NAMES = frozenset(spec.name for spec in SPECS)
_read_odometry = ros.read_once(messages.read_odometry)
_read_poses = ros.read_once(messages.read_poses)


class PotentialFieldNode(Node):  # type: ignore[misc]
    """Feeds one ``PotentialField`` and publishes its commands.

    Parameters
    ----------
    given : values that replace the defaults of ROS parameters
    name : of the node
    options : as for ``rclpy.node.Node``

    """

    def __init__(self, given: Mapping[str, Value] = {}, name: str = 'potfieldbot_0',
                 **options: Any) -> None:  # noqa: ANN401
        super().__init__(name, **options)
        defaults = {'seed': secrets.randbits(31), **given}
        self._values = ros.declare(
            self, [spec._replace(default=defaults.get(spec.name, spec.default))
                   for spec in NODE_SPECS + SPECS], self._on_parameters)
        self._id, self._num_robots = self._values['robot_id'], self._values['num_robots']
        if self._id >= self._num_robots:
            raise bad_value(f'{self.get_name()}: parameter robot_id', self._id,
                            f'a number below num_robots ({self._num_robots})')
        self._check_frequencies(self._values)
        self._bot = PotentialField(
            goal=(self._values['goal_x'], self._values['goal_y']),
            **{name: value for name, value in self._values.items() if name in _CONTROLLER_NAMES})
        self._turns = 0
        self._reseed()
        self.get_logger().info(f'seed: {self._values["seed"]}')
        if not is_compiled():
            self.get_logger().info('compiling; the first start takes some seconds')
        warm_up()
        self._command = b''
        self._told: dict[str, str] = {}
        self._lockstep = Lockstep(self._id, self._num_robots, self._values['loop_rate'],
                                  self._values['poses_topic'])
        self._latest = Latest(self._id, self._num_robots)
        self._connect()
        self.get_logger().info('Post-initialization completed.')

    # --- set-up

    def _connect(self) -> None:
        """Create publishers, subscriptions and the timer; queues of 1 in the document's loop."""
        timer = self._values['trigger'] == TIMER
        depth = 1 if timer else ros.LOCKSTEP_DEPTH
        self._outputs = {
            topic.name: ros.advertise(self, topic, self._resolve(topic), depth)
            for topic in (self._cmd_vel_topic, topics.GOAL, topics.GOAL_REACHED,
                          topics.POTENTIAL_FIELD_FORCES)}
        if self._values['poses_topic']:
            ros.subscribe(self, topics.POSES, topics.POSES.name, self._on_poses, depth,
                          wakes=False, expected=not timer)
        for i in range(0 if self._values['poses_topic'] else self._num_robots):
            ros.subscribe(
                self, topics.BASE_POSE_GROUND_TRUTH,
                topics.resolve(topics.BASE_POSE_GROUND_TRUTH, i, self._num_robots),
                partial(self._on_pose, i), depth, wakes=False, expected=not timer)
        ros.subscribe(self, topics.BASE_SCAN, self._resolve(topics.BASE_SCAN), self._on_scan,
                      depth, wakes=not timer)
        if self._id == 0:
            ros.subscribe(self, topics.GOAL_POSE, self._resolve(topics.GOAL_POSE),
                          self._on_goal_pose)
        if timer:
            self.create_timer(1 / self._values['loop_rate'], self._on_timer)

    @property
    def _cmd_vel_topic(self) -> topics.Topic:
        return topics.CMD_VEL_STAMPED if self._values['stamped_cmd_vel'] else topics.CMD_VEL

    def _resolve(self, topic: topics.Topic) -> str:
        return topics.resolve(topic, self._id, self._num_robots)

    def _reseed(self) -> None:
        self._rng = generator(self._values['seed'], self._id, CONTROLLER)

    def _check_frequencies(self, values: Mapping[str, Any]) -> None:
        if values['diagnostics_frequency_hz'] > values['loop_rate']:
            raise bad_value('parameter diagnostics_frequency_hz',
                            values['diagnostics_frequency_hz'], 'at most loop_rate')

    def _on_parameters(self, new: dict[str, Any]) -> None:
        """Take over changes at run time; they take effect at the next turn."""
        values = {**self._values, **new}
        self._check_frequencies(values)
        constants = {name: value for name, value in new.items() if name in _CONTROLLER_NAMES}
        if constants:
            self._bot.set_parameters(**constants)
        if 'goal_x' in new or 'goal_y' in new:
            self._bot.set_goal(values['goal_x'], values['goal_y'])
        self._values = values

    # --- inputs

    def _now_ns(self) -> int:
        return ros.now_ns(self.get_clock())

    def _on_pose(self, robot: int, raw: bytes) -> None:
        pose = _read_odometry(raw)
        if self._values['trigger'] == INPUTS:
            self._on_arrival(self._lockstep.pose(robot, pose))
        else:
            self._latest.pose(robot, pose, self._now_ns())

    def _on_poses(self, raw: bytes) -> None:
        try:
            poses = _read_poses(raw, self._num_robots)
        except InputError as error:
            self.get_logger().error(f'{topics.POSES.name}: {error}; message ignored')
            return
        if self._values['trigger'] == INPUTS:
            self._on_arrival(self._lockstep.poses(poses))
        else:
            self._latest.poses(poses, self._now_ns())

    def _on_scan(self, raw: bytes) -> None:
        scan = messages.read_scan(raw)
        if self._values['trigger'] == INPUTS:
            self._on_arrival(self._lockstep.scan(scan))
        else:
            self._latest.scan(scan, self._now_ns())

    def _on_goal_pose(self, raw: bytes) -> None:
        pose = messages.read_pose(raw)
        if pose.frame_id.lstrip('/') not in ('', 'map'):
            self.get_logger().error(
                f"goal_pose: got frame '{pose.frame_id}', expected 'map'; goal ignored")
            return
        try:
            self._bot.set_goal(pose.x, pose.y)
        except InputError as error:
            self.get_logger().error(f'goal_pose: {error}; goal ignored')

    # --- turns

    def _on_arrival(self, arrival: Arrival) -> None:
        """Answer each stamp once, and a repetition with the same bytes."""
        if arrival.reset:
            self._reset()
        if arrival.inputs is not None:
            self._take_turn(arrival.inputs)
        elif arrival.repeat:
            self._publish(self._cmd_vel_topic, self._command)

    def _on_timer(self) -> None:
        """Take a turn on the newest inputs, or stand still when they are old."""
        now_ns = self._now_ns()
        if self._latest.went_back(now_ns):
            self._latest = Latest(self._id, self._num_robots)
            self._reset()
        missing = self._latest.missing()
        self._tell('waiting for', missing)
        if missing:
            return
        stale = self._latest.stale(now_ns, self._values['stale_timeout'])
        self._tell('standing still without a new', stale)
        inputs = self._latest.inputs()
        if stale:
            self._publish_command(inputs.stamp_ns, 0.0, 0.0)
        else:
            self._take_turn(inputs)

    def _tell(self, what: str, names: list[str]) -> None:
        """Log a state when it begins and when it ends, not at every turn."""
        text = ', '.join(names)
        if bool(text) != bool(self._told.get(what)):
            if text:
                self.get_logger().warning(f'{what} {text}')
            else:
                self.get_logger().info(f'no longer {what} {self._told[what]}')
        self._told[what] = text

    def _reset(self) -> None:
        """Begin again, as after a reset of the simulation."""
        self.get_logger().info('the simulation was reset')
        self._bot.reset()
        self._turns = 0
        self._reseed()

    def _take_turn(self, inputs: Inputs) -> None:
        """Let the controller decide; announce a new goal before the command that heads for it."""
        goals = self._bot.goals
        observation = inputs.observation(self._id, self._turns, 1 / self._values['loop_rate'])
        v, omega = self._bot.step(observation, self._rng, inputs.scan_heading)
        self._turns += 1
        if self._id == 0:
            self._announce(inputs.stamp_ns, goals != self._bot.goals)
        if self._bot.turn is not None:
            self._tell('standing still:', [] if self._bot.turn.valid
                       else ['the force or the pose is not a number'])
            self._report(inputs)
        self._publish_command(inputs.stamp_ns, v, omega)

    def _announce(self, stamp_ns: int, new_goal: bool) -> None:
        events = [('goal reached', topics.GOAL_REACHED, self._bot.just_reached),
                  ('goal', topics.GOAL, self._bot.goal if new_goal else None)]
        for text, topic, goal in events:
            if goal is not None:
                self.get_logger().info(f'{text}: ({goal[0]:g}, {goal[1]:g}) m')
                self._publish(topic, messages.write_pose(stamp_ns, 'map', *goal))

    def _report(self, inputs: Inputs) -> None:
        """Publish the forces and log the diagnostic line, where asked for."""
        turn, state = self._bot.turn, self._bot.state
        assert turn is not None
        assert state is not None
        pose = inputs.poses[self._id]
        if self._values['publish_forces']:
            self._publish(topics.POTENTIAL_FIELD_FORCES, write_forces(
                inputs.stamp_ns, self._id, float(pose[0]), float(pose[1]), turn))
        hz = self._values['diagnostics_frequency_hz']
        if hz > 0 and check_frequency(state.tick_counter, hz, self._values['loop_rate']):
            line = diagnostic_line(self._id, pose, turn, state, self._bot.on_goal)
            if self._bot.invalid_turns:  # docs/errata.md P2
                line += f'; turns without a force: {self._bot.invalid_turns}'
            self.get_logger().info(line)

    def _publish_command(self, stamp_ns: int, v: float, omega: float) -> None:
        if self._values['stamped_cmd_vel']:
            frame = topics.frame('base_link', self._id, self._num_robots)
            self._command = messages.write_twist_stamped(stamp_ns, frame, v, omega)
        else:
            self._command = messages.write_twist(v, omega)
        self._publish(self._cmd_vel_topic, self._command)

    def _publish(self, topic: topics.Topic, raw: bytes) -> None:
        self._outputs[topic.name].publish(raw)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the node until a signal.

    Returns 0, or 1 after a bad command line, or 2 after a bad parameter.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    own = remove_ros_args(['potfield_bot', *arguments])[1:]
    given: dict[str, Value] = {}
    if own or '--ros-args' not in arguments:
        try:
            given.update(command_line.parse(own)._asdict())
        except InputError as error:
            print(f'potfield_bot: {error}\n{command_line.USAGE}', file=sys.stderr)
            return 1
        robot_id = str(given['robot_id'])
    else:
        named = re.search(r'(?:^| )robot_id:=(\d+)', ' '.join(arguments))
        robot_id = named[1] if named else '0'
    return ros.run(lambda: PotentialFieldNode(given, f'potfieldbot_{robot_id}'),
                   ['potfield_bot', *arguments])

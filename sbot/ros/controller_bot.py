"""The executables `controller_bot` and `wind_aware_bot`: any controller class as a ROS 2 node.

Acts as `potfield_bot` does: in lockstep once for each stamp whose inputs are all there, else at a
rate on the newest of everything.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rclpy.node import Node

from potential_field_bot.bot import checked_goal
from sbot.scenario.assemble import make_controller
from sbot.scenario.load import parse_scenario
from sbot.scenario.user_controller import ask
from sbot_common import ros, topics
from sbot_common.angles import yaw_from_quaternion
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import Neighbours, Observation
from sbot_common.params import Spec
from sbot_common.rng import CONTROLLER, generator
from sbot_common.stamp_sync import StampGate
from sbot_common.topics import Topic
from sbot_common.wire import cdr
from sbot_common.wire.messages import (
    read_pose,
    read_poses,
    read_scan,
    read_vector,
    write_pose,
    write_twist,
    write_twist_stamped,
)
from sbot_common.wire.point_cloud import read_point_cloud

_STALE = 0.5  # s of wall time, free-running: older inputs stop the robot

_SPECS = (
    Spec('scenario_text', '', '', 'The scenario (YAML) that names the controller.',
         at_runtime=False),
    Spec('robot_id', 0, '', 'Number of this robot.', minimum=0, at_runtime=False),
    Spec('num_robots', 1, '', 'How many robots there are.', minimum=1, at_runtime=False),
    Spec('seed', 0, '', 'Seed of the generator that the controller is given.', minimum=0,
         at_runtime=False),
    Spec('trigger', 'timer', '', 'What starts a turn.', choices=('timer', 'inputs'),
         at_runtime=False),
    Spec('goal_x', 0.0, 'm', 'Goal in `map`, if the scenario gives the robot one.'),
    Spec('goal_y', 0.0, 'm', 'Goal in `map`, if the scenario gives the robot one.'),
    Spec('loop_rate', 30.0, 'Hz', 'Turns a second with trigger timer.', minimum=0.0,
         open_minimum=True, at_runtime=False),
    Spec('stamped_cmd_vel', False, '', 'Publish TwistStamped on cmd_vel.', at_runtime=False),
    Spec('poses_topic', False, '', 'Take all poses from /poses, and only the twist from '
         "the robot's own base_pose_ground_truth.", at_runtime=False),
)

Pose = tuple[float, float, float]


def read_motion(raw: bytes) -> tuple[int, tuple[Pose, Pose]]:
    """Return the stamp (ns), pose and twist (x, y, yaw each) of a nav_msgs/Odometry."""
    message = cdr.decode(raw, topics.BASE_POSE_GROUND_TRUTH.type)
    p, q = message.pose.pose.position, message.pose.pose.orientation
    v, w = message.twist.twist.linear, message.twist.twist.angular
    return cdr.stamp_ns(message.header.stamp), (
        (p.x, p.y, yaw_from_quaternion(q.x, q.y, q.z, q.w)), (v.x, v.y, w.z))


_read_motion = ros.read_once(read_motion)
_read_poses = ros.read_once(read_poses)


class ControllerNode(Node):  # type: ignore[misc]
    """Feeds the controller of one robot of a scenario and publishes its commands."""

    def __init__(self, name: str = 'controller_bot', **options: Any) -> None:  # noqa: ANN401
        super().__init__(name, **options)
        values = ros.declare(self, _SPECS, self._on_parameters)
        self._values = values
        self._scenario = parse_scenario(values['scenario_text'], 'scenario_text', Path.cwd())
        self._id, self._n = values['robot_id'], values['num_robots']
        if self._id >= len(self._scenario.robots):
            raise bad_value('parameter robot_id', self._id,
                            f'a number below {len(self._scenario.robots)}, the number of robots')
        self._robot = self._scenario.robots[self._id]
        self._sources: list[Callable[[bytes], tuple[int, Any]]] = []
        self._lockstep = values['trigger'] == 'inputs'
        self._depth = ros.LOCKSTEP_DEPTH if self._lockstep else 1
        self._cmd_vel = topics.CMD_VEL_STAMPED if values['stamped_cmd_vel'] else topics.CMD_VEL
        self._publisher = ros.advertise(self, self._cmd_vel, self._name(self._cmd_vel),
                                        self._depth)
        self._goal_publisher = ros.advertise(self, topics.GOAL, self._name(topics.GOAL))
        self._subscribe()
        self._goal: tuple[float, float] | None = None
        self._gate: StampGate[Any] = StampGate(len(self._sources))
        self._reset()
        if not self._lockstep:
            self.create_timer(1 / values['loop_rate'], self._on_timer)

    def _name(self, topic: Topic) -> str:
        return topics.resolve(topic, self._id, self._n)

    def _subscribe(self) -> None:
        sensors = self._scenario.sensors
        self._poses = None
        together = self._values['poses_topic']
        motions = {i: self._listen(topics.BASE_POSE_GROUND_TRUTH, i, _read_motion)
                   for i in ([self._id] if together else range(self._n))}
        self._motions, self._own = list(motions.values()), motions[self._id]
        if together:
            self._poses = self._listen(topics.POSES, self._id, self._read_poses)
        self._scan = self._listen(topics.BASE_SCAN, self._id, self._read_scan)
        self._wind = self._listen(topics.WIND, self._id, read_vector)
        self._infrared = self._heard = None
        if sensors.infrared.infrared:
            self._infrared = self._listen(topics.INFRARED, self._id, read_point_cloud)
        if sensors.rab.range_and_bearing:
            self._heard = self._listen(topics.RANGE_AND_BEARING, self._id, read_point_cloud)
        self._newest.wakes = self._lockstep  # the simulator sends a tick's inputs in this order
        ros.subscribe(self, topics.GOAL_POSE, self._name(topics.GOAL_POSE), self._on_goal_pose)

    def _listen(self, topic: Topic, robot: int, read: Callable[[bytes], tuple[int, Any]]) -> int:
        """Subscribe to one more input; return its number."""
        number = len(self._sources)
        self._sources.append(read)
        self._newest = ros.subscribe(
            self, topic, topics.resolve(topic, robot, self._n), partial(self._on_input, number),
            self._depth, wakes=False, expected=self._lockstep)
        return number

    def _read_poses(self, raw: bytes) -> tuple[int, Any]:
        poses = _read_poses(raw, self._n)
        return poses.stamp_ns, poses.rows

    @staticmethod
    def _read_scan(raw: bytes) -> tuple[int, Any]:
        stamped = read_scan(raw)
        return stamped.stamp_ns, stamped.scan

    def _on_parameters(self, new: dict[str, Any]) -> None:
        self._values = {**self._values, **new}
        self._set_goal(self._values['goal_x'], self._values['goal_y'])

    def _on_goal_pose(self, raw: bytes) -> None:
        pose = read_pose(raw)
        try:
            if pose.frame_id.lstrip('/') not in ('', 'map'):
                raise bad_value('frame', pose.frame_id, 'map')
            self._set_goal(pose.x, pose.y)
        except InputError as error:
            self.get_logger().error(f'goal_pose: {error}; goal ignored')

    def _set_goal(self, x: float, y: float) -> None:
        self._goal = checked_goal(x, y)
        self._goal_is_new = True

    def _reset(self) -> None:
        self._controller = make_controller(self._scenario, self._robot)
        self._rng = generator(self._values['seed'], self._id, CONTROLLER)
        self._goal = self._robot.goal
        self._goal_is_new = self._goal is not None
        self._latest: dict[int, tuple[float, int, Any]] = {}
        self._command = b''

    def _on_input(self, source: int, raw: bytes) -> None:
        try:
            stamp_ns, payload = self._sources[source](raw)
        except InputError as error:
            if source != self._poses:
                raise
            self.get_logger().error(f'{topics.POSES.name}: {error}; message ignored')
            return
        if not self._lockstep:
            if source in self._latest and stamp_ns < self._latest[source][1]:
                self._reset()  # time went back: so did the simulation
            self._latest[source] = (time.monotonic(), stamp_ns, payload)
            return
        if self._gate.is_repeat(stamp_ns):
            if source == self._scan and self._command:
                self._publisher.publish(self._command)
            return
        released = self._gate.released
        if released is not None and stamp_ns < released and (
                stamp_ns == self._scenario.rate.stamp_ns(0)):
            self._gate.clear()
            self._reset()
        inputs = self._gate.put(source, stamp_ns, payload)
        if inputs is not None:
            self._turn(stamp_ns, inputs)

    def _on_timer(self) -> None:
        if len(self._latest) < len(self._sources):
            return
        inputs = [self._latest[source] for source in range(len(self._sources))]
        if time.monotonic() - min(arrived for arrived, _, _ in inputs) > _STALE:
            self._publish(inputs[self._own][1], 0.0, 0.0)
        else:
            self._turn(inputs[self._own][1], [payload for _, _, payload in inputs])

    def _turn(self, stamp_ns: int, inputs: list[Any]) -> None:
        """Let the controller decide on one set of inputs."""
        if self._goal_is_new and self._goal is not None:
            self._goal_publisher.publish(write_pose(stamp_ns, 'map', *self._goal))
            self._goal_is_new = False
        wx, wy, _ = inputs[self._wind]
        neighbours = infrared = None
        if self._heard is not None:
            columns = inputs[self._heard]
            neighbours = Neighbours(columns['range'], columns['bearing'], columns['data'])
        if self._infrared is not None:
            infrared = inputs[self._infrared]['reading']
        poses = (np.array([inputs[number][0] for number in self._motions])
                 if self._poses is None else inputs[self._poses])
        rate = self._scenario.rate
        observation = Observation(
            self._id, self._n, rate.tick(stamp_ns), stamp_ns, rate.dt,
            poses, inputs[self._scan], self._goal, infrared, neighbours, (wx, wy),
            inputs[self._own][1])
        assert self._controller is not None
        self._publish(stamp_ns, *ask(self._controller, observation, self._rng))

    def _publish(self, stamp_ns: int, v: float, omega: float) -> None:
        if self._values['stamped_cmd_vel']:
            frame = topics.frame('base_link', self._id, self._n)
            self._command = write_twist_stamped(stamp_ns, frame, v, omega)
        else:
            self._command = write_twist(v, omega)
        self._publisher.publish(self._command)


def main(argv: Sequence[str] | None = None) -> int:
    """Run until a signal; 0, or 2 for bad parameters."""
    return ros.run(ControllerNode, sys.argv if argv is None else ['controller_bot', *argv])


wind_aware_main = main

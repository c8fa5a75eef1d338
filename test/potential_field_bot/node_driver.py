"""Plays the simulator for one real node `potfield_bot` and prints what it answered as JSON.

Run in a process of its own, as ROS reads its domain from the environment: node_driver.py SCENARIO.
"""

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import rclpy
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node

from sbot_common import ros, topics
from sbot_common.angles import quaternion_from_yaw
from sbot_common.clock import Rate
from sbot_common.wire import cdr, messages

DEADLINE = 240.0  # s; long, as the node may have to compile
ROBOTS, BEAMS, RATE, SEED = 2, 12, Rate(30, 1), 11
NODE = [sys.executable, '-c',
        'import sys; from potential_field_bot.node import main; sys.exit(main())']


def pose_of(tick: int, robot: int) -> tuple[float, float, float]:
    return 0.05 * tick - 2.0 * robot, 0.3 * robot + 0.01 * tick, 0.02 * tick


def ranges_of(tick: int) -> np.ndarray:
    return np.random.default_rng(tick).uniform(1, 10, BEAMS).astype(np.float32)


def odometry(stamp_ns: int, robot: int, x: float, y: float, yaw: float) -> bytes:
    make = cdr.message_class
    z, w = quaternion_from_yaw(yaw)
    zero = make('geometry_msgs/msg/Vector3')(x=0.0, y=0.0, z=0.0)
    pose = make('geometry_msgs/msg/Pose')(
        position=make('geometry_msgs/msg/Point')(x=x, y=y, z=0.0),
        orientation=make('geometry_msgs/msg/Quaternion')(x=0.0, y=0.0, z=z, w=w))
    return cdr.encode(make('nav_msgs/msg/Odometry')(
        header=cdr.header(stamp_ns, 'map'), child_frame_id=f'robot_{robot}/base_link',
        pose=make('geometry_msgs/msg/PoseWithCovariance')(pose=pose, covariance=np.zeros(36)),
        twist=make('geometry_msgs/msg/TwistWithCovariance')(
            twist=make('geometry_msgs/msg/Twist')(linear=zero, angular=zero),
            covariance=np.zeros(36))))


def laser_scan(stamp_ns: int, ranges: np.ndarray) -> bytes:
    return cdr.encode(cdr.message_class('sensor_msgs/msg/LaserScan')(
        header=cdr.header(stamp_ns, 'laser'), angle_min=-1.5, angle_max=1.5,
        angle_increment=0.25, time_increment=0.0, scan_time=0.0, range_min=0.0, range_max=9.0,
        ranges=ranges, intensities=np.empty(0, np.float32)))


class Driver:
    """A node under test, and the other ends of its topics."""

    def __init__(self, robot_id: int, *arguments: str, best_effort: bool = False) -> None:
        rclpy.init()
        self.node = Node('driver')
        self.id = robot_id
        self.commands: list[bytes] = []
        self.goals: list[list[float]] = []
        self.log_path = Path(tempfile.mkstemp()[1])
        name = {topic: topic.resolve(robot_id, ROBOTS) for topic in (
            topics.BASE_SCAN, topics.CMD_VEL, topics.GOAL, topics.GOAL_REACHED, topics.GOAL_POSE)}
        self.poses = [ros.advertise(
            self.node, topics.BASE_POSE_GROUND_TRUTH,
            topics.BASE_POSE_GROUND_TRUTH.resolve(i, ROBOTS)) for i in range(ROBOTS)]
        self.scan = self.node.create_publisher(
            ros.ros_class(topics.BASE_SCAN.type), name[topics.BASE_SCAN],
            ros.qos(topics.BASE_SCAN, 10, reliable=not best_effort))
        self.goal_pose = ros.advertise(self.node, topics.GOAL_POSE, name[topics.GOAL_POSE])
        self.reached: list[list[float]] = []
        ros.subscribe(self.node, topics.CMD_VEL, name[topics.CMD_VEL], self.commands.append)
        for topic, heard in ((topics.GOAL, self.goals), (topics.GOAL_REACHED, self.reached)):
            ros.subscribe(self.node, topic, name[topic],
                          lambda raw, heard=heard: heard.append(self._goal(raw)))
        with self.log_path.open('w') as log:
            self.process = subprocess.Popen([*NODE, *arguments], stderr=log, stdout=log)
        outputs = [*self.poses, self.scan] + ([self.goal_pose] if robot_id == 0 else [])
        self.until(lambda: all(out.get_subscription_count() for out in outputs))
        self.until(lambda: self.node.count_publishers(name[topics.CMD_VEL]) == 1)

    @staticmethod
    def _goal(raw: bytes) -> list[float]:
        pose = messages.PoseStamped.of_pose(raw)
        return [pose.stamp_ns, pose.x, pose.y]

    def until(self, condition) -> None:
        """Handle messages until a condition holds."""
        end = time.monotonic() + DEADLINE
        while not condition():
            rclpy.spin_once(self.node, timeout_sec=0.02)
            if time.monotonic() > end or self.process.poll() is not None:
                self.process.kill()
                raise SystemExit(f'no answer in time:\n{self.log_path.read_text()}')

    def wait(self, seconds: float) -> None:
        """Handle messages for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.01)

    def snapshot(self, tick: int, stamp_tick: int | None = None) -> None:
        stamp = RATE.stamp_ns(tick if stamp_tick is None else stamp_tick)
        for robot, publisher in enumerate(self.poses):
            publisher.publish(odometry(stamp, robot, *pose_of(tick, robot)))
        self.scan.publish(laser_scan(stamp, ranges_of(tick)))

    def answered(self, tick: int) -> list[float]:
        """Send a snapshot, return the command that answers it."""
        count = len(self.commands)
        self.snapshot(tick)
        self.until(lambda: len(self.commands) > count)
        vx, _, omega = messages.read_twist(self.commands[-1])
        return [vx, omega]

    def set_parameter(self, name: str, value: float) -> list:
        client = self.node.create_client(SetParameters, f'/potfieldbot_{self.id}/set_parameters')
        self.until(client.service_is_ready)
        request = SetParameters.Request(parameters=[Parameter(
            name=name, value=ParameterValue(type=3, double_value=value))])
        future = client.call_async(request)
        self.until(future.done)
        result = future.result().results[0]
        return [result.successful, result.reason]

    def end(self, number: int = signal.SIGINT) -> dict[str, object]:
        """Stop the node; return its exit code and log."""
        self.process.send_signal(number)
        code = self.process.wait(DEADLINE)
        log = self.log_path.read_text()
        self.log_path.unlink()
        rclpy.shutdown()
        return {'exit': code, 'log': log, 'goals': self.goals, 'reached': self.reached}


def lockstep() -> dict[str, object]:
    """Turns, a repetition, a goal, parameters, a reset."""
    driver = Driver(0, '0', '2', '4.0', '0.5', '--ros-args', '-p', 'trigger:=inputs', '-p',
                    f'seed:={SEED}', '-p', 'diagnostics_frequency_hz:=10.0')
    first = [driver.answered(tick) for tick in range(10)]
    repeated = driver.answered(9)
    driver.goal_pose.publish(messages.write_pose(0, 'map', -3.0, 0.5))
    driver.goal_pose.publish(messages.write_pose(0, 'elsewhere', 1.0, 1.0))
    driver.until(lambda: 'goal ignored' in driver.log_path.read_text())
    moved = [driver.answered(tick) for tick in range(10, 14)]
    refused = driver.set_parameter('forward_speed_mps', -1.0)
    accepted = driver.set_parameter('forward_speed_mps', 0.125)
    slow = [driver.answered(tick) for tick in range(14, 18)]
    driver.set_parameter('forward_speed_mps', 2.0)
    again = [driver.answered(tick) for tick in range(10)]
    return {'first': first, 'repeated': repeated, 'moved': moved, 'refused': refused,
            'accepted': accepted, 'slow': slow, 'again': again, 'count': len(driver.commands),
            **driver.end()}


def timer() -> dict[str, object]:
    """The document's loop: silence before all inputs, commands, stale inputs, their return."""
    driver = Driver(1, '--ros-args', '-r', '__node:=potfieldbot_1', '-p', 'robot_id:=1', '-p',
                    'num_robots:=2', '-p', f'seed:={SEED}', '-p', 'stale_timeout:=2.0', '-p',
                    'conversion_constant_zetta:=0.0', best_effort=True)
    driver.poses[1].publish(odometry(5, 1, *pose_of(0, 1)))
    driver.scan.publish(laser_scan(5, ranges_of(0)))
    driver.wait(0.5)
    early = len(driver.commands)
    early_log = driver.log_path.read_text()

    def moving() -> bool:
        """Keep the inputs coming until the last command turns the robot."""
        driver.snapshot(3)
        return bool(driver.commands) and messages.read_twist(driver.commands[-1]).omega != 0

    def standing() -> bool:
        return messages.read_twist(driver.commands[-1]) == (0.0, 0.0, 0.0)

    driver.until(moving)
    driver.until(standing)
    count = len(driver.commands)
    driver.until(lambda: len(driver.commands) > count + 5)
    stood = all(messages.read_twist(raw) == (0.0, 0.0, 0.0) for raw in driver.commands[count:])
    driver.until(moving)
    return {'early': early, 'early_log': early_log, 'stood': stood, **driver.end(signal.SIGTERM)}


if __name__ == '__main__':
    print(json.dumps({'lockstep': lockstep, 'timer': timer}[sys.argv[1]]()))

"""Stands in for every executable of Nav2: says what it was given, and drives the robot.

Writes STAND_INS/<name of the node>.json: its parameters, the topics that it would use and its
discovery range. The one for collision_monitor, the last of Nav2's nodes before the robot, drives
ahead, and when a scan has come and `odom` says that the robot has moved, writes
STAND_INS/moved<name of the node>.json.
"""

import contextlib
import json
import os
import sys
from pathlib import Path

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import LaserScan

FOLDER = Path(os.environ['STAND_INS'])
COSTMAPS = {'controller_server': 'local_costmap', 'planner_server': 'global_costmap'}


def write(name: str, said: dict) -> None:
    """Write a file that is whole as soon as it is there."""
    path = FOLDER / f'{name.replace("/", "_")}.json'
    path.with_suffix('.new').write_text(json.dumps(said, default=list))
    path.with_suffix('.new').rename(path)


def parameters_of(node: Node) -> dict:
    return {name: parameter.value for name, parameter in node._parameters.items()}


def tell(node: Node) -> None:
    write(node.get_fully_qualified_name(), {
        'parameters': parameters_of(node), 'range': os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'],
        'topics': {name: node.resolve_topic_name(name)
                   for name in ('/clock', '/tf', 'cmd_vel', 'odom')}})


class Drive:
    def __init__(self, node: Node) -> None:
        given = parameters_of(node)
        self.node, self.scans, self.first = node, 0, None
        self.commands = node.create_publisher(Twist, given['cmd_vel_out_topic'], 1)
        node.create_subscription(LaserScan, given['scan.topic'], self.on_scan,
                                 qos_profile_sensor_data)
        node.create_subscription(Odometry, 'odom', self.on_odometry, qos_profile_sensor_data)

    def on_scan(self, scan: LaserScan) -> None:
        self.scans += 1
        command = Twist()
        command.linear.x = 0.5
        self.commands.publish(command)

    def on_odometry(self, odometry: Odometry) -> None:
        place = odometry.pose.pose.position
        self.first = self.first or (place.x, place.y)
        if abs(place.x - self.first[0]) + abs(place.y - self.first[1]) > 0.3:
            write(f'moved{self.node.get_fully_qualified_name()}', {'scans': self.scans})


def main() -> None:
    executable = Path(sys.argv[0]).name
    rclpy.init(args=sys.argv)
    node = Node(executable, automatically_declare_parameters_from_overrides=True)
    costmap = COSTMAPS.get(executable)
    if costmap is not None:  # as nav2_costmap_2d makes it
        tell(Node(costmap, automatically_declare_parameters_from_overrides=True, cli_args=[
            '--ros-args', '-r', f'__node:={costmap}', '-r',
            f'__ns:={node.get_namespace().rstrip("/")}/{costmap}']))
    drive = Drive(node) if executable == 'collision_monitor' else None  # noqa: F841 - kept
    tell(node)
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        while rclpy.ok():  # rclpy.spin may miss a SIGTERM
            rclpy.spin_once(node, timeout_sec=1.0)
    # ros2 launch waits 5 s. A dozen interpreters that take themselves apart may need more.
    os._exit(0)


if __name__ == '__main__':
    main()

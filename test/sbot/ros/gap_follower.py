#!/usr/bin/env python3
"""Car that steers to its longest beam, as nodes of f1tenth do: `/scan` in, `/drive` out."""

import contextlib

import rclpy
from ackermann_msgs.msg import AckermannDriveStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import LaserScan


class GapFollower(Node):
    def __init__(self):
        super().__init__('gap_follower')
        self.gain = self.declare_parameter('gain', 0.5).value
        self.publisher = self.create_publisher(AckermannDriveStamped, 'drive', 10)
        self.create_subscription(LaserScan, 'scan', self.on_scan, 10)

    def on_scan(self, scan):
        longest = max(range(len(scan.ranges)), key=scan.ranges.__getitem__)
        command = AckermannDriveStamped()
        command.header = scan.header
        command.drive.steering_angle = self.gain * (
            scan.angle_min + longest * scan.angle_increment)
        command.drive.speed = 1.5
        self.publisher.publish(command)


if __name__ == '__main__':
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(GapFollower())

"""A node of rclpy that drives away from what it scans; it knows nothing of lockstep."""

import contextlib

import rclpy
from geometry_msgs.msg import Twist
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import LaserScan


class Avoid(Node):
    """Turns to the side where there is more room, and drives on as far as it is free."""

    def __init__(self):
        super().__init__('avoid')
        self.gain = self.declare_parameter('gain', 0.8).value
        self.publisher = self.create_publisher(Twist, 'cmd_vel', 10)
        self.create_subscription(LaserScan, 'base_scan', self.on_scan, 10)

    def on_scan(self, scan):
        """Answer a scan with a command."""
        ranges = [max(0.0, min(r, 5.0)) for r in scan.ranges]  # +inf is free, -inf near
        half = len(ranges) // 2
        right, left = sum(ranges[:half]) / half, sum(ranges[half:]) / (len(ranges) - half)
        command = Twist()
        command.linear.x = 0.2 * min(ranges)
        command.angular.z = self.gain * (left - right)
        self.publisher.publish(command)


def main():
    """Run the node until Ctrl-C, or the end of the launch file."""
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(Avoid())


if __name__ == '__main__':
    main()

"""Nodes of somebody's own, which know nothing of lockstep: `external_nodes.py CASE ROBOT`."""

import os
import sys

import rclpy
from geometry_msgs.msg import Twist, TwistStamped, Vector3Stamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import LaserScan


def nanoseconds(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


class Witness(Node):
    """Commands, and tells in fields that move nothing what it knew then: stamps in seconds.

    The trigger's subscription is made first, so that its callback would be called first, too, if
    it came together with the others.
    """

    def __init__(self, case, robot):
        super().__init__(f'witness_{robot}', namespace=f'/robot_{robot}')
        self.case, self.count = case, 0
        self.known = dict.fromkeys(('scan', 'odom', 'wind', 'pose'), 0)
        self.publisher = self.create_publisher(
            Twist if case == 'plain' else TwistStamped, 'cmd_vel', 10)
        self.create_subscription(LaserScan, 'base_scan', self.on_scan, 10)
        for topic, kind in (('odom', Odometry), ('wind', Vector3Stamped)):
            self.create_subscription(kind, topic, lambda message, topic=topic: self.note(
                topic, message), 10)
        if case.startswith('timer'):
            self.create_timer(float(case.removeprefix('timer')), self.act)

    def note(self, topic, message):
        self.known[topic] = nanoseconds(message.header.stamp)

    def on_scan(self, scan):
        self.note('scan', scan)
        self.count += 1
        if self.case == 'sometimes' and self.count % 3:
            return
        if self.case == 'dies' and self.count == 4:
            os._exit(3)
        if self.case in ('scan', 'sometimes', 'nan', 'dies', 'twice'):
            self.act()
        if self.case == 'twice' or (self.case == 'sometimes' and self.count % 2):
            self.act()

    def act(self):
        command = TwistStamped()
        command.header.stamp = self.get_clock().now().to_msg()
        twist = command.twist
        twist.linear.x = float('nan') if self.case == 'nan' else 0.2
        twist.linear.z, twist.angular.x, twist.angular.y = (
            self.known[name] / 1e9 for name in ('scan', 'odom', 'wind'))
        twist.angular.z = 0.1 * (self.count % 4)
        self.publisher.publish(command)


def main():
    case, robot = sys.argv[1:3]
    rclpy.init()
    rclpy.spin(Witness(case, int(robot)))


if __name__ == '__main__':
    main()

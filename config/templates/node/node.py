"""Drives a robot to its goal, past what it scans. README.md says how to run this node."""

import contextlib
import math

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import LaserScan


class Driver(Node):
    """Answers each scan with a command: the free direction nearest to the goal."""

    def __init__(self):
        super().__init__('driver')
        self.goal = (self.declare_parameter('goal_x', 0.0).value,
                     self.declare_parameter('goal_y', 0.0).value)
        self.speed = self.declare_parameter('speed', 0.6).value  # m/s
        self.room = self.declare_parameter('room', 0.5).value  # m, to what the robot passes
        self.pose = None  # x, y (m), yaw (rad)
        self.publisher = self.create_publisher(Twist, 'cmd_vel', 10)
        self.create_subscription(Odometry, 'base_pose_ground_truth', self.on_pose, 10)
        self.create_subscription(LaserScan, 'base_scan', self.on_scan, 10)

    def on_pose(self, odometry):
        """Note the pose; in each tick it comes before the scan."""
        position, q = odometry.pose.pose.position, odometry.pose.pose.orientation
        self.pose = position.x, position.y, 2.0 * math.atan2(q.z, q.w)

    def on_scan(self, scan):
        """Publish one command for each scan: the simulator waits for it."""
        command = Twist()
        if self.pose is not None:
            command.linear.x, command.angular.z = self.drive(scan)
        self.publisher.publish(command)

    def drive(self, scan):
        """Return (speed in m/s, turn rate in rad/s)."""
        x, y, yaw = self.pose
        to_x, to_y = self.goal[0] - x, self.goal[1] - y
        distance = math.hypot(to_x, to_y)
        to_goal = math.remainder(math.atan2(to_y, to_x) - yaw, math.tau)
        angles = [scan.angle_min + i * scan.angle_increment for i in range(len(scan.ranges))]
        beams = list(zip(angles, scan.ranges, strict=True))  # rad, m; +inf: nothing seen

        # A direction is free if nothing near would come closer than `room` on the way.
        near = [(angle, math.asin(self.room / max(self.room, reach))) for angle, reach in beams
                if reach < min(1.5, distance)]
        free = [angle for angle in angles
                if all(abs(angle - at) >= half for at, half in near)]
        if not free:
            return 0.0, 1.0  # look for a way on the spot
        turn = min(free, key=lambda angle: abs(angle - to_goal))
        ahead = min((reach for angle, reach in beams if abs(angle) < 0.8), default=math.inf)
        speed = min(self.speed, distance, max(0.0, ahead - self.room))
        return speed * max(0.0, math.cos(turn)), 2.0 * turn


def main():
    """Run the node until Ctrl-C, or the end of the launch file."""
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(Driver())


if __name__ == '__main__':
    main()

"""A node of rclpy that estimates the pose from odometry and gyroscope; it drives nothing."""

import contextlib
import math

import rclpy
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import Imu


class Estimate(Node):
    """Integrates the speed of the wheels along a heading in which both turn rates have a share."""

    def __init__(self):
        super().__init__('estimate')
        self.share = self.declare_parameter('gyro_share', 0.50).value
        self.x, self.y, self.yaw, self.time, self.gyro = 0.0, 0.0, 0.0, None, 0.0
        self.publisher = self.create_publisher(Odometry, 'ekf/odom', 10)
        self.create_subscription(Imu, 'imu', self.on_imu, 10)
        self.create_subscription(Odometry, 'odom', self.on_odom, 10)

    def on_imu(self, imu):
        """Note the turn rate of the gyroscope."""
        self.gyro = imu.angular_velocity.z

    def on_odom(self, odom):
        """Answer odometry with an estimate."""
        time = odom.header.stamp.sec + 1e-9 * odom.header.stamp.nanosec
        step = 0.0 if self.time is None else time - self.time
        speed, rate = odom.twist.twist.linear.x, odom.twist.twist.angular.z
        self.time = time
        self.yaw += step * (self.share * self.gyro + (1.0 - self.share) * rate)
        self.x += step * speed * math.cos(self.yaw)
        self.y += step * speed * math.sin(self.yaw)
        estimate = Odometry(header=odom.header, child_frame_id=odom.child_frame_id)
        estimate.pose.pose.position.x, estimate.pose.pose.position.y = self.x, self.y
        estimate.pose.pose.orientation.z = math.sin(0.5 * self.yaw)
        estimate.pose.pose.orientation.w = math.cos(0.5 * self.yaw)
        estimate.twist = odom.twist
        self.publisher.publish(estimate)


def main():
    """Run the node until Ctrl-C, or the end of the launch file."""
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(Estimate())


if __name__ == '__main__':
    main()

"""Drives robot 1 in lockstep, listens to TF, and compares it with where robot 3 is.

    tf_listener.py FILE

Writes the number of comparisons, the largest difference (m) and the frames to the file.
"""

import contextlib
import json
import math
import sys
from pathlib import Path

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import LaserScan
from tf2_msgs.msg import TFMessage


class Listener(Node):
    """Resolves `map` to `robot_3/base_link` at each scan, from the transforms heard by then."""

    def __init__(self, file):
        super().__init__('listener', namespace='/robot_1')
        self.file, self.parents = Path(file), {}
        self.count, self.worst, self.truth = 0, 0.0, None
        self.unanswered = None  # a scan that came before the fixed transforms
        self.publisher = self.create_publisher(Twist, 'cmd_vel', 10)
        self.create_subscription(LaserScan, 'base_scan', self.on_scan, 10)
        self.create_subscription(Odometry, '/robot_3/base_pose_ground_truth', self.on_truth, 10)
        self.create_subscription(TFMessage, '/tf', self.on_tf, 10)
        self.create_subscription(TFMessage, '/tf_static', self.on_tf, QoSProfile(
            depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))

    def on_truth(self, message):
        self.truth = message

    def on_tf(self, message):
        for each in message.transforms:
            self.parents[each.child_frame_id] = each
        if self.unanswered is not None and 'robot_1/laser' in self.parents:
            scan, self.unanswered = self.unanswered, None
            self.on_scan(scan)

    def place(self, frame):
        """x, y, yaw and stamp of a frame in `map`."""
        x = y = yaw = 0.0
        stamp = None
        while frame != 'map':
            link = self.parents[frame]
            move, turn = link.transform.translation, link.transform.rotation
            own = 2.0 * math.atan2(turn.z, turn.w)
            x, y, yaw = (move.x + math.cos(own) * x - math.sin(own) * y,
                         move.y + math.sin(own) * x + math.cos(own) * y, own + yaw)
            frame, stamp = link.header.frame_id, link.header.stamp
        return x, y, yaw, stamp

    def on_scan(self, scan):
        if 'robot_1/laser' not in self.parents:
            # What was published before we came is sent on its own: it may come after the first
            # scan, which comes once.
            self.unanswered = scan
            return
        x, y, yaw, stamp = self.place('robot_3/base_link')
        assert stamp == scan.header.stamp == self.truth.header.stamp
        pose = self.truth.pose.pose
        true_yaw = 2.0 * math.atan2(pose.orientation.z, pose.orientation.w)
        self.worst = max(self.worst, abs(x - pose.position.x), abs(y - pose.position.y),
                         abs(math.remainder(yaw - true_yaw, 2.0 * math.pi)))
        self.count += 1
        self.place('robot_1/laser')
        self.file.write_text(json.dumps([self.count, self.worst, sorted(self.parents)]))
        self.publisher.publish(Twist())


def main():
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(Listener(sys.argv[1]))


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Speeds of two wheels by their angles, as topic-based hardware of ros2_control sends them.

`wheel_controller.py LEFT RIGHT`: the names of the joints.
"""

import contextlib
import math
import sys

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState


class WheelController(Node):
    def __init__(self, joints):
        super().__init__('wheel_controller')
        self.joints = joints
        self.publisher = self.create_publisher(JointState, 'joint_commands', 1)
        self.create_subscription(JointState, 'joint_states', self.on_state,
                                 qos_profile_sensor_data)

    def on_state(self, state):
        left, right = state.position
        command = JointState(name=self.joints)
        command.velocity = [4.0 + math.sin(left), 5.0 + math.cos(right)]
        self.publisher.publish(command)


if __name__ == '__main__':
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(WheelController(sys.argv[1:3]))

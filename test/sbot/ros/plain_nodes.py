"""Plain nodes of rclpy, of many makes: `plain_nodes.py CASE ROBOT`.

Each tells in its commands a checksum of all its callbacks so far: their order, the stamps of their
messages, and the time that they read. One callback in another place changes all later commands.
"""

import contextlib
import math
import sys
import zlib

import rclpy
from geometry_msgs.msg import TwistStamped, Vector3Stamped
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Float64

# Hz of timers, topics on which it acts, topics that it hears, commands a turn.
PLAIN = {
    '6': ([6], '', 'so', 1), '7': ([7], '', 'so', 1), '11': ([11], '', 'o', 1),
    '13': ([13], '', 's', 1), '15': ([15], '', 'sow', 1), '20': ([20], '', 'so', 1),
    '30': ([30], '', 'so', 1), '60': ([60], '', 'so', 1), '100': ([100], '', 'so', 1),
    '7+15': ([7, 15], '', 'so', 1), '6+20+100': ([6, 20, 100], '', 'sow', 1),
    'blind': ([20], '', '', 1), 'scan': ([], 's', '', 1), 'odom+scan': ([], 'os', 'w', 1),
    'twice': ([15], '', 'so', 2), 'thrice': ([], 's', 'o', 3), 'silent': ([11], '', 'so', 0),
    'mixed': ([13, 60], 'so', 'w', 2), 'poses': ([11], 'pso', 'w', 1)}
# Nodes with code of their own; `relay` and `steer` make a chain.
OWN = ('sometimes', 'late', 'again', 'loop', 'once', 'both', 'relay', 'steer')
KINDS = {'s': ('base_scan', LaserScan), 'o': ('odom', Odometry), 'w': ('wind', Vector3Stamped),
         'p': ('base_pose_ground_truth', Odometry)}


class Plain(Node):
    def __init__(self, case, robot, name='plain'):
        super().__init__(f'{name}_{robot}', namespace=f'/robot_{robot}')
        self.case, self.sum, self.count = case, 0, 0
        hertz, acts, hears, self.commands = PLAIN.get(case, ([], '', '', 1))
        if name != 'relay':
            self.publisher = self.create_publisher(TwistStamped, 'cmd_vel', 10)
        for letter in acts + hears:
            self.hear(letter, letter in acts)
        for each in hertz:
            self.every(each)
        if case in OWN:
            getattr(self, f'be_{case}')()

    def hear(self, letter, acts):
        topic, kind = KINDS[letter]

        def heard(message):
            self.note(topic, message.header.stamp.sec, message.header.stamp.nanosec)
            if acts:
                self.act()
        self.create_subscription(kind, topic, heard, 10)

    def every(self, hertz):
        def fired():
            self.note('timer', hertz)
            self.act()
        return self.create_timer(1 / hertz, fired)

    def note(self, *words):
        now = self.get_clock().now().nanoseconds
        self.sum = zlib.crc32(repr((self.sum, now, *words)).encode())
        self.count += 1

    def act(self):
        for number in range(self.commands):
            command = TwistStamped()
            command.header.stamp = self.get_clock().now().to_msg()
            command.twist.linear.x = 0.2 + 0.1 * math.sin(self.sum + number)
            command.twist.angular.z = math.cos(self.sum + number)
            command.twist.linear.z = float(self.sum)
            self.publisher.publish(command)


    def be_sometimes(self):
        """Answer some scans, once or twice."""
        self.hear('o', False)

        def heard(_):
            self.note('scan')
            for _ in range(self.count % 4 // 2):
                self.act()
        self.create_subscription(LaserScan, 'base_scan', heard, 10)

    def be_late(self):
        """Make a timer in a callback."""
        def heard(_):
            self.note('scan')
            if self.count == 5:
                self.every(11)
        self.create_subscription(LaserScan, 'base_scan', heard, 10)

    def be_again(self):
        """Count a timer from each third scan; cancel it at times."""
        timer = self.every(20)

        def heard(_):
            self.note('scan')
            if self.count % 3 == 0:
                timer.reset()
            if self.count % 7 == 0:
                timer.cancel()
        self.create_subscription(LaserScan, 'base_scan', heard, 10)

    def be_loop(self):
        """Hear what it says itself, and act on that."""
        own = self.create_publisher(Float64, 'thought', 10)

        def heard(_):
            self.note('scan')
            own.publish(Float64(data=float(self.sum)))

        def thought(message):
            self.note('thought', message.data)
            self.act()
        self.create_subscription(Float64, 'thought', thought, 10)
        self.create_subscription(LaserScan, 'base_scan', heard, 10)
        self.every(7)

    def be_once(self):
        """Be spun in a loop of its own."""
        self.hear('s', True)
        self.every(13)

    def be_relay(self):
        """Be the first of a chain; no other node of it hears the scan."""
        relay = self.create_publisher(Float64, 'relayed', 10)

        def heard(_):
            self.note('scan')
            relay.publish(Float64(data=float(self.sum)))
        self.create_subscription(LaserScan, 'base_scan', heard, 10)

    def be_steer(self):
        """Be the last of a chain."""
        def heard(message):
            self.note('relayed', message.data)
            self.act()
        self.create_subscription(Float64, 'relayed', heard, 10)
        self.hear('o', True)
        self.every(11)

    be_both = be_steer


def spin(case, robot):
    if case == 'both':  # two nodes in one executor
        executor = SingleThreadedExecutor()
        for node in (Plain('steer', robot), Plain('relay', robot, 'relay')):
            executor.add_node(node)
        executor.spin()
    node = Plain(case, robot, 'relay' if case == 'relay' else 'plain')
    while case == 'once' and rclpy.ok():
        rclpy.spin_once(node, timeout_sec=0.01)
    rclpy.spin(node)


if __name__ == '__main__':
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        spin(sys.argv[1], int(sys.argv[2]))

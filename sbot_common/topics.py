# SPDX-License-Identifier: Apache-2.0
"""Topic names, message types and quality of service.

Nodes, recorder, replay and tests all read this table. A topic name is written only here, or in the
record of a sensor (``sbot_sim.sensors``).
"""

from __future__ import annotations

from typing import NamedTuple


class Topic(NamedTuple):
    """One topic; ``name`` begins with '/' if it is global, else it is in the robot's namespace."""

    name: str
    type: str
    latched: bool = False  # transient_local, depth 1

    def resolve(self, robot_id: int, num_robots: int) -> str:
        """Return the absolute name of a topic for one robot."""
        if self.name.startswith('/'):
            return self.name
        return f'{namespace(robot_id, num_robots)}/{self.name}'


# Published by the simulator, one for each robot.
BASE_POSE_GROUND_TRUTH = Topic('base_pose_ground_truth', 'nav_msgs/msg/Odometry')
ODOM = Topic('odom', 'nav_msgs/msg/Odometry')
BASE_SCAN = Topic('base_scan', 'sensor_msgs/msg/LaserScan')
SCAN = Topic('scan', 'sensor_msgs/msg/LaserScan')  # by the name of TurtleBot3 and Nav2
JOINT_STATES = Topic('joint_states', 'sensor_msgs/msg/JointState')
CONTACT = Topic('contact', 'std_msgs/msg/Bool')
INFRARED = Topic('infrared', 'sensor_msgs/msg/PointCloud2')
RANGE_AND_BEARING = Topic('range_and_bearing', 'sensor_msgs/msg/PointCloud2')
WIND = Topic('wind', 'geometry_msgs/msg/Vector3Stamped')
ROBOT_DESCRIPTION = Topic('robot_description', 'std_msgs/msg/String', latched=True)
# Published by the controller.
CMD_VEL = Topic('cmd_vel', 'geometry_msgs/msg/Twist')
CMD_VEL_STAMPED = Topic('cmd_vel', 'geometry_msgs/msg/TwistStamped')
COMMAND_TYPES = CMD_VEL.type, CMD_VEL_STAMPED.type
DRIVE = Topic('drive', 'ackermann_msgs/msg/AckermannDriveStamped')  # instead, to cars
JOINT_COMMANDS = Topic('joint_commands', 'sensor_msgs/msg/JointState')  # to two wheels
GOAL = Topic('goal', 'geometry_msgs/msg/PoseStamped', latched=True)
GOAL_REACHED = Topic('goal_reached', 'geometry_msgs/msg/PoseStamped', latched=True)
POTENTIAL_FIELD_FORCES = Topic('potential_field_forces', 'visualization_msgs/msg/MarkerArray')
# Read by the simulator or the controller.
GOAL_POSE = Topic('goal_pose', 'geometry_msgs/msg/PoseStamped')
TELEPORT = Topic('teleport', 'geometry_msgs/msg/PoseStamped')
INITIAL_POSE = Topic('initialpose', 'geometry_msgs/msg/PoseWithCovarianceStamped')
RAB_DATA = Topic('rab_data', 'std_msgs/msg/UInt8MultiArray')
# Global.
CLOCK = Topic('/clock', 'rosgraph_msgs/msg/Clock')
TF = Topic('/tf', 'tf2_msgs/msg/TFMessage')
TF_STATIC = Topic('/tf_static', 'tf2_msgs/msg/TFMessage', latched=True)
POSES = Topic('/poses', 'geometry_msgs/msg/PoseArray')
MAP = Topic('/map', 'nav_msgs/msg/OccupancyGrid', latched=True)
SCENARIO = Topic('/scenario', 'std_msgs/msg/String', latched=True)
OBSTACLES = Topic('/obstacles', 'geometry_msgs/msg/PoseArray')
BOXES = Topic('/boxes', 'geometry_msgs/msg/PoseArray')
MARKERS = Topic('/markers', 'visualization_msgs/msg/MarkerArray')
DIAGNOSTICS = Topic('/diagnostics', 'diagnostic_msgs/msg/DiagnosticArray')
WIND_FIELD = Topic('/wind/field', 'sensor_msgs/msg/PointCloud2', latched=True)
WIND_VELOCITY = Topic('/wind/velocity', 'geometry_msgs/msg/Vector3Stamped')
WIND_FORCE = Topic('/wind/force', 'geometry_msgs/msg/Vector3Stamped')
WIND_GUST = Topic('/wind/gust', 'geometry_msgs/msg/Vector3Stamped')
WIND_MARKERS = Topic('/wind/markers', 'visualization_msgs/msg/MarkerArray', latched=True)

# ROS has one name of these for all nodes: only a remap keeps those of two runs apart.
_OF_THE_DOMAIN = (CLOCK.name, TF.name, TF_STATIC.name, DIAGNOSTICS.name)


def namespace(robot_id: int, num_robots: int) -> str:
    """Return '/robot_<i>' in group mode, '' for a single robot (document 001, section 18)."""
    return f'/robot_{robot_id}' if num_robots > 1 else ''


def run_namespace(node_namespace: str, robot_id: int = 0, num_robots: int = 1) -> str:
    """Return the namespace of a run, '' or e.g. '/arena', from the namespace of a node.

    A controller in a group is in '/arena/robot_<i>', and need not be: '/arena' will do.
    """
    return node_namespace.rstrip('/').removesuffix(namespace(robot_id, num_robots))


def within(run: str, name: str) -> str:
    """Return the name that a topic of this table has for a run in a namespace.

    Time, transforms and diagnostics keep theirs; recordings always have those of this table.
    """
    return name if name in _OF_THE_DOMAIN else run + name


def frame(name: str, robot_id: int, num_robots: int) -> str:
    """Return a robot's frame id: 'robot_<i>/base_link' in a group, 'base_link' when alone."""
    return f'{namespace(robot_id, num_robots)}/{name}'.lstrip('/')


class Outgoing(NamedTuple):
    """One message to publish or record."""

    name: str  # absolute
    topic: Topic
    payload: bytes

"""Build geometry_msgs: vectors, points, poses and twists, the parts of other messages."""

from __future__ import annotations

from typing import Any

from sbot_common.wire.cdr import message


def vector3(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Any:  # noqa: ANN401
    """Return geometry_msgs/Vector3."""
    return message('geometry_msgs/msg/Vector3', x=x, y=y, z=z)


def point(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Any:  # noqa: ANN401
    """Return geometry_msgs/Point (m)."""
    return message('geometry_msgs/msg/Point', x=x, y=y, z=z)


def quaternion(z: float = 0.0, w: float = 1.0) -> Any:  # noqa: ANN401
    """Return the geometry_msgs/Quaternion of a rotation about z."""
    return message('geometry_msgs/msg/Quaternion', x=0.0, y=0.0, z=z, w=w)


def pose(position: Any = None, orientation: Any = None) -> Any:  # noqa: ANN401
    """Return geometry_msgs/Pose; by default the origin, not rotated."""
    return message('geometry_msgs/msg/Pose', position=position or point(),
                   orientation=orientation or quaternion())


def twist(vx: float = 0.0, vy: float = 0.0, omega: float = 0.0) -> Any:  # noqa: ANN401
    """Return geometry_msgs/Twist of linear.x (m/s), angular.z (rad/s) and linear.y (m/s)."""
    return message('geometry_msgs/msg/Twist', linear=vector3(vx, vy), angular=vector3(z=omega))

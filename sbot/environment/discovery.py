"""ROS 2 of this environment: which distribution it is, and discovery on this machine only."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version

THIS_MACHINE = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


def stay_on_this_machine() -> None:
    """Set the environment for the nodes of this process; call it before ``rclpy.init``."""
    for name, value in THIS_MACHINE.items():
        os.environ.setdefault(name, value)


def ros_distribution() -> str:
    """Return the name of the ROS 2 distribution that nodes run on: 'jazzy', ...; '' if unknown."""
    if os.environ.get('ROS_DISTRO'):  # a sourced installation
        return os.environ['ROS_DISTRO']
    for name in ('jazzy', 'kilted', 'lyrical', 'rolling'):
        try:
            version(f'ros-{name}-rclpy')  # a wheel
        except PackageNotFoundError:
            continue
        return name
    return ''

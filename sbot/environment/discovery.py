"""ROS 2 discovery restricted to this machine, unless the user's environment says otherwise."""

from __future__ import annotations

import os

THIS_MACHINE = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


def stay_on_this_machine() -> None:
    """Set the environment for the nodes of this process; call it before ``rclpy.init``."""
    for name, value in THIS_MACHINE.items():
        os.environ.setdefault(name, value)

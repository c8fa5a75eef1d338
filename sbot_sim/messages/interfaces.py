"""Interfaces to Nav2, AMCL and SLAM: what the simulator publishes, and what it leaves to them."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from sbot_common.params import Param


class Interfaces(NamedTuple):
    """Parameters of the node `sbot_sim`; no part of a scenario, as they change no result."""

    publish_map: Annotated[bool, Param(
        '', 'Publish `/map`; `false` if map_server or SLAM does.', at_runtime=False)] = True
    publish_map_odom_tf: Annotated[bool, Param(
        '', 'Publish the transform from `map` to `odom`; `false` if AMCL or SLAM does.',
        at_runtime=False)] = True
    publish_robot_description: Annotated[bool, Param(
        '', 'Publish `robot_description` (URDF) of each robot and its frame `base_footprint`.',
        at_runtime=False)] = False
    odom_covariance_floor: Annotated[float, Param(
        'm^2, rad^2, (m/s)^2, (rad/s)^2', 'Least variance on the diagonals of `odom`; '
        'robot_localization refuses zeros, as in odometry without noise.', minimum=0.0,
        maximum=1e6, at_runtime=False)] = 0.0
    publish_scan: Annotated[bool, Param(
        '', 'Publish scans also on `scan`, the name in TurtleBot3 and Nav2.',
        at_runtime=False)] = False
    publish_contact: Annotated[bool, Param(
        '', 'Publish `contact`: whether each robot touched something in the last tick.',
        at_runtime=False)] = False
    simulation_interfaces: Annotated[bool, Param(
        '', 'Offer the services of the package simulation_interfaces.', at_runtime=False)] = False

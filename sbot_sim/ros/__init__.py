# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 node `sbot_sim`; lockstep and free-running themselves need no ROS."""

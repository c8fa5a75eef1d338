# SPDX-License-Identifier: Apache-2.0
"""A snapshot of the world as ROS 2 message bytes; needs no ROS."""

# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 wire format (CDR): serialization of messages without ROS."""

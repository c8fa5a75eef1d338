# SPDX-License-Identifier: Apache-2.0
"""ROS 2 bring-up: processes, executables, composed nodes, bag player."""

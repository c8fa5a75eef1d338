# SPDX-License-Identifier: Apache-2.0
"""Environment of child processes and nodes: modules, ROS 2, discovery of other machines."""

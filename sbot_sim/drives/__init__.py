# SPDX-License-Identifier: Apache-2.0
"""Drives, one module each: from a command to wheel motion, and from wheel motion to odometry."""

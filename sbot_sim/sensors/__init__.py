# SPDX-License-Identifier: Apache-2.0
"""Sensors: their records, and the simulation of scans, infrared, bearings and odometry."""

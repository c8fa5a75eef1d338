"""Sensors: their records, and the simulation of scans, infrared, bearings and odometry."""

"""Sensors: records of all, and what simulates scans, infrared, range and bearing, odometry."""

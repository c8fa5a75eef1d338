"""Laser scans, infrared, range and bearing, wheel odometry."""

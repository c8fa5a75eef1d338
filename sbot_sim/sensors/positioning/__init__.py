"""Sensors that tell robots where they are: IMU, GNSS, odometry of four wheels."""

"""Odometry of four Mecanum wheels, and the covariance of any number of wheels."""

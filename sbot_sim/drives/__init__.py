"""Drives, one module each: from a command to wheel motion, and from wheel motion to odometry."""

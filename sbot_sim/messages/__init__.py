"""A snapshot of the world as ROS 2 message bytes; needs no ROS."""

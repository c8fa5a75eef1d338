"""Nothing of the ROS package tf2_ros, which no wheel has: for nodes that only import it."""

"""The ROS 2 node `sbot_sim`."""

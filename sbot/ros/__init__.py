"""ROS 2 bring-up: processes, executables, composed nodes, bag player."""

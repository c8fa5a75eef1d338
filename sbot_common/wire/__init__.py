"""The ROS 2 wire format (CDR): message bytes to numbers and back."""

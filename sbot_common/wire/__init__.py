"""The ROS 2 wire format (CDR): serialization of messages without ROS."""

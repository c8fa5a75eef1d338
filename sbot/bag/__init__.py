"""Recordings: rosbag2 directories written, read, compared and exported."""

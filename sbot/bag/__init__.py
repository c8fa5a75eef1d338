# SPDX-License-Identifier: Apache-2.0
"""Recordings: rosbag2 directories written, read, compared and exported."""

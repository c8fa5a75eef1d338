"""Impulse drive: an impulse along the heading carries the robot (document 000 section 5.6)."""

from sbot_sim.drives.record import Drive

DRIVE = Drive('impulse', 'an impulse along the heading, and wheels that turn it', carried=True)

"""Differential drive: two wheels side by side, each with its own motor (document 002)."""

from sbot_sim.drives.record import Drive

DRIVE = Drive('wheels', 'two driven wheels')

"""Drives, a module each: what a robot's wheels make of a command, and what they measure of it."""

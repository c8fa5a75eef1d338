"""Paths of a robot: the obstacles that it remembers, routes, passages and trails."""

"""Distances to obstacles, and how fast a robot may approach them."""

"""Outlines of polygons for tests."""

import math

import numpy as np


def star(rng, corners, centre, radius):
    """Return the corners (P, 2) of a random polygon about a centre (m), mostly not convex."""
    angles = np.sort(rng.uniform(0, 2 * math.pi / corners, corners)
                     + np.arange(corners) * 2 * math.pi / corners)
    lengths = radius * rng.uniform(0.15, 1.0, corners)
    outline = np.add(centre, lengths[:, None] * np.column_stack([np.cos(angles), np.sin(angles)]))
    return outline[::-1] if rng.random() < 0.5 else outline

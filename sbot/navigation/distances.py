"""Distances of points from solid objects in a world."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_sim.collision.overlap import rectangle_distance
from sbot_sim.world.cell_map import inside_occupied
from sbot_sim.world.geometry import World
from sbot_sim.world.polygons import inside_polygon

Floats = NDArray[np.float64]


def outline_distances(world: World, points: Floats) -> Floats:
    """Return how far points (P, 2) are from the nearest wall, side or circle (m); (P,).

    Within a circle the distance is negative; whether a point is inside of anything else,
    ``inside_solids`` tells.
    """
    out = np.full(len(points), np.inf)
    for x0, y0, x1, y1 in world.segments.tolist():
        dx, dy = x1 - x0, y1 - y0
        share = ((points[:, 0] - x0) * dx + (points[:, 1] - y0) * dy) / (dx * dx + dy * dy)
        share = np.minimum(np.maximum(share, 0.0), 1.0)
        across, along = points[:, 0] - x0 - share * dx, points[:, 1] - y0 - share * dy
        out = np.minimum(out, np.sqrt(across * across + along * along))
    for x, y, radius in world.circles.tolist():
        dx, dy = points[:, 0] - x, points[:, 1] - y
        out = np.minimum(out, np.sqrt(dx * dx + dy * dy) - radius)
    return out


def inside_solids(world: World, points: Floats) -> NDArray[np.bool_]:
    """Return which points (P, 2) m are within rectangles, polygons or a map's cells; (P,)."""
    inside = np.zeros(len(points), np.bool_)
    for rectangle in world.rectangles:
        inside |= rectangle_distance(points, np.tile(rectangle, (len(points), 1))) <= 0.0
    for corners in world.polygons:
        inside |= inside_polygon(corners, points)
    if world.cells is not None:
        inside |= inside_occupied(world.cells, points)
    return inside

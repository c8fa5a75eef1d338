"""Bodies and worlds of collision tests, and how deep they overlap by shapely."""

import math

import numpy as np
import shapely
from outlines import star
from shapely import affinity

from sbot_sim.world.bodies import ROBOT
from sbot_sim.world.geometry import make_world, rectangle_corners

ORIGIN = shapely.Point(0.0, 0.0)


def rectangular(length, width, offset=0.0, distance=0.0):
    body = ROBOT._replace(length=length, width=width, offset=offset, collision_distance=distance)
    return body._replace(radius=body.circle_around())


def solid_of(body, pose):
    """Return the shape that a body keeps free: a polygon, or (x, y, radius) of a disc."""
    if not body.is_rectangle:
        return (*pose[:2], body.radius + body.collision_distance)
    d = body.collision_distance
    box = shapely.box(body.offset - body.length / 2 - d, -body.width / 2 - d,
                      body.offset + body.length / 2 + d, body.width / 2 + d)
    box = affinity.rotate(box, pose[2], origin=(0, 0), use_radians=True)
    return affinity.translate(box, *pose[:2])


def depth(a, b):
    """Return how deep two convex shapes overlap (m), by their Minkowski difference."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return a[2] + b[2] - math.dist(a[:2], b[:2])
    if isinstance(a, tuple):
        a, b = b, a
    if isinstance(b, tuple):
        centre = shapely.Point(b[:2])
        if a.contains(centre):
            return b[2] + shapely.boundary(a).distance(centre)
        return b[2] - a.distance(centre)
    one, other = shapely.get_coordinates(a), shapely.get_coordinates(b)
    hull = shapely.MultiPoint((one[:, None] - other[None]).reshape(-1, 2)).convex_hull
    away = hull.exterior.distance(ORIGIN)
    return away if hull.contains(ORIGIN) else -away


def obstacles_of(world):
    """Return the world's convex shapes; a polygon is its sides."""
    return ([shapely.LineString(row.reshape(2, 2)) for row in world.free_segments]
            + [shapely.Polygon(rectangle_corners(row)) for row in world.rectangles]
            + [tuple(row) for row in world.circles.tolist()])


def deepest(world, bodies, pose):
    """Return the deepest overlap of anything by shapely (m)."""
    solids = [solid_of(*each) for each in zip(bodies, pose, strict=True)]
    xmin, ymin, xmax, ymax = world.bounds
    found, fixed = [0.0], obstacles_of(world)
    for i, one in enumerate(solids):
        x0, y0, x1, y1 = one.bounds if not isinstance(one, tuple) else (
            one[0] - one[2], one[1] - one[2], one[0] + one[2], one[1] + one[2])
        found += [xmin - x0, ymin - y0, x1 - xmax, y1 - ymax]
        found += [depth(one, other) for other in (*solids[:i], *fixed)]
        middle = shapely.Point(one[:2]) if isinstance(one, tuple) else one.centroid
        found += [1.0 for outline in world.polygons if shapely.Polygon(outline).contains(middle)]
    return max(found)


def random_world(rng):
    outlines = [star(rng, 6, rng.uniform(1, 5, 2), rng.uniform(0.2, 0.8)) for _ in range(2)]
    return make_world((0, 0, 6, 6), rng.uniform(0.5, 5.5, (3, 4)),
                      np.column_stack([rng.uniform(0, 6, (2, 2)), rng.uniform(0.02, 0.4, 2)]),
                      np.column_stack([rng.uniform(0, 6, (2, 2)), rng.uniform(0.05, 1, (2, 2)),
                                       rng.uniform(-3, 3, 2)]),
                      polygons=[each for each in outlines if shapely.Polygon(each).is_valid])


def random_bodies(rng, count):
    kinds = [ROBOT._replace(radius=0.15), ROBOT._replace(radius=0.05, collision_distance=0.03),
             rectangular(0.5, 0.3), rectangular(0.8, 0.12, 0.3, 0.02),
             rectangular(0.2, 0.6, -0.09)]
    return [kinds[k] for k in rng.integers(0, len(kinds), count)]

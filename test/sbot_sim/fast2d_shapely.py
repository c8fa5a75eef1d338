"""Fast2D scenes as shapely sees them: what the tests compare with."""

import math

from hypothesis import strategies as st
from shapely import LineString, Point, Polygon, affinity

ROUND = 4000  # segments to a quarter of a circle


def shape_of(kind, pose):
    """Return ('disc', x, y, radius) or a polygon of an object at a pose (x, y, angle)."""
    x, y, angle = pose
    if isinstance(kind, float):
        return ('disc', x, y, kind)
    polygon = affinity.rotate(Polygon(kind), angle, origin=(0, 0), use_radians=True)
    return affinity.translate(polygon, x, y)


def depth(a, b):
    """Return how deep two shapes overlap (m): the shortest way out; 0 or less if they do not."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return a[3] + b[3] - math.hypot(a[1] - b[1], a[2] - b[2])
    if isinstance(a, tuple):
        a, b = b, a
    if isinstance(b, tuple):
        centre = Point(b[1], b[2])
        distance = a.exterior.distance(centre)
        return b[3] + distance if a.contains(centre) else b[3] - distance
    # The Minkowski difference of convex polygons: the origin's depth in it.
    difference = [(p[0] - q[0], p[1] - q[1]) for p in a.exterior.coords[:4]
                  for q in b.exterior.coords[:4]]
    hull = Polygon(_hull(difference))
    origin = Point(0.0, 0.0)
    away = hull.exterior.distance(origin)
    return away if hull.contains(origin) else -away


def _hull(points):
    from shapely import MultiPoint
    return MultiPoint(points).convex_hull.exterior.coords


def ray_distance(shapes, x, y, angle, reach):
    """Return the distance from (x, y) along a ray to the nearest shape, ``reach`` if none (m)."""
    ux, uy = math.cos(angle), math.sin(angle)
    best = reach
    for shape in shapes:
        if isinstance(shape, tuple):
            _, cx, cy, radius = shape
            b, c = ux * (x - cx) + uy * (y - cy), (x - cx)**2 + (y - cy)**2 - radius**2
            if c <= 0.0:
                return 0.0
            if b < 0.0 and b * b >= c:
                best = min(best, -b - math.sqrt(b * b - c))
            continue
        if shape.covers(Point(x, y)):
            return 0.0
        ray = LineString([(x, y), (x + ux * reach, y + uy * reach)])
        best = min(best, shape.intersection(ray).distance(Point(x, y))
                   if shape.intersects(ray) else reach)
    return best


sizes = st.floats(0.05, 1.5)
places = st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-4.0, 4.0))


@st.composite
def kinds(draw):
    """Return a radius, or four corners: of a box anywhere in its object's frame, turned."""
    if draw(st.booleans()):
        return draw(sizes)
    u, v, turn = draw(sizes) / 2, draw(sizes) / 2, draw(st.sampled_from([0.0, 0.7, 2.0, -3.0]))
    x, y = draw(st.sampled_from([(0.0, 0.0), (0.3, -0.2)]))
    c, s = math.cos(turn), math.sin(turn)
    return [(x + c * a - s * b, y + s * a + c * b)
            for a, b in ((-u, -v), (u, -v), (u, v), (-u, v))]


def put(engine, kind, pose, robot):
    ref = engine.create_robot() if robot else engine.create_solid()
    if isinstance(kind, float):
        engine.object_set_bounding_radius(ref, kind)
    else:
        engine.object_set_bounding_rectangle(ref, *zip(*kind, strict=True))
    engine.object_set_position(ref, *pose[:2])
    engine.object_set_angle(ref, pose[2])
    return ref

"""Fast2D scenes as shapely sees them: what the tests compare with."""

import math

from hypothesis import strategies as st
from shapely import LineString, Point, Polygon, affinity


def shape_of(kind, pose):
    """Return (x, y, radius) of a disc or a polygon of an object at a pose (x, y, angle)."""
    x, y, angle = pose
    if isinstance(kind, float):
        return (x, y, kind)
    polygon = affinity.rotate(Polygon(kind), angle, origin=(0, 0), use_radians=True)
    return affinity.translate(polygon, x, y)


def ray_distance(shapes, x, y, angle, reach):
    """Return the distance from (x, y) along a ray to the nearest shape, ``reach`` if none (m)."""
    ux, uy = math.cos(angle), math.sin(angle)
    best = reach
    for shape in shapes:
        if isinstance(shape, tuple):
            cx, cy, radius = shape
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

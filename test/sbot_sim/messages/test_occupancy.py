import math

import numpy as np
import pytest
import shapely
import shapely.affinity
from hypothesis import given, settings
from hypothesis import strategies as st
from outlines import star

from sbot_common.wire import cdr
from sbot_sim.messages.occupancy import _MAX_CELLS, OCCUPIED, _occupancy, map_message
from sbot_sim.world.geometry import FREE, CellMap, make_world, rectangle_corners

SIZE = 0.25
# Nothing is nearer to a border than this without meaning to be: no disagreement by rounding.
coordinate = st.integers(-30, 30).map(lambda k: k * 0.1031)


def touched(shape, bounds):
    """Return which closed cells a shapely geometry touches."""
    columns, rows = math.ceil((bounds[2] - bounds[0]) / SIZE), math.ceil(
        (bounds[3] - bounds[1]) / SIZE)
    x = bounds[0] + SIZE * np.arange(columns)
    y = bounds[1] + SIZE * np.arange(rows)
    boxes = shapely.box(x[None, :], y[:, None], x[None, :] + SIZE, y[:, None] + SIZE)
    return shapely.intersects(boxes, shape)


@settings(max_examples=60)
@given(st.lists(st.tuples(coordinate, coordinate, coordinate, coordinate).filter(
    lambda row: row[:2] != row[2:]), max_size=3),
    st.lists(st.tuples(coordinate, coordinate, st.floats(0.05, 1.0)), max_size=2),
    st.lists(st.tuples(coordinate, coordinate, st.floats(0.05, 1.0), st.floats(0.05, 1.0),
                       st.floats(-4, 4)), max_size=2),
    st.none() | st.integers(0, 10**6))
def test_cells_are_those_that_geometry_touches(segments, circles, rectangles, seed):
    bounds = (-2.01, -1.52, 1.73, 2.11)
    polygons = [] if seed is None else [star(np.random.default_rng(seed), 9, (0.1, 0.2), 1.6)]
    grid = _occupancy(make_world(bounds, segments, circles, rectangles, polygons=polygons), SIZE)
    x0, y0, x1, y1 = bounds
    shapes = [shapely.LinearRing([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])]
    shapes += [shapely.LineString([row[:2], row[2:]]) for row in segments]
    shapes += [shapely.Point(x, y).buffer(r, 256) for x, y, r in circles]
    shapes += [shapely.Polygon(rectangle_corners(row)) for row in rectangles]
    shapes += map(shapely.Polygon, polygons)
    whole = shapely.union_all(shapes)
    found = grid.values == OCCUPIED
    # To a hair: shapely's discs are polygons, and rounding decides what just touches.
    assert not (touched(whole.buffer(-1e-9) if whole.area else whole, bounds) & ~found).any()
    assert not (found & ~touched(whole.buffer(1e-4), bounds)).any()


@pytest.mark.parametrize('yaw', [0.4, -2.0, 3.0])
def test_in_a_turned_map_cells_are_those_that_geometry_touches(yaw):
    origin, bounds = (1.0, -0.5, yaw), (0.0, 0.0, 5.0, 4.0)
    cells = CellMap.of(np.full((16, 20), FREE, np.int8), SIZE, origin)
    c, s = math.cos(yaw), math.sin(yaw)

    def in_map(x, y):
        return origin[0] + c * x - s * y, origin[1] + s * x + c * y
    rectangle = (*in_map(1.8, 2.0), 2.0, 0.3, 0.7)
    circle = (*in_map(3.6, 1.2), 0.35)
    segment = (*in_map(0.5, 0.4), *in_map(3.1, 0.9))
    world = make_world((-20, -20, 20, 20), [segment], [circle], [rectangle], cells=cells)
    whole = shapely.union_all([
        shapely.Polygon(rectangle_corners(rectangle)), shapely.Point(circle[:2]).buffer(0.35, 256),
        shapely.LineString([segment[:2], segment[2:]])])
    # Into the frame of the map: x' = c (x - x0) + s (y - y0), y' = c (y - y0) - s (x - x0).
    whole = shapely.affinity.affine_transform(
        shapely.affinity.translate(whole, -origin[0], -origin[1]), [c, s, -s, c, 0.0, 0.0])
    found = _occupancy(world).values == OCCUPIED
    assert not (touched(whole.buffer(-1e-9), bounds) & ~found).any()
    assert not (found & ~touched(whole.buffer(1e-4), bounds)).any()


def test_message_carries_the_cells():
    world = make_world([1, 2, 4, 6], circles=[(2, 3, 0.5)])
    message = cdr.decode(map_message(7, world, 0.5), 'nav_msgs/msg/OccupancyGrid')
    assert message.header.frame_id == 'map'
    assert cdr.stamp_ns(message.header.stamp) == 7
    assert (message.info.width, message.info.height) == (6, 8)
    assert (message.info.origin.position.x, message.info.origin.position.y) == (1.0, 2.0)
    assert message.info.origin.orientation.w == 1.0
    assert (message.data.reshape(8, 6) == _occupancy(world, 0.5).values).all()


def test_a_huge_world_gets_larger_cells():
    info = cdr.decode(map_message(0, make_world([0, 0, 1e4, 1e4])),
                      'nav_msgs/msg/OccupancyGrid').info
    assert info.width * info.height <= _MAX_CELLS
    assert info.resolution * info.width == pytest.approx(1e4, rel=1e-3)

import math

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from outlines import star

from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.overlap import POLYGON, Overlaps, overlaps, placement_error
from sbot_sim.collision.separation import separate
from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.world.bodies import ROBOT, S_BOT, BodyArrays
from sbot_sim.world.geometry import (
    FREE,
    OCCUPIED,
    UNKNOWN,
    CellMap,
    _counter_clockwise,
    _to_world,
    inside_polygon,
    make_world,
    outline_error,
    rectangle_corners,
    to_cells,
)
from sbot_sim.world.scene import Scene

maps = arrays(np.int8, st.tuples(st.integers(1, 7), st.integers(1, 7)),
              elements=st.sampled_from([UNKNOWN, FREE, OCCUPIED]))
origins = st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-4, 4))


def occupied_area(values):
    """Return the occupied cells as one shapely geometry, in cells."""
    return shapely.union_all([shapely.box(x, y, x + 1, y + 1)
                              for y, x in np.argwhere(values == OCCUPIED)])


@settings(max_examples=100)
@given(maps)
def test_outlines_are_the_border_of_the_occupied_area(values):
    cells = CellMap.of(values, 1.0, (0.0, 0.0, 0.0))
    if not (values == OCCUPIED).any():
        assert len(cells.outlines) == 0
        return
    border = occupied_area(values).boundary
    found = shapely.union_all([shapely.LineString(row.reshape(2, 2)) for row in cells.outlines])
    assert found.symmetric_difference(border).length == pytest.approx(0.0, abs=1e-9)
    lengths = np.abs(cells.outlines[:, 2:] - cells.outlines[:, :2]).sum()
    assert lengths == pytest.approx(border.length)  # none twice


@settings(max_examples=60)
@given(maps, origins, st.floats(0.01, 2.0))
def test_points_are_inside_where_the_area_is(values, origin, resolution):
    cells = CellMap.of(values, resolution, origin)
    points = np.random.default_rng(0).uniform(-1, 8, (200, 2))
    world = _to_world(points, resolution, origin)
    assert to_cells(world, resolution, origin) == pytest.approx(points, abs=1e-9)
    expected = shapely.contains_xy(occupied_area(values), points)
    assert (cells.occupies(world) == expected).all()
    xmin, ymin, xmax, ymax = cells.bounds()
    within = ((points >= 0) & (points <= values.shape[::-1])).all(axis=1)
    assert (world[within] >= [xmin - 1e-9, ymin - 1e-9]).all()
    assert (world[within] <= [xmax + 1e-9, ymax + 1e-9]).all()


@pytest.mark.parametrize(('x', 'y', 'free'), [
    (2.5, 2.5, False),  # in the middle of a block, far from its outline
    (1.05, 2.5, False),  # inside it, at its outline
    (0.95, 2.5, False),  # outside, too near
    (0.5, 2.5, True),
])
def test_nobody_stands_in_an_occupied_cell(x, y, free):
    values = np.full((50, 50), FREE, np.int8)
    values[10:40, 10:40] = OCCUPIED
    world = make_world((0, 0, 5, 5), cells=CellMap.of(values, 0.1, (0.0, 0.0, 0.0)))
    pose = np.array([[x, y, 0.0]])
    bodies = BodyArrays.of([S_BOT])
    assert (overlaps(world, bodies, pose) == 0) == free
    problem = placement_error(world, bodies, pose)
    assert problem is None if free else 'an occupied cell of the map' in problem


L_SHAPE = [(1, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3)]


# Outlines.

@settings(max_examples=400)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=7))
def test_simple_outlines_are_those_that_shapely_takes_for_simple(corners):
    # On a lattice sides often touch, run along each other or have no length.
    assume(all(a != b for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)))
    good = shapely.Polygon(corners).is_valid and shapely.Polygon(corners).area > 0.0
    assert (outline_error(np.array(corners, float)) is None) == good


@pytest.mark.parametrize(('corners', 'words'), [
    ([(0, 0), (1, 1)], '2 corners'),
    ([(0, 0), (1, 0), (1, 0), (0, 1)], 'side 1 has no length'),
    ([(0, 0), (1, 0), (0, 1), (0, 0)], 'side 3 has no length'),
    ([(0, 0), (1, 1), (1, 0), (0, 1)], 'sides 0 and 2 meet'),
    ([(0, 0), (2, 0), (1, 0), (1, 3)], 'sides 0 and 1 meet')])
def test_what_is_wrong_with_an_outline_is_named(corners, words):
    assert outline_error(np.array(corners, float)) == words


@settings(max_examples=100)
@given(st.integers(0, 10**6), st.integers(3, 12))
def test_the_inside_is_shapelys(seed, corners):
    rng = np.random.default_rng(seed)
    outline = star(rng, corners, (1.0, -2.0), 2.0)
    assume(shapely.Polygon(outline).is_valid)
    points = rng.uniform(-4, 3, (200, 2))
    np.testing.assert_array_equal(inside_polygon(outline, points),
                                  shapely.contains_xy(shapely.Polygon(outline), points))
    turned = _counter_clockwise(outline)
    assert shapely.LinearRing(turned).is_ccw
    assert shapely.Polygon(turned).equals(shapely.Polygon(outline))


def test_sides_stand_between_given_segments_and_those_of_rectangles():
    world = make_world((0, 0, 9, 9), [(5, 5, 6, 6)], [], [(7, 2, 1, 1, 0)],
                       polygons=[L_SHAPE[::-1], [(5, 1), (6, 1), (5, 2)]])
    np.testing.assert_array_equal(world.given_segments, [[5, 5, 6, 6]])
    assert len(world.free_segments) == 1 + 6 + 3
    sides = world.free_segments[1:7]
    np.testing.assert_array_equal(sides[:, 2:], np.roll(sides[:, :2], -1, axis=0))
    assert shapely.LinearRing(sides[:, :2]).is_ccw


# Collisions.

def random_polygons(rng, count):
    return [star(rng, int(rng.integers(3, 9)), rng.uniform(1, 5, 2), rng.uniform(0.3, 1.2))
            for _ in range(count)]


@settings(max_examples=50)
@given(st.integers(0, 10**6))
def test_the_judge_finds_who_shapely_finds(seed):
    rng = np.random.default_rng(seed)
    outlines = [each for each in random_polygons(rng, 3) if shapely.Polygon(each).is_valid]
    world = make_world((0, 0, 6, 6), polygons=outlines)
    bodies = BodyArrays.of([S_BOT] * 30)
    pose = np.column_stack([rng.uniform(0.1, 5.9, (30, 2)), np.zeros(30)])
    found = Overlaps.find(world, bodies, pose)
    deep = {(int(i), int(k)): depth for i, kind, k, depth in zip(*found, strict=True)
            if kind == POLYGON}
    for i, (x, y, _) in enumerate(pose):
        for k, outline in enumerate(outlines):
            solid, point = shapely.Polygon(outline), shapely.Point(x, y)
            side = -1.0 if solid.contains(point) else 1.0
            depth = S_BOT.safety_radius - side * solid.exterior.distance(point)
            assert deep.get((i, k), 0.0) == pytest.approx(max(0.0, depth), abs=1e-9)


def test_a_robot_slides_into_a_notch_and_stays_out_of_the_solid():
    world = make_world((0, 0, 9, 9), polygons=[L_SHAPE])
    bodies, pose = BodyArrays.of([ROBOT]), np.array([[4.0, 4.0, 0.0]])
    fixed = FixedObjects.of(world, bodies.safety_radius)
    for _ in range(60):
        pose = separate(fixed, bodies.shape, pose, pose - [0.05, 0.05, 0]).pose
    np.testing.assert_allclose(pose[0, :2], [2.3, 2.3], atol=1e-9)


# Sensors.


def test_it_blocks_lines_of_sight():
    scene = Scene.of_walls(make_world((0, 0, 9, 9), polygons=[L_SHAPE]))
    for ends, count in (([(0.5, 1.5), (4.0, 1.5)], 0), ([(2.5, 4.0), (4.0, 2.5)], 2)):
        assert neighbours(np.column_stack([ends, [0.0, 0.0]]), 8.0, scene)[0][-1] == count


BOUNDS = (-5.0, -4.0, 5.0, 4.0)


def test_segments_are_walls_then_free_segments_then_sides():
    world = make_world(BOUNDS, [(0, 0, 1, 1)], [(2, 2, 0.5)], [(-2, -2, 2, 1, 0.3)])
    assert world.segments.shape == (9, 4)
    np.testing.assert_array_equal(world.segments[0], [-5, -4, 5, -4])
    np.testing.assert_array_equal(world.free_segments, [[0, 0, 1, 1]])
    corners = rectangle_corners(world.rectangles[0])
    np.testing.assert_array_equal(world.segments[5:, :2], corners)
    np.testing.assert_array_equal(world.segments[5:, 2:], np.roll(corners, -1, axis=0))


def test_corners_are_counter_clockwise_and_rotated():
    corners = rectangle_corners([1.0, 2.0, 4.0, 2.0, math.pi / 2])
    np.testing.assert_allclose(corners, [[2, 0], [2, 4], [0, 4], [0, 0]], atol=1e-15)
    x, y = corners.T
    assert 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) == pytest.approx(8.0)

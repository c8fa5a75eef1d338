import math

import numpy as np
import pytest
from shapely import Point, Polygon, box
from shapely.geometry import LineString

from sbot.navigation.shortest import _inside_solids, make_raster, outline_distances, shortest_way
from sbot_sim.world.geometry import make_world

CORNERS = [[6.0, 6.0], [9.0, 6.5], [7.0, 9.0]]
WORLD = make_world((0.0, 0.0, 10.0, 10.0), segments=[[1, 1, 4, 1]], circles=[[5, 3, 0.7]],
                   rectangles=[[2, 6, 2, 1, 0.0]], polygons=[CORNERS])
SOLIDS = [box(1, 5.5, 3, 6.5), Polygon(CORNERS)]
POINTS = np.random.default_rng(8).uniform(0.0, 10.0, (400, 2))


def test_distances_are_those_of_shapely():
    lines = [box(0, 0, 10, 10).exterior, LineString([(1, 1), (4, 1)]),
             *(solid.exterior for solid in SOLIDS)]
    expected = [min(*(line.distance(Point(p)) for line in lines),
                    Point(5, 3).distance(Point(p)) - 0.7) for p in POINTS]
    assert outline_distances(WORLD, POINTS) == pytest.approx(expected, abs=1e-12)
    assert min(expected) < 0.0  # within the circle


def test_inside_is_that_of_shapely():
    expected = [any(solid.covers(Point(p)) for solid in SOLIDS) for p in POINTS]
    assert _inside_solids(WORLD, POINTS).tolist() == expected
    assert 5 < sum(expected) < 200


BOUNDS = (0, 0, 10, 10)


def test_nothing_in_the_way_is_the_straight_line():
    raster = make_raster(make_world(BOUNDS), 0.3)
    for angle in np.linspace(0.0, 6.0, 13):
        goal = 5 + 4 * math.cos(angle), 5 + 4 * math.sin(angle)
        assert shortest_way(raster, (5.0, 5.0), goal) == pytest.approx(4.0, rel=1e-9)
    assert shortest_way(raster, (5.0, 5.0), (5.0, 5.0)) == 0.0


def test_round_a_disc_it_is_two_tangents_and_an_arc():
    # A pillar of 1.2 m and a robot of 0.3 m: a circle of 1.5 m in the middle of 8 m.
    tangent, arc = math.sqrt(16 - 2.25), math.pi - 2 * math.acos(1.5 / 4)
    raster = make_raster(make_world(BOUNDS, circles=[(5, 5, 1.2)]), 0.3)
    found = shortest_way(raster, (1.0, 5.0), (9.0, 5.0))
    assert 2 * tangent + 1.5 * arc - 1e-9 <= found <= 1.03 * (2 * tangent + 1.5 * arc)


def test_none_where_the_disc_does_not_fit():
    wall = [(5, 2.3, 0.2, 4.6, 0), (5, 7.7, 0.2, 4.6, 0)]  # a gap of 0.8 m
    world = make_world(BOUNDS, rectangles=wall)
    assert shortest_way(make_raster(world, 0.3), (1, 5), (9, 5)) == pytest.approx(8.0)
    assert shortest_way(make_raster(world, 0.45), (1, 5), (9, 5)) is None


def test_distances_from_every_kind_of_obstacle():
    world = make_world(BOUNDS, segments=[(2, 2, 2, 4)], circles=[(5, 5, 1)],
                       rectangles=[(8, 2, 2, 1, 0)], polygons=[[(1, 7), (3, 7), (3, 9)]])
    points = np.array([[0.5, 5.0], [2.5, 3.0], [5.0, 7.0], [8.0, 3.0], [3.4, 8.0], [8.0, 2.1]])
    np.testing.assert_allclose(outline_distances(world, points), [0.5, 0.5, 1.0, 0.5, 0.4, 0.4],
                               atol=1e-12)
    assert _inside_solids(world, points).tolist() == [False] * 5 + [True]

import numpy as np
import pytest
from shapely import Point, Polygon, box
from shapely.geometry import LineString

from sbot.navigation.distances import inside_solids, outline_distances
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
    assert inside_solids(WORLD, POINTS).tolist() == expected
    assert 5 < sum(expected) < 200

import numpy as np
import pytest
from shapely import Point, Polygon, box
from shapely.geometry import LineString

from sbot.navigation.shortest import (
    inside_solids,
    make_raster,
    outline_distances,
    search,
)
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


BOUNDS = (0, 0, 10, 10)


def test_a_disc_gets_from_cell_to_cell_where_it_fits():
    wall = [(5, 2.3, 0.2, 4.6, 0), (5, 7.7, 0.2, 4.6, 0)]  # a gap of 0.8 m
    world = make_world(BOUNDS, rectangles=wall)
    assert make_raster(world, 0.3).is_connected((1, 5), (9, 5))
    assert not make_raster(world, 0.45).is_connected((1, 5), (9, 5))
    assert make_raster(world, 0.45).is_connected((9, 5), (9, 5))


def test_the_cheapest_way_avoids_dear_cells():
    prices = np.ones((5, 9))
    prices[:4, 4] = 50.0
    prices[:, 6] = np.inf, np.inf, 1.0, np.inf, np.inf
    towards, at, way = search(prices, 26, 18), 18, [18]
    while at != 26:
        at = int(towards[at])
        way.append(at)
    assert (4, 4) in {divmod(cell, 9) for cell in way}  # round the dear column
    assert (2, 6) in {divmod(cell, 9) for cell in way}
    assert search(np.where(prices > 9, np.inf, prices)[:4], 26, 18)[18] == -1

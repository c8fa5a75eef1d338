"""The shortest way of a disc: closed forms, and a slow visibility graph of shapely's outlines."""

import heapq
import itertools
import math

import numpy as np
import pytest
import shapely

from sbot.navigation.tangents import outline_distances, shortest_length
from sbot_sim.world.geometry import CellMap, make_world

BOUNDS = (0, 0, 10, 10)


def round_a_corner(apart, ahead, radius=0.3):
    """Return tangent and arc (m) from a place to beside a corner, from straight below it."""
    far = math.hypot(apart, ahead)
    turn = math.pi - math.acos(radius / far) - math.atan2(ahead, apart)
    return math.sqrt(far * far - radius * radius), radius * turn


def test_nothing_in_the_way_is_the_straight_line():
    for angle in np.linspace(0.0, 6.0, 13):
        goal = 5 + 4 * math.cos(angle), 5 + 4 * math.sin(angle)
        assert shortest_length(make_world(BOUNDS), 0.3, (5.0, 5.0), goal) == pytest.approx(
            4.0, abs=1e-9)
    assert shortest_length(make_world(BOUNDS), 0.3, (5.0, 5.0), (5.0, 5.5), 0.5) == 0.0


def test_round_a_disc_it_is_two_tangents_and_an_arc():
    world = make_world(BOUNDS, circles=[(5, 5, 1.2)])
    tangent, arc = math.sqrt(16 - 2.25), 1.5 * (math.pi - 2 * math.acos(1.5 / 4))
    found = shortest_length(world, 0.3, (1.0, 5.0), (9.0, 5.0))
    assert found == pytest.approx(2 * tangent + arc, abs=1e-9)
    # The tangent points at the goal: a tolerance saves all of itself.
    near = shortest_length(world, 0.3, (1.0, 5.0), (9.0, 5.0), 0.7)
    assert near == pytest.approx(found - 0.7, abs=1e-9)


def test_round_the_end_of_a_wall_and_round_a_block():
    tangent, arc = round_a_corner(1.0, 4.0)
    # Half of the turn about the end: the other half is as long.
    end = shortest_length(make_world(BOUNDS, segments=[(5, 0, 5, 6)]), 0.3, (1, 5), (9, 5))
    assert end == pytest.approx(2 * (tangent + arc), abs=1e-9)
    tangent, arc = round_a_corner(1.0, 3.0)
    found = shortest_length(make_world(BOUNDS, rectangles=[(5, 3, 2, 6, 0)]), 0.3, (1, 5), (9, 5))
    assert found == pytest.approx(2 * (tangent + arc) + 2.0, abs=1e-9)


def test_a_goal_beside_a_pillar_is_reached_on_the_arc():
    # The goal is 0.2 m behind the pillar, where the body does not fit; 0.4 m away it does.
    world = make_world(BOUNDS, circles=[(5, 5, 1.2)])
    found = shortest_length(world, 0.3, (1.0, 5.0), (6.4, 5.0), 0.4)
    half = math.acos((1.4**2 + 1.5**2 - 0.4**2) / (2 * 1.4 * 1.5))
    arc = 1.5 * (math.pi - math.acos(1.5 / 4) - half)
    assert found == pytest.approx(math.sqrt(16 - 2.25) + arc, abs=1e-9)
    assert shortest_length(world, 0.3, (1.0, 5.0), (6.4, 5.0), 0.05) == math.inf


def test_none_where_the_disc_does_not_fit_or_the_goal_is_shut_in():
    wall = [(5, 2.3, 0.2, 4.6, 0), (5, 7.7, 0.2, 4.6, 0)]  # a gap of 0.8 m
    world = make_world(BOUNDS, rectangles=wall)
    assert shortest_length(world, 0.4, (1, 5), (9, 5)) == pytest.approx(8.0)
    assert shortest_length(world, 0.401, (1, 5), (9, 5)) == math.inf
    room = make_world(BOUNDS, segments=[(7, 3, 9, 3), (9, 3, 9, 7), (9, 7, 7, 7), (7, 7, 7, 3)])
    assert shortest_length(room, 0.1, (1, 5), (8, 5)) == math.inf


def test_a_body_that_stands_in_contact_gets_away():
    world = make_world(BOUNDS, segments=[(5, 2, 5, 8)])
    assert shortest_length(world, 0.3, (4.9, 5.0), (1.0, 5.0)) == pytest.approx(3.9)


def visibility(grown, start, goal):
    """Return the shortest way (m) outside a polygon with holes or several, among its corners."""
    free = shapely.box(0, 0, 10, 10).buffer(-0.3).difference(grown)
    rings = [ring for part in shapely.get_parts(free) for ring in (part.exterior, *part.interiors)]
    points = np.vstack([start, goal, *(np.asarray(ring.coords)[:-1] for ring in rings)])
    pairs = list(itertools.combinations(range(len(points)), 2))
    lines = shapely.linestrings(points[np.array(pairs)])
    wide = free.buffer(1e-7)
    shapely.prepare(wide)
    ways = [[] for _ in points]
    for (a, b), seen in zip(pairs, shapely.covers(wide, lines), strict=True):
        if seen:
            length = math.dist(points[a], points[b])
            ways[a].append((b, length))
            ways[b].append((a, length))
    best, heap = {}, [(0.0, 0)]
    while heap:
        length, at = heapq.heappop(heap)
        if at in best:
            continue
        best[at] = length
        for other, more in ways[at]:
            heapq.heappush(heap, (length + more, other))
    return best.get(1)


@pytest.mark.parametrize('seed', range(6))
def test_it_is_that_of_a_slow_visibility_graph(seed):
    rng = np.random.default_rng(seed)
    circles = [(*rng.uniform(2, 8, 2), rng.uniform(0.2, 1.0)) for _ in range(3)]
    walls = [(*at, *(at + rng.uniform(-3, 3, 2))) for at in rng.uniform(2, 8, (3, 2))]
    blocks = [(*rng.uniform(2, 8, 2), *rng.uniform(0.5, 2, 2), 0.0) for _ in range(2)]
    solids = [*(shapely.Point(x, y).buffer(radius, 64) for x, y, radius in circles),
              *(shapely.LineString([wall[:2], wall[2:]]) for wall in walls),
              *(shapely.box(x - w / 2, y - h / 2, x + w / 2, y + h / 2)
                for x, y, w, h, _ in blocks)]
    grown = shapely.union_all([shapely.Point(x, y).buffer(radius + 0.3, 12)
                               for x, y, radius in circles]
                              + [solid.buffer(0.3, 12) for solid in solids[3:]])
    places = [at for at in rng.uniform(0.5, 9.5, (80, 2)) if not grown.covers(shapely.Point(at))]
    world = make_world(BOUNDS, circles=circles, segments=walls, rectangles=blocks)
    start, goal = max(itertools.pairwise(places), key=lambda pair: math.dist(*pair))
    found = shortest_length(world, 0.3, tuple(start), tuple(goal))
    expected = visibility(grown, start, goal)
    if expected is None:
        assert found == math.inf
    else:  # arcs of chords of 7.5 degrees are a thousandth too short
        assert expected - 1e-6 <= found <= 1.001 * expected


def test_a_map_of_cells_is_its_outlines():
    values = np.zeros((10, 10), np.int8)
    values[2:8, 5] = 100
    cells = CellMap.of(values, 1.0, (0.0, 0.0, 0.0))
    block = make_world(BOUNDS, rectangles=[(5.5, 5, 1, 6, 0)])
    for goal in ((8.0, 5.0), (7.0, 2.5)):
        assert shortest_length(make_world(BOUNDS, cells=cells), 0.3, (3, 5), goal) == (
            pytest.approx(shortest_length(block, 0.3, (3, 5), goal), abs=1e-9))


def test_a_world_of_too_many_corners_has_no_number(monkeypatch):
    monkeypatch.setattr('sbot.navigation.tangents._MOST', 3)
    assert shortest_length(make_world(BOUNDS), 0.3, (1, 5), (9, 5)) is None


def test_distances_are_those_of_shapely():
    corners = [[6.0, 6.0], [9.0, 6.5], [7.0, 9.0]]
    world = make_world(BOUNDS, segments=[[1, 1, 4, 1]], circles=[[5, 3, 0.7]],
                       rectangles=[[2, 6, 2, 1, 0.0]], polygons=[corners])
    points = np.random.default_rng(8).uniform(0.0, 10.0, (400, 2))
    lines = [shapely.box(*BOUNDS).exterior, shapely.LineString([(1, 1), (4, 1)]),
             shapely.box(1, 5.5, 3, 6.5).exterior, shapely.Polygon(corners).exterior]
    expected = [min(*(line.distance(shapely.Point(p)) for line in lines),
                    shapely.Point(5, 3).distance(shapely.Point(p)) - 0.7) for p in points]
    assert outline_distances(world, points) == pytest.approx(expected, abs=1e-12)
    assert min(expected) < 0.0  # within the circle

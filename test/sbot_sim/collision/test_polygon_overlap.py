"""The judge of robots and polygons, judged by shapely; and its price."""

import time

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot_sim.collision.overlap import POLYGON, find_overlaps
from sbot_sim.collision.polygon_overlap import depths_of_discs_in_polygons, joined
from sbot_sim.collision.rectangle_overlap import corners_at, corners_of
from sbot_sim.world.bodies import ROBOT, S_BOT, circle_around
from sbot_sim.world.body_arrays import body_arrays
from sbot_sim.world.geometry import make_world, rectangle_corners

BOX = ROBOT._replace(length=0.5, width=0.3)
BOX = BOX._replace(radius=circle_around(BOX))


def star(rng, corners, centre, size):
    """A simple polygon around a centre, mostly not convex."""
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False) + rng.uniform(0, 1)
    reach = rng.uniform(0.3, 1, corners) * size
    return np.column_stack([centre[0] + reach * np.cos(angle), centre[1] + reach * np.sin(angle)])


def stars(rng, count):
    return [star(rng, int(rng.integers(3, 9)), rng.uniform(0, 6, 2), rng.uniform(0.3, 2))
            for _ in range(count)]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6))
def test_rectangles_overlap_the_polygons_that_shapely_finds(seed):
    rng = np.random.default_rng(seed)
    outlines, pose = stars(rng, 3), rng.uniform(-0.5, 6.5, (12, 3))
    bodies = body_arrays([BOX] * len(pose))
    found = find_overlaps(make_world((0, 0, 6, 6), polygons=outlines), bodies, pose)
    named = {(int(i), int(k)) for i, kind, k, _ in zip(*found, strict=True) if kind == POLYGON}
    corners = corners_at(pose, bodies.shape.offset[:, 0], bodies.shape.size[:, :2])
    for i, row in enumerate(corners):
        for k, outline in enumerate(outlines):
            shared = shapely.Polygon(row).intersection(shapely.Polygon(outline))
            if shared.area > 1e-6:
                assert (i, k) in named
            elif shapely.Polygon(row).distance(shapely.Polygon(outline)) > 0.0:
                assert (i, k) not in named


def test_a_rectangle_within_a_polygon_is_as_deep_as_its_inner_circle_is_wide():
    bodies = body_arrays([BOX])
    found = find_overlaps(
        make_world((0, 0, 6, 6), polygons=[[(1, 1), (5, 1), (5, 5), (1, 5)]]),
        bodies, np.array([[3.0, 3.0, 0.3]]))
    assert found.kind.tolist() == [POLYGON]
    assert found.depth.tolist() == bodies.shape.inner_radius.tolist()


def test_more_overlaps_than_there_was_room_for():
    square = np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)])
    xy = np.random.default_rng(1).uniform(0.5, 3.5, (100, 2))
    disc, polygon, depth = depths_of_discs_in_polygons(xy, np.full(100, 0.1),
                                                       *joined([square + 9, square]), 1e-9)
    assert disc.tolist() == list(range(100))
    assert (polygon == 1).all()
    room = np.minimum(xy, 4 - xy).min(axis=1)
    np.testing.assert_allclose(depth, 0.1 + room, rtol=0, atol=1e-12)


def test_corners_of_rectangles_are_those_of_the_world():
    rows = np.random.default_rng(2).uniform(0.1, 3, (50, 5))
    np.testing.assert_array_equal(corners_of(rows), [rectangle_corners(row) for row in rows])


@pytest.mark.parametrize('body', [S_BOT, BOX], ids=['round', 'rectangular'])
def test_41_polygons_cost_little_more_than_none(body):
    """In Python they cost 30 to 170 times as much. Beside each other, for busy machines."""
    rng = np.random.default_rng(3)
    polygons = [star(rng, 6, (3 + 4 * (k % 7), 3 + 4 * (k // 7)), 1.0) for k in range(41)]
    worlds = [make_world((0, 0, 32, 28), polygons=each) for each in ([], polygons)]
    bodies, pose = body_arrays([body]), np.array([[1.0, 1.0, 0.0]])

    def spent(world):
        start = time.process_time()
        for _ in range(300):
            find_overlaps(world, bodies, pose)
        return time.process_time() - start

    for world in worlds:  # compiled, or loaded
        find_overlaps(world, bodies, pose)
    ratios = [spent(worlds[1]) / spent(worlds[0]) for _ in range(5)]
    assert min(ratios) < 6.0, ratios

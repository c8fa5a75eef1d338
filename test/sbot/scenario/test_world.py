"""World of a scenario as arrays: order of rows, moving obstacles, boxes, names in messages."""

from dataclasses import replace

import numpy as np
import pytest

import sbot
from sbot_common.errors import InputError
from sbot_sim.collision.overlap import BOUND, CIRCLE, POLYGON, RECTANGLE, SEGMENT

WORLD = {
    'bounds': [0, 0, 20, 20], 'segments': [[1, 1, 2, 1]],
    'circles': [{'center': [3, 3], 'radius': 0.5}, {'center': [5, 3], 'radius': 0.25}],
    'rectangles': [{'center': [8, 3], 'size': [1, 2], 'yaw': 0.5}],
    'polygons': [{'corners': [[10, 3], [11, 3], [10, 4]]}],
    'moving': [{'radius': 0.2, 'path': [[1, 10], [3, 10]], 'speed': 0.1}],
    'boxes': [{'center': [5, 10], 'size': [0.4, 0.2], 'yaw': 1.0, 'mass': 2.0},
              {'center': [7, 10], 'radius': 0.3, 'mass': 3.0}]}


def world_of(**changes):
    return sbot.load({'duration': 1, 'world': {**WORLD, **changes},
                      'robots': [{'pose': [15, 15, 0], 'controller': 'none'}]})


def test_rows_are_in_the_order_of_the_file():
    arrays = world_of().world.arrays()
    assert list(arrays.bounds) == [0, 0, 20, 20]
    assert arrays.circles.tolist() == [[3, 3, 0.5], [5, 3, 0.25]]
    assert arrays.rectangles.tolist() == [[8, 3, 1, 2, 0.5]]
    assert arrays.given_segments.tolist() == [[1, 1, 2, 1]]
    assert len(arrays.polygons) == 1


def test_boxes_have_shape_mass_and_place():
    world = world_of().world
    flat, disc = world.box_bodies()
    assert (flat.mass, disc.mass) == (2.0, 3.0)
    assert (flat.length, flat.width, disc.radius) == (0.4, 0.2, 0.3)
    assert world.box_poses().tolist() == [[5, 10, 1.0], [7, 10, 0.0]]
    assert world_of(boxes=[]).world.box_poses().shape == (0, 3)


def test_paths_go_at_the_scenarios_rate():
    scenario = world_of()
    assert scenario.world.paths(scenario.rate).radius.tolist() == [0.2]
    assert world_of(moving=[]).world.paths(scenario.rate) is None


def test_what_moves_stands_at_its_start():
    world = world_of().world
    with_all, without = world.at_start(), world.at_start(with_boxes=False)
    assert with_all.circles[2:].tolist() == [[1, 10, 0.2], [7, 10, 0.3]]
    assert without.circles[2:].tolist() == [[1, 10, 0.2]]
    np.testing.assert_allclose(with_all.rectangles[1:], [[5, 10, 0.4, 0.2, 1.0]])
    assert len(without.rectangles) == 1


@pytest.mark.parametrize(('kind', 'row', 'name'), [
    (BOUND, 2, 'xmax of world.bounds'), (SEGMENT, 0, 'world.segments.0'),
    (SEGMENT, 1, 'world.map'), (CIRCLE, 1, 'world.circles.1'), (CIRCLE, 2, 'world.moving.0'),
    (CIRCLE, 3, 'world.boxes.1'), (RECTANGLE, 0, 'world.rectangles.0'),
    (RECTANGLE, 1, 'world.boxes.0'), (POLYGON, 0, 'world.polygons.0')])
def test_an_object_is_named_by_its_key(kind, row, name):
    world = world_of().world
    assert world.name_of(world.at_start(), kind, row) == name


def test_a_world_needs_bounds_or_a_map():
    world = replace(world_of().world, bounds=None)
    with pytest.raises(InputError, match=r'world.bounds: got None'):
        world.arrays()

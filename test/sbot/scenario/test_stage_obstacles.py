"""Obstacles of Stage's models: solid outlines, walls, and what robots start within."""

from pathlib import Path

import numpy as np
import pytest

from sbot.scenario.stage_obstacles import Frame, Obstacles, _rectangle
from sbot.scenario.stage_parse import Entity, Notes, read_tokens

NOBODY = np.empty((0, 2))
PLACE_OBSTACLES = Frame(2.0, 3.0)
CROSSED = 'block ( points 4 point[0] [0 0] point[1] [1 1] point[2] [1 0] point[3] [0 1] )'


def obstacles(text):
    world = Entity.parse(read_tokens(f'model ( {text} )'.encode(), Path('x.world')), 'x.world')
    found = Obstacles(Path(), (1.0, 1.0), Notes())
    found.add(world.children[0], PLACE_OBSTACLES)
    return found


def test_a_model_is_a_solid_rectangle_of_its_size():
    found = obstacles('size [1 2 1]')
    only, = found
    np.testing.assert_allclose(only.solid, PLACE_OBSTACLES.points(_rectangle((1.0, 2.0))))
    assert len(only.segments) == 0
    assert found.extent(NOBODY, 0.5) == [1.0, 1.5, 3.0, 4.5]


@pytest.mark.parametrize(('text', 'count'), [
    ('obstacle_return 0 ranger_return -1', 0), ('obstacle_return 0 size [1 1 0.01]', 0),
    ('obstacle_return 0', 1), ('noblocks 1', 0), ('noblocks 1 boundary 1', 1)])
def test_what_neither_stops_nor_is_seen_is_left_out(text, count):
    assert len(obstacles(text)) == count


def test_a_crossed_outline_and_what_robots_start_within_are_walls():
    crossed, = obstacles(CROSSED)
    assert (crossed.solid, len(crossed.segments)) == (None, 4)
    solid = obstacles('size [1 2 1]')
    apart, _ = solid.world(np.array([[9.0, 9.0]]))
    around, places = solid.world(np.array([[2.0, 3.0]]))
    assert [len(apart[key]) for key in ('segments', 'polygons')] == [0, 1]
    assert [len(around[key]) for key in ('segments', 'polygons')] == [4, 0]
    assert places == []

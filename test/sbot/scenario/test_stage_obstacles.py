"""Obstacles of Stage's models: solid outlines, walls, and what robots start within."""

from pathlib import Path

import numpy as np

from sbot.scenario.stage_obstacles import Frame, Obstacles
from sbot.scenario.stage_parse import Entity, Notes, read_tokens

PLACE_OBSTACLES = Frame(2.0, 3.0)
CROSSED = 'block ( points 4 point[0] [0 0] point[1] [1 1] point[2] [1 0] point[3] [0 1] )'


def obstacles(text):
    world = Entity.parse(read_tokens(f'model ( {text} )'.encode(), Path('x.world')), 'x.world')
    found = Obstacles(Path(), (1.0, 1.0), Notes())
    found.add(world.children[0], PLACE_OBSTACLES)
    return found


def test_a_crossed_outline_and_what_robots_start_within_are_walls():
    crossed, = obstacles(CROSSED)
    assert (crossed.solid, len(crossed.points)) == (False, 8)
    solid = obstacles('size [1 2 1]')
    apart, _ = solid.world(np.array([[9.0, 9.0]]))
    around, places = solid.world(np.array([[2.0, 3.0]]))
    assert [len(apart[key]) for key in ('segments', 'polygons')] == [0, 1]
    assert [len(around[key]) for key in ('segments', 'polygons')] == [4, 0]
    assert places == []

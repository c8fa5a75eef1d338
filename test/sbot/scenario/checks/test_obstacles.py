"""Obstacles: outlines, movers that are slow enough, boxes with a shape and a free place."""

import pytest

from sbot.scenario.load import scenario_from_mapping
from sbot_common.errors import InputError

WORLD = {'bounds': [0, 0, 10, 10]}
ROBOT = {'pose': [5, 5, 0], 'controller': 'none'}


def load(**given):
    return scenario_from_mapping({'world': WORLD, 'robots': [ROBOT], **given})


BOX = {'center': [2, 2], 'size': [0.4, 0.4]}


@pytest.mark.parametrize(('world', 'message'), [
    ({'polygons': [{'corners': [[1, 1], [2, 2], [2, 1], [1, 2]]}]},
     r'polygons\.0\.corners.*does not touch itself'),
    ({'moving': [{'radius': 0.3, 'path': [[1, 1], [9, 1]], 'speed': 50}]},
     r'moving\.0\.speed: got 50.*at most 4\.5 m/s at 30 Hz'),
    ({'boxes': [{'center': [2, 2]}]}, 'neither'),
    ({'boxes': [{**BOX, 'radius': 0.1}]}, 'both'),
    ({'boxes': [{**BOX, 'size': [0.4, 1e-4]}]}, r'size: got .*at least 0\.001 m'),
    ({'boxes': [BOX], 'circles': [{'center': [2, 2], 'radius': 0.1}]},
     r'boxes\.0\.center.*too near to world\.circles\.0'),
    ({'boxes': [BOX, BOX]}, r'boxes\.1\.center.*too near to world\.boxes\.0')])
def test_a_bad_obstacle_is_named(world, message):
    with pytest.raises(InputError, match=message):
        load(world={**WORLD, **world})


def test_good_ones_are_kept():
    scenario = load(world={**WORLD, 'boxes': [BOX], 'moving': [
        {'radius': 0.3, 'path': [[1, 8], [9, 8]], 'speed': 0.5}]})
    assert (len(scenario.world.boxes), len(scenario.world.moving)) == (1, 1)

"""Observations of worlds: copies of what was asked for, a field for every sensor."""

import numpy as np
import pytest

import sbot

SCENARIO = {'duration': 1, 'rate': 10, 'seed': 2,
            'world': {'bounds': [0, 0, 9, 9], 'boxes': [{'center': [7, 7], 'radius': 0.3}],
                      'moving': [{'radius': 0.2, 'path': [[1, 8], [3, 8]], 'speed': 0.1}]},
            'sensors': {'scan_beams': 3, 'imu': True, 'range_and_bearing': True},
            'robots': [{'pose': [1, 1, 0], 'controller': 'none'},
                       {'pose': [2, 1, 0], 'controller': 'none'}]}


@pytest.fixture(scope='module')
def worlds():
    return sbot.Worlds(sbot.load(SCENARIO), 3)


def test_every_field_has_an_axis_of_worlds_and_one_of_robots(worlds):
    seen = worlds.observe()
    shapes = {'tick': (3,), 'pose': (3, 2, 3), 'collided': (3, 2), 'scan': (3, 2, 3),
              'odometry': (3, 2, 3), 'odometry_twist': (3, 2, 3), 'twist': (3, 2, 3),
              'wind': (3, 2, 2), 'imu': (3, 2, 4), 'obstacles': (3, 1, 2), 'boxes': (3, 1, 3)}
    for name, shape in shapes.items():
        assert getattr(seen, name).shape == shape, name
    assert seen.infrared is None
    assert seen.gnss is None
    assert [rows.shape[:2] for rows in seen.neighbours] == [(3, 2)] * 5
    with pytest.raises(AttributeError):
        seen.radar


def test_observations_are_copies(worlds):
    first = worlds.observe()
    for name, array in first._asdict().items():
        if isinstance(array, np.ndarray):
            array[...] = 0
            assert name == 'tick' or (np.array(getattr(worlds.observe(), name)) != 0).any() or (
                name in ('collided', 'odometry', 'odometry_twist', 'twist', 'wind')), name


def test_a_single_world_has_none_of_the_first_axis():
    world = sbot.World(sbot.load(SCENARIO))
    seen, many = world.observe(), world.worlds.observe()
    assert seen.tick == 0
    for name in ('pose', 'scan', 'imu', 'odometry', 'boxes', 'obstacles'):
        np.testing.assert_array_equal(getattr(seen, name), getattr(many, name)[0])
    for one, all_of in zip(seen.neighbours, many.neighbours, strict=True):
        np.testing.assert_array_equal(one, all_of[0])


def test_what_was_not_asked_for_is_none():
    seen = sbot.Worlds(sbot.load(SCENARIO), sense=['imu']).observe()
    assert seen.scan is seen.odometry is seen.wind is seen.neighbours is None
    assert seen.imu.shape == (1, 2, 4)

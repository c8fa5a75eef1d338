"""An open world: bounds without walls, for collisions, lasers, infrared and lines of sight."""

import numpy as np
import pytest

import sbot
from sbot_sim.collision.overlap import Overlaps
from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.world.bodies import BODIES, BodyArrays
from sbot_sim.world.geometry import make_world
from sbot_sim.world.scene import Scene

BOX = [(2.0, 2.0, 1.0, 1.0, 0.3)]
OPEN = make_world([0, 0, 4, 4], [(1, 1, 1, 3)], [(3, 1, 0.2)], BOX, has_walls=False)
WALLED = make_world([0, 0, 4, 4], [(1, 1, 1, 3)], [(3, 1, 0.2)], BOX)


def test_nobody_overlaps_a_bound():
    bodies = BodyArrays.of([BODIES['robot']] * 2)
    pose = np.array([[-5.0, 2.0, 0.0], [2.0, 4.1, 0.0]])
    assert len(Overlaps.find(OPEN, bodies, pose).robot) == 0
    assert len(Overlaps.find(WALLED, bodies, pose).robot) == 2


def test_lines_of_sight_of_robots_outside_are_those_of_a_wider_world():
    wide = make_world([-20, -20, 20, 20], [(1, 1, 1, 3)], [(3, 1, 0.2)], BOX, has_walls=False)
    near, far = Scene.of_walls(OPEN), Scene.of_walls(wide)
    pose = np.random.default_rng(0).uniform(-3, 7, (120, 3))
    heard, expected, all_pairs = (neighbours(pose, 20.0, walls)
                                  for walls in (near, far, Scene.of_walls(None)))
    assert (heard[0] == expected[0]).all()
    assert (heard[1] == expected[1]).all()
    assert 0.2 * len(all_pairs[1]) < len(heard[1]) < 0.9 * len(all_pairs[1])


def scenario(bounds, **more):
    return {'rate': 10, 'duration': 12, 'seed': 3, 'world': {
        'bounds': bounds, 'open': True, 'circles': [{'center': [3, 1], 'radius': 0.2}],
        'rectangles': [{'center': [2, 2], 'size': [1, 1], 'yaw': 0.3}],
        'segments': [[1, 1, 1, 3]]}, 'robots': [
            {'body': 'foot-bot', 'pose': [x, y, yaw], 'controller': 'wind_aware',
             'parameters': {'velocity': 0.2, 'direction': yaw}}
            for x, y, yaw in ((-1, 2, 0), (5, 1, 3.1), (3.9, 3.9, 0.8), (0.1, 0.1, -2.0),
                              (2, -0.4, 1.6))],
        'sensors': {'infrared': True, 'range_and_bearing': True, 'scan_range_max': 5.0,
                    'scan_beams': 24},
        'wind': {'wind_speed_mean': 0.05, 'wake': True}, **more}


def test_the_size_of_an_open_world_changes_nothing_that_robots_meet_or_see():
    small, large = (sbot.run(scenario(bounds), sense=['scan', 'infrared'])
                    for bounds in ([0, 0, 4, 4], [-30, -30, 30, 30]))
    assert (small.poses == large.poses).all()
    assert (small.scan == large.scan).all()
    assert (small.infrared == large.infrared).all()
    assert small.summary['overlaps'] == 0
    assert small.collided.any()
    assert (small.poses[-1, 2, :2] > 4.5).all()  # left the bounds
    assert np.isfinite(small.scan).any()


def test_by_default_there_are_walls():
    walled = scenario([-2, -2, 6, 6])
    walled['world']['open'] = False
    run = sbot.run(walled)
    assert run.poses[:, :, :2].max() < 6
    assert run.poses[-1, 2, 0] == pytest.approx(sbot.run(scenario([-2, -2, 6, 6])).poses[-1, 2, 0])

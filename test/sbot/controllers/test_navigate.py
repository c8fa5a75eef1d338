"""``map`` and sizes of navigate: what a robot knows of world and body, the same in every mode."""

import importlib.util
import math
import os
import sys

import numpy as np
import pytest
import yaml
from over_nodes import check_nodes

import sbot
from sbot.bag.reader import Bag
from sbot.controllers.navigate import size_of
from sbot.regression.replay import replay
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError
from sbot_sim.world.bodies import E_PUCK2, ROBOT, S_BOT

TRAP = """
duration: 25
rate: 20
seed: 3
until: goal_reached
world:
  bounds: [0, 0, 20, 14]
  rectangles:
    - {center: [12, 7], size: [0.4, 6]}
    - {center: [9, 10], size: [6, 0.4]}
    - {center: [9, 4], size: [6, 0.4]}
  circles: [{center: [15, 11], radius: 0.6}]
robots: [{pose: [3, 7, 0], goal: [16, 7], controller: navigate}]
sensors: {scan_range_max: 3.0, scan_noise_std: 0.01}
controllers: {navigate: {map: true}}
"""


def way(run):
    return np.hypot(*np.diff(run.poses[:, 0, :2], axis=0).T).sum()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / 'trap.yaml'
    path.write_text(TRAP)
    return path


def test_who_knows_the_map_does_not_drive_into_a_dead_end(file):
    seeing = sbot.run(file, **{'controllers.navigate.map': False})
    knowing = sbot.run(file)
    for run in (seeing, knowing):
        assert run.summary['robots'][0]['goal_reached_s'] is not None
        assert not run.collided.any()
    assert seeing.poses[:, 0, 0][np.abs(seeing.poses[:, 0, 1] - 7.0) < 2.0].min() < 9.0
    assert way(knowing) < 0.75 * way(seeing)


def test_a_map_file_is_known_as_obstacles_are(tmp_path, file):
    pixels = np.full((140, 200), 254, np.uint8)  # 0.1 m each
    pixels[40:100, 118:122] = 0
    pixels[38:42, 60:122] = pixels[98:102, 60:122] = 0
    (tmp_path / 'map.pgm').write_bytes(b'P5\n200 140\n255\n' + pixels.tobytes())
    (tmp_path / 'map.yaml').write_text(yaml.safe_dump({
        'image': 'map.pgm', 'resolution': 0.1, 'origin': [0, 0, 0], 'negate': 0,
        'occupied_thresh': 0.65, 'free_thresh': 0.196}))
    world = {'map': str(tmp_path / 'map.yaml')}
    knowing = sbot.run(file, world=world)
    seeing = sbot.run(file, world=world, **{'controllers.navigate.map': False})
    assert knowing.summary['robots'][0]['goal_reached_s'] is not None
    assert way(knowing) < 0.75 * way(seeing)


@pytest.mark.ros
@pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing')
def test_nodes_know_the_same_map(file, tmp_path):
    scenario = load_scenario(str(file), {'until': None, 'duration': 3.0})
    (tmp_path / 'short.yaml').write_text(scenario.to_yaml())
    run = sbot.run(scenario, record=tmp_path / 'bag')
    check_nodes('up --composed', tmp_path / 'short.yaml', (run, Bag(tmp_path / 'bag')), tmp_path,
                {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})


EPUCKS = {
    'duration': 20, 'until': 'goal_reached', 'world': {'bounds': [-1, -1, 1, 1]},
    'sensors': {'scan_range_max': 1.0},
    'robots': [{'body': 'e-puck2', 'pose': [-0.35, 0.01, 0], 'goal': [0.35, 0],
                'controller': 'navigate'},
               {'body': 'e-puck2', 'pose': [0.35, 0, 3.1], 'goal': [-0.35, 0],
                'controller': 'navigate'}]}


def test_radius_and_speeds_follow_the_body_in_runs_and_replay(tmp_path, caplog):
    run = sbot.run(EPUCKS, record=tmp_path / 'bag')
    speed = 7.5 * 0.0205 * 2 / 3  # of the wheels, which also turn it
    assert run.summary['ended_by'] == 'goal_reached'
    assert not run.collided.any()
    assert 0.7 * speed < run.commands[:, :, 0].max() <= speed
    goals = np.array([robot['goal'] for robot in EPUCKS['robots']])
    assert np.hypot(*(run.poses[-1, :, :2] - goals).T).max() < 0.04  # a radius
    assert replay(Bag(tmp_path / 'bag')).equal
    assert not caplog.records


@pytest.mark.parametrize(('body', 'radius'), [
    (ROBOT, 0.3), (E_PUCK2, 0.035), (S_BOT, 0.088),
    (ROBOT._replace(length=0.8, width=0.4, offset=0.2), math.sqrt(0.32 / math.pi) + 0.2),
    (ROBOT._replace(length=0.8, width=0.4), math.sqrt(0.32 / math.pi)),
    (ROBOT._replace(length=0.7, width=0.3, collision_distance=0.05), math.sqrt(0.32 / math.pi))])
def test_a_round_body_counts_with_its_radius_and_a_rectangle_with_its_area(body, radius):
    """And with how far its middle is off the axle about which it turns."""
    assert size_of(body).radius == pytest.approx(radius)
    assert size_of(body).speed == body.max_wheel_speed * body.wheel_radius
    slim = body.is_rectangle  # all rectangles above are: their outline counts instead of corners
    assert size_of(body).outline == ((
        0.5 * body.length + body.collision_distance + body.offset,
        0.5 * body.length + body.collision_distance - body.offset,
        0.5 * body.width + body.collision_distance) if slim else (0.0, 0.0, 0.0))


@pytest.mark.parametrize(('given', 'warnings'), [(0.3, 1), (0.035, 0), (0.0, 0)])
def test_a_radius_that_is_not_the_bodys_gets_one_warning(caplog, given, warnings):
    sbot.load(EPUCKS, **{'controllers.navigate.robot_radius_m': given})
    assert [record.getMessage() for record in caplog.records] == warnings * [
        'scenario, override: controllers.navigate.robot_radius_m: got 0.3, expected 0.035 m, '
        'the radius of body e-puck2; leave it out to use that']


def test_a_clearance_that_the_map_of_a_small_body_does_not_hold_is_refused():
    with pytest.raises(InputError, match=r'robots\.0: clearance_m: got 0\.5, expected at most'):
        sbot.load(EPUCKS, **{'controllers.navigate.clearance_m': 0.5})

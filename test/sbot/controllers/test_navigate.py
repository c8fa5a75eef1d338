"""``map`` of navigate: a robot that knows the world, with the same bits in every mode."""

import importlib.util
import os
import sys

import numpy as np
import pytest
import yaml
from over_nodes import check_nodes

import sbot
from navigate.bot import Navigate
from sbot.bag.reader import Bag
from sbot.regression.replay import replay
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError
from sbot_common.observation import Observation

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


def test_without_a_world_a_map_is_refused():
    with pytest.raises(InputError, match='navigate: map needs the outlines'):
        Navigate(map=True)
    bot = Navigate()
    with pytest.raises(InputError, match='navigate: map'):
        bot.set_parameters(map=True)
    observation = Observation(0, 1, 0, 0, 0.05, np.zeros((1, 3)), None, (3.0, 0.0))
    assert bot.step(observation, np.random.default_rng(0))[0] > 0.0


def test_replay_knows_the_same_map(file, tmp_path):
    run = sbot.run(file, record=tmp_path / 'bag')
    assert run.summary['trajectory_sha256'] == sbot.run(file).summary['trajectory_sha256']
    result = replay(Bag(tmp_path / 'bag'))
    assert result.equal, result.first


@pytest.mark.ros
@pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing')
def test_nodes_know_the_same_map(file, tmp_path):
    scenario = load_scenario(str(file), {'until': None, 'duration': 3.0})
    (tmp_path / 'short.yaml').write_text(scenario.to_yaml())
    run = sbot.run(scenario, record=tmp_path / 'bag')
    check_nodes('up --composed', tmp_path / 'short.yaml', (run, Bag(tmp_path / 'bag')), tmp_path,
                {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})

"""Overlaps of a run are those of each tick, however many are counted together."""

from pathlib import Path

import numpy as np
import pytest

from sbot.runner import overlap_count
from sbot.runner.overlap_count import OverlapCount
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot.scenario.load import parse_scenario
from sbot_sim.collision.overlap import overlaps
from sbot_sim.engine.simulation import Engine
from sbot_sim.worlds.parameters import all_bodies

ROUND = 'robots: [{controller: none, pose: [1, 1, 0]}, {controller: none, pose: [3, 1, 0]}]'
SCENES = {
    'round robots': f'world: {{bounds: [0, 0, 5, 5]}}\n{ROUND}',
    'one robot': 'world: {bounds: [0, 0, 5, 5], circles: [{center: [2, 2], radius: 0.8}]}\n'
                 'robots: [{controller: none, pose: [4, 4, 0]}]',
    'boxes': 'world: {bounds: [0, 0, 5, 5], boxes: [{center: [4, 4], radius: 0.5, mass: 2}]}\n'
             + ROUND,
    'moving obstacles': 'world: {bounds: [0, 0, 5, 5], moving: '
                        f'[{{radius: 0.2, path: [[4, 4], [4, 1]], speed: 1}}]}}\n{ROUND}',
    'rectangles': 'bodies: {car: {length: 0.9, width: 0.5}}\nworld: {bounds: [0, 0, 5, 5]}\n'
                  + ROUND.replace('pose', 'body: car, pose')}


@pytest.mark.parametrize('scene', SCENES.values(), ids=SCENES)
@pytest.mark.parametrize('most', [1, 7, 1024])
def test_the_total_is_the_sum_over_ticks(scene, most, monkeypatch):
    monkeypatch.setattr(overlap_count, '_MOST', most)
    scenario = parse_scenario(f'name: some\nduration: 1\n{scene}\n', 'some', Path.cwd())
    parameters = simulation_parameters(scenario)
    snapshot = Engine(parameters, initial_poses(scenario), 0).snapshot
    count, expected = OverlapCount(parameters), 0
    rng = np.random.default_rng(1)
    for tick in range(40):
        pose = rng.uniform(0, 5, (len(scenario.robots), 3))
        count.add(snapshot._replace(pose=pose))
        expected += overlaps(*all_bodies(parameters, snapshot.moved, snapshot.boxes, pose))
        if tick % 15 == 0:
            assert count.total() == expected
    assert count.total() == expected > 3

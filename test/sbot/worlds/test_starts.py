"""Start poses by seed are those of a scenario that is loaded with it."""

import numpy as np
import pytest

import sbot
from sbot.scenario.assemble import initial_poses
from sbot.worlds.starts import Starts

WALLED = {'rate': 10, 'world': {'bounds': [0, 0, 4, 4],
                                'circles': [{'center': [2, 2], 'radius': 0.3}]}}
SCENARIOS = {
    'discs': {**WALLED, 'robots': [{'count': 5, 'body': 's-bot', 'controller': 'none'}]},
    'rectangles among discs': {
        **WALLED, 'bodies': {'brick': {'like': 's-bot', 'length': 0.2, 'width': 0.1,
                                       'offset': 0.02}},
        'robots': [{'pose': [1, 1, 0], 'body': 's-bot', 'controller': 'none'},
                   {'count': 3, 'body': 'brick', 'controller': 'none', 'area': [0, 0, 2, 4]},
                   {'count': 2, 'body': 's-bot', 'controller': 'none', 'yaw_uniform': [0, 1],
                    'position_gaussian': [3, 3, 0.3, 0.2]}]},
    'shipped': 'sbot_aggregation'}


@pytest.mark.parametrize('name', SCENARIOS)
def test_starts_are_those_of_a_loaded_scenario(name):
    starts, first = Starts(sbot.load(SCENARIOS[name])), None
    for seed in (3, 4, 2**40):
        poses = starts(seed)
        np.testing.assert_array_equal(poses, initial_poses(sbot.load(SCENARIOS[name], seed=seed)))
        assert first is None or (poses != first).any()
        first = poses


def test_a_changed_scenario_places_its_own():
    scenario = sbot.load(SCENARIOS['discs'], **{'robots.0.count': 3})
    np.testing.assert_array_equal(Starts(scenario)(9),
                                  initial_poses(sbot.load(scenario, seed=9)))

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
    'headings of a grid': {**WALLED, 'robots': [
        {'count': 3, 'area': [0, 0, 4, 1], 'layout': 'grid', 'body': 's-bot', 'controller': 'none',
         'yaw_uniform': [0, 1]}]},
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


def test_where_nothing_is_drawn_every_seed_has_the_same_poses():
    starts = Starts(sbot.load({**WALLED, 'robots': [
        {'pose': [1, 3, 1], 'controller': 'none'},
        {'count': 2, 'area': [0, 0, 4, 1], 'layout': 'grid', 'controller': 'none'}]}))
    assert starts(5) is starts(0)
    assert starts(5)[0].tolist() == [1.0, 3.0, 1.0]


def test_no_more_seeds_are_kept_than_allowed(monkeypatch):
    monkeypatch.setattr('sbot.worlds.starts._KEPT', 2)
    starts = Starts(sbot.load(SCENARIOS['discs']))
    first = starts(1).copy()
    for seed in range(2, 6):
        starts(seed)
    assert len(starts._poses) <= 2
    assert np.array_equal(starts(1), first)

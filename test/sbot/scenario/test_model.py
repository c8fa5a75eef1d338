"""Scenario models: what a scenario is made of cannot change, and its text gives it again."""

from dataclasses import replace

import pytest

import sbot
from sbot.scenario.model import Source
from sbot_common.errors import InputError

SCENARIO = {'name': 'small', 'duration': 3, 'world': {'bounds': [0, 0, 4, 4]},
            'sensors': {'imu': True}, 'wind': {'wind_speed_mean': 0.5},
            'robots': [{'pose': [1, 1, 0], 'controller': 'none'},
                       {'pose': [2, 1, 0], 'controller': 'navigate', 'goal': [3, 3]}]}


def test_where_it_comes_from_makes_no_difference(tmp_path):
    scenario = sbot.load(SCENARIO)
    assert replace(scenario, source=None) == scenario
    assert replace(scenario, source=Source({'a': 1}, tmp_path)) == scenario


def test_a_text_that_could_not_be_read_back_is_refused(monkeypatch):
    scenario = sbot.load(SCENARIO)
    monkeypatch.setenv('SBOT_LIMITS', 'text_values=20')
    with pytest.raises(InputError, match=r'small.*could not be read back'):
        scenario.to_yaml()

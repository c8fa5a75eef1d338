"""The undisturbed wind at robots, from a recording, is that of the run."""

import json

import numpy as np
import pytest

import sbot
from sbot.bag.reader import Bag
from sbot.cli.main import main
from sbot.figures.data import RunData
from sbot.figures.picture import plot_run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError


@pytest.mark.parametrize('kind', ['none', 'place', 'robot'])
def test_a_recording_gives_the_runs_free_wind(tmp_path, kind):
    scenario = {
        'rate': 10, 'duration': 2, 'world': {'bounds': [1, 1, 20, 20]},
        'robots': [{'body': 'foot-bot', 'pose': [10 + 0.3 * i, 10, 1.0],
                    'controller': 'wind_aware'} for i in range(3)],
        'wind': {'wind_speed_mean': 0.1, 'use_custom_static_wind_field': True,
                 'custom_wind_field_path': 'wind/vortex.txt', 'forces_with_field': True,
                 'wind_force_mean': 1.0, 'wind_gust_speed_mean': 0.2, 'wind_gust_start': 0.5,
                 'wind_gust_duration': 1.0, 'turbulence': kind, 'wake': True}}
    run = sbot.run(scenario, record=tmp_path / 'bag')
    expected, found = RunData.from_result(run), RunData.from_bag(tmp_path / 'bag')
    assert np.abs(expected.free_wind).max() > 0.2
    assert found.free_wind == pytest.approx(expected.free_wind, abs=1e-9)
    assert found.wind == pytest.approx(expected.wind, abs=1e-9)


def test_a_recording_and_its_run_give_the_same_data(recorded):
    path, run = recorded
    bag, live = RunData.from_bag(path), RunData.from_result(run)
    for name in ('stamps_ns', 'poses', 'wind', 'free_wind', 'radius', 'outside'):
        assert np.array_equal(getattr(bag, name), getattr(live, name)), name
    assert bag.goals == live.goals
    assert bag.goals[0][2:] == (13.0, 5.5)
    assert bag.wind.any()
    assert (bag.free_wind[1:] == bag.outside[:2]).all()


def test_goals_that_no_message_tells_are_those_of_the_scenario(tmp_path):
    """A run publishes no goals of robots whose controller is not one of ours."""
    robots = [{'pose': [x, 3.0, 0.0], 'goal': [x, 6.0], 'controller': name}
              for x, name in ((2.0, 'potential_field'), (5.0, 'none'), (7.0, 'none'))]
    (tmp_path / 'scenario.yaml').write_text(json.dumps(
        {'duration': 0.1, 'world': {'bounds': [0, 0, 9, 9]}, 'robots': robots}))
    run = run_scenario(load_scenario(str(tmp_path / 'scenario.yaml')), record=tmp_path / 'bag')
    bag = Bag(tmp_path / 'bag')
    assert [name for name in bag.names() if name.endswith('/goal')] == ['/robot_0/goal']
    data = RunData.from_bag(bag)
    assert sorted(data.goals, key=lambda goal: goal.robot) == list(RunData.from_result(run).goals)
    assert len(data.goals_at(int(data.stamps_ns[0]))) == 3


def test_a_recording_takes_no_changes(recorded, capsys):
    assert main(['plot', str(recorded[0]), '--seed', '2', '-o', 'x.png']) == 2
    assert 'is a recording, which cannot be changed' in capsys.readouterr().err


def test_an_unwritable_file_is_named(tmp_path, data):
    with pytest.raises(InputError, match=r'none/x\.png: cannot be written: No such file'):
        plot_run(data, tmp_path / 'none' / 'x.png')

import json

import numpy as np
import pytest

from sbot.bag.reader import Bag
from sbot.figures.arena.goals import latest_goals
from sbot.figures.data import from_result
from sbot.figures.picture import plot_run
from sbot.figures.recording import from_bag, load_run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError


def test_a_recording_and_its_run_give_the_same_data(recorded):
    path, run = recorded
    bag, live = from_bag(path), from_result(run)
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
    data = from_bag(bag)
    assert sorted(data.goals, key=lambda goal: goal.robot) == list(from_result(run).goals)
    assert len(latest_goals(data, int(data.stamps_ns[0]))) == 3


def test_a_recording_takes_no_changes_and_an_unwritable_file_is_named(recorded, tmp_path, data):
    with pytest.raises(InputError, match='is a recording'):
        load_run(recorded[0], {'seed': 2})
    with pytest.raises(InputError, match=r'none/x\.png: cannot be written: No such file'):
        plot_run(data, tmp_path / 'none' / 'x.png')


def test_a_scenario_that_nodes_drive_says_how_to_record_a_run_before_anything_runs(tmp_path):
    path = tmp_path / 'two.yaml'
    path.write_text(json.dumps(
        {'duration': 0.1, 'world': {'bounds': [0, 0, 9, 9]},
         'robots': [{'pose': [2, 2, 0], 'goal': [8, 8]},
                    {'pose': [5, 5, 0], 'controller': 'external'}]}))
    with pytest.raises(InputError) as error:
        load_run(path)
    assert str(error.value) == (
        f'{path}: robot 1 (controller: external) needs your node; record a run (sbot up {path} '
        '--node COMMAND --record DIR), then draw that (sbot plot DIR -o FILE)')

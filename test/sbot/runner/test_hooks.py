"""Hooks of document 000 section 2.1: another wake, another blocking rule, another drive."""

from pathlib import Path

import numpy as np
import pytest

import sbot
from sbot_common.errors import InputError
from sbot_common.user_code import UserCodeError

HERE = str(Path(__file__).parent)


def scenario_with(**wind):
    robot = {'body': 'foot-bot', 'controller': 'wind_model.wind_aware:AirResistance',
             'parameters': {'velocity': 0.1}}
    return {
        'rate': 10, 'duration': 1, 'world': {'bounds': [0, 0, 9, 9]}, 'python_path': [HERE],
        'bodies': {'foot-bot': {'drive': 'impulse'}},
        'robots': [{**robot, 'pose': [3, 3, 0]}, {**robot, 'pose': [3.6, 3.05, 0]},
                   {**robot, 'pose': [3, 8, 0]}],
        'wind': {'wind_speed_mean': 0.2, 'wake': True, **wind}}


def run(record=None, **wind):
    return sbot.run(scenario_with(**wind), record=record)


def test_a_blocking_rule_of_ones_own():
    wind = run(blocking_function='user_hooks:half_for_all').wind[0, :, 0]
    assert wind.tolist() == [0.1, 0.1, 0.2]


def test_the_documents_rule_as_a_hook_is_the_same_to_the_bit():
    plain, hooked = run(), run(blocking_function='user_hooks:document')
    assert plain.wind[0, 1, 0] < 0.2
    assert (plain.poses == hooked.poses).all()
    assert plain.summary['trajectory_sha256'] == hooked.summary['trajectory_sha256']


def test_a_wake_of_ones_own():
    wind = run(effective_wind_function='user_hooks:swirl').wind[0]
    assert wind[0].tolist() == wind[2].tolist() == [0.2, 0.0]
    assert wind[1, 0] == 0.2
    assert wind[1, 1] > 0.05


def test_a_drive_of_ones_own():
    plain, hooked = run(wind_speed_mean=0.0), run(
        wind_speed_mean=0.0, drive_impulse_function='user_hooks:sideways')
    moved = [(each.poses[-1] - each.poses[0])[:, :2] for each in (plain, hooked)]
    assert moved[0] == pytest.approx(np.array([[0.09, 0.0]] * 3), abs=1e-9)
    assert moved[1] == pytest.approx(np.array([[0.0, 0.09]] * 3), abs=1e-9)


def test_hooks_are_part_of_the_scenario_and_a_recording_names_them(tmp_path):
    run(tmp_path / 'bag', blocking_function='user_hooks:half_for_all')
    bag = sbot.Bag(tmp_path / 'bag')
    assert 'blocking_function: user_hooks:half_for_all' in bag.scenario_text
    assert HERE in bag.scenario_text
    assert sbot.replay(bag).equal


@pytest.mark.parametrize(('wind', 'words'), [
    ({'blocking_function': 'user_hooks'}, "'module:function'"),
    ({'blocking_function': 'user_hooks:nothing'}, "no function 'nothing'"),
    ({'blocking_function': 'no_such_module:f'}, 'cannot import'),
    ({'blocking_function': 'user_hooks:half_for_all', 'wake': False}, 'wake: true'),
    ({'effective_wind_function': 'user_hooks:wrong'}, 'wrong(): returned shape (3,)'),
    ({'drive_impulse_function': 'user_hooks:wrong'}, 'expected finite numbers of shape (3, 2)')])
def test_bad_hooks_are_one_clear_line(wind, words):
    with pytest.raises(InputError) as info:
        run(**wind)
    assert words in str(info.value)
    assert '\n' not in str(info.value)


@pytest.mark.parametrize('key', ['effective_wind', 'blocking', 'drive_impulse'])
def test_a_hook_that_raises_is_named_and_its_own_frames_are_shown(key):
    with pytest.raises(UserCodeError) as caught:
        run(**{f'{key}_function': 'user_hooks:raises'})
    assert str(caught.value) == (
        f'wind.{key}_function at tick 0: raises(): ZeroDivisionError: division by zero')
    shown = caught.value.traceback()
    assert 'in divide' in shown
    assert 'hooks.py' not in shown.replace('user_hooks.py', '')


def test_a_drive_that_raises_leaves_robots_where_they_were():
    world = sbot.World(scenario_with(drive_impulse_function='user_hooks:raises'))
    before = world.save().arrays
    with pytest.raises(UserCodeError):
        world.step(np.full((3, 2), 0.5))
    after = world.save().arrays
    assert {name for name in before if (before[name] != after[name]).any()} == {'command'}

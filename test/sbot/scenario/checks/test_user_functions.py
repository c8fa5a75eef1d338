"""Functions of the user's own: hooks of the wind, and the condition of a run's end."""

import pytest

from sbot.scenario.load import scenario_from_mapping
from sbot_common.errors import InputError

WORLD = {'bounds': [0, 0, 10, 10]}
ROBOT = {'pose': [5, 5, 0], 'controller': 'none'}


def load(**given):
    return scenario_from_mapping({'world': WORLD, 'robots': [ROBOT], **given})


@pytest.mark.parametrize(('given', 'message'), [
    ({'wind': {'effective_wind_function': 'no colon'}}, "expected 'module:function'"),
    ({'wind': {'effective_wind_function': 'no_such_module:f'}}, 'no_such_module'),
    ({'wind': {'blocking_function': 'math:hypot'}}, 'needs wakes; add wake: true'),
    ({'until': 'goal_reached'}, 'needs a robot with a goal'),
    ({'until': 'no_such_module:f'}, 'until.*no_such_module')])
def test_a_bad_function_is_named(given, message):
    with pytest.raises(InputError, match=message):
        load(**given)


def test_who_has_functions_keeps_the_folders_of_their_modules():
    assert load().python_path == ()
    assert load(until='math:isnan').python_path != ()
    assert load(wind={'effective_wind_function': 'math:hypot'}).python_path != ()
    assert load(until='collision').python_path == ()

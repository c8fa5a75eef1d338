import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_common.params import in_words, specs_of, updated
from wind_model.parameters import FADE_OUT, LINEAR, POWER, RAMP_IN, WakeParameters, WindParameters

MACRO_NAMES = {
    'xyz_offset', 'wind_direction', 'wind_force_mean', 'wind_gust_direction',
    'wind_gust_duration', 'wind_gust_start', 'wind_gust_force_mean', 'wind_speed_mean',
    'use_custom_static_wind_field', 'custom_wind_field_path'}


def test_the_names_are_those_of_the_macro():
    assert set(WindParameters._fields) == MACRO_NAMES | {
        'wind_height', 'wind_height_above_terrain', 'wind_gust_speed_mean', 'forces_with_field'}
    assert {spec.name for spec in specs_of(WindParameters)
            if spec.source == '003, plugin macro'} == MACRO_NAMES


def test_the_macro_of_the_document_is_accepted():
    parameters = updated(WindParameters(), {
        'xyz_offset': [0, 0, 0], 'wind_direction': (1, 0, 0), 'wind_force_mean': 0.0,
        'wind_gust_direction': np.array([0.0, 1.0, 0.0]), 'wind_gust_duration': 0.0,
        'wind_gust_start': 0.0, 'wind_gust_force_mean': 0.0, 'wind_speed_mean': 5,
        'use_custom_static_wind_field': True, 'custom_wind_field_path': 'hemicyl.txt'})
    assert parameters.wind_speed_mean == 5.0
    assert parameters.wind_gust_direction == (0.0, 1.0, 0.0)


@pytest.mark.parametrize(('given', 'words'), [
    ({'wind_speed': 5.0}, "did you mean 'wind_speed_mean'"), ({'wind_speed_mean': -1.0}, '>= 0'),
    ({'wind_speed_mean': float('nan')}, 'finite'), ({'wind_speed_mean': '5'}, "got '5'"),
    ({'wind_direction': [1, 0]}, 'three finite numbers'),
    ({'wind_direction': [1, 0, float('inf')]}, 'three finite numbers'),
    ({'wind_direction': '1 0 0'}, 'three finite numbers'),
    ({'wind_direction': [0, 0, 0], 'wind_speed_mean': 1.0}, 'not zero'),
    ({'wind_gust_direction': [0, 0, 0], 'wind_gust_force_mean': 1.0}, 'not zero'),
    ({'xyz_offset': [0, 0, 0.1]}, 'torque'),
    ({'use_custom_static_wind_field': 'true'}, 'true or false'),
    ({'use_custom_static_wind_field': True}, 'a file')])
def test_bad_parameters_are_refused_by_name(given, words):
    with pytest.raises(InputError) as info:
        updated(WindParameters(), given, 'field.yaml: wind.{}'.format)
    text = str(info.value)
    assert text.startswith('field.yaml: wind')
    assert words in text
    assert '\n' not in text


def test_a_zero_direction_may_stand_where_nothing_blows():
    parameters = updated(WindParameters(), {'wind_direction': [0, 0, 0],
                                       'wind_gust_direction': [0, 0, 0]})
    assert parameters.wind_direction == (0.0, 0.0, 0.0)


def test_wake_words_become_numbers():
    assert WakeParameters().wake_fade == RAMP_IN
    assert WakeParameters().wake_boost == LINEAR
    given = {'wake': True, 'wake_fade': 'fade_out', 'wake_boost': 'power'}
    parameters = updated(WakeParameters(), given)
    assert parameters.wake
    assert parameters.wake_fade == FADE_OUT
    assert parameters.wake_boost == POWER
    assert in_words(parameters) == {**in_words(WakeParameters()), **given}


@pytest.mark.parametrize(('given', 'words'), [
    ({'wake_fade': 'fade'}, 'ramp_in, fade_out'), ({'gamma_boost': -1.0}, '>= 0'),
    ({'wakes': True}, "did you mean 'wake'"), ({'lateral_reach_radii': True}, 'finite')])
def test_bad_wake_parameters_are_refused(given, words):
    with pytest.raises(InputError, match=words):
        updated(WakeParameters(), given)

import pytest

import sbot
from sbot.scenario.senses import checked_senses
from sbot_common.errors import InputError

SCENARIO = sbot.load({'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
                      'robots': [{'pose': [2, 2, 0], 'controller': 'none'}]})


def test_names_are_there_once_and_keep_their_order():
    assert checked_senses(['twist', 'scan', 'twist'], SCENARIO) == ['twist', 'scan']
    assert checked_senses({'scan': 0}, SCENARIO) == ['scan']
    assert checked_senses((), SCENARIO) == []


@pytest.mark.parametrize('given', ['scan', b'scan', 3, None])
def test_what_is_no_list_is_refused(given):
    with pytest.raises(InputError, match=r'sense: got .*, expected a list of any of'):
        checked_senses(given, SCENARIO)


def test_a_sensor_that_is_off_says_which_key_turns_it_on():
    with pytest.raises(InputError, match=r'sense: infrared needs sensors\.infrared: true'):
        checked_senses(['infrared'], SCENARIO)


def test_an_unknown_sensor_is_named():
    with pytest.raises(InputError, match="'scans'"):
        checked_senses(['scans'], SCENARIO)


def test_a_collection_that_raises_is_refused():
    class Raises(list):
        def __iter__(self):
            raise RuntimeError
    with pytest.raises(InputError, match='sense: got'):
        checked_senses(Raises(['scan']), SCENARIO)

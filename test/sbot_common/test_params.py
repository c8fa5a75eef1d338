import math

import pytest

from sbot_common.errors import InputError
from sbot_common.params import Spec, check_all

SPEED = Spec('speed', 2.0, 'm/s', 'How fast.', minimum=0.0)
COUNT = Spec('count', 3, '', 'How many.', minimum=1, maximum=9)
MODE = Spec('mode', 'a', '', 'Which.', choices=('a', 'b'))
FLAG = Spec('flag', False, '', 'Whether.')


@pytest.mark.parametrize(('spec', 'value', 'expected'), [
    (SPEED, 3, 3.0), (SPEED, 0.0, 0.0), (COUNT, 4.0, 4), (MODE, 'b', 'b'), (FLAG, True, True)])
def test_good_values_come_back_in_the_type_of_the_default(spec, value, expected):
    found = spec.check(value)
    assert found == expected
    assert type(found) is type(spec.default)


@pytest.mark.parametrize(('spec', 'value'), [
    (SPEED, -0.1), (SPEED, math.nan), (SPEED, math.inf), (SPEED, '3'), (SPEED, True),
    (SPEED, None),
    (COUNT, 0), (COUNT, 10), (COUNT, 2.5), (COUNT, math.inf), (MODE, 'c'), (MODE, 1), (FLAG, 1)])
def test_bad_values_are_refused_with_name_value_and_expectation(spec, value):
    with pytest.raises(InputError) as error:
        spec.check(value, 'here: ')
    assert str(error.value) == f'here: {spec.name}: got {value!r}, expected {spec.expected}'


def test_an_open_minimum_refuses_the_minimum():
    with pytest.raises(InputError, match='expected a finite number > 0'):
        SPEED._replace(open_minimum=True).check(0.0)


def test_check_all_fills_in_defaults_and_names_the_nearest():
    assert check_all([SPEED, COUNT], {'count': 5}) == {'speed': 2.0, 'count': 5}
    with pytest.raises(InputError, match="unknown name 'sped'; did you mean 'speed'"):
        check_all([SPEED, COUNT], {'sped': 1})

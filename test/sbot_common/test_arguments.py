"""Arguments of the public functions: what is taken, and one line for what is not."""

import numpy as np
import pytest

from sbot_common.arguments import number, numbers, whole
from sbot_common.errors import InputError


@pytest.mark.parametrize('value', [1, 5, np.int32(3), np.uint8(2)])
def test_whole_numbers_within_the_limits_are_taken(value):
    assert whole('count', value, 1, 5) == value
    assert type(whole('count', value, 1, 5)) is int


@pytest.mark.parametrize('value', [0, 6, True, 1.0, '1', None, np.float64(2.0), 10**30])
def test_other_numbers_are_refused_in_one_line(value):
    with pytest.raises(InputError, match=r'count: got .*, expected a whole number from 1 to 5'):
        whole('count', value, 1, 5)


@pytest.mark.parametrize('value', [[[1, 2], [3, 4]], np.ones((2, 2), np.float32),
                                   np.array([[True, False], [False, True]])])
def test_numbers_become_doubles_of_the_shape(value):
    array = numbers('goals', value, (2, 2), (4,))
    assert array.dtype == np.float64
    assert array.tolist() == np.array(value, float).tolist()


@pytest.mark.parametrize('value', [2, 2.0, np.float32(2.0), np.int8(2), np.array(2)])
def test_one_number_becomes_a_double(value):
    assert number('fps', value) == 2.0
    assert type(number('fps', value)) is float


@pytest.mark.parametrize('value', [True, np.False_, '2', None, [2.0], np.nan, 10**400])
def test_what_is_not_one_number_is_refused(value):
    with pytest.raises(InputError, match=r'^fps: got .*, expected '):
        number('fps', value)


@pytest.mark.parametrize(('value', 'said'), [
    ([1, 2], r"shape \(2,\)'?, expected shape \(3,\) or shape \(2, 2\)"),
    ([1.0, np.nan, 2.0], 'nan, expected finite numbers'),
    ([1.0, np.inf, 2.0], 'inf, expected finite numbers'),
    (['a', 'b', 'c'], 'expected finite numbers'),
    ([1j, 2, 3], 'expected finite numbers'),
    ([[1], [2, 3]], 'expected an array of numbers')])
def test_what_is_no_such_array_is_one_line(value, said):
    with pytest.raises(InputError, match='goals: got .*' + said) as raised:
        numbers('goals', value, (3,), (2, 2))
    assert len(str(raised.value).splitlines()) == 1

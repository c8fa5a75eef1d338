"""What hooks return is checked; test/sbot/runner/test_hooks.py has whole runs."""

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_common.user_code import UserCodeError
from sbot_sim.dynamics.hooks import Hooks, call_hook


def call(function, shape=(2, 2)):
    return call_hook(Hooks(effective_wind=function), 'effective_wind', 7, shape, 3.0)


def test_arguments_go_in_and_an_array_comes_out():
    found = call(lambda given: [[given, 0], [1, 2]])
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert found.tolist() == [[3.0, 0.0], [1.0, 2.0]]


def test_the_answer_is_a_copy():
    kept = np.zeros((2, 2))
    call(lambda _: kept)[0, 0] = 5.0
    assert kept[0, 0] == 0.0


@pytest.mark.parametrize(('answer', 'found'), [
    ([1.0, 2.0], r'shape \(2,\)'), (None, r'shape \(\)'), ('ab', r'shape \(\)'),
    ([[1.0, np.nan], [0.0, 0.0]], 'not finite'), ([[1.0], [2.0, 3.0]], r'shape \(\)')])
def test_another_answer_names_hook_tick_and_shape(answer, found):
    with pytest.raises(InputError, match=r'^wind\.effective_wind_function at tick 7: .*returned '
                       + '.*' + found + r'.*expected finite numbers of shape \(2, 2\)$'):
        call(lambda _: answer)


def test_an_exception_is_the_users():
    def fails(_):
        raise ValueError('no wind today')
    with pytest.raises(UserCodeError, match=r'effective_wind_function at tick 7.*no wind today'):
        call(fails)

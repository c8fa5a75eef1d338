"""Functions of one's own as policies: what numba cannot compile, and what raises, is named."""

import numpy as np
import pytest

import sbot
from sbot_common.user_code import UserCodeError

SCENE = {'rate': 10, 'world': {'bounds': [0, 0, 9, 9]},
         'robots': [{'pose': [3, 3, 0], 'controller': 'none', 'goal': [5, 5]}]}


def misspelt(inputs, weights, memory, outputs, layers, dt):
    outputs[:] = inputs.nonsense()


def few(inputs, weights):
    pass


@pytest.mark.parametrize(('function', 'words'), [
    (misspelt, 'Unknown attribute'), (few, "to signature '(inputs, weights)'")])
def test_a_function_that_numba_cannot_compile_is_named_where_it_is_given(function, words):
    with pytest.raises(UserCodeError) as caught:
        sbot.function_policy(function, ['goal'], weights=1)
    said = str(caught.value)
    assert said.startswith(f'function_policy: {function.__name__}() at {__file__}:')
    assert words in said
    assert '\n' not in said
    assert 'Pass nopython' not in said
    assert 'typeinfer.py' not in caught.value.traceback()


def raises(inputs, weights, memory, outputs, layers, dt):
    if weights[0] > 0.0:
        raise ValueError('no way')
    outputs[:] = 0.0


@pytest.mark.parametrize('threads', [1, 2])
def test_a_function_that_raises_ends_the_run_of_its_worlds(threads, capfd):
    worlds = sbot.Worlds(SCENE, 3, threads=threads)
    policy = sbot.function_policy(raises, ['goal'], weights=1)
    worlds.run(policy, np.zeros((3, 1)), 2)
    with pytest.raises(UserCodeError, match=r'^raises\(\) at .*: ValueError: no way$') as caught:
        worlds.run(policy, np.ones((3, 1)), 2)
    assert 'in raises' in caught.value.traceback()
    assert 'Exception ignored' not in capfd.readouterr().err

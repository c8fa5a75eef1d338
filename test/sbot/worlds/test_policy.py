"""Functions of one's own as policies: what numba cannot compile, and what raises, is named."""

import numpy as np
import pytest

import sbot
from sbot_common.errors import InputError
from sbot_common.user_code import UserCodeError

SCENE = {'rate': 10, 'world': {'bounds': [0, 0, 9, 9]},
         'robots': [{'pose': [3, 3, 0], 'controller': 'none', 'goal': [5, 5]}]}


def misspelt(inputs, weights, memory, outputs, layers, dt):
    outputs[:] = inputs.nonsense()


def few(inputs, weights):
    pass


@pytest.mark.parametrize(('function', 'words'), [(misspelt, 'Unknown attribute')])
def test_a_function_that_numba_cannot_compile_is_named_where_it_is_given(function, words):
    with pytest.raises(UserCodeError) as caught:
        sbot.function_policy(function, ['goal'], weights=1)
    said = str(caught.value)
    assert said.startswith(f'function_policy: {function.__name__}() at {__file__}:')
    assert words in said
    assert '\n' not in said
    assert 'Pass nopython' not in said
    assert 'typeinfer.py' not in caught.value.traceback()


@pytest.mark.parametrize(('function', 'name'), [
    (few, 'few(inputs, weights)'), (lambda inputs: None, '<lambda>(inputs)')])
def test_a_function_takes_six_parameters(function, name):
    with pytest.raises(InputError) as caught:
        sbot.function_policy(function, ['goal'], weights=1)
    assert str(caught.value) == (f'function: got {name!r}, expected six parameters: inputs, '
                                 'weights, memory, outputs, layers, dt')


def reads_weights(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = 1.0
    outputs[1] = weights[1]


def writes_memory(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = 1.0
    memory[40] = dt


@pytest.mark.parametrize(('function', 'index'), [(reads_weights, 1), (writes_memory, 40)])
def test_an_index_out_of_bounds_is_named_with_its_line_before_it_is_compiled(function, index):
    line = function.__code__.co_firstlineno + 2
    with pytest.raises(UserCodeError) as caught:
        sbot.function_policy(function, ['goal'], weights=1, memory=1)
    assert str(caught.value) == (
        f'function_policy: {function.__name__}() at {__file__}:{line}: IndexError: index {index} '
        'is out of bounds for axis 0 with size 1 (numbers: inputs 3, weights 1, memory 1, '
        'outputs 2)')
    assert 'function_policy.py' not in caught.value.traceback()


def divides(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = 1.0 / (dt - dt)
    outputs[1] = inputs[0] / weights[0]


def test_other_errors_of_python_are_left_to_the_compiled_function():
    worlds = sbot.Worlds(SCENE, 1)
    policy = sbot.function_policy(divides, ['goal'], weights=1)
    assert policy.weight_count == 1
    assert worlds.run(policy, [1.0], 1, keep=['pose']).pose.shape == (1, 1, 1, 3)


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

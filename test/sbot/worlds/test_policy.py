"""Functions of one's own as policies: what numba cannot compile, and what raises, is named."""

import numpy as np
import pytest

import sbot
from sbot.worlds.policy import check_inputs, policy_arrays
from sbot_common.errors import InputError
from sbot_common.user_code import UserCodeError

TICK = np.array([4, 9])


def scenario(goals=((3.0, 3.0), None), **changes):
    robots = [{'pose': [1.0 + i, 1.0, 0.0], 'body': 's-bot', 'controller': 'none'}
              | ({} if goal is None else {'goal': list(goal)}) for i, goal in enumerate(goals)]
    return sbot.load({'duration': 1, 'rate': 20, 'world': {'bounds': [0, 0, 9, 9]},
                      'robots': robots, **changes})


def arrays(inputs=('infrared',), weights=None, goals=None, keep=(), ticks=5, given=None):
    network = sbot.network('perceptron', inputs)
    return network, policy_arrays(
        network, np.zeros(network.weight_count) if weights is None else weights, goals, keep,
        ticks, given or [scenario()] * 2, TICK)


def test_each_world_has_its_own_weights_or_all_the_same():
    network, _ = arrays()
    one = np.arange(network.weight_count, dtype=float)
    np.testing.assert_array_equal(arrays(weights=one)[1].weights, [one, one])
    np.testing.assert_array_equal(arrays(weights=[one, -one])[1].weights, [one, -one])
    with pytest.raises(InputError, match='weights'):
        arrays(weights=one[1:])


def test_goals_are_given_or_the_scenarios():
    _, found = arrays(('goal',), given=[scenario(((3.0, 3.0), (4.0, 4.0)))] * 2)
    assert found.goal.tolist() == [[3, 3], [4, 4]] * 2
    _, found = arrays(('goal',), goals=[[1, 2], [5, 6]])
    assert found.goal.tolist() == [[1, 2], [5, 6]] * 2
    assert np.isnan(arrays()[1].goal[1]).all(), 'nobody asks for it'
    with pytest.raises(InputError, match='needs a goal of every robot'):
        arrays(('goal',))


@pytest.mark.parametrize(('inputs', 'senses', 'words'), [
    (['infrared'], ['scan'], "needs infrared in sense; add 'infrared'"),
    (['imu:3'], ['imu'], 'expected imu:4'), (['imu:4'], ['scan'], 'needs imu in sense'),
    (['scan:9'], ['scan'], r"^inputs: got 'scan:9', expected at most scan:8.* at least 9$"),
    (['radar:4'], ['scan'], 'the name of a sensor and how many numbers it reads')])
def test_an_input_that_worlds_do_not_give_is_named(inputs, senses, words):
    readings = {'imu': np.zeros((4, 4))} if 'imu' in senses else {}
    with pytest.raises(InputError, match=words):
        check_inputs(sbot.network('perceptron', inputs), senses, readings, 8)


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

"""A saved function drives robots as it does in a batch of worlds, to the bit."""

import math

import numpy as np
import pytest
from every_input import ALL, TICKS, sensing

import sbot
from neural_controller.function_controller import FunctionController
from sbot_common.errors import InputError
from sbot_common.observation import Observation
from sbot_common.user_code import UserCodeError


def mixes(inputs, weights, memory, outputs, layers, dt):
    """Sum, square root and division, memory, and an output that is kept from the last tick."""
    total = 0.0
    for i in range(len(inputs)):
        total += weights[i] * inputs[i]
        memory[i] += dt * (inputs[i] - memory[i]) / (1.0 + math.sqrt(abs(memory[i])))
    outputs[0] = 0.3 * outputs[0] + 0.7 * total / (1.0 + abs(total))
    outputs[1] = np.sum(memory) / layers[0] - weights[0] * outputs[0] + 0.1


def nothing(inputs, weights, memory, outputs, layers, dt):
    pass


@pytest.mark.parametrize(('inputs', 'outputs', 'turn'), [(ALL, 'wheels', 0.095),
                                                         (ALL, 'twist', 1.5)])
def test_equals_a_batch_of_worlds_to_the_bit(tmp_path, inputs, outputs, turn):
    count = sbot.network('perceptron', inputs).input_count
    policy = sbot.function_policy(mixes, inputs, weights=count, memory=count, outputs=outputs,
                                  turn=turn)
    weights = np.random.default_rng(3).normal(size=count)
    sbot.save_policy(tmp_path / 'a.json', policy, weights)
    scenario = sbot.load(sensing('function_policy', 'policy', tmp_path / 'a.json'))
    run = sbot.run(scenario, seed=5)
    for chosen in (policy, sbot.load_policy(tmp_path / 'a.json')[0]):
        episode = sbot.Worlds(scenario, 3, seeds=[4, 5, 6]).run(chosen, weights, TICKS,
                                                                keep=['pose'])
        assert run.poses[:TICKS].tobytes() == episode.pose[:, 1].tobytes()
    assert np.ptp(run.poses[:, :, 0], axis=0).min() > 0.01
    assert (episode.pose[:, 0] != episode.pose[:, 1]).any()


def seen(**fields):
    return Observation(0, 1, 0, 0, 0.1, np.zeros((1, 3)), **fields)


def controller_of(tmp_path, function, inputs=('twist',), **more):
    policy = sbot.function_policy(function, inputs, weights=3, **more)
    sbot.save_policy(tmp_path / 'a.json', policy, [0.5, 0.2, 0.1])
    return [FunctionController(str(tmp_path / 'a.json'), find=None) for _ in range(2)]


def test_memory_is_each_robots_own(tmp_path):
    one, other = controller_of(tmp_path, mixes, memory=3)
    rng = np.random.default_rng(0)
    first = one.step(seen(twist=(1.0, 0.0, 1.0)), rng)
    assert one.step(seen(twist=(1.0, 0.0, 1.0)), rng) != first
    assert other.step(seen(twist=(1.0, 0.0, 1.0)), rng) == first


def test_a_function_that_writes_nothing_stands_still(tmp_path):
    assert controller_of(tmp_path, nothing)[0].step(
        seen(), np.random.default_rng(0)) == (0.0, 0.0)


def test_what_a_robot_lacks_is_named(tmp_path):
    with pytest.raises(InputError, match=r'infrared needs .*sensors\.infrared'):
        controller_of(tmp_path, nothing, ['infrared'])[0].step(seen(), np.random.default_rng(0))


def raises(inputs, weights, memory, outputs, layers, dt):
    if inputs[0] >= 0.0:
        raise ValueError('no way')


def test_what_a_function_raises_ends_the_run_in_one_line(tmp_path):
    controller_of(tmp_path, raises)
    scenario = {'duration': 0.5, 'world': {'bounds': [0, 0, 9, 9]}, 'robots': [
        {'pose': [4, 4, 0], 'controller': 'function_policy',
         'parameters': {'policy': str(tmp_path / 'a.json')}}]}
    with pytest.raises(UserCodeError, match=r'robot 0 at tick 0: .*step.*: ValueError: no way$'):
        sbot.run(scenario)


def test_many_robots_share_one_compiled_function(tmp_path):
    one, other = controller_of(tmp_path, mixes, memory=3)
    assert one._function is other._function

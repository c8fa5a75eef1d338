"""Arrays of a policy in a batch: weights and goals of each world, columns that are kept."""

import numpy as np
import pytest

import sbot
from sbot.worlds.policy_arrays import check_inputs, policy_arrays
from sbot_common.errors import InputError

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


def test_rows_are_those_of_all_robots():
    network, found = arrays()
    assert found.inputs.shape == (4, network.input_count)
    assert found.outputs.shape == (4, 2)
    assert found.weights.shape == (2, network.weight_count)
    assert found.kept.size == 0
    assert found.kept_columns.tolist() == [-1] * 5
    assert found.first_tick.tolist() == [4, 9]
    assert found.first_tick is not TICK
    assert found.decision.tolist() == [0.05]


def test_each_world_has_its_own_weights_or_all_the_same():
    network, _ = arrays()
    one = np.arange(network.weight_count, dtype=float)
    np.testing.assert_array_equal(arrays(weights=one)[1].weights, [one, one])
    np.testing.assert_array_equal(arrays(weights=[one, -one])[1].weights, [one, -one])
    with pytest.raises(InputError, match='weights'):
        arrays(weights=one[1:])


def test_columns_follow_each_other_in_their_order():
    _, found = arrays(keep=['pose', 'collided', 'wind'], ticks=7)
    assert found.kept_columns.tolist() == [0, -1, 3, -1, 4]
    assert found.kept.shape == (7, 4, 6)


def test_goals_are_given_or_the_scenarios():
    everybody = scenario(((3.0, 3.0), (4.0, 4.0)))
    _, found = arrays(('goal',), given=[everybody] * 2)
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


def test_inputs_that_worlds_give_are_fine():
    check_inputs(sbot.network('perceptron', ['infrared', 'imu:4', 'goal', 'scan:8']),
                 ['infrared', 'imu', 'scan'], {'imu': np.zeros((4, 4))}, 8)

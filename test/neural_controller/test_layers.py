"""Forward passes beside NumPy's, written as matrices; functions beside mpmath's."""

import itertools

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neural_controller.layers import (
    LEAST_TAU,
    MOST_TAU,
    ctrnn,
    logistic,
    mlp,
    perceptron,
    tanh,
    time_constant,
)
from neural_controller.network import make_network


def run(function, inputs, weights, layers, memory, dt=0.1):
    outputs = np.full(2, np.nan)
    function(inputs, weights, memory, outputs, np.array(layers, np.int64), dt)
    return outputs


@given(st.floats(-1e4, 1e4))
def test_tanh(x):
    assert tanh(x) == pytest.approx(float(mpmath.tanh(x)), abs=3e-16)
    assert tanh(-x) == -tanh(x)


@given(st.floats(-600, 600))
def test_logistic(x):
    assert logistic(x) == pytest.approx(float(1 / (1 + mpmath.exp(-mpmath.mpf(x)))), rel=1e-15)


@pytest.mark.parametrize(('x', 'value'), [(-1e300, 0.0), (-701.0, 0.0), (1e300, 1.0)])
def test_logistic_far_out(x, value):
    assert logistic(x) == value


@given(st.floats(-5, 5))
def test_time_constants_are_bounded_powers_of_ten(exponent):
    expected = min(max(10.0 ** exponent, LEAST_TAU), MOST_TAU)
    assert time_constant(exponent) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize('seed', range(3))
def test_perceptron(seed):
    rng = np.random.default_rng(seed)
    inputs, weights = rng.normal(size=7), rng.normal(size=16)
    rows = weights.reshape(2, 8)
    expected = np.tanh(rows[:, 0] + rows[:, 1:] @ inputs)
    assert run(perceptron, inputs, weights, [7, 2], np.zeros(0)) == pytest.approx(
        expected, abs=1e-14)


@pytest.mark.parametrize('hidden', [[1], [6], [5, 3, 4]])
def test_mlp(hidden):
    rng = np.random.default_rng(len(hidden))
    layers = [4, *hidden, 2]
    weights = rng.normal(size=make_network('mlp', ['pose'], hidden=hidden).weight_count)
    values = inputs = rng.normal(size=4)
    at = 0
    for before, after in itertools.pairwise(layers):
        rows = weights[at:at + after * (before + 1)].reshape(after, before + 1)
        values, at = np.tanh(rows[:, 0] + rows[:, 1:] @ values), at + rows.size
    assert at == weights.size
    assert run(mlp, inputs, weights, layers, np.zeros(sum(hidden))) == pytest.approx(
        values, abs=1e-14)


class Beer:
    """A CTRNN in matrices, by Euler's method."""

    def __init__(self, weights, inputs, hidden):
        rows = weights[:hidden * (2 + hidden + inputs)].reshape(hidden, -1)
        self.tau = np.clip(10.0 ** rows[:, 0], LEAST_TAU, MOST_TAU)
        self.bias, self.own, self.gain = rows[:, 1], rows[:, 2:2 + hidden], rows[:, 2 + hidden:]
        self.out = weights[rows.size:].reshape(2, hidden + 1)
        self.y = np.zeros(hidden)

    def values(self):
        return 1 / (1 + np.exp(-(self.y + self.bias)))

    def step(self, inputs, dt):
        rate = -self.y + self.own @ self.values() + self.gain @ inputs
        self.y = self.y + np.minimum(1.0, dt / self.tau) * rate
        return np.tanh(self.out[:, 0] + self.out[:, 1:] @ self.values())


@pytest.mark.parametrize(('hidden', 'dt'), [(1, 0.1), (5, 0.1), (3, 0.5)])
def test_ctrnn_over_many_ticks(hidden, dt):
    rng = np.random.default_rng(hidden)
    network = make_network('ctrnn', ['goal'], hidden=[hidden])
    weights = rng.normal(size=network.weight_count)
    memory, oracle = np.zeros(network.memory_count), Beer(weights, 3, hidden)
    seen = []
    for _ in range(60):
        inputs = rng.normal(size=3)
        seen.append(run(ctrnn, inputs, weights, [3, hidden, 2], memory, dt))
        assert seen[-1] == pytest.approx(oracle.step(inputs, dt), abs=1e-11)
    assert np.ptp(seen, axis=0).max() > 0.01
    assert memory[:hidden] == pytest.approx(oracle.y, abs=1e-11)


def test_ctrnn_settles_on_its_input_at_the_pace_of_its_time_constant():
    # One neuron without recurrence: y -> input * (1 - exp(-t/tau)).
    weights = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    memory = np.zeros(2)
    for _ in range(1000):
        outputs = run(ctrnn, np.array([2.0]), weights, [1, 1, 2], memory, 0.001)
    assert memory[0] == pytest.approx(2 * (1 - np.exp(-1.0)), abs=1e-3)
    assert outputs == pytest.approx(np.tanh([memory[1]] * 2), abs=1e-15)

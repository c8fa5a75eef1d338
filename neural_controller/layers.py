"""Forward pass of a perceptron, a multi-layer perceptron and a CTRNN.

Sums run in the order of the inputs, from the bias on, so the same weights give the same bits
everywhere. All functions have one signature:

inputs : (I,)
weights : (W,)
memory : (M,) what the network remembers; read and written
outputs : (O,) written, each in [-1, 1]
layers : (L,) numbers of neurons, from the inputs to the outputs
dt : s, length of a tick
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import exp, exp_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Time constants of a CTRNN's neurons: 10 to the power of a weight in [-1, 1], about a tick's
# length to ten seconds (D. Floreano, S. Nolfi and others evolve them in this range).
LEAST_TAU, MOST_TAU = 0.1, 10.0  # s
TANH_IS_ONE = 20.0  # from here on, rounded


@njit
def tanh(x: float) -> float:
    """Return the hyperbolic tangent, from ``exp``; within 2e-16 of it in absolute terms."""
    if x < 0.0:
        return -tanh_positive(-x)
    return tanh_positive(x)


@njit
def tanh_positive(x: float) -> float:
    """Return the hyperbolic tangent of x >= 0."""
    if x > TANH_IS_ONE:
        return 1.0
    e = exp(-2.0 * x)
    return (1.0 - e) / (1.0 + e)


@njit
def tanh_in_place(x: Floats) -> None:
    """Replace each number of (N,) by its ``tanh``, bit for bit, in vectors."""
    e = np.empty(len(x))
    for i in range(len(x)):
        e[i] = -2.0 * min(abs(x[i]), TANH_IS_ONE)
    exp_of(e, e)
    for i in range(len(x)):
        tangent = (1.0 - e[i]) / (1.0 + e[i])
        tangent = 1.0 if abs(x[i]) > TANH_IS_ONE else tangent
        x[i] = -tangent if x[i] < 0.0 else tangent


@njit
def logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + exp(-x)) if x > -700.0 else 0.0


@njit
def perceptron(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
               layers: Integers, dt: float) -> None:
    """Compute tanh(bias + weights . inputs) of each output; weights row by row, bias first."""
    weighted_sums(inputs, weights, outputs)
    for o in range(len(outputs)):
        outputs[o] = tanh(outputs[o])


@njit_inline
def weighted_sums(inputs: Floats, weights: Floats, outputs: Floats) -> None:
    """Compute bias + weights . inputs of each output; weights row by row, bias first."""
    row = len(inputs) + 1
    for o in range(0, len(outputs) - 1, 2):  # two sums at once take hardly longer than one
        one, other = o * row, (o + 1) * row
        a, b = weights[one], weights[other]
        for i in range(len(inputs)):
            a += weights[one + 1 + i] * inputs[i]
            b += weights[other + 1 + i] * inputs[i]
        outputs[o], outputs[o + 1] = a, b
    if len(outputs) % 2 == 1:
        last = (len(outputs) - 1) * row
        a = weights[last]
        for i in range(len(inputs)):
            a += weights[last + 1 + i] * inputs[i]
        outputs[len(outputs) - 1] = a


@njit
def mlp(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats, layers: Integers,
        dt: float) -> None:
    """Compute layer by layer tanh(bias + weights . values); ``memory`` holds the hidden values.

    ``weights`` are those of the first layer, neuron by neuron, bias first; then the next layer's.
    """
    source, start, at = inputs, 0, 0
    for layer in range(1, len(layers)):
        last = layer == len(layers) - 1
        target = outputs if last else memory[start:start + layers[layer]]
        for o in range(layers[layer]):
            total = weights[at]
            for i in range(layers[layer - 1]):
                total += weights[at + 1 + i] * source[i]
            target[o] = tanh(total)
            at += layers[layer - 1] + 1
        start += 0 if last else layers[layer]
        source = target


@njit
def ctrnn(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats, layers: Integers,
          dt: float) -> None:
    """Advance a continuous-time recurrent network by Euler's method (R. D. Beer, 1995).

    tau_i dy_i/dt = -y_i + sum_j w_ij logistic(y_j + bias_j) + sum_k g_ik input_k; neurons
    ``layers[1]`` hidden ones, all joined to all, then perceptron outputs of their logistic values.
    ``memory`` holds y and then the values of the neurons. ``weights``: for each neuron its time
    constant's exponent, bias, weights from all neurons, weights from all inputs; for each output
    bias and weights from all neurons.
    """
    hidden = layers[1]
    row = 2 + hidden + len(inputs)
    for j in range(hidden):
        memory[hidden + j] = logistic(memory[j] + weights[j * row + 1])
    for i in range(hidden):
        at = i * row
        total = -memory[i]
        for j in range(hidden):
            total += weights[at + 2 + j] * memory[hidden + j]
        for k in range(len(inputs)):
            total += weights[at + 2 + hidden + k] * inputs[k]
        tau = time_constant(weights[at])
        memory[i] += min(1.0, dt / tau) * total
    at = hidden * row
    for j in range(hidden):
        memory[hidden + j] = logistic(memory[j] + weights[j * row + 1])
    for o in range(len(outputs)):
        total = weights[at]
        for j in range(hidden):
            total += weights[at + 1 + j] * memory[hidden + j]
        outputs[o] = tanh(total)
        at += hidden + 1


@njit
def time_constant(exponent: float) -> float:
    """Return 10 ** exponent (s), within [LEAST_TAU, MOST_TAU]."""
    return min(max(exp(2.302585092994046 * exponent), LEAST_TAU), MOST_TAU)

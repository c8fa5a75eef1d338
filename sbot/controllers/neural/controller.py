# SPDX-License-Identifier: Apache-2.0
"""Forward passes of networks, and networks and function policies as controllers of one robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.neural.function_policy import Find, compile_for_robot, read_policy
from sbot.controllers.neural.inputs import (
    GOAL,
    INFRARED,
    READING,
    SCAN,
    Heard,
    Senses,
    check_beams,
    field_of,
    gather_goals,
    gather_inputs,
    input_table,
)
from sbot.controllers.neural.network import (
    HOLONOMIC,
    WHEELS,
    Network,
    bounded,
    checked_hold,
    command_of_twist,
    command_of_wheels,
    load_network,
)
from sbot_common.arrays import Floats, Integers
from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import copy_numbers, exp, exp_of
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import Observation

Command = tuple[float, float] | tuple[float, float, float]

# Forward pass of a perceptron, a multi-layer perceptron, a CTRNN, a GRU and an LSTM.
#
# Sums run in the order of the inputs, from the bias on, so the same weights give the same bits
# everywhere. All functions have one signature:
#
# inputs : (I,)
# weights : (W,)
# memory : (M,) what the network remembers; read and written
# outputs : (O,) written, each in [-1, 1]
# layers : (L,) numbers of neurons, from the inputs to the outputs
# dt : s, length of a tick


# Time constants of a CTRNN's neurons: 10 to the power of a weight in [-1, 1], about a tick's
# length to ten seconds (D. Floreano, S. Nolfi and others evolve them in this range).
LEAST_TAU, MOST_TAU = 0.1, 10.0  # s
_TANH_IS_ONE = 20.0  # from here on, rounded


@njit
def _tanh(x: float) -> float:
    """Return the hyperbolic tangent, from ``exp``; within 2e-16 of it in absolute terms."""
    if x < 0.0:
        return -_tanh_positive(-x)
    return _tanh_positive(x)


@njit
def _tanh_positive(x: float) -> float:
    """Return the hyperbolic tangent of x >= 0."""
    if x > _TANH_IS_ONE:
        return 1.0
    e = exp(-2.0 * x)
    return (1.0 - e) / (1.0 + e)


@njit
def tanh_in_place(x: Floats) -> None:
    """Replace each number of (N,) by its ``_tanh``, bit for bit, in vectors."""
    exponent, e = np.empty(len(x)), np.empty(len(x))  # in place would not be in vectors
    for i in range(len(x)):
        exponent[i] = -2.0 * min(abs(x[i]), _TANH_IS_ONE)
    exp_of(exponent, e)
    for i in range(len(x)):
        tangent = (1.0 - e[i]) / (1.0 + e[i])
        tangent = 1.0 if abs(x[i]) > _TANH_IS_ONE else tangent
        x[i] = -tangent if x[i] < 0.0 else tangent


@njit
def _logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + exp(-x)) if x > -700.0 else 0.0


@njit
def _perceptron(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
               layers: Integers, dt: float) -> None:
    """Compute tanh(bias + weights . inputs) of each output; weights row by row, bias first."""
    weighted_sums(inputs, weights, outputs)
    for o in range(len(outputs)):
        outputs[o] = _tanh(outputs[o])


@njit_inline
def weighted_sums(inputs: Floats, weights: Floats, outputs: Floats) -> None:
    """Compute bias + weights . inputs of each output; weights row by row, bias first."""
    row = len(inputs) + 1
    for o in range(0, len(outputs) - 1, 2):  # two sums at once take hardly longer than one
        one, other = o * row, (o + 1) * row
        a, b = weights[one], weights[other]
        for i in range(len(inputs)):  # unsigned: nobody asks whether places count from the end
            a += weights[np.uint64(one + 1 + i)] * inputs[i]
            b += weights[np.uint64(other + 1 + i)] * inputs[i]
        outputs[o], outputs[o + 1] = a, b
    if len(outputs) % 2 == 1:
        last = len(outputs) - 1
        outputs[last] = _weighted(inputs, weights, last * row)


@njit
def _mlp(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats, layers: Integers,
        dt: float) -> None:
    """Compute layer by layer tanh(bias + weights . values); ``memory`` holds the hidden values.

    ``weights`` are those of the first layer, neuron by neuron, bias first; then the next layer's.
    """
    source, start, at = inputs, 0, 0
    for layer in range(1, len(layers)):
        last = layer == len(layers) - 1
        target = outputs if last else memory[start:start + layers[layer]]
        for o in range(layers[layer]):
            target[o] = _tanh(_weighted(source, weights, at))
            at += layers[layer - 1] + 1
        start += 0 if last else layers[layer]
        source = target


@njit
def _ctrnn(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats, layers: Integers,
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
        memory[hidden + j] = _logistic(memory[j] + weights[j * row + 1])
    for i in range(hidden):
        at = i * row
        total = -memory[i]
        for j in range(hidden):
            total += weights[at + 2 + j] * memory[hidden + j]
        for k in range(len(inputs)):
            total += weights[at + 2 + hidden + k] * inputs[k]
        tau = _time_constant(weights[at])
        memory[i] += min(1.0, dt / tau) * total
    at = hidden * row
    for j in range(hidden):
        memory[hidden + j] = _logistic(memory[j] + weights[j * row + 1])
    for o in range(len(outputs)):
        outputs[o] = _tanh(_weighted(memory[hidden:2 * hidden], weights, at))
        at += hidden + 1


@njit
def _time_constant(exponent: float) -> float:
    """Return 10 ** exponent (s), within [LEAST_TAU, MOST_TAU]."""
    return min(max(exp(2.302585092994046 * exponent), LEAST_TAU), MOST_TAU)


@njit
def _gru(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats, layers: Integers,
        dt: float) -> None:
    """Compute a layer of gated recurrent units (K. Cho et al., 2014), and an ``_mlp`` of it.

    As PyTorch's GRUCell: h <- (1 - z) n + z h with gates r and z of the inputs and of h, and
    n = tanh(a + r b), a of the inputs and b of h. ``memory`` holds h, the new h, and then the
    hidden values of the mlp. ``weights``: for each unit, for each of r, z and n, a bias, weights
    from all inputs, another bias, weights from all units; then those of the mlp.
    """
    units, row = layers[1], layers[0] + layers[1] + 2
    h = memory[:units]
    for unit in range(units):
        at = 3 * unit * row
        reset = _logistic(_gate(inputs, h, weights, at))
        keep = _logistic(_gate(inputs, h, weights, at + row))
        at += 2 * row
        new = _tanh(_weighted(inputs, weights, at)
                   + reset * _weighted(h, weights, at + layers[0] + 1))
        memory[units + unit] = (1.0 - keep) * new + keep * h[unit]
    copy_numbers(memory[units:2 * units], h)
    _mlp(h, weights[3 * units * row:], memory[2 * units:], outputs, layers[1:], dt)


@njit
def _lstm(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats, layers: Integers,
         dt: float) -> None:
    """Compute a layer of long short-term memory (F. Gers et al., 2000), and an ``_mlp`` of it.

    As PyTorch's LSTMCell: c <- f c + i g and h <- o tanh(c). ``memory`` holds h, c, the new h, and
    then as in ``_gru``, as do ``weights``, for each of i, f, g and o.
    """
    units, row = layers[1], layers[0] + layers[1] + 2
    h = memory[:units]
    for unit in range(units):
        at = 4 * unit * row
        take = _logistic(_gate(inputs, h, weights, at))
        keep = _logistic(_gate(inputs, h, weights, at + row))
        cell = (keep * memory[units + unit]
                + take * _tanh(_gate(inputs, h, weights, at + 2 * row)))
        memory[units + unit] = cell
        memory[2 * units + unit] = (_logistic(_gate(inputs, h, weights, at + 3 * row))
                                    * _tanh(cell))
    copy_numbers(memory[2 * units:3 * units], h)
    _mlp(h, weights[4 * units * row:], memory[3 * units:], outputs, layers[1:], dt)


@njit
def _gate(inputs: Floats, h: Floats, weights: Floats, at: int) -> float:
    """Return the sum of a gate: from the inputs, and from the units."""
    return _weighted(inputs, weights, at) + _weighted(h, weights, at + len(inputs) + 1)


@njit
def _weighted(values: Floats, weights: Floats, at: int) -> float:
    """Return bias + weights . values, of the numbers from a place on."""
    total: float = weights[at]
    for i in range(len(values)):
        total += weights[at + 1 + i] * values[i]
    return total


_NO_ROW, _NO_ROW32 = np.empty((1, 0)), np.empty((1, 0), np.float32)  # no input asks for them
_NOBODY = Heard(np.zeros(2, np.int64), np.empty(0), np.empty(0))
_ONE_KIT = np.zeros(1, np.int64)

FORWARD: dict[str, Callable[..., None]] = {
    'perceptron': _perceptron, 'mlp': _mlp, 'ctrnn': _ctrnn, 'gru': _gru, 'lstm': _lstm}


class Neural:
    """Controller that runs a network: what evolves in ``sbot.Worlds`` drives robots.

    Parameters
    ----------
    network : path of a file that ``save_network`` wrote
    hold : ticks that a decision lasts; None: as the file says, or 1 if it does not. A file of
        ``sbot.learn.proof`` says 1, whatever the task had in training

    Raises
    ------
    InputError
        naming the file or ``hold``, and what was expected.

    """

    def __init__(self, network: str, hold: int | None = None) -> None:
        own = None if hold is None else checked_hold(hold)
        read, weights = load_network(network)
        self._begin(FORWARD[read.kind], read, weights, read.memory_count, own or read.hold or 1)

    def _begin(self, function: Callable[..., None], network: Network, weights: Floats,
               memory_count: int, hold: int) -> None:
        self.network, self._function, self._weights = network, function, weights
        self._table, self._layers = input_table(network.inputs), network.layers
        # Outputs keep what they are from tick to tick, too, as in a batch.
        self._memory, self._outputs = np.zeros(memory_count), np.zeros(self._layers[-1])
        self._hold, self._waiting = hold, 0
        self._command: Command = (0.0, 0.0)

    def step(self, observation: Observation, rng: np.random.Generator) -> Command:
        """Return linear.x, perhaps linear.y (m/s), and angular.z (rad/s)."""
        if self._waiting == 0:
            self._function(
                _network_inputs(self.network, self._table, observation), self._weights,
                self._memory, self._outputs, self._layers, self._hold * observation.dt)
            self._command = _command_of(self.network, self._outputs)
            self._waiting = self._hold
        self._waiting -= 1
        return self._command


def _command_of(network: Network, outputs: Floats) -> Command:
    """Return linear.x, perhaps linear.y (m/s), and angular.z (rad/s) of a network's outputs."""
    if network.outputs == HOLONOMIC:
        ahead, left, turn = map(bounded, outputs.tolist())
        return network.max_speed * ahead, network.max_speed * left, network.turn * turn
    command = command_of_wheels if network.outputs == WHEELS else command_of_twist
    v, omega = command(outputs[0], outputs[1], network.max_speed, network.turn)
    return float(v), float(omega)


@njit
def _gather_one(robot: int, table: Integers, senses: Senses, heard: Heard, out: Floats) -> None:
    """Write the inputs (1, I) of one robot; ``senses`` is its row, with all robots' poses."""
    poses = np.empty((2, 3))
    for c in range(3):
        poses[0, c], poses[1, c] = senses.pose[robot, c], senses.pose[0, c]
    own = Senses(poses, senses.goal, senses.infrared, senses.ranges, senses.kit,
                 senses.beams, senses.range_max, senses.wind, senses.twist)
    gather_goals(0, 1, table, own, out)
    gather_inputs(0, 1, 1, senses.pose.shape[0], table, own, heard, out)


def _network_inputs(network: Network, table: NDArray[np.int64],
                    observation: Observation) -> Floats:
    """Return the input values (I,) of an observation.

    Raises
    ------
    InputError
        naming the input, where the robot has no such sensor, too few beams, or no goal.

    """
    own, poses = observation.robot_id, np.array(observation.poses, np.float64)
    sensed: dict[str, Any] = {}
    out = np.zeros((1, network.input_count))
    for name, (kind, first, size) in zip(network.inputs, table.tolist(), strict=True):
        field = field_of(name)
        value: Any = None if field is None else getattr(observation, field)
        if field is not None:
            if value is None:
                raise InputError(f'input {name} needs a sensor that the robot does not have; add '
                                 'it to '
                                 '`sensors` of the scenario')
            sensed[field] = value
        if kind == INFRARED and len(value) != size:  # compiled code would write behind it
            raise bad_value(f'input {name}', f'{len(value)} readings', f'{size}')
        if kind == SCAN:
            check_beams(name, size, len(value.ranges))
        if kind == READING:
            if len(value) != size:
                raise bad_value('inputs', name, f"{name.partition(':')[0]}:{len(value)}")
            out[0, first:first + size] = value
        if kind == GOAL:
            if observation.goal is None:
                raise InputError(f'input {name} needs a goal; give the robot one')
            sensed['goal'] = observation.goal
    scan, heard = sensed.get('scan'), sensed.get('neighbours')
    senses = Senses(
        poses, _row(sensed.get('goal')),
        _NO_ROW32 if 'infrared' not in sensed else np.array([sensed['infrared']], np.float32),
        _NO_ROW32 if scan is None else np.array(scan.ranges, np.float32, ndmin=2),
        _ONE_KIT, np.array([0 if scan is None else len(scan.ranges)]),
        np.array([1.0 if scan is None else scan.range_max]), _row(sensed.get('wind')),
        _row(sensed.get('twist')))
    _gather_one(own, table, senses, _NOBODY if heard is None else Heard(
        np.array([0, len(heard.range)]), np.array(heard.range, np.float64),
        np.array(heard.bearing, np.float64)), out)
    return np.asarray(out[0])


def _row(values: Sequence[float] | None) -> Floats:
    return _NO_ROW if values is None else np.array([values], np.float64)


# A function policy as the controller of one robot: `controller: function_policy`.

class FunctionController(Neural):
    """Controller that asks a compiled function, with the bits that ``sbot.Worlds`` gives.

    Parameters
    ----------
    policy : path of a file that ``save_policy`` wrote; its function is executed
    find : returns the function that a file calls 'module:function'

    Raises
    ------
    InputError
        naming the file, and what was expected.
    UserCodeError
        if numba cannot compile the function.

    """

    def __init__(self, policy: str, find: Find) -> None:
        saved = read_policy(policy)
        function = saved.function(find)
        compile_for_robot(function, policy)
        self._begin(function, saved.network, saved.weights, saved.memory_count, 1)
        self._weights.flags.writeable = self._layers.flags.writeable = False

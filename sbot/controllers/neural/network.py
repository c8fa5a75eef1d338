# SPDX-License-Identifier: Apache-2.0
"""Description of a network: kind, inputs, neurons, outputs, what it learned with; and its file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sbot.controllers.neural.inputs import input_table
from sbot_common.arguments import numbers, whole
from sbot_common.arrays import Floats, Integers
from sbot_common.compiled.jit import njit
from sbot_common.errors import InputError, bad_value, one_line, read_small, refuse

# Commands from a network's outputs in [-1, 1].

WHEELS, TWIST, HOLONOMIC = 'wheels', 'twist', 'holonomic'
OUTPUTS = {WHEELS: 2, TWIST: 2, HOLONOMIC: 3}  # how many there are


@njit
def command_of_wheels(left: float, right: float, max_speed: float,
                      wheel_distance: float) -> tuple[float, float]:
    """Return the Twist (m/s, rad/s) of wheels at shares of their greatest speed.

    Parameters
    ----------
    left, right : in [-1, 1]
    max_speed : m/s, of a wheel along the ground
    wheel_distance : m

    """
    left, right = max_speed * bounded(left), max_speed * bounded(right)
    return 0.5 * (left + right), (right - left) / wheel_distance


@njit
def command_of_twist(forward: float, turn: float, max_speed: float,
                     max_turn: float) -> tuple[float, float]:
    """Return the Twist (m/s, rad/s) of shares in [-1, 1] of a greatest speed and turn rate."""
    return max_speed * bounded(forward), max_turn * bounded(turn)


@njit
def bounded(share: float) -> float:
    """Return a share within [-1, 1]; NaN becomes 0."""
    if math.isnan(share):
        return 0.0
    return min(max(share, -1.0), 1.0)


# Rate, body and sensor settings with which a network learned, by key of a scenario.

Value = bool | int | float | str
Conditions = tuple[tuple[str, Value], ...]  # ((key, value), …); (): not known, as in old files

_NOT_COMPARED = ('noise', 'bias')  # how exact a reading is, not what it means


def checked_conditions(given: Any) -> Conditions:  # noqa: ANN401
    """Return the conditions of a file's object of values by key; InputError for another."""
    if not isinstance(given, dict) or not all(isinstance(value, bool | int | float | str)
                                              for value in given.values()):
        raise bad_value(LEARNED_WITH, given, 'numbers, texts and truth values by key')
    return tuple(given.items())


def warning_of(what: str, learned_with: Conditions, now: Mapping[str, Value]) -> str | None:
    """Return the line of a warning about a network, called ``what``; None: nothing differs."""
    words = ', '.join(f'{key} {_word(value)} (now {_word(now[key])})'
                      for key, value in learned_with if key in now and now[key] != value
                      and not any(word in key for word in _NOT_COMPARED))
    return one_line(f'{what} learned with {words}, so it drives differently than it learned; give '
                    'the scenario these values') if words else None


def _word(value: Value) -> str:
    if isinstance(value, bool):
        return 'true' if value else 'false'
    return f'{value:g}' if isinstance(value, float) else str(value)



_LEAST, _MOST = 1e-6, 1e6  # m/s, m or rad/s
_MOST_LAYERS = 100
_MOST_HOLD = 10_000_000  # ticks
_MOST_BYTES = 32 << 20  # of a file: more than a million weights
KINDS = ('perceptron', 'mlp', 'ctrnn', 'gru', 'lstm')
_GATES = {'gru': 3, 'lstm': 4}  # of each unit
FUNCTION = 'function'  # the kind of a file that holds a function policy (``function_policy``)
_KEYS = ('kind', 'inputs', 'hidden', 'outputs', 'max_speed', 'turn', 'weights')
_HOLD = 'hold'  # a key that files of versions before it lack
LEARNED_WITH = 'learned_with'  # the same; only where a scenario is known


class Network(NamedTuple):
    """A network without its weights; make one by ``make_network``."""

    kind: str  # of KINDS
    inputs: tuple[str, ...]  # see ``inputs``
    hidden: tuple[int, ...]  # of each layer; the first has memory in a ctrnn, gru or lstm
    outputs: str  # of OUTPUTS
    max_speed: float  # m/s of a wheel, or of the robot
    turn: float  # m between the wheels, or rad/s at most
    hold: int | None = 1  # ticks that a decision lasts; None: an old file, which has no ``hold``
    learned_with: Conditions = ()  # values of the scenario in which it learned

    @property
    def input_count(self) -> int:
        """Return the number of input values."""
        return sum(input_table(self.inputs)[:, 2].tolist())

    @property
    def layers(self) -> Integers:
        """Return the numbers of neurons (L,), inputs and outputs included."""
        return np.array([self.input_count, *self.hidden, OUTPUTS[self.outputs]], np.int64)

    @property
    def memory_count(self) -> int:
        """Return the size of the network's memory and working space, in numbers."""
        more = {'ctrnn': 1, 'gru': 1, 'lstm': 2}.get(self.kind, 0)
        return sum(self.hidden) + more * sum(self.hidden[:1])

    @property
    def weight_count(self) -> int:
        """Return the number of weights."""
        sizes: list[int] = self.layers.tolist()
        if self.kind == 'ctrnn':
            hidden = sizes[1]
            return hidden * (2 + hidden + sizes[0]) + sizes[2] * (hidden + 1)
        count = sum((sizes[k] + 1) * sizes[k + 1] for k in range(len(sizes) - 1))
        if self.kind in _GATES:  # instead of a sum of the inputs
            count += sizes[1] * (_GATES[self.kind] * (sizes[0] + sizes[1] + 2) - sizes[0] - 1)
        return count


def make_network(kind: str = 'perceptron', inputs: Sequence[str] = ('infrared',), *,
                 hidden: Sequence[int] = (), outputs: str = WHEELS, max_speed: float = 0.08,
                 turn: float = 0.095, hold: int = 1) -> Network:
    """Return a checked network, without weights.

    Parameters
    ----------
    kind : 'perceptron', 'mlp', 'ctrnn', 'gru' or 'lstm'
    inputs : names, in order: 'infrared', 'scan:S' (S sectors), 'goal', 'leader', 'neighbours',
        'wind', 'twist', 'pose', or another sensor and how many numbers it reads, e.g. 'imu:4'
        (``sbot docs worlds``, "Inputs")
    hidden : neurons of each hidden layer: none of a perceptron, one number of a ctrnn; the first
        layer of a gru or lstm has memory
    outputs : 'wheels': two shares of ``max_speed`` (m/s), with ``turn`` the distance of the
        wheels (m); 'twist': shares of ``max_speed`` (m/s) and of ``turn`` (rad/s); 'holonomic':
        the same, with the speed to the left between them, for omnidirectional bodies. The
        defaults are those of the s-bot; give both for another body, or other outputs
    hold : ticks that a decision lasts, equal to ``hold`` of the task that trains the network

    Raises
    ------
    InputError
        for a wrong argument, which the error names.

    """
    refuse((not isinstance(kind, str) or kind not in KINDS,
            bad_value('kind', kind, f"one of {', '.join(KINDS)}")),
           (isinstance(inputs, str) or not isinstance(inputs, Sequence) or not all(
               isinstance(name, str) for name in inputs),
            bad_value('inputs', inputs, 'a list of names')),
           (not isinstance(hidden, Sequence),
            bad_value('hidden', hidden, 'a list of numbers of neurons')))
    input_table(tuple(inputs))
    wanted = {'perceptron': 'no hidden layer', 'ctrnn': 'one number of neurons'}.get(
        kind, f'at least one hidden layer, at most {_MOST_LAYERS},')
    sizes = tuple(islice(hidden, _MOST_LAYERS + 1))
    good = {'perceptron': not sizes, 'ctrnn': len(sizes) == 1}.get(
        kind, 0 < len(sizes) <= _MOST_LAYERS)
    refuse((not good or not all(isinstance(n, int) and 1 <= n <= 10_000 for n in sizes),
            bad_value('hidden', list(sizes), f'{wanted} for a {kind}')),
           (not isinstance(outputs, str) or outputs not in OUTPUTS,
            bad_value('outputs', outputs, f"one of {', '.join(OUTPUTS)}")),
           *((isinstance(value, bool) or not isinstance(value, int | float) or not (
               _LEAST <= value <= _MOST),
              bad_value(name, value, f'a number from {_LEAST:g} to {_MOST:g}'))
             for name, value in (('max_speed', max_speed), ('turn', turn))))
    return Network(kind, tuple(inputs), sizes, outputs, float(max_speed), float(turn),
                   checked_hold(hold))


def checked_hold(hold: object) -> int:
    """Return the number of ticks that a decision lasts; InputError for what is none."""
    return whole(_HOLD, hold, 1, _MOST_HOLD)


def _checked_weights(network: Network, weights: ArrayLike) -> Floats:
    """Return weights as floats (W,).

    Raises
    ------
    InputError
        for another shape, or a number that is not finite.

    """
    try:
        return np.ascontiguousarray(numbers('weights', weights, (network.weight_count,)))
    except InputError as error:
        raise InputError(f'{error} for a {network.kind} with {network.input_count} '
                         'inputs') from None


def save_network(path: str | Path, network: Network, weights: ArrayLike) -> None:
    """Write a network and its weights (W,) as JSON, which keeps every bit."""
    content = {**network._asdict(), LEARNED_WITH: dict(network.learned_with),
               'weights': _checked_weights(network, weights).tolist()}
    for key in (_HOLD, LEARNED_WITH):
        if not content[key]:  # not known
            del content[key]
    Path(path).write_text(json.dumps(content, indent=1) + '\n', 'utf-8')


def load_network(path: str | Path) -> tuple[Network, Floats]:
    """Return the network and weights (W,) of a file that ``save_network`` wrote.

    Raises
    ------
    InputError
        naming the file, and what was expected.

    """
    content = read_content(path)
    refuse((content.get('kind') == FUNCTION,
            f'{path}: contains a function, not a network; use sbot.load_policy or controller '
            'function_policy, which execute it'),
           (set(content) - {_HOLD, LEARNED_WITH} != set(_KEYS),
            f"{path}: expected an object with the keys "
            f"{', '.join((*_KEYS, _HOLD, LEARNED_WITH))}"))
    try:
        network = make_network(content['kind'], content['inputs'], hidden=content['hidden'],
                               outputs=content['outputs'], max_speed=content['max_speed'],
                               turn=content['turn'], hold=content.get(_HOLD, 1))
        network = network._replace(
            hold=network.hold if _HOLD in content else None,
            learned_with=checked_conditions(content.get(LEARNED_WITH, {})))
        return network, _checked_weights(network, content['weights'])
    except InputError as error:
        raise InputError(f'{path}: {error}') from None


def read_content(path: str | Path) -> dict[str, Any]:
    """Return the JSON content of a file of a network or a function policy, not checked.

    Raises
    ------
    InputError
        naming the file, if it holds no JSON object.

    """
    try:
        content: Any = json.loads(read_small(path, _MOST_BYTES).decode('utf-8'))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f'{path}: cannot be read as a network ({error})') from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: expected an object with the keys {', '.join(_KEYS)}")
    return content

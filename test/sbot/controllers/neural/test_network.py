"""Commands from the outputs of a network."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot.controllers.neural.network import (
    _checked_weights,
    bounded,
    checked_conditions,
    command_of_twist,
    command_of_wheels,
    load_network,
    make_network,
    save_network,
    warning_of,
)
from sbot_common.errors import InputError

shares = st.floats(-1, 1)


@given(shares, shares)
def test_wheels_turn_as_the_outputs_say(left, right):
    v, omega = command_of_wheels(left, right, 0.08, 0.095)
    assert v - omega * 0.095 / 2 == pytest.approx(0.08 * left, abs=1e-16)
    assert v + omega * 0.095 / 2 == pytest.approx(0.08 * right, abs=1e-16)


@given(shares, shares)
def test_twist(forward, turn):
    assert command_of_twist(forward, turn, 1.5, 2.0) == (1.5 * forward, 2.0 * turn)


@pytest.mark.parametrize(('share', 'kept'), [
    (7.0, 1.0), (-7.0, -1.0), (math.inf, 1.0), (-math.inf, -1.0), (math.nan, 0.0), (0.25, 0.25)])
def test_outputs_of_a_function_are_bounded(share, kept):
    assert bounded(share) == kept
    assert command_of_twist(share, share, 2.0, 3.0) == (2 * kept, 3 * kept)


LEARNED = (('rate', 10.0), ('body', 's-bot'), ('sensors.scan_beams', 8),
           ('sensors.scan_noise_std', 0.01), ('sensors.scan_sees_robots', True))


def test_a_file_keeps_what_its_network_learned_with(tmp_path):
    network = make_network()._replace(learned_with=LEARNED)
    save_network(tmp_path / 'a.json', network, np.zeros(32))
    assert load_network(tmp_path / 'a.json')[0] == network
    assert json.loads((tmp_path / 'a.json').read_text())['learned_with'] == dict(LEARNED)
    save_network(tmp_path / 'b.json', make_network(), np.zeros(32))
    assert 'learned_with' not in json.loads((tmp_path / 'b.json').read_text())


def test_what_differs_is_one_line_and_noise_is_left_out():
    now = {**dict(LEARNED), 'sensors.scan_noise_std': 0.5, 'more': 1}
    assert warning_of('a.json', LEARNED, now) is None
    now |= {'sensors.scan_beams': 180, 'sensors.scan_sees_robots': False, 'body': 'e\npuck'}
    assert warning_of('a.json', LEARNED, now) == (
        'a.json learned with body s-bot (now e puck), sensors.scan_beams 8 (now 180), '
        'sensors.scan_sees_robots true (now false), so it drives differently than it learned; '
        'give the scenario these values')


@pytest.mark.parametrize(('given', 'words'), [([], 'learned_with: got []'),
    ({'rate': []}, "learned_with: got {'rate': []}")])
def test_other_values_are_refused(given, words):
    with pytest.raises(InputError) as caught:
        checked_conditions(given)
    assert words in str(caught.value)


@pytest.mark.parametrize(('arguments', 'inputs', 'weights', 'memory'), [
    ({}, 15, 32, 0),
    ({'kind': 'mlp', 'hidden': [4]}, 15, 4 * 16 + 2 * 5, 4),
    ({'kind': 'mlp', 'hidden': [4, 3], 'inputs': ['scan:8', 'goal']}, 11,
     4 * 12 + 3 * 5 + 2 * 4, 7),
    ({'kind': 'ctrnn', 'hidden': [5], 'inputs': ['twist', 'wind']}, 5, 5 * (2 + 5 + 5) + 2 * 6,
     10),
    ({'kind': 'gru', 'hidden': [5, 2], 'inputs': ['twist', 'wind']}, 5,
     3 * 5 * (6 + 6) + 2 * 6 + 2 * 3, 12),
    ({'kind': 'lstm', 'hidden': [5], 'inputs': ['twist', 'wind']}, 5, 4 * 5 * (6 + 6) + 2 * 6,
     15)])
def test_counts(arguments, inputs, weights, memory):
    network = make_network(**arguments)
    assert network.input_count == inputs
    assert network.weight_count == weights
    assert network.memory_count == memory
    assert network.layers.tolist() == [inputs, *arguments.get('hidden', []), 2]


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'kind': 'rnn'}, "kind: got 'rnn', expected one of perceptron, mlp, ctrnn, gru, lstm"),
    ({'inputs': 'infrared'}, 'expected a list of names'), ({'inputs': []}, 'at least one'),
    ({'inputs': ['goal', 'goal']}, 'different names'),
    ({'inputs': ['gaol']}, "got 'gaol', expected one of infrared, scan"),
    ({'inputs': ['scan']}, 'scan:S with S sectors'),
    ({'inputs': ['goal:3']}, 'goal without a number'),
    ({'hidden': [3]}, 'no hidden layer for a perceptron'),
    ({'kind': 'mlp', 'hidden': range(1, 10**30)}, 'at most 100'),
    ({'outputs': np.zeros(2)}, 'outputs: got array'),
    ({'kind': 'mlp'}, 'at least one hidden layer'),
    ({'kind': 'gru'}, 'at least one hidden layer'),
    ({'kind': 'ctrnn', 'hidden': [3, 3]}, 'one number of neurons'),
    ({'outputs': 'legs'}, 'one of wheels, twist, holonomic')])
def test_bad_descriptions(arguments, words):
    with pytest.raises(InputError) as caught:
        make_network(**arguments)
    assert words in str(caught.value)


def test_weights_are_checked():
    network = make_network()
    assert _checked_weights(network, range(32)).dtype == np.float64
    with pytest.raises(InputError, match=r"'shape \(31,\)', expected shape \(32,\)"):
        _checked_weights(network, np.zeros(31))
    with pytest.raises(InputError, match='finite'):
        _checked_weights(network, [np.inf] * 32)


def test_a_file_keeps_every_bit(tmp_path):
    network = make_network('ctrnn', ['infrared', 'scan:4'], hidden=[3], outputs='twist',
                           max_speed=0.3, turn=1 / 3)
    weights = np.random.default_rng(1).normal(size=network.weight_count)
    save_network(tmp_path / 'a.json', network, weights)
    found, read = load_network(tmp_path / 'a.json')
    assert found == network
    assert read.tobytes() == weights.tobytes()


def good():
    return {**make_network()._asdict(), 'learned_with': {}, 'weights': [0.0] * 32}


@pytest.mark.parametrize(('change', 'words'), [({'kind': 'rnn'}, 'kind'),
    ({'inputs': 3}, 'inputs: got 3'), ({'inputs': [3]}, 'inputs'),
    ({'weights': [1.0]}, 'weights'), ({'weights': ['x'] * 32}, 'weights'),
    ({'weights': [[1.0], 2.0]}, 'weights'), ({'turn': 1e-320}, 'turn: got 1e-320'),
    ({'max_speed': True}, 'max_speed: got True'), ({'turn': None}, 'turn'),
    ({'learned_with': 3}, 'learned_with'), ({'more': 1}, 'keys')])
def test_bad_files_are_named_in_one_line(tmp_path, change, words):
    path = tmp_path / 'bad.json'
    path.write_text(json.dumps({**good(), **change}))
    with pytest.raises(InputError) as caught:
        load_network(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert words in message
    assert '\n' not in message


@pytest.mark.parametrize('text', ['[1', '3', '{}', 'é'])
def test_what_is_no_network(tmp_path, text):
    path = tmp_path / 'bad.json'
    path.write_text(text, 'latin-1')
    with pytest.raises(InputError, match=r'bad\.json'):
        load_network(path)

"""Content of policy files: bad ones are named in one line, and nothing is executed to see it."""

import json
import sys
from importlib import import_module

import numba
import numpy as np
import pytest
from saved_function import policy_of, uses

import sbot
from sbot.controllers.neural.function_policy import _hash, load_policy, read_policy, save_policy
from sbot.controllers.neural.network import load_network, make_network
from sbot_common.errors import InputError
from sbot_common.user_code import UserCodeError


@pytest.fixture(scope='module')
def policy():
    return policy_of(uses)


@pytest.mark.parametrize(('change', 'words'), [({'version': 2}, 'version: got 2, expected 1'),
    ({'version': True}, 'version: got True'), ({'kind': 'lstm'}, "kind: got 'lstm'"),
    ({'more': 1}, 'expected an object with the keys'), ({'weights': [0.0]}, None),
    ({'weights': ['x']}, 'weights: got'), ({'memory': 10**9}, 'memory'),
    ({'function': 3}, 'function: got 3'), ({'modules': [1]}, 'content: '),
    ({'error_model': []}, 'error_model'), ({'inputs': ['gaol']}, "inputs: got 'gaol'"),
    ({'max_speed': 0}, 'max_speed: got 0')])
def test_bad_files_are_named_in_one_line(tmp_path, policy, change, words):
    path = tmp_path / 'bad.json'
    save_policy(path, policy, [0.0, 0.0])
    content = {**json.loads(path.read_text()), **change}
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r'bad\.json: (sha256|version|kind|expected)'):
        read_policy(path)
    del content['sha256']
    path.write_text(json.dumps({**content, 'sha256': _hash(content)}))
    if words is None:  # a good file after all
        assert len(read_policy(path).weights) == 1
        return
    with pytest.raises(InputError) as caught:
        read_policy(path)
    assert str(caught.value).startswith(f'{path}: ')
    assert words in str(caught.value)
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize(('change', 'words'), [({'source': 'def uses(:'}, 'source: SyntaxError'),
    ({'source': '1 / 0'}, 'ZeroDivisionError'), ({'source': 'x = 1'}, "has no function 'uses'"),
    ({'modules': {'np': 'no_such_module'}}, 'no_such_module')])
def test_a_source_that_gives_no_function_is_one_line(tmp_path, policy, change, words):
    path = tmp_path / 'bad.json'
    save_policy(path, policy, [0.0, 0.0])
    content = {**json.loads(path.read_text()), **change}
    del content['sha256']
    path.write_text(json.dumps({**content, 'sha256': _hash(content)}))
    read_policy(path)  # executes nothing
    with pytest.raises(InputError, match=words) as caught:
        load_policy(path)
    assert str(caught.value).startswith(f'{path}: source: ')


ARRAY = np.ones(2)


def answers(function):
    """What a function gives to one robot's arrays in two ticks."""
    memory, outputs = np.zeros(1), np.zeros(2)
    weights = np.array([0.1, 1 / 7])
    for _ in range(2):
        function(np.linspace(-0.3, 1.0, 7), weights, memory, outputs, np.array([7, 2]), 0.05)
    return memory.tobytes(), outputs.tobytes()


def test_a_file_keeps_every_bit_and_gives_the_same_function(tmp_path, policy):
    path, weights = tmp_path / 'a.json', np.array([1 / 3, -2e-300])
    save_policy(path, policy, weights)
    again, read = load_policy(path)
    assert read.tobytes() == weights.tobytes()
    assert again[1:] == policy[1:]
    assert again.function is not policy.function
    assert answers(again.function) == answers(policy.function)
    save_policy(tmp_path / 'b.json', again, read)  # its text is known, too
    assert (tmp_path / 'b.json').read_text() == path.read_text()


def test_constants_keep_their_types(tmp_path):
    found = []
    for share in (7, 7.0, True):
        def inner(inputs, weights, memory, outputs, layers, dt):
            outputs[0] = share  # noqa: B023 - saved within the loop
        save_policy(tmp_path / 'a.json', policy_of(inner, 0), [])
        function = read_policy(tmp_path / 'a.json').function(find=None)
        found.append(type(function.py_func.__globals__['share']))
    assert found == [int, float, bool]


@numba.njit
def helper(x):
    return 2.0 * x


def calls(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = helper(weights[0])


def reads(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = ARRAY[0]


def learns(inputs, weights, memory, outputs, layers, dt):
    weights[0] += dt


@pytest.mark.parametrize(('function', 'kind', 'words'), [
    (calls, InputError, "calls: uses 'helper', which is neither a module nor a number; save it "),
    (reads, InputError, "reads: uses 'ARRAY'"),
    (lambda inputs, weights, memory, outputs, layers, dt: None, InputError, "begins with 'def'"),
    (learns, UserCodeError, 'learns() at <save_policy>:1 (weights can be read only): TypingError'),
    (numba.njit(fastmath=True)(learns), InputError, 'option fastmath of numba cannot be')])
def test_what_cannot_be_saved_is_named(tmp_path, function, kind, words):
    with pytest.raises(kind) as caught:
        save_policy(tmp_path / 'a.json', policy_of(function), [0.0, 0.0])
    assert words in str(caught.value)
    assert '\n' not in str(caught.value)
    assert not (tmp_path / 'a.json').exists()


MODULE = """
import numba
@numba.njit
def twice(x):
    return {} * x
def mine(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = twice(weights[0]){}
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of the user's whose function calls another one."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / 'my_policies.py').write_text(MODULE.format(2.0, ''))
    import my_policies
    yield my_policies
    sys.modules.pop('my_policies')


def test_by_its_name_a_function_may_call_others(tmp_path, module):
    save_policy(tmp_path / 'a.json', policy_of(module.mine), [1.0, 2.0], by_name=True)
    assert read_policy(tmp_path / 'a.json').name == 'my_policies:mine'
    assert load_policy(tmp_path / 'a.json')[0].function.py_func is module.mine


def test_a_file_that_was_edited_since_the_policy_was_made_is_noticed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    alone = MODULE.format(2.0, '{}').replace('= twice(', '= (')
    (tmp_path / 'edited_policies.py').write_text(alone.format(''))
    policy = policy_of(import_module('edited_policies').mine)
    save_policy(tmp_path / 'a.json', policy, [1.0, 2.0])
    for change in (' + 1.0', ' * weights[0]', '; x = 1'):
        (tmp_path / 'edited_policies.py').write_text(alone.format(change))
        with pytest.raises(InputError, match='mine: its file has changed since'):
            save_policy(tmp_path / 'a.json', policy, [1.0, 2.0])


def test_a_name_that_leads_elsewhere_is_refused(tmp_path):
    def inner(inputs, weights, memory, outputs, layers, dt):
        outputs[0] = 1.0
    with pytest.raises(InputError, match=r'by_name: got .*:inner.*imported by its name'):
        save_policy(tmp_path / 'a.json', policy_of(inner), [0.0, 0.0], by_name=True)


def test_networks_are_saved_and_loaded_by_the_same_calls(tmp_path, policy):
    network, weights = make_network(), np.arange(32.0)
    save_policy(tmp_path / 'a.json', network, weights)
    assert load_policy(tmp_path / 'a.json')[0] == network == load_network(tmp_path / 'a.json')[0]
    with pytest.raises(InputError, match=r'policy: got 3, expected one of sbot\.function_policy'):
        save_policy(tmp_path / 'a.json', 3, weights)
    with pytest.raises(InputError, match='weights: got'):
        save_policy(tmp_path / 'a.json', policy, [1.0])


def test_a_network_is_never_a_program(tmp_path, policy):
    with pytest.raises(InputError, match=r'saved by sbot\.save_policy'):
        sbot.save_network(tmp_path / 'a.json', policy, [0.0, 0.0])
    save_policy(tmp_path / 'a.json', policy, [0.0, 0.0])
    with pytest.raises(InputError, match=r'a\.json: contains a function, not a network'):
        load_network(tmp_path / 'a.json')

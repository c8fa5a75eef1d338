"""Content of policy files: bad ones are named in one line, and nothing is executed to see it."""

import json

import pytest
from saved_function import policy_of, uses

from neural_controller.policy_file import load_policy, save_policy
from neural_controller.saved_policy import _hash, read_policy
from sbot_common.errors import InputError


@pytest.fixture(scope='module')
def policy():
    return policy_of(uses)


@pytest.mark.parametrize(('change', 'words'), [
    ({'version': 2}, 'version: got 2, expected 1'), ({'version': 1.0}, 'version: got 1.0'),
    ({'version': True}, 'version: got True'), ({'kind': 'lstm'}, "kind: got 'lstm'"),
    ({'more': 1}, 'expected an object with the keys'), ({'weights': [0.0]}, None),
    ({'weights': {}}, 'weights: got {}'), ({'weights': ['x']}, 'weights: got'),
    ({'weights': [10**400]}, 'weights'), ({'memory': -1}, 'memory: got -1'),
    ({'memory': 10**9}, 'memory'), ({'function': 3}, 'function: got 3'),
    ({'source': None}, 'source: got None'), ({'modules': [1]}, 'modules'),
    ({'modules': {'np': 3}}, 'modules'), ({'constants': {'GAIN': {}}}, 'constants'),
    ({'error_model': []}, 'error_model'), ({'inputs': ['gaol']}, "inputs: got 'gaol'"),
    ({'outputs': 'legs'}, 'wheels or twist'), ({'max_speed': 0}, 'max_speed: got 0')])
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


@pytest.mark.parametrize(('change', 'words'), [
    ({'source': 'def uses(:'}, 'source: SyntaxError'), ({'source': '1 / 0'}, 'ZeroDivisionError'),
    ({'source': 'x = 1'}, "has no function 'uses'"),
    ({'source': 'raise SystemExit'}, 'SystemExit'),
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

"""Scenarios that name a policy file: found beside them, imported from their python_path."""

import sys
from importlib import import_module

import pytest

import sbot
from sbot.cli.main import main
from sbot_common.errors import InputError

MODULE = """
import numba
@numba.njit
def half(x):
    return 0.5 * x
def drive(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = half(weights[0])
"""
SCENE = """
duration: 0.5
world: {bounds: [0, 0, 9, 9]}
robots: [{pose: [4, 4, 0], controller: function_policy, parameters: {policy: drive.json}}]
"""


@pytest.fixture
def scene(tmp_path, monkeypatch):
    """A scenario, its policy file, and beside them the module that the file names."""
    monkeypatch.setattr(sys, 'path', [*sys.path, str(tmp_path)])
    (tmp_path / 'policy_of_a_scene.py').write_text(MODULE)
    module = import_module('policy_of_a_scene')
    sbot.save_policy(tmp_path / 'drive.json', sbot.function_policy(
        module.drive, ['twist'], weights=1, outputs='twist', max_speed=0.4), [1.0], by_name=True)
    (tmp_path / 'scene.yaml').write_text(SCENE)
    del sys.modules['policy_of_a_scene']
    sys.path.remove(str(tmp_path))
    monkeypatch.chdir('/')
    yield tmp_path / 'scene.yaml'
    sys.modules.pop('policy_of_a_scene', None)


def test_a_function_by_name_is_found_beside_the_scenario(scene, tmp_path, capsys):
    scenario = sbot.load(scene)
    assert 'policy_of_a_scene' not in sys.modules  # looking at the file imports nothing
    assert scenario.python_path == (str(tmp_path),)
    assert sbot.run(scenario, record=tmp_path / 'bag').commands[0, 0, 0] == 0.2
    assert sbot.load(scenario.to_yaml()) == scenario
    assert main(['replay', str(tmp_path / 'bag'), '--quiet']) == 2
    assert f'the function in {tmp_path}/drive.json' in capsys.readouterr().err
    assert main(['replay', str(tmp_path / 'bag'), '--quiet', '--trust']) == 0


@pytest.mark.parametrize(('parameters', 'words'), [
    ({}, 'got {}, expected the parameter policy'),
    ({'policy': 'drive.json', 'hold': 2}, "parameters: unknown name 'hold'; known: policy"),
    ({'policy': 3}, 'expected the parameter policy'),
    ({'policy': 'no.json'}, "policy: got 'no.json'"),
    ({'policy': 'scene.yaml'}, 'cannot be read')])
def test_what_is_no_policy_file_is_one_line(scene, parameters, words):
    with pytest.raises(InputError) as caught:
        sbot.load(scene, **{'robots.0.parameters': parameters})
    assert words in str(caught.value)
    assert 'robots.0' in str(caught.value)
    assert '\n' not in str(caught.value)

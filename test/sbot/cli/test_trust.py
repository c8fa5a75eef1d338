"""Which commands execute what a recording or a folder holds: only those that run controllers."""

import argparse
import io
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from children import python

import sbot
from sbot.cli.main import COMMANDS, main, make_parser
from sbot.controllers.neural.function_policy import _function_of, _hash
from sbot.runner.loop import run_scenario
from sbot.scenario import shipped
from sbot.scenario.load import load_scenario
from sbot.viewer.node import _Follower
from sbot.viewer.server import Live
from sbot_common.topics import SCENARIO

pytestmark = pytest.mark.forked

CONTROLLER = """
from pathlib import Path
Path(__file__).with_name('imported').touch()
class Ahead:
    def step(self, observation, rng):
        return 0.1, 0.0
"""


@pytest.fixture
def bag(tmp_path):
    """A recording whose scenario names a module of a folder."""
    yield from recorded(tmp_path)


@pytest.fixture
def bag_in_checkout():
    """The same, somewhere in the checkout."""
    build = Path(__file__).resolve().parents[3] / 'build'
    build.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=build) as folder:
        yield from recorded(Path(folder))


def recorded(tmp_path):
    folder = tmp_path / 'theirs'
    folder.mkdir()
    (folder / 'ahead_of_trust.py').write_text(CONTROLLER)
    (folder / 'x.yaml').write_text(
        'world: {bounds: [0, 0, 9, 9]}\nduration: 0.2\n'
        'robots: [{pose: [1, 1, 0], controller: "ahead_of_trust:Ahead"}]\n')
    before = list(sys.path)
    run_scenario(load_scenario(str(folder / 'x.yaml')), record=tmp_path / 'bag', keep=False)
    sys.path[:] = before
    (folder / 'imported').unlink()
    del sys.modules['ahead_of_trust']
    yield tmp_path / 'bag'
    sys.path[:] = before
    sys.modules.pop('ahead_of_trust', None)


# Every command and every public name is in one of these; a new one must be put there.
LOOK_AT_RECORDINGS = {
    'bag info': ['BAG'], 'bag csv': ['BAG', '-o', 'x.csv'], 'bag diff': ['BAG', 'BAG'],
    'bag tables': ['BAG', '-o', 'tables'], 'plot': ['BAG', '-o', 'x.png'],
    'view': ['BAG', '-o', 'x.html']}
LOOK_AT_OTHER_FILES = {'list', 'new', 'bench', 'docs', 'wind at', 'wind vtk', 'wind make',
                       'sweep show', 'sweep plot'}
# `plot` and `view` simulate where they are given a scenario.
SIMULATE = {'run', 'pack', 'up', 'sweep', 'replay', 'debug', 'plot', 'view', 'wind wake',
            'bench navigation'}
NAMES_THAT_LOOK = {'Bag', 'plot', 'view'}
NAMES_THAT_SIMULATE = {'load', 'run', 'session', 'Session', 'sweep', 'replay', 'plot', 'view',
                       'World', 'Worlds', 'learn'}
NAMES_THAT_EXECUTE_A_POLICY = {'load_policy'}
OTHER_NAMES = {'Broadcast', 'Controller', 'InputError', 'Observation', 'Run', 'Scenario',
               'function_policy', 'load_network', 'network', 'save_network', 'save_policy'}


def commands(parser, words=()):
    """All commands below a parser, with their parsers."""
    found = [action for action in parser._actions
             if isinstance(action, argparse._SubParsersAction)]
    if parser.get_default('run') or not found:
        yield ' '.join(words), parser
    for action in found:
        for name, inner in action.choices.items():
            yield from commands(inner, (*words, name))


def all_commands():
    for name, _, _ in COMMANDS:
        for words, parser in commands(make_parser(name)):
            if words == name or (words.startswith(f'{name} ') and ' ' not in name):
                yield words, parser


def test_of_every_command_it_is_known_whether_it_imports():
    found = dict(all_commands())
    assert found.keys() == {*LOOK_AT_RECORDINGS, *LOOK_AT_OTHER_FILES, *SIMULATE}
    for name in LOOK_AT_OTHER_FILES:
        shown = found[name].format_help()
        assert 'SCENARIO' not in shown, name
        assert 'BAG' not in shown, name
    assert {*sbot.__all__} == (NAMES_THAT_LOOK | NAMES_THAT_SIMULATE | OTHER_NAMES
                               | NAMES_THAT_EXECUTE_A_POLICY)


def is_imported(bag):
    return 'ahead_of_trust' in sys.modules or (bag.parent / 'theirs' / 'imported').exists()


@pytest.mark.parametrize('command', LOOK_AT_RECORDINGS)
def test_looking_at_a_recording_imports_nothing(bag, command, monkeypatch):
    monkeypatch.chdir(bag.parent / 'theirs')
    words = [*command.split(), *LOOK_AT_RECORDINGS[command]]
    assert main([str(bag) if word == 'BAG' else word for word in words]) == 0
    assert not is_imported(bag)


@pytest.mark.parametrize('use', [
    lambda bag: sbot.Bag(bag).damage, lambda bag: sbot.plot(str(bag), bag.parent / 'x.png'),
    lambda bag: sbot.view(sbot.Bag(bag), bag.parent / 'x.html')])
def test_looking_at_a_recording_from_python_imports_nothing(bag, use, monkeypatch):
    monkeypatch.chdir(bag.parent / 'theirs')
    use(bag)
    assert not is_imported(bag)


def test_following_a_simulation_imports_nothing(bag, monkeypatch):
    monkeypatch.chdir(bag.parent / 'theirs')
    callbacks = {}
    _Follower(Live(), lambda topic, name, callback: callbacks.update({name: callback}))
    for message in sbot.Bag(bag).messages():
        if message.name == SCENARIO.name:
            callbacks[SCENARIO.name](message.payload)
    assert len(callbacks) > 1  # it has understood the scenario
    assert not is_imported(bag)


def test_what_simulates_does_import(bag):
    assert main(['run', str(bag.parent / 'theirs' / 'x.yaml'), '--quiet']) == 0
    assert is_imported(bag)


@pytest.mark.ros
def test_playing_a_recording_imports_nothing(bag):
    done = python('-m', 'sbot.ros.player', bag, '--timeout', '0.5', cwd=bag.parent / 'theirs',
                  env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert done.returncode == 2  # nobody answers
    assert 'Traceback' not in done.stderr
    assert not is_imported(bag)


def test_a_replay_of_modules_from_a_folder_needs_trust(bag, capsys):
    assert main(['replay', str(bag), '--quiet']) == 2
    error = capsys.readouterr().err
    assert 'the recording runs code from ' in error
    assert '(ahead_of_trust:Ahead); if you trust it, add --trust' in error
    assert '--trust' in error
    assert 'ahead_of_trust' not in sys.modules
    assert main(['replay', str(bag), '--quiet', '--trust']) == 0
    assert 'ahead_of_trust' in sys.modules


@pytest.mark.parametrize(('answer', 'code'), [('y\n', 0), ('', 2)])
def test_a_terminal_is_asked(bag, answer, code, monkeypatch, capsys):
    terminal = io.StringIO(answer)
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, 'stdin', terminal)
    assert main(['replay', str(bag), '--quiet']) == code
    assert 'Continue? [y/N]' in capsys.readouterr().err
    assert ('ahead_of_trust' in sys.modules) == (code == 0)


def test_a_prompt_at_a_turn_needs_trust_and_has_its_objects(bag, monkeypatch, capsys):
    assert main(['debug', str(bag), '--robot', '0', '--at', '0.1']) == 2
    assert 'if you trust it, add --trust' in capsys.readouterr().err
    monkeypatch.setattr(sys, 'stdin', io.StringIO(
        'print(session.tick, type(controller).__name__, observation.tick)\n'))
    assert main(['debug', str(bag), '--robot', '0', '--at', '0.1', '--trust']) == 0
    output, error = capsys.readouterr()
    assert '3 Ahead 3\n' in output
    assert 'differs' not in error


def test_a_folder_that_the_user_names_is_trusted(bag):
    folder = bag.parent / 'theirs'
    assert main(['replay', str(bag), '--quiet', '--set', f'python_path=[{folder}]']) == 0


def ahead(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = 1.0


@pytest.fixture
def bag_of_a_policy(tmp_path):
    """A recording whose scenario names a policy file; what that executes is noted beside it."""
    policy = sbot.function_policy(ahead, ['pose'], weights=0, outputs='twist')
    path = tmp_path / 'theirs.json'
    sbot.save_policy(path, policy, [])
    content = json.loads(path.read_text())
    content['source'] += f'open({str(tmp_path / "executed")!r}, "w").close()\n'
    del content['sha256']
    path.write_text(json.dumps({**content, 'sha256': _hash(content)}))
    sbot.run({'world': {'bounds': [0, 0, 9, 9]}, 'duration': 0.2, 'robots': [
        {'pose': [1, 1, 0], 'controller': 'function_policy',
         'parameters': {'policy': str(path)}}]}, record=tmp_path / 'bag')
    (tmp_path / 'executed').unlink()
    _function_of.cache_clear()
    return tmp_path / 'bag'


def test_a_replay_of_a_function_in_a_file_needs_trust(bag_of_a_policy, capsys):
    executed, path = (bag_of_a_policy.parent / name for name in ('executed', 'theirs.json'))
    assert main(['replay', str(bag_of_a_policy), '--quiet']) == 2
    error = capsys.readouterr().err
    assert f'the recording runs the function in {path}; if you trust it' in error
    assert '--trust' in error
    assert not executed.exists()
    # A folder that the user names does not make a file of another folder theirs.
    for option in ('python_path=[.]', 'seed=3'):
        assert main(['replay', str(bag_of_a_policy), '--quiet', '--set', option]) == 2
        assert not executed.exists()
    assert main(['replay', str(bag_of_a_policy), '--quiet', '--trust']) == 0
    assert executed.exists()


def test_a_module_that_a_file_of_the_users_imports_is_asked_about(tmp_path, monkeypatch, capsys):
    """It is found in the folders of the recording, which are those of its author."""
    theirs = tmp_path / 'theirs'
    theirs.mkdir()
    note = tmp_path / 'imported'
    (theirs / 'helpers_of_mine.py').write_text(
        f'open({str(note)!r}, "w").close()\n'
        'def ahead(inputs, weights, memory, outputs, layers, dt):\n    outputs[0] = 1.0\n')
    with monkeypatch.context() as context:
        context.syspath_prepend(theirs)
        from helpers_of_mine import ahead as imported
        policy = sbot.function_policy(imported, ['pose'], weights=0, outputs='twist')
        sbot.save_policy(tmp_path / 'mine.json', policy, [], by_name=True)
        sbot.run({'world': {'bounds': [0, 0, 9, 9]}, 'duration': 0.2, 'python_path': [str(theirs)],
                  'robots': [{'pose': [1, 1, 0], 'controller': 'function_policy',
                              'parameters': {'policy': str(tmp_path / 'mine.json')}}]},
                 record=tmp_path / 'bag')
    note.unlink()
    monkeypatch.delitem(sys.modules, 'helpers_of_mine')
    _function_of.cache_clear()
    assert main(['replay', str(tmp_path / 'bag'), '--quiet', '--set',
                 f'robots.0.parameters.policy={tmp_path / "mine.json"}']) == 2
    assert '(helpers_of_mine:ahead)' in capsys.readouterr().err
    assert not note.exists()


def test_a_file_that_the_user_names_is_trusted(bag_of_a_policy):
    path = bag_of_a_policy.parent / 'theirs.json'
    assert main(['replay', str(bag_of_a_policy), '--quiet', '--set',
                 f'robots.0.parameters.policy={path}']) == 0


@pytest.mark.parametrize('command', ['bag info', 'view'])
def test_looking_at_a_recording_executes_no_policy(bag_of_a_policy, command, monkeypatch):
    monkeypatch.chdir(bag_of_a_policy.parent)
    words = [*command.split(), *LOOK_AT_RECORDINGS[command]]
    assert main([str(bag_of_a_policy) if word == 'BAG' else word for word in words]) == 0
    assert not (bag_of_a_policy.parent / 'executed').exists()


def test_a_folder_in_the_checkout_is_not_our_own(bag_in_checkout, capsys):
    assert main(['replay', str(bag_in_checkout), '--quiet']) == 2
    assert '(ahead_of_trust:Ahead)' in capsys.readouterr().err
    assert not is_imported(bag_in_checkout)


def test_config_and_examples_are_our_own(tmp_path, monkeypatch):
    folder = tmp_path / 'config/scenarios'
    folder.mkdir(parents=True)
    (folder / 'of_the_package.py').write_text(CONTROLLER)
    (folder / 'x.yaml').write_text(
        'world: {bounds: [0, 0, 9, 9]}\nduration: 0.2\n'
        'robots: [{pose: [1, 1, 0], controller: "of_the_package:Ahead"}]\n')
    monkeypatch.setattr(sys, 'path', list(sys.path))
    run_scenario(load_scenario(str(folder / 'x.yaml')), record=tmp_path / 'bag', keep=False)
    monkeypatch.setattr(shipped, 'config_directory', lambda: tmp_path / 'config')
    assert main(['replay', str(tmp_path / 'bag'), '--quiet']) == 0
    del sys.modules['of_the_package']


@pytest.mark.parametrize('name', ['network', 'neural_controller.controller:Neural'])
def test_a_shipped_controller_asks_nothing_and_searches_no_folder(tmp_path, name):
    scenario = load_scenario('leader_in_gusts', {
        'duration': 0.1, 'python_path': [str(tmp_path)], 'robots.0.controller': name})
    run_scenario(scenario, record=tmp_path / 'bag', keep=False)
    assert main(['replay', str(tmp_path / 'bag'), '--quiet']) == 0
    assert str(tmp_path) not in sys.path


def test_hooks_are_asked_about(tmp_path, monkeypatch, capsys):
    (tmp_path / 'wind_of_theirs.py').write_text(
        'def still(wind, reduction):\n    return 0.0 * wind\n')
    monkeypatch.setattr(sys, 'path', list(sys.path))
    (tmp_path / 'x.yaml').write_text(
        'world: {bounds: [0, 0, 9, 9]}\nduration: 0.2\n'
        'wind: {effective_wind_function: "wind_of_theirs:still"}\n'
        'robots: [{pose: [1, 1, 0], goal: [5, 5]}]\n')
    run_scenario(load_scenario(str(tmp_path / 'x.yaml')), record=tmp_path / 'bag', keep=False)
    assert main(['replay', str(tmp_path / 'bag'), '--quiet']) == 2
    assert '(wind_of_theirs:still)' in capsys.readouterr().err
    del sys.modules['wind_of_theirs']

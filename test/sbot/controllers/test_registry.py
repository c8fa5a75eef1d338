"""Controllers by name: shipped, from installed packages, and unknown ones."""

import functools
import itertools
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from every_controller import Case, cases

import sbot
from sbot import controllers
from sbot.cli.main import main
from sbot.controllers import registry
from sbot.controllers.entry import Entry
from sbot.controllers.registry import check_arguments, load_class
from sbot_common.errors import InputError

numbers = itertools.count()

GOOD = """
class Go:
    def __init__(self, speed, turn=0.0): ...
    def step(self, observation, rng): return 0.0, 0.0
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, 'path', [*sys.path])

    def _load(text, name='Go'):
        module = f'own_controller_{next(numbers)}'
        (tmp_path / f'{module}.py').write_text(text)
        return load_class(f'{module}:{name}', [str(tmp_path)], 'here')
    return _load


@pytest.mark.parametrize(('text', 'words'), [
    ('raise ValueError("two\\nlines")', 'ValueError: two lines'),
    ('import sys; sys.exit(3)', 'SystemExit: 3'), ('def f(:', 'SyntaxError'),
    ('Go = 3', "has no class 'Go'"), ('class Go: pass', 'step'),
    ('class Go:\n    def step(self, observation): pass', 'step'),
    ('class Got: pass', "has no class 'Go'; did you mean 'Got'?"),
    ('class Other: pass', "has no class 'Go'; known: Other (it was loaded from ")])
def test_unusable_module_gets_one_line(load, text, words):
    with pytest.raises(InputError) as caught:
        load(text)
    message = str(caught.value)
    assert message.startswith('here: ')
    assert words in message
    assert '\n' not in message


@pytest.mark.parametrize(('name', 'meant'), [
    ('carrier.py:Go', r"the module without \.py: 'carrier:Go'$"),
    ('bots/carrier.py:Go',
     r"the module without \.py, with its folder in python_path: 'carrier:Go'$")])
def test_a_file_instead_of_a_module_is_told(tmp_path, name, meant):
    (tmp_path / 'carrier.py').write_text(GOOD)
    with pytest.raises(InputError, match=rf"^here: got '{name}', expected {meant}"):
        load_class(name, [str(tmp_path)], 'here')


@pytest.mark.parametrize(('parameters', 'words'), [({}, "missing a required argument: 'speed'"),
                                                   ({'speed': 1, 'sped': 2},
                                                    "'sped'; its parameters: speed")])
def test_parameters_that_the_class_does_not_take(load, parameters, words):
    with pytest.raises(InputError, match=r'^here: (missing|got)') as caught:
        check_arguments(load(GOOD), parameters, 'here')
    assert words in str(caught.value)


class Traced:
    """A method that is no plain function, as decorators and compilers make them."""

    def __init__(self, function):
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments):
        return self.function(*arguments)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self.function, instance)


class Wrapped:
    @Traced
    def step(self, observation, rng):
        return 0.0, 0.0


class Shared:
    """Its step needs no object."""

    @staticmethod
    def step(observation, rng):
        return 0.0, 0.0


@pytest.mark.parametrize('controller', [Wrapped, Wrapped(), Shared, Shared()])
def test_steps_of_any_kind_are_controllers(controller):
    run = sbot.run({'name': 'any', 'duration': 0.1, 'world': {'bounds': [0, 0, 4, 4]},
                    'robots': [{'pose': [2, 2, 0], 'controller': controller}]})
    assert len(run.poses) == 4


PACKAGE = '''
"""Controllers of another package."""
from typing import Annotated, NamedTuple
from sbot.controllers.entry import Entry
from sbot_common.params import Param


class Circle:
    """Drives in a circle."""

    def __init__(self, speed=0.2):
        self.speed = speed

    def step(self, observation, rng):
        return self.speed, 0.5


class Parameters(NamedTuple):
    speed: Annotated[float, Param('m/s', 'Speed.', minimum=0.0)] = 0.3
    near: Annotated[float, Param('m', 'A goal this near is reached.', minimum=0.0)] = 0.7


ENTRY = Entry('whatever', 'Drives straight on.', lambda place: Circle(place.parameters.speed),
              Parameters(), fields=(), goal_tolerance='near')
'''


@pytest.fixture
def other_package(tmp_path, monkeypatch):
    """An installed package with two controllers, and one that cannot be imported."""
    (tmp_path / 'elsewhere.py').write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    points = [EntryPoint(name, f'elsewhere:{what}', registry.GROUP) for name, what in (
        ('circle', 'Circle'), ('straight', 'ENTRY'), ('gone', 'Gone'), ('navigate', 'Circle'),
        ('number', '__doc__'))]
    monkeypatch.setattr(registry, 'entry_points_of', lambda _: sorted(points))
    registry.installed.cache_clear()
    yield
    registry.installed.cache_clear()
    registry._load_entry.cache_clear()
    sys.modules.pop('elsewhere', None)


def scenario(controller: str, **more: object) -> dict:
    return {'duration': 0.5, 'world': {'bounds': [0, 0, 9, 9]},
            'robots': [{'pose': [4, 4, 0], 'controller': controller, **more}]}


def test_every_shipped_entry_is_found_by_its_name():
    for entry in registry.shipped():
        name = {'module:Class': 'mine:Own'}.get(entry.name, entry.name)
        assert registry.entry_of(name + 'ORCA' * name.endswith(':')) == entry
        assert entry.text.endswith('.')
        assert entry.text in registry.entry_of(name).text


def test_a_class_of_an_installed_package_drives_by_its_name(other_package):
    run = sbot.run(scenario('circle', parameters={'speed': 0.4}))
    assert run.commands[0, 0, 0] == 0.4
    assert run.commands[0, 0, -1] == 0.5 or run.commands[0, 0, 1] == 0.5


def test_an_entry_of_an_installed_package_declares_its_parameters(other_package):
    assert sbot.load(scenario('straight', goal=[8, 4])).controllers['straight'].speed == 0.3
    run = sbot.run(scenario('straight', goal=[4.6, 4]))
    assert run.summary['robots'][0]['goal_reached_s'] == 0.0  # nearer than `near`
    with pytest.raises(InputError, match=r'speed: got -1.*>= 0'):
        sbot.load(scenario('straight', parameters={'speed': -1}))
    with pytest.raises(InputError, match='sped'):
        sbot.load(scenario('straight', parameters={'sped': 1}))


def test_errors_name_the_controller_and_what_is_wrong(other_package):
    for name, text in (('gone', 'elsewhere:Gone'), ('number', 'needs an Entry')):
        with pytest.raises(InputError, match=text):
            sbot.load(scenario(name))
    with pytest.raises(InputError, match=r'robots.0.controller: .*pace'):
        sbot.load(scenario('circle', parameters={'pace': 1}))
    with pytest.raises(InputError, match='sbot list controllers'):
        sbot.load(scenario('circel'))


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """The controller of CONTRIBUTING's recipe, as if its file stood beside the others."""
    page = (Path(__file__).resolve().parents[3] / 'CONTRIBUTING.md').read_text('utf-8')
    section = page.partition('## A new controller')[2].partition('\n## ')[0]
    (tmp_path / 'circle.py').write_text(re.findall(r'```python\n(.*?)```', section, re.DOTALL)[0])
    monkeypatch.setattr(controllers, '__path__', [*controllers.__path__, str(tmp_path)])
    registry.shipped.cache_clear()
    registry.installed.cache_clear()
    yield
    registry.shipped.cache_clear()
    registry.installed.cache_clear()
    sys.modules.pop('sbot.controllers.circle', None)


def test_the_recipe_is_one_file(recipe, tmp_path, capsys):
    assert main(['list', 'controllers']) == 0
    assert 'Drives in a circle' in capsys.readouterr().out
    assert Case('circle', {}) in cases()  # what holds for every controller is tried of it, too
    run = sbot.run(scenario('circle', parameters={'speed': 0.5}), record=tmp_path / 'bag')
    assert run.commands[0, 0, 0] == 0.5
    assert sbot.replay(tmp_path / 'bag').equal
    with pytest.raises(InputError, match=r'speed: got 10, expected .*<= 9'):
        sbot.load(scenario('circle', parameters={'speed': 10}))


def test_a_shipped_name_cannot_be_taken(other_package):
    assert isinstance(registry.entry_of('navigate'), Entry)
    assert registry.entry_of('navigate').make.__module__ == 'sbot.controllers.navigate'


def test_they_are_listed_and_a_broken_one_hides_none(other_package, capsys):
    assert main(['list', 'controllers']) == 0
    text = capsys.readouterr().out
    assert 'Drives in a circle.' in text
    assert 'Drives straight on.' in text
    assert "controller 'gone'" in text
    assert 'navground:NAME' in text

"""A user's own controller class: found, checked, and refused in one line."""

import functools
import itertools
import random
import sys

import pytest

import sbot
from sbot.controllers.user import check_arguments, load_class
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
    ('import sys; sys.exit(3)', 'SystemExit: 3'),
    ('def f(:', 'SyntaxError'),
    ('import no_such_module_of_mine', "No module named 'no_such_module_of_mine'"),
    ('Go = 3', "has no class 'Go'"),
    ('class Go: pass', 'step'),
    ('class Go:\n    step = 3', 'step'),
    ('class Go:\n    def step(self, observation): pass', 'step'),
    ('class Go:\n    def step(self, observation, rng, more): pass', 'step'),
    ('', "has no class 'Go'"),
    ('class Got: pass', "has no class 'Go'; did you mean 'Got'?"),
    ('class Other: pass', "has no class 'Go'; known: Other (it was loaded from "),
])
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


def test_a_module_that_was_meant_differently_names_its_file(tmp_path):
    (tmp_path / 'random.py').write_text(GOOD)
    with pytest.raises(InputError, match=f"has no class 'Go'.*loaded from {random.__file__}"):
        load_class('random:Go', [str(tmp_path)], 'here')


@pytest.mark.parametrize(('parameters', 'words'), [
    ({}, "missing a required argument: 'speed'"),
    ({'speed': 1, 'sped': 2}, "'sped'; its parameters: speed"),
])
def test_parameters_that_the_class_does_not_take(load, parameters, words):
    with pytest.raises(InputError, match=r'^here: Go ') as caught:
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

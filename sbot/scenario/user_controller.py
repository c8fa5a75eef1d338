"""Controllers of a user's own, named ``module:Class`` in a scenario."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from sbot_common.errors import InputError, bad_value
from sbot_common.observation import Controller, Observation


def load_class(name: str, python_path: Iterable[str], where: str = 'controller') -> Any:  # noqa: ANN401
    """Return the class that ``module:Class`` names.

    ``python_path``: folders (absolute) that are searched after the installed modules; they stay in
    ``sys.path``, because a module may import its neighbours late.

    Raises
    ------
    InputError
        if the module cannot be imported, has no such class, or the class has no ``step``.

    """
    module_name, _, class_name = name.partition(':')
    for folder in python_path:
        if folder not in sys.path:
            sys.path.append(folder)
    try:
        module = import_module(module_name)
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        reason = ' '.join(f'{type(error).__name__}: {error}'.split())[:200]
        raise InputError(f"{where}: cannot import '{module_name}' of '{name}': {reason}") from None
    found = getattr(module, class_name, None)
    if not inspect.isclass(found):
        raise InputError(f"{where}: module '{module_name}' has no class '{class_name}'")
    if not callable(getattr(found, 'step', None)):
        raise bad_value(where, name, 'a class with a method step(observation, rng)')
    return found


def check_arguments(controller: Any, parameters: Mapping[str, object], where: str) -> None:  # noqa: ANN401
    """Raise InputError if the class does not take ``parameters`` as keyword arguments."""
    try:
        inspect.signature(controller).bind(**parameters)
    except TypeError as error:
        raise InputError(f'{where}: {controller.__name__} {error}') from None
    except ValueError:  # a class without a signature, as some extension types are
        return


def ask(controller: Controller, observation: Observation,
        rng: np.random.Generator) -> tuple[float, float]:
    """Return the controller's command: linear.x (m/s), angular.z (rad/s).

    Raises
    ------
    InputError
        if it answers anything else than two finite numbers.

    """
    answer: Any = controller.step(observation, rng)
    try:
        v, omega = answer
        command = float(v), float(omega)
        good = math.isfinite(command[0]) and math.isfinite(command[1])
    except (TypeError, ValueError):
        good = False
    if not good:
        raise bad_value(f'robot {observation.robot_id} at tick {observation.tick}: '
                        f'{type(controller).__name__}.step()', answer,
                        'two finite numbers (m/s, rad/s)')
    return command

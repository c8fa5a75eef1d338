"""The scenarios of a sweep as text for other processes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sbot.controllers.user import load_function, name_controllers
from sbot.files.plain_values import plain_values
from sbot.files.yaml_text import decode_text, dump_yaml, parse_yaml, read_file
from sbot.scenario.argos.experiment import argos_yaml
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario
from sbot.scenario.shipped import find_scenario
from sbot.scenario.stage.worldfile import stage_yaml
from sbot.sweeps.idle import Warnings
from sbot.sweeps.plan import Axis, Plan, Source
from sbot_common.errors import SHOWN, InputError, one_line

Given = dict[str, Any]  # controllers from Python, by name
_CHECKED = 64  # values of an axis that are tried before anything runs


def source_of(scenario: Scenario | Mapping[str, Any] | str | Path,
              directory: Path | None = None) -> tuple[str, str, str, Given]:
    """Return (text, file, directory, controllers from Python) of a scenario.

    Of an `.argos` or `.world` file this is its translation, so that any value, a wind too, can be
    swept.

    Parameters
    ----------
    scenario : as ``sbot.load`` takes it
    directory : where a relative path starts; None: the current folder

    Raises
    ------
    InputError
        if there is no such scenario.

    """
    here = str(Path.cwd())
    if isinstance(scenario, Scenario):
        if scenario.source is None:
            return scenario.to_yaml(), scenario.name, here, dict(scenario.given)
        return (dump_yaml(scenario.source.data), scenario.name, str(scenario.source.directory),
                dict(scenario.given))
    if isinstance(scenario, Mapping):
        named, given = name_controllers(scenario, 'scenario')
        return dump_yaml(plain_values(named)), 'scenario', here, given
    if isinstance(scenario, str) and '\n' in scenario:
        return scenario, 'scenario', here, {}
    beside = None if directory is None else directory / scenario
    path = beside if beside is not None and is_file(beside) else find_scenario(str(scenario))
    raw = read_file(path, typed=directory is None)
    folder = str(path.resolve().parent)
    if path.suffix == '.argos':
        return argos_yaml(raw, str(path)), str(path), folder, {}
    if path.suffix == '.world':
        return stage_yaml(raw, str(path)), str(path), folder, {}
    return decode_text(raw, str(path)), str(path), folder, {}


def is_file(path: Path) -> bool:
    """Tell whether a path is a regular file, which ends when it is read."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def named_source(text: str, file: str, directory: str, fixed: Mapping[str, Any], given: Given,
                 first: Mapping[str, Any], metrics: Iterable[str], path: Iterable[str],
                 warnings: Warnings | None = None) -> Source:
    """Return a checked source with the name and seed of its scenario.

    Parameters
    ----------
    text, file, directory, given : from ``source_of``
    fixed, first : what all runs and the first run change
    metrics, path : functions 'module:function' that its runs are given to, and where they are
    warnings : takes those about the scenario

    Raises
    ------
    InputError
        if the scenario, with these changes, is wrong, or a metric cannot be imported.

    """
    name = Path(file).stem
    scenario = parse_scenario(text, file, Path(directory), name, {**fixed, **first}, given,
                              tell=None if warnings is None else warnings.tell())
    for metric in metrics:
        load_function(metric, (*path, *scenario.python_path), 'metric')
    seed = None if _draws_its_seed(text, file) else scenario.seed
    return Source(scenario.name, text, file, directory, seed)


def _draws_its_seed(text: str, file: str) -> bool:
    data, _ = parse_yaml(text, file)
    return isinstance(data, dict) and 'seed' in data and data['seed'] is None


def check_values(plan: Plan, source: Source, given: Given,
                 warnings: Warnings | None = None) -> None:
    """Load a scenario with each value once: a mistyped key should not fail 10,000 times.

    Of long axes only some values are tried. ``warnings`` takes what the scenario warns of.

    Raises
    ------
    InputError
        naming file, key and value.

    """
    first = {key: value for axis in plan.axes for key, value in axis.at(0).items()}
    for number, axis in enumerate(plan.axes):
        for index in _indexes_to_try(axis):
            _check(plan, source, {**first, **axis.at(index)}, given, axis,
                   None if warnings is None else warnings.tell(number, index))


def _indexes_to_try(axis: Axis) -> list[int]:
    if len(axis) <= _CHECKED:
        return list(range(len(axis)))
    return [*range(_CHECKED - 1), len(axis) - 1]


def _check(plan: Plan, source: Source, values: Mapping[str, Any], given: Given,
           axis: Axis, tell: Callable[[str], None] | None) -> None:
    try:
        parse_scenario(source.text, source.file, Path(source.directory), source.name,
                       {'seed': 1, **plan.fixed, **values}, given, tell=tell)
    except InputError as error:
        raise with_hint(error, [axis]) from None


def with_hint(error: InputError, axes: Iterable[Axis],
              fixed: Mapping[str, Any] = MappingProxyType({})) -> InputError:
    """Return the error; where a list was taken apart, or lacks its brackets, say so."""
    if ': got ' not in str(error):
        return error
    columns: dict[str, Sequence[Any]] = {key: [value] for key, value in fixed.items()}
    lists = {key: column for axis in axes
             for key, column in zip(axis.keys, axis.columns, strict=True)}
    for key, column in {**columns, **lists}.items():
        path = re.escape(key).replace(r'\*', '[0-9*]+')
        if not re.search(rf'override: {path}(?!\w)', str(error)):
            continue
        if words := next((value for value in column if isinstance(value, str) and ',' in value),
                         None):
            return InputError(f'{error}; several values are a list: [{one_line(words, SHOWN)}]')
        if key in lists and isinstance(column, list):
            return InputError(f'{error} (in a sweep a list holds the values to try; one value '
                              'that is a list is written [[...]])')
    return error

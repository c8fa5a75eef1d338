# SPDX-License-Identifier: Apache-2.0
"""The plan of a request: its scenarios checked with each value, and warned of."""

from __future__ import annotations

import contextlib
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sbot.controllers.registry import load_function, module_folder
from sbot.files.yaml_text import parse_yaml
from sbot.scenario.load import parse_scenario
from sbot.scenario.warnings import Warned
from sbot.sweeps.journal import RESERVED
from sbot.sweeps.plan import Axis, Plan, Source
from sbot.sweeps.request import Given, Metric, Request
from sbot_common.errors import SHOWN, InputError, bad_value, one_line, shown

LOG = logging.getLogger(__name__)
_CHECKED = 64  # values of an axis that are tried before anything runs


def plan_of(request: Request) -> Plan:
    """Return the checked plan of a request.

    Raises
    ------
    InputError
        naming file, key and value.

    """
    names = _metric_names(request.metrics)
    given, fixed = request.given, dict(request.fixed)
    first = {**fixed, **{key: value for axis in request.axes for key, value in axis.at(0).items()}}
    named = [metric for metric in request.metrics if isinstance(metric, str)]
    several = len(request.scenarios) > 1
    _warn_of_pictures(request.axes)
    sources, told = [], []
    for text, file, folder, _ in request.scenarios:
        told.append(_Warnings(request.axes))
        with _own_imports(several):
            try:
                sources.append(_named_source(text, file, folder, given, first,
                                            named, request.module_path, told[-1].tell()))
            except InputError as error:
                raise _with_hint(error, request.axes, fixed) from None
    plan = Plan(tuple(sources), fixed, tuple(request.axes), request.seeds, names, request.overlaps)
    for source, warnings in zip(plan.sources, told, strict=True):
        with _own_imports(several):
            check_values(plan, source, given, warnings)
        warnings.log()
    _warn_of_texts(fixed, request.axes)
    return plan


def _metric_names(metrics: tuple[Metric, ...]) -> tuple[str, ...]:
    """Return the metrics' names as a plan has them, checked: each is a column."""
    names = tuple(each if isinstance(each, str) else f'object:{each.__name__}'
                  for each in metrics)
    columns = [name.partition(':')[2] for name in names]
    for name, column in zip(names, columns, strict=True):
        if not column.isidentifier():
            raise bad_value('metric', name, "'module:function'")
        if columns.count(column) > 1:
            raise InputError(f'metric: two have the name {column!r}; rename one')
        if column in RESERVED:
            raise bad_value('metric', name, 'a name that no other column of the table has')
    return names


def _named_source(text: str, file: str, directory: str, given: Given, changes: Mapping[str, Any],
                 metrics: Iterable[str], path: Iterable[str],
                 tell: Callable[[Warned], None] | None = None) -> Source:
    """Return a checked source with the name and seed of its scenario.

    Parameters
    ----------
    text, file, directory, given : from ``source_of``
    changes : of the first run, by key path
    metrics, path : functions 'module:function' that its runs are given to, and where they are
    tell : takes warnings about the scenario

    Raises
    ------
    InputError
        if the scenario, with these changes, is wrong, or a metric cannot be imported.

    """
    scenario = parse_scenario(text, file, Path(directory), Path(file).stem, changes, given,
                              tell=tell)
    for metric in metrics:
        load_function(metric, (*path, *scenario.python_path), 'metric')
    data, _ = parse_yaml(text, file)
    draws_its_seed = isinstance(data, dict) and 'seed' in data and data['seed'] is None
    return Source(scenario.name, text, file, directory, None if draws_its_seed else scenario.seed)


def check_values(plan: Plan, source: Source, given: Given,
                 warnings: _Warnings | None = None) -> None:
    """Load a scenario with each value once: a mistyped key should not fail 10,000 times.

    Of long axes only some values are tried. ``warnings`` takes what the scenario warns of.

    Raises
    ------
    InputError
        naming file, key and value.

    """
    first = {key: value for axis in plan.axes for key, value in axis.at(0).items()}
    for number, axis in enumerate(plan.axes):
        for index in (*range(min(len(axis), _CHECKED) - 1), len(axis) - 1):
            try:
                parse_scenario(source.text, source.file, Path(source.directory), source.name,
                               {'seed': 1, **plan.fixed, **first, **axis.at(index)}, given,
                               tell=None if warnings is None else warnings.tell(number, index))
            except InputError as error:
                raise _with_hint(error, [axis]) from None


def _with_hint(error: InputError, axes: Iterable[Axis],
              fixed: Mapping[str, Any] = MappingProxyType({})) -> InputError:
    """Return the error; where a list was taken apart, or lacks its brackets, say so."""
    if ': got ' not in str(error):
        return error
    lists = {key: column for axis in axes
             for key, column in zip(axis.keys, axis.columns, strict=True)}
    for key, column in {**{key: [value] for key, value in fixed.items()}, **lists}.items():
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


# Warnings of a sweep: swept keys without effect, and the values that other warnings are about.

_MOST_NAMED = 3  # values in a warning
_Place = tuple[int | None, int]  # axis, and place on it
_NUMBERS = re.compile(r'[-+\d.e]+(?:,\s*[-+\d.e]+)+')


def _warn_of_pictures(axes: Iterable[Axis]) -> None:
    """Log a warning for each swept key that changes nothing but pictures."""
    for axis in axes:
        for key in axis.keys:
            if f'{key}.'.startswith(('world.zones.', 'description.')):
                LOG.warning('override: %s: has no effect on a run; it changes only pictures and '
                            'files', key)


def _warn_of_texts(fixed: Mapping[str, object], axes: Iterable[Axis]) -> None:
    """Log a warning for each value that looks like a list without its brackets, '0,0.1'."""
    columns = {**{key: [value] for key, value in fixed.items()},
               **{axis.keys[0]: axis.columns[0] for axis in axes if len(axis) == 1}}
    for key, (value,) in columns.items():
        if isinstance(value, str) and _NUMBERS.fullmatch(value):
            LOG.warning('%s: %s is one text; several values are a list: [%s]', key, shown(value),
                        value)


class _Warnings:
    """Warnings about a scenario, each logged once, with the swept values at which it holds.

    Warnings about one key at different values count as one. A setting without effect at some
    values only, such as the duration of a gust at speed 0, gives none.
    """

    def __init__(self, axes: Sequence[Axis]) -> None:
        """Begin without warnings; ``axes`` are those of the sweep."""
        self._axes = axes
        self._tried: dict[int, set[int]] = {}  # places on each axis
        self._found: dict[Warned, list[_Place]] = {}

    def tell(self, axis: int | None = None, place: int = 0) -> Callable[[Warned], None]:
        """Return what takes a warning at a place of an axis, where all others are at their first.

        Without ``axis`` all are at their first.
        """
        if axis is not None:
            self._tried.setdefault(axis, set()).add(place)
        return lambda warned: self._found.setdefault(warned, []).append((axis, place))

    def log(self) -> None:
        """Log what was found."""
        merged: list[tuple[Warned, list[_Place], int]] = []  # the last: how many texts
        for warned, places in self._found.items():
            for i, (first, known, count) in enumerate(merged):
                if first.key == warned.key and not set(known) & set(places):
                    merged[i] = first, [*known, *places], count + 1
                    break
            else:
                merged.append((warned, places, 1))
        for warned, places, count in merged:
            if not (warned.idle and self._has_effect_elsewhere(warned.key, places)):
                LOG.warning('%s%s', warned, self._note(places) if count == 1 else
                            self._note_of_alike(places[0], count))

    def _has_effect_elsewhere(self, key: str, places: Sequence[_Place]) -> bool:
        """Tell whether a setting that has no effect here has one at other values of an axis.

        A swept key itself is at its default there, which gives no warning.
        """
        return any(
            0 < len({place for where, place in places if where == axis}) < len(tried)
            and self._axes[axis].keys != (key,) for axis, tried in self._tried.items())

    def _note(self, places: Sequence[_Place]) -> str:
        """Return the end of a warning: values at which it holds, none where it always does."""
        parts = []
        for axis, tried in self._tried.items():
            found = {place for where, place in places if where == axis}
            if found and found != tried:
                parts.append(self._values(axis, sorted(found)))
        everywhere = any(axis is None for axis, _ in places)  # where all axes begin
        return f" (at {('; ' if everywhere else ' or ').join(parts)})" if parts else ''

    def _note_of_alike(self, first: _Place, count: int) -> str:
        """Return the end of a warning of which there are several with other numbers."""
        axes = self._tried if first[0] is None else [first[0]]
        at = '; '.join(self._values(axis, [first[1]]) for axis in axes)
        return f" (at {at}; alike at {count - 1} other value{'s' * (count > 2)})"

    def _values(self, axis: int, places: Sequence[int]) -> str:
        """Return some values of an axis, `key=1, 2, …`."""
        each = self._axes[axis]
        if len(each.keys) > 1:
            return ', '.join(f'{key}={shown(value)}' for key, value in each.at(places[0]).items())
        named = [shown(each.columns[0][place]) for place in places[:_MOST_NAMED]]
        return f"{each.keys[0]}={', '.join(named)}{', …' * (len(places) > _MOST_NAMED)}"


# Isolation of users' modules in a sweep: no scenario sees the imports of another one.


@contextlib.contextmanager
def _own_imports(forget: bool) -> Iterator[None]:
    """Restore ``sys.path``; with ``forget`` drop modules that came from new folders.

    Compiled modules do not survive being imported twice, so only who must forget does.
    """
    path, known = list(sys.path), set(sys.modules)
    try:
        yield
    finally:
        added = {folder for folder in sys.path if folder not in path}
        sys.path[:] = path
        if forget and added:
            own = {name for name in set(sys.modules) - known
                   if '.' not in name and module_folder(name) in added}
            for name in [name for name in sys.modules if name.partition('.')[0] in own]:
                del sys.modules[name]

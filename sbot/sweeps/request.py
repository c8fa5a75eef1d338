# SPDX-License-Identifier: Apache-2.0
"""Request of a sweep, from options, a sweep file or Python, and the plan made from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from sbot.controllers.registry import name_controllers
from sbot.files.limits import read_within
from sbot.files.yaml_text import (
    Origins,
    decode_text,
    dump_yaml,
    parse_yaml,
    plain_values,
)
from sbot.scenario.fields import Count, Field, Flag, Model, Seed, validate
from sbot.scenario.fields import Mapping as MappingField
from sbot.scenario.load import FORMATS
from sbot.scenario.model import Scenario
from sbot.scenario.shipped import find_scenario
from sbot.sweeps.plan import METHODS, Axis, sample_axis, seeds_of, spread_of, values_of, zip_axis
from sbot_common.errors import InputError
from sbot_common.params import Check

RECORD = ('none', 'failed', 'all')
Metric = str | Callable[..., Any]
Given = dict[str, Any]  # controllers from Python, by name
_MOST_MEMORY = 2**60  # bytes
_LONGEST = 1e6  # s; a system call takes 24 days at most
_UNITS = {'': 1, 'kb': 10**3, 'mb': 10**6, 'gb': 10**9, 'kib': 2**10, 'mib': 2**20, 'gib': 2**30}


def _several(kind: type, least: int) -> Callable[[object], tuple[Any, ...]]:
    """Return what takes one value of a kind, or a list of so many at least; TypeError for else."""
    def values_of_kind(value: object) -> tuple[Any, ...]:
        values = [value] if isinstance(value, kind) else value
        if not isinstance(values, list | tuple) or len(values) < least or not all(
                isinstance(each, kind) for each in values):
            raise TypeError
        return tuple(values)
    return values_of_kind


def _memory(value: object) -> int:
    """Return the bytes of a number or of a text such as '2 GiB'."""
    if isinstance(value, int) and not isinstance(value, bool):
        size = value
    else:
        text = str(value).strip().lower()
        number = text.rstrip('bgikm')
        size = int(float(number) * _UNITS[text[len(number):].strip()])
    if not 0 < size <= _MOST_MEMORY:
        raise ValueError
    return size


def _timeout(value: Any) -> float:  # noqa: ANN401
    if isinstance(value, bool) or not 0 < value <= _LONGEST:
        raise ValueError
    return float(value)


MEMORY = Check("an amount of memory, e.g. '500 MB' or '2 GiB'", _memory)
TIMEOUT = Check(f'a number > 0, at most {_LONGEST:g} (s)', _timeout)
_Any = Annotated[Any, Check('a value', lambda value: value)]
_Method = Annotated[str, Check(' or '.join(METHODS), lambda v: METHODS[METHODS.index(v)])]
_Record = Annotated[str, Check(' or '.join(RECORD), lambda v: RECORD[RECORD.index(v)])]


class Sample(Model):
    """Drawn parameters."""

    count: Count = Field(description='How many points.')
    method: _Method = Field('latin_hypercube', description='How they are drawn.')
    seed: Seed = Field(1, description='Of the points, not of the runs.')
    values: MappingField = Field(description='Where they lie, by key path.')


class _SweepFile(Model):
    """A sweep file as written."""

    scenario: Annotated[tuple[str, ...], Check(
        'a scenario, or a list of scenarios', _several(str, 1))] = (
        Field(description='Paths, relative to the sweep file, or names of shipped scenarios.'))
    seeds: _Any = Field(None, description="Seeds: a range, a number, a list; default: the "
                                          "scenario's own.")
    set: MappingField = Field({}, description='Values of all runs by key path.')
    grid: MappingField = Field({}, description='Values to combine, all with all.')
    zip: Annotated[tuple[dict[str, Any], ...], Check(
        'a mapping of key paths to lists, or a list of such', _several(Mapping, 0))] = Field(
        (), description='Values that go side by side.')
    sample: Sample | None = Field(None, description='Values to draw.')
    metrics: Annotated[tuple[str, ...], Check(
        "a list of 'module:function'", _several(str, 1))] = Field(
        (), description='Functions that get each Run and return a number, or several by name.')
    timeout: Annotated[float, TIMEOUT] | None = Field(
        None, description='Greatest time of a run (s).')
    memory: Annotated[int, MEMORY] | None = Field(
        None, description="Greatest memory of a run, e.g. '2 GiB'.")
    record: _Record = Field('none', description='Which runs to record.')
    overlaps: Flag = Field(True, description='Count overlaps from the geometry in every tick.')


def _grid_axes(grid: Mapping[str, Sequence[Any]]) -> list[Axis]:
    """Return an axis for each key: every combination."""
    return [Axis((key,), (values,)) for key, values in grid.items()]


@dataclass
class Request:
    """Everything that makes up a sweep; entries may be changed until ``plan_of`` is called."""

    scenarios: list[tuple[str, str, str, Given]]  # from ``source_of``
    seeds: Sequence[int] = ()
    fixed: dict[str, Any] = field(default_factory=dict)
    axes: list[Axis] = field(default_factory=list)  # in this order
    metrics: tuple[Metric, ...] = ()
    path: tuple[str, ...] = ()  # where the modules of metrics are
    timeout: float | None = None
    memory: int | None = None
    record: str = 'none'
    overlaps: bool = True  # count them

    def set(self, key: str, value: object, where: str) -> None:
        """Replace the values of this key by one value, or several to try."""
        self.fixed.pop(key, None)
        self.axes = [axis for axis in self.axes if axis.keys != (key,)]
        values = values_of(value, where)
        if len(values) > 1 or isinstance(value, list | tuple | range):
            self.axes += _grid_axes({key: values})
        else:
            self.fixed[key] = values[0]

    @property
    def given(self) -> Given:
        """Controllers from Python, of all scenarios."""
        merged: Given = {}
        for *_, given in self.scenarios:
            for name, value in given.items():
                if merged.setdefault(name, value) is not value:
                    raise InputError(f'scenario: two different controllers have the name {name}')
        return merged

    @property
    def module_path(self) -> tuple[str, ...]:
        """Folders where modules of metrics are looked for."""
        return tuple(dict.fromkeys((*self.path, os.getcwd())))

    @classmethod
    def by_default(cls, scenario: Any) -> Request:  # noqa: ANN401 - or several, or a sweep file
        """Return a new request for what ``source_of`` takes, a list of such, or a sweep file."""
        if isinstance(scenario, str | Path) and _is_sweep_file(str(scenario)):
            return _read_sweep_file(str(scenario))
        several = scenario if isinstance(scenario, list | tuple) else [scenario]
        return cls([source_of(each) for each in several])

    @classmethod
    def of(cls, scenario: Any, seeds: object, grid: Mapping[str, object] | None,  # noqa: ANN401
           side_by_side: Mapping[str, object] | None, sample: Mapping[str, Any] | None,
           metrics: Sequence[str | Callable[..., Any]],
           overrides: Mapping[str, object], overlaps: bool = True) -> Request:
        """Return the request of the arguments of ``sbot.sweep``.

        Raises
        ------
        InputError
            naming the argument.

        """
        request = Request.by_default(scenario)
        request.fixed.update(overrides)
        request.add(lambda kind, *path: ' '.join(map(str, (kind, *path[-1:]))),
                    seeds, grid or {}, [side_by_side or {}], None if sample is None else
                    validate(Sample, sample, Origins('sample', {}, set())))
        request.metrics += tuple(metrics)
        request.overlaps = request.overlaps and overlaps
        return request

    def add(self, where: Callable[..., str], seeds: object, grid: Mapping[str, object],
            side_by_side: Sequence[Mapping[str, object]], sample: Sample | None) -> None:
        """Set seeds, and add axes to those that there are.

        Parameters
        ----------
        where : how messages call a key path of a sweep file, e.g. 'zip', 0, 'duration'
        seeds, grid, side_by_side, sample : as a sweep file has them; seeds of None change nothing

        Raises
        ------
        InputError
            naming the key path.

        """
        if seeds is not None:
            self.seeds = seeds_of(seeds, where('seeds'))
        for key, values in grid.items():
            self.axes += _grid_axes({key: values_of(_plain(values), where('grid', key))})
        for i, columns in enumerate(side_by_side):
            self.axes += zip_axis({key: values_of(_plain(values), where('zip', i, key))
                                   for key, values in columns.items()})
        if sample is not None:
            self.axes += sample_axis(
                {key: spread_of(value, where('sample', 'values', key))
                 for key, value in sample.values.items()},
                sample.count, sample.method, sample.seed)


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
    path = (beside if beside is not None and os.path.isfile(beside)
            else find_scenario(str(scenario)))
    raw = read_within(path, typed=directory is None)
    text = (dump_yaml(FORMATS[path.suffix](raw, str(path), {})[0]) if path.suffix in FORMATS
            else decode_text(raw, str(path)))
    return text, str(path), str(path.resolve().parent), {}


def _is_sweep_file(path: str) -> bool:
    """Tell whether a file is a sweep file: YAML with a key ``scenario``."""
    file = Path(path)
    if file.suffix not in ('.yaml', '.yml') or not os.path.isfile(file):
        return False
    data, _ = parse_yaml(decode_text(read_within(file), path), path)
    return isinstance(data, dict) and 'scenario' in data


def _read_sweep_file(path: str) -> Request:
    """Return the request of a sweep file.

    Raises
    ------
    InputError
        one line with file, line, key and what was expected.

    """
    file = Path(path)
    data, origins = parse_yaml(decode_text(read_within(file), path), path)
    written = validate(_SweepFile, data, origins)
    folder = file.resolve().parent

    def where(*keys: str | int) -> str:
        if keys[:2] == ('zip', 0) and isinstance(data, dict) and isinstance(data['zip'], dict):
            keys = ('zip', *keys[2:])  # the only group, without a list
        return origins.where(keys)

    request = Request([source_of(each, folder) for each in written.scenario],
                      metrics=written.metrics, path=(str(folder),), timeout=written.timeout,
                      memory=written.memory, record=written.record, fixed=dict(written.set),
                      overlaps=written.overlaps)
    request.add(where, written.seeds, written.grid, written.zip, written.sample)
    return request


def _plain(values: object) -> object:
    """Return NumPy arrays and pandas columns as lists."""
    return values.tolist() if hasattr(values, 'tolist') else values

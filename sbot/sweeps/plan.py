"""The plan of a sweep: its runs in order, each made on demand."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from sbot_common.errors import InputError, shown

MAX_RUNS = 10_000_000  # of a sweep: a journal of 20 GB


class Source(NamedTuple):
    """A scenario as it is sent to where it runs."""

    name: str  # in the table
    text: str  # YAML
    file: str  # what messages call it
    directory: str  # where its relative paths start
    seed: int | None  # the scenario's own


class Axis(NamedTuple):
    """Parameters that change together: one key, or several side by side."""

    keys: tuple[str, ...]  # dotted key paths
    columns: tuple[Sequence[Any], ...]  # the values of each key, all equally many

    def __len__(self) -> int:
        return len(self.columns[0])

    def at(self, index: int) -> dict[str, Any]:
        """Return the values at one place by key."""
        return {key: column[index] for key, column in zip(self.keys, self.columns, strict=True)}


class PlannedRun(NamedTuple):
    """One run of a plan."""

    number: int
    source: int  # index of its scenario
    values: dict[str, Any]  # of the swept parameters, by key path
    seed: int


@dataclass(frozen=True)
class Plan:
    """Every combination of scenarios, values and seeds; the seed changes fastest.

    Attributes
    ----------
    sources : the scenarios
    fixed : values of all runs by key path
    axes : what changes; the last one changes faster than the first
    seeds : none: each scenario's own
    metrics : names ``module:function``, or those of functions from Python
    overlaps : whether runs count overlaps; without it that column is empty

    """

    sources: tuple[Source, ...]
    fixed: Mapping[str, Any]
    axes: tuple[Axis, ...]
    seeds: Sequence[int]
    metrics: tuple[str, ...]
    overlaps: bool = True

    def __post_init__(self) -> None:
        keys = list(self.keys)
        if 'seed' in keys or 'seed' in self.fixed:
            raise InputError('seed cannot be a parameter of a sweep; give seeds (--seeds 0:50)')
        for i, key in enumerate(keys):
            if key in keys[:i] or key in self.fixed:
                raise InputError(f'{key}: is given twice')
        for axis in self.axes:
            counts = [len(column) for column in axis.columns]
            if len(set(counts)) != 1:
                raise InputError(f"{', '.join(axis.keys)}: got {', '.join(map(str, counts))} "
                                 'values, expected equally many, because they change together')
        names = [source.name for source in self.sources]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise InputError(f'scenario: two have the name {name!r}; rename one')
        if not self.seeds:
            for source in self.sources:
                if source.seed is None:
                    raise InputError(f'{source.file} has no seed, and a sweep needs one; give '
                                     '--seeds '
                                     '0:50')
        if self.count > MAX_RUNS:
            raise InputError(f'sweep: got {shown(self.count)} runs, expected at most {MAX_RUNS}')

    @property
    def keys(self) -> tuple[str, ...]:
        """The swept parameters, in the order of the table's columns."""
        return tuple(key for axis in self.axes for key in axis.keys)

    def column(self, key: str) -> Sequence[Any]:
        """Return the values of a swept parameter."""
        return next(axis.columns[axis.keys.index(key)] for axis in self.axes if key in axis.keys)

    @cached_property
    def count(self) -> int:
        """How many runs there are, however many these are."""
        return math.prod(map(len, self.axes), start=len(self.sources) * max(1, len(self.seeds)))

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> PlannedRun:
        if not 0 <= number < len(self):
            raise IndexError(number)
        rest, which = divmod(number, max(1, len(self.seeds)))
        places = []
        for axis in reversed(self.axes):
            rest, place = divmod(rest, len(axis))
            places.append(axis.at(place))
        seed = self.seeds[which] if self.seeds else self.sources[rest].seed
        assert seed is not None
        values = {key: value for place in reversed(places) for key, value in place.items()}
        return PlannedRun(number, rest, values, seed)

    def overrides(self, run: PlannedRun) -> dict[str, Any]:
        """Return the changes of a run in its scenario, by key path."""
        return {**self.fixed, **run.values, 'seed': run.seed}

    def samples(self) -> Iterator[PlannedRun]:
        """Yield a run of each value of each axis, of each scenario: where all others are first."""
        each = len(self) // len(self.sources)
        for first in range(0, len(self), each):
            yield self[first]
            step = each
            for axis in self.axes:
                step //= len(axis)
                for place in range(1, len(axis)):
                    yield self[first + place * step]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON holds it; ``results.plan_file`` reads an equal one from it."""
        return {
            'sources': [source._asdict() for source in self.sources],
            'fixed': dict(self.fixed),
            'axes': [{'keys': list(axis.keys), 'columns': [_packed(c) for c in axis.columns]}
                     for axis in self.axes],
            'seeds': _packed(self.seeds), 'metrics': list(self.metrics),
            **({} if self.overlaps else {'overlaps': False})}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that a plan's rows depend on, except the version."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def differences(self, other: Plan) -> list[str]:
        """Return the parts in which two plans differ."""
        mine, its = self.to_json(), other.to_json()
        return [name for name in mine | its if mine.get(name) != its.get(name)]


def _packed(values: Sequence[Any]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(values, range):
        return {'range': [values.start, values.stop, values.step]}
    return list(values)


def grid_axes(grid: Mapping[str, Sequence[Any]]) -> list[Axis]:
    """Return an axis for each key: every combination."""
    return [Axis((key,), (values,)) for key, values in grid.items()]


def zip_axis(columns: Mapping[str, Sequence[Any]]) -> list[Axis]:
    """Return one axis: the first values together, then the second ones, ..."""
    return [Axis(tuple(columns), tuple(columns.values()))] if columns else []


def batches(plan: Plan, done: Iterable[int], size: int) -> Iterable[list[PlannedRun]]:
    """Yield the runs that are not done, ``size`` at a time."""
    finished = set(done)
    batch: list[PlannedRun] = []
    for number in range(len(plan)):
        if number not in finished:
            batch.append(plan[number])
            if len(batch) == size:
                yield batch
                batch = []
    if batch:
        yield batch

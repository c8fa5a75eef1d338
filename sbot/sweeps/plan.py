"""The plan of a sweep: values of parameters, and runs in order, each made on demand."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from sbot.files.yaml_text import LARGEST
from sbot.scenario.fields import MAX_SEED
from sbot_common.errors import InputError, bad_value, shown

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
        """Return the plan as JSON holds it; ``sweeps.journal`` reads an equal one from it."""
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


# Lists, ranges ``first:end:step`` and single values of a parameter.

MAX_LISTED = 1_000_000  # values that are not a range of whole numbers, which takes no memory
_NUMBER = r'\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*'
_ONE = re.compile(_NUMBER)
_RANGE = re.compile(rf'{_NUMBER}:{_NUMBER}(?::{_NUMBER})?')
_LONGEST = 100  # characters of a number
_MOST_DIGITS = 300  # before or after the point: what doubles can hold
_SEEDS = 'a whole number from 0 to 2^63 - 1, a range first:end, or a list of these'


def parse_range(text: str, where: str, whole: bool = False) -> Sequence[int | float] | None:
    """Return the numbers of 'first:end' or 'first:end:step'; None if the text is not a range.

    The end is not in it, as in Python; steps are exact decimals (0:0.4:0.1 has 0.3 as its last).

    Parameters
    ----------
    text : as a user writes it
    where : option or file, line and key
    whole : 1e3 is a whole number, too; else only 1000 is

    Raises
    ------
    InputError
        if it is empty or too long.

    """
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    parts = [part or '1' for part in match.groups()]
    try:
        first, end, step = map(_decimal, parts)
        count = 0 if step == 0 else math.ceil((Fraction(end) - Fraction(first)) / Fraction(step))
        if not 0 < count <= MAX_RUNS:
            raise ValueError
        if (all(number == number.to_integral_value() for number in (first, end, step)) if whole
                else all(re.fullmatch(r'[-+]?\d+', part) for part in parts)):
            return _whole_numbers(int(first), count, int(step))
        if whole or count > MAX_LISTED:
            raise ValueError
    except ValueError:
        raise bad_value(where, text, f'a range first:end:step of 1 to {MAX_RUNS} whole numbers, '
                                     f'or of up to {MAX_LISTED} others') from None
    return [float(first + i * step) for i in range(count)]


def _decimal(text: str) -> Decimal:
    """Return a number of a range, or raise ValueError if its size is absurd."""
    if len(text) > _LONGEST:
        raise ValueError
    _, _, exponent = text.lower().partition('e')
    if len(exponent.lstrip('+-0')) > len(str(_MOST_DIGITS)):
        raise ValueError
    number = Decimal(text)
    if not number:
        return Decimal(0)
    if abs(number.adjusted()) > _MOST_DIGITS:
        raise ValueError
    return number


def _whole_numbers(first: int, count: int, step: int) -> range:
    found = range(first, first + count * step, step)
    if max(abs(found[0]), abs(found[-1])) > LARGEST:
        raise ValueError
    return found


def whole_number(text: str, where: str, low: int, high: int) -> int:
    """Return the whole number that an option holds; 1e5 is one.

    Raises
    ------
    InputError
        if it is none, or not from ``low`` to ``high``.

    """
    try:
        if _ONE.fullmatch(text) is None:
            raise ValueError
        number = _decimal(text.strip())
        if number == number.to_integral_value() and low <= number <= high:
            return int(number)
    except ValueError:
        pass
    raise bad_value(where, text, f'a whole number from {low} to {high}')


def values_of(given: object, where: str) -> Sequence[Any]:
    """Return the values that an entry stands for: a list's, a range's, or the one value.

    A single value that is a list itself stands in a list: ``[[28, 12]]``.
    """
    if isinstance(given, str):
        return parse_range(given, where) or [given]
    if isinstance(given, range):
        return given
    if isinstance(given, list | tuple):
        if not given:
            raise bad_value(where, given, 'at least one value')
        return list(given)
    return [given]


def seeds_of(given: object, where: str) -> Sequence[int]:
    """Return the seeds of a number, a range, or a list of both.

    Raises
    ------
    InputError
        for anything else, and for a seed given twice.

    """
    if isinstance(given, str) and ',' in given:
        given = [part.strip() for part in given.split(',')]
    if isinstance(given, str):
        if _ONE.fullmatch(given):
            return [whole_number(given, where, 0, MAX_SEED)]
        given = parse_range(given, where, whole=True) or given
    if isinstance(given, range):
        if given and min(given[0], given[-1]) >= 0 and max(given[0], given[-1]) <= MAX_SEED:
            return given
    elif isinstance(given, list | tuple):
        seeds = _join_seeds([seeds_of(item, where) for item in given], given, where)
        if seeds:
            return seeds
    elif isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= MAX_SEED:
        return [given]
    raise bad_value(where, given, _SEEDS)


def _join_seeds(parts: Sequence[Sequence[int]], given: object, where: str) -> list[int]:
    """Return all seeds of a list, where each may stand once."""
    if sum(map(len, parts)) > MAX_LISTED:
        raise bad_value(where, given, f'a list of at most {MAX_LISTED} seeds; one range may have '
                                      f'{MAX_RUNS}')
    seeds = [seed for part in parts for seed in part]
    if len(set(seeds)) < len(seeds):
        raise bad_value(where, given, 'different seeds')
    return seeds

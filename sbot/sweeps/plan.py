# SPDX-License-Identifier: Apache-2.0
"""The plan of a sweep: values of parameters, given or drawn, and runs in order, on demand."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.files.yaml_text import LARGEST
from sbot.scenario.fields import MAX_SEED
from sbot_common.errors import bad_value, refuse, shown
from sbot_common.params import refuse_unknown

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
        keys = [*self.keys, *self.fixed]
        names = [source.name for source in self.sources]
        refuse(
            ('seed' in keys,
             'seed cannot be a parameter of a sweep; give seeds (--seeds 0:50)'),
            *((keys.count(key) > 1, f'{key}: is given twice') for key in keys),
            *((len(set(map(len, axis.columns))) != 1,
               f"{', '.join(axis.keys)}: got {', '.join(str(len(each)) for each in axis.columns)} "
               'values, expected equally many, because they change together')
              for axis in self.axes),
            *((names.count(name) > 1, f'scenario: two have the name {name!r}; rename one')
              for name in names),
            *((source.seed is None and not self.seeds,
               f'{source.file} has no seed, and a sweep needs one; give --seeds 0:50')
              for source in self.sources),
            (self.count > MAX_RUNS,
             f'sweep: got {shown(self.count)} runs, expected at most {MAX_RUNS}'))

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

    def differences(self, other: Plan) -> list[str]:
        """Return the parts in which two plans differ, as JSON holds them."""
        mine, its = ({name: json.dumps(part, sort_keys=True)
                      for name, part in plan.to_json().items()} for plan in (self, other))
        return [name for name in mine | its if mine.get(name) != its.get(name)]

    def batches(self, done: Iterable[int], size: int) -> Iterable[list[PlannedRun]]:
        """Yield the runs that are not done, ``size`` at a time."""
        finished = set(done)
        missing = (self[number] for number in range(len(self)) if number not in finished)
        while batch := list(islice(missing, size)):
            yield batch


def _packed(values: Sequence[Any]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(values, range):
        return {'range': [values.start, values.stop, values.step]}
    return list(values)


def zip_axis(columns: Mapping[str, Sequence[Any]]) -> list[Axis]:
    """Return one axis: the first values together, then the second ones, ..."""
    return [Axis(tuple(columns), tuple(columns.values()))] if columns else []


# Lists, ranges ``first:end:step`` and single values of a parameter.

MAX_LISTED = 1_000_000  # values that are not a range of whole numbers, which takes no memory
_NUMBER = r'\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*'
_RANGE = re.compile(rf'{_NUMBER}:{_NUMBER}(?::{_NUMBER})?')
_SEEDS = 'a whole number from 0 to 2^63 - 1, a range first:end, or a list of these'


def _parse_range(text: str, where: str, whole: bool = False) -> Sequence[int | float] | None:
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
    is_whole = all(re.fullmatch(r'[-+]?\d+', part) for part in parts)
    try:
        first, end, step = map(Decimal, parts)
        is_whole |= whole and all(number == number.to_integral() for number in (first, end, step))
        exact = (end - first) / step
    except ArithmeticError:  # a step of 0, or numbers of absurd size
        exact = Decimal(0)
    most = MAX_RUNS if is_whole else 0 if whole else MAX_LISTED
    if not 0 < exact <= most or max(abs(first), abs(end)) > (LARGEST + 1 if is_whole else 1e300):
        raise bad_value(where, text, f'a range first:end:step of 1 to {MAX_RUNS} whole numbers, '
                                     f'or of up to {MAX_LISTED} others')
    if is_whole:
        return range(int(first), int(end), int(step))
    return [float(first + i * step) for i in range(math.ceil(exact))]


def whole_number(text: str, where: str, low: int, high: int) -> int:
    """Return the whole number that an option holds; 1e5 is one.

    Raises
    ------
    InputError
        if it is none, or not from ``low`` to ``high``.

    """
    try:
        number = Decimal(text)
        if low <= number <= high and number == number.to_integral():
            return int(number)
    except ArithmeticError:  # no number
        pass
    raise bad_value(where, text, f'a whole number from {low} to {high}')


def values_of(given: object, where: str) -> Sequence[Any]:
    """Return the values that an entry stands for: a list's, a range's, or the one value.

    A single value that is a list itself stands in a list: ``[[28, 12]]``.
    """
    if isinstance(given, str):
        return _parse_range(given, where) or [given]
    if not isinstance(given, range | list | tuple):
        return [given]
    if not given:
        raise bad_value(where, given, 'at least one value')
    return given if isinstance(given, range) else list(given)


def seeds_of(given: object, where: str) -> Sequence[int]:
    """Return the seeds of a number, a range, or a list of both.

    Raises
    ------
    InputError
        for anything else, and for a seed given twice.

    """
    if isinstance(given, str) and ',' in given:
        given = given.split(',')
    if isinstance(given, list | tuple) and given:
        parts = [seeds_of(item, where) for item in given]
        count = sum(map(len, parts))
        if count > MAX_LISTED or len(set().union(*parts)) < count:
            raise bad_value(where, given, f'at most {MAX_LISTED} seeds, each once; one range may '
                                          f'have {MAX_RUNS}')
        return [seed for part in parts for seed in part]
    if isinstance(given, str):
        given = _parse_range(given, where, whole=True) or (
            whole_number(given, where, 0, MAX_SEED) if re.fullmatch(_NUMBER, given) else given)
    if isinstance(given, int) and not isinstance(given, bool):
        given = range(given, given + 1)
    if isinstance(given, range) and given and (
            min(given[0], given[-1]) >= 0 and max(given[0], given[-1]) <= MAX_SEED):
        return given
    raise bad_value(where, given, _SEEDS)


# Samples of parameters: random, and Latin hypercubes, by a seed.

MAX_POINTS = 100_000
METHODS = ('latin_hypercube', 'random')
_SPREAD = ('[low, high] with low < high, {low, high, scale: log} with low > 0, {low, high, '
           'integer: true} with whole numbers, or {choices: [...]}')


_Spread = Callable[[float], Any]  # from a fraction, 0 <= fraction < 1, to a value


def spread_of(given: Any, where: str) -> _Spread:  # noqa: ANN401 - of a file or an option
    """Return the spread that an entry describes.

    Raises
    ------
    InputError
        if it describes none.

    """
    if isinstance(given, Mapping):
        refuse_unknown(given, ('low', 'high', 'scale', 'integer', 'choices'), lambda _: where)
    try:
        return _spread(**given) if isinstance(given, Mapping) else _spread(*given)
    except (TypeError, ValueError, ArithmeticError):
        raise bad_value(where, given, _SPREAD) from None


def _spread(low: Any = None, high: Any = None, *, scale: object = 'linear',  # noqa: ANN401
            integer: object = False, choices: object = None) -> _Spread:
    """Return the spread; whatever error is raised, it is none."""
    if choices is not None:
        if (low, high, scale, integer) == (None, None, 'linear', False) and isinstance(
                choices, list | tuple) and choices:
            return _chosen(tuple(choices))
        raise ValueError
    if bool in (type(low), type(high)) or scale not in ('linear', 'log') or integer not in (
            True, False) or not 0 < high - low < math.inf:
        raise ValueError
    if integer:
        if scale == 'log' or low != int(low) or high != int(high) or high - low > 2**53:
            raise ValueError
        return _chosen(range(int(low), int(high) + 1))
    first, last = float(low), float(high)
    if scale == 'linear':
        return lambda fraction: first + fraction * (last - first)
    if not (low > 0 and high / low < math.inf):
        raise ValueError
    return lambda fraction: first * (last / first) ** fraction


def _chosen(choices: Sequence[Any]) -> _Spread:
    return lambda fraction: choices[min(int(fraction * len(choices)), len(choices) - 1)]


def _latin_hypercube(seed: int, count: int, dimensions: int) -> NDArray[np.float64]:
    """Return points (count, dimensions) in the unit cube, one in each of ``count`` equal slices.

    The bits are those of ``scipy.stats.qmc.LatinHypercube`` with a PCG64 of the same seed, which
    draws from the first generator that is spawned from it.
    """
    child, = np.random.SeedSequence(seed).spawn(1)
    generator = np.random.Generator(np.random.PCG64(child))
    within = generator.uniform(size=(count, dimensions))  # a point's place in its slice
    slices = np.tile(np.arange(1, count + 1), (dimensions, 1))
    for row in slices:
        generator.shuffle(row)
    return np.asarray((slices.T - within) / count)


def sample_axis(spreads: Mapping[str, _Spread], count: int, method: str, seed: int) -> list[Axis]:
    """Return one axis of ``count`` points drawn in the box of all spreads.

    Parameters
    ----------
    spreads : by key path
    count : of points
    method : 'latin_hypercube' (every parameter's range is covered evenly) or 'random'
    seed : same seed, same points

    """
    if not spreads:
        return []
    if method == 'random':
        unit = np.random.Generator(np.random.PCG64(seed)).random((count, len(spreads)))
    else:
        unit = _latin_hypercube(seed, count, len(spreads))
    columns: list[Sequence[Any]] = [
        [spread(float(fraction)) for fraction in unit[:, i]]
        for i, spread in enumerate(spreads.values())]
    return [Axis(tuple(spreads), tuple(columns))]

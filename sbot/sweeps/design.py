"""Samples of parameters: random, and Latin hypercubes, by a seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.scenario.fields import MAX_SEED
from sbot.sweeps.plan import MAX_LISTED, Axis
from sbot_common.errors import InputError, bad_value, unknown_name

MAX_POINTS = 100_000
METHODS = ('latin_hypercube', 'random')
_EXPECTED = ('[low, high], {low, high, scale: linear or log, integer: true} or {choices: [...]}')
_LARGEST_WHOLE = 2**53  # doubles know all up to here
_KEYS = ('low', 'high', 'scale', 'integer', 'choices')


class Spread(NamedTuple):
    """Where the values of a sampled parameter lie."""

    low: float = 0.0
    high: float = 1.0
    logarithmic: bool = False
    integer: bool = False  # whole numbers from low to high, both included
    choices: tuple[Any, ...] = ()

    def value(self, fraction: float) -> Any:  # noqa: ANN401 - a choice may be anything
        """Return the value at a fraction (0 <= fraction < 1) of the spread."""
        if self.choices:
            return self.choices[int(fraction * len(self.choices))]
        if self.integer:
            low, high = int(self.low), int(self.high)
            return min(low + int(fraction * (high - low + 1)), high)
        if self.logarithmic:
            return self.low * (self.high / self.low) ** fraction
        return self.low + fraction * (self.high - self.low)


def spread_of(given: object, where: str) -> Spread:
    """Return the spread that an entry describes.

    Raises
    ------
    InputError
        if it describes none.

    """
    if isinstance(given, list | tuple) and len(given) == 2:
        given = {'low': given[0], 'high': given[1]}
    if not isinstance(given, Mapping):
        raise bad_value(where, given, _EXPECTED)
    for key in given:
        if key not in _KEYS:
            raise unknown_name(where, str(key), _KEYS)
    if 'choices' in given:
        choices = given['choices']
        if len(given) > 1 or not isinstance(choices, list | tuple) or not choices:
            raise bad_value(where, given, _EXPECTED)
        return Spread(choices=tuple(choices))
    scale, integer = given.get('scale', 'linear'), given.get('integer', False)
    low, high = (_number(given.get(key), given, where) for key in ('low', 'high'))
    if not 0 < high - low < math.inf or scale not in ('linear', 'log') or not isinstance(
            integer, bool):
        raise bad_value(where, given, f'{_EXPECTED} with low < high')
    if (scale == 'log' and (low <= 0 or integer)) or (
            integer and not (low.is_integer() and high.is_integer())):
        raise bad_value(where, given, 'low > 0 with scale: log, whole numbers with integer: true')
    if integer and max(abs(low), abs(high)) > _LARGEST_WHOLE:
        raise bad_value(where, given, 'whole numbers from -2^53 to 2^53')
    if scale == 'log' and math.isinf(high / low):
        raise bad_value(where, given, 'low and high whose ratio is a number')
    return Spread(low, high, scale == 'log', integer)


def _number(value: object, given: object, where: str) -> float:
    try:
        if not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    raise bad_value(where, given, _EXPECTED)


def latin_hypercube(seed: int, count: int, dimensions: int) -> NDArray[np.float64]:
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


def sample_axis(spreads: Mapping[str, Spread], count: int, method: str, seed: int) -> list[Axis]:
    """Return one axis of ``count`` points drawn in the box of all spreads.

    Parameters
    ----------
    spreads : by key path
    count : of points
    method : 'latin_hypercube' (every parameter's range is covered evenly) or 'random'
    seed : same seed, same points

    Raises
    ------
    InputError
        for an unknown method, and for too many points.

    """
    if method not in METHODS:
        raise unknown_name('sample.method', str(method), METHODS)
    if not spreads:
        return []
    for name, value, low, high in (('count', count, 1, MAX_POINTS), ('seed', seed, 0, MAX_SEED)):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise bad_value(f'sample.{name}', value, f'a whole number from {low} to {high}')
    if count * len(spreads) > MAX_LISTED:
        raise InputError(f'sample: got {count} points of {len(spreads)} parameters, expected at '
                         f'most {MAX_LISTED} numbers in all')
    if method == 'random':
        unit = np.random.Generator(np.random.PCG64(seed)).random((count, len(spreads)))
    else:
        unit = latin_hypercube(seed, count, len(spreads))
    columns: list[Sequence[Any]] = [
        [spread.value(float(fraction)) for fraction in unit[:, i]]
        for i, spread in enumerate(spreads.values())]
    return [Axis(tuple(spreads), tuple(columns))]

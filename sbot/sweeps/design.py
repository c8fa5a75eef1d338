"""Samples of parameters: random, and Latin hypercubes (scipy.stats.qmc), by a seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sbot.sweeps.plan import Axis
from sbot_common.errors import InputError, bad_value, unknown_name

METHODS = ('latin_hypercube', 'random')
_EXPECTED = ('[low, high], {low, high, scale: linear or log, integer: true} or {choices: [...]}')
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
            return int(self.low) + int(fraction * (int(self.high) - int(self.low) + 1))
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
    if low >= high or scale not in ('linear', 'log') or not isinstance(integer, bool):
        raise bad_value(where, given, f'{_EXPECTED} with low < high')
    if (scale == 'log' and (low <= 0 or integer)) or (
            integer and not (low.is_integer() and high.is_integer())):
        raise bad_value(where, given, 'low > 0 with scale: log, whole numbers with integer: true')
    return Spread(low, high, scale == 'log', integer)


def _number(value: object, given: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise bad_value(where, given, _EXPECTED)
    return float(value)


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
        for an unknown method.

    """
    if method not in METHODS:
        raise unknown_name('sample.method', method, METHODS)
    if not spreads:
        return []
    if count < 1:
        raise InputError(f'sample.count: got {count}, expected a whole number >= 1')
    generator = np.random.Generator(np.random.PCG64(seed))
    if method == 'random':
        unit = generator.random((count, len(spreads)))
    else:
        from scipy.stats import qmc
        unit = qmc.LatinHypercube(len(spreads), seed=generator).random(count)
    columns: list[Sequence[Any]] = [
        [spread.value(float(fraction)) for fraction in unit[:, i]]
        for i, spread in enumerate(spreads.values())]
    return [Axis(tuple(spreads), tuple(columns))]

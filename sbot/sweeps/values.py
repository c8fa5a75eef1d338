"""Lists, ranges ``first:end:step`` and single values of a parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sbot.files.yaml_text import LARGEST
from sbot.scenario.fields import MAX_SEED
from sbot.sweeps.plan import MAX_RUNS
from sbot_common.errors import bad_value

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

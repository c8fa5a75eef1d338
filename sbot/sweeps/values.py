"""Lists, ranges ``first:end:step`` and single values of a parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sbot.scenario.model import MAX_SEED
from sbot_common.errors import bad_value

MAX_VALUES = 10_000_000  # of one range
_NUMBER = r'\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*'
_RANGE = re.compile(rf'{_NUMBER}:{_NUMBER}(?::{_NUMBER})?')
_SEEDS = 'a whole number from 0 to 2^63 - 1, a range first:end, or a list of these'


def parse_range(text: str, where: str) -> Sequence[int | float] | None:
    """Return the numbers of 'first:end' or 'first:end:step'; None if the text is no range.

    The end is not in it, as in Python; steps are exact decimals (0:0.4:0.1 has 0.3 as its last).

    Raises
    ------
    InputError
        if it is empty or too long.

    """
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    first, end, step = (Decimal(part or '1') for part in match.groups())
    count = 0 if step == 0 else math.ceil(Fraction(end - first) / Fraction(step))
    if not 0 < count <= MAX_VALUES:
        raise bad_value(where, text, f'a range of 1 to {MAX_VALUES} numbers, first:end:step '
                                     'without its end')
    if all(re.fullmatch(r'[-+]?\d+', part or '1') for part in match.groups()):
        return range(int(first), int(first) + count * int(step), int(step))
    return [float(first + i * step) for i in range(count)]


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
    if isinstance(given, str) and given.isdecimal():
        given = int(given)
    if isinstance(given, str):
        given = parse_range(given, where) or given
    if isinstance(given, range):
        if given and min(given) >= 0 and max(given) <= MAX_SEED:
            return given
    elif isinstance(given, list | tuple):
        seeds = [seed for item in given for seed in seeds_of(item, where)]
        if len(set(seeds)) < len(seeds):
            raise bad_value(where, given, 'every seed once')
        if seeds:
            return seeds
    elif isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= MAX_SEED:
        return [given]
    raise bad_value(where, given, _SEEDS)

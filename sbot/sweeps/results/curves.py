"""Swept parameters of a sweep's figure: along x, one curve for each value, or taken together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sbot.sweeps.results.names import short_names
from sbot.sweeps.results.show import Results
from sbot_common.errors import InputError, bad_value, one_line, unknown_name

MOST_CURVES = 10


class Curves(NamedTuple):
    """What each swept parameter does in a figure."""

    along: str  # x
    apart: tuple[str, ...]  # a curve for each combination of their values
    pooled: tuple[str, ...] = ()  # a point has runs of several values of them
    follow: tuple[str, ...] = ()  # their values follow from those above, as with --zip

    def note(self, results: Results) -> str:
        """Return what a reader would not see: 'over 2 values of fade; speed changes with x'."""
        names = dict(zip(results.keys, short_names(results.keys), strict=True))
        parts = [f'over {len(set(results.columns[key]))} values of {names[key]}'
                 for key in self.pooled]
        if self.follow:
            told = ', '.join(names[key] for key in self.follow)
            parts.append(f"{told} change{'s' * (len(self.follow) == 1)} too")
        return one_line('; '.join(parts))


def choose_curves(results: Results, by: Sequence[str] = (), pool: Sequence[str] = ()) -> Curves:
    """Return what the swept parameters do.

    Parameters
    ----------
    results : of the sweep
    by : the parameter along x, and those that tell curves apart; only one: curves tell apart what
        else was swept, up to ``MOST_CURVES``; none: the first one is along x
    pool : parameters whose values are taken together

    Raises
    ------
    InputError
        for unknown parameters, a parameter given twice, or too many curves.

    """
    if not results.keys:
        raise InputError('sbot sweep plot needs a swept parameter; this sweep has only seeds')
    given = [find_key(results, key, '--by') for key in by]
    pooled = [find_key(results, key, '--pool') for key in pool]
    for i, key in enumerate(every := [*given, *pooled]):
        if key in every[:i]:
            raise InputError(f'--by, --pool: {one_line(key)}: is given twice')
    free = [key for key in results.keys if key not in every]
    if not given:
        if not free:
            raise InputError('--pool cannot be combined with no parameter along x; give --by KEY')
        given.append(free.pop(0))
    along, apart = given[0], given[1:]
    if (count := _settings(results, apart)) > MOST_CURVES:
        raise bad_value('--by', ', '.join(apart), 'parameters after the first with at most '
                                                  f'{MOST_CURVES} values, not {count}')
    if not apart:
        for key in free:
            if not _follows(results, key, [along, *apart]) and (
                    _settings(results, [*apart, key]) <= MOST_CURVES):
                apart.append(key)
    rest = [key for key in results.keys if key not in (along, *apart)]
    follow = [key for key in rest if _follows(results, key, [along, *apart])]
    return Curves(along, tuple(apart), tuple(key for key in rest if key not in follow),
                  tuple(key for key in follow if _settings(results, [key]) > 1))


def find_key(results: Results, key: str, option: str) -> str:
    """Return the swept parameter that is meant by a key path or the end of one."""
    if key in results.keys:
        return key
    ends = [each for each in results.keys if each.endswith('.' + key)]
    if len(ends) == 1:
        return ends[0]
    raise unknown_name(option, key, short_names(results.keys))


def _rows(results: Results, keys: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    """Return the values of keys in each run."""
    if not keys:
        return [()] * len(results.columns['run'])
    return zip(*(results.columns[key] for key in keys), strict=True)


def _settings(results: Results, keys: Sequence[str]) -> int:
    """Return how many combinations of values there are."""
    return len(set(_rows(results, keys)))


def _follows(results: Results, key: str, keys: Sequence[str]) -> bool:
    """Tell whether the value of a parameter follows from those of others."""
    return _settings(results, keys) == _settings(results, [*keys, key])

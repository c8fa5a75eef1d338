"""Warnings of a sweep: swept keys without effect, and the values that other warnings are about."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from sbot.scenario.warnings import Warned
from sbot.sweeps.plan import Axis
from sbot_common.errors import shown

LOG = logging.getLogger(__name__)
_MOST_NAMED = 3  # values in a warning
_Place = tuple[int | None, int]  # axis, and place on it
_NUMBERS = re.compile(r'[-+\d.e]+(?:,\s*[-+\d.e]+)+')


def warn_of_pictures(axes: Iterable[Axis]) -> None:
    """Log a warning for each swept key that changes nothing but pictures."""
    for axis in axes:
        for key in axis.keys:
            if f'{key}.'.startswith(('world.zones.', 'description.')):
                LOG.warning('override: %s: has no effect on a run; it changes only pictures and '
                            'files', key)


def warn_of_texts(fixed: Mapping[str, object], axes: Iterable[Axis]) -> None:
    """Log a warning for each value that looks like a list without its brackets, '0,0.1'."""
    columns = {**{key: [value] for key, value in fixed.items()},
               **{axis.keys[0]: axis.columns[0] for axis in axes if len(axis) == 1}}
    for key, (value,) in columns.items():
        if isinstance(value, str) and _NUMBERS.fullmatch(value):
            LOG.warning('%s: %s is one text; several values are a list: [%s]', key, shown(value),
                        value)


class Warnings:
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

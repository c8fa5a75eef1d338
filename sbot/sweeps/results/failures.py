"""Errors of failed runs, the most frequent first."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sbot_common.errors import one_line

_MOST = 3
_LONGEST = 300  # characters
_NUMBER = re.compile(r'\d+')


def frequent_errors(errors: Iterable[str]) -> list[str]:
    """Return a line for each of the most frequent errors, '4 runs: ValueError: ...'.

    Errors that differ in their numbers alone, such as ticks, count as one: the first is shown.
    """
    found: dict[str, tuple[str, int]] = {}
    for error in errors:
        kind = _NUMBER.sub('', error)
        first, count = found.get(kind, (error, 0))
        found[kind] = first, count + 1
    ordered = sorted(found.values(), key=lambda pair: -pair[1])
    lines = [f"{count} run{'s' * (count > 1)}: {one_line(first, _LONGEST)}"
             for first, count in ordered[:_MOST]]
    if rest := sum(count for _, count in ordered[_MOST:]):
        lines.append(f"{rest} run{'s' * (rest > 1)}: other errors")
    return lines

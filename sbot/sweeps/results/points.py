"""Points of a sweep's figure: a metric's values by setting, and bands around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sbot.sweeps.results.share import is_share, wilson_interval
from sbot.sweeps.results.show import Results, groups
from sbot_common.errors import bad_value

BAND = (10, 90)  # percent of the runs
_MOST_LINES = 10


class Points(NamedTuple):
    """Runs of a sweep by setting; a line for each value of the second parameter, else one."""

    keys: Sequence[str]  # one or two swept parameters
    lines: dict[Any, dict[Any, list[float]]]  # values by second and first parameter
    started: dict[tuple[Any, Any], int]  # runs of each point, also those without a value
    places: dict[Any, float]  # along x
    numeric: bool  # the first parameter
    share: bool  # values are 0 or 1
    counts: bool  # values are whole numbers

    def lacks_values(self, label: Any) -> bool:  # noqa: ANN401 - of a sweep
        """Tell whether some runs of a line have no value."""
        return any(len(values) < self.started[label, x] for x, values in self.lines[label].items())

    def band(self, values: Sequence[float]) -> tuple[float, float, float]:
        """Return the ends of the band around a point, and between them its median or share.

        Of counts the ends are values of runs: whole numbers.
        """
        if self.share:
            low, high = wilson_interval(sum(values), len(values))
            return low, sum(values) / len(values), high
        if self.counts:
            low, high = np.percentile(values, BAND, method='inverted_cdf').tolist()
            return low, float(np.median(values)), high
        low, middle, high = np.percentile(values, (BAND[0], 50, BAND[1])).tolist()
        return low, middle, high


def points_of(results: Results, name: str, keys: Sequence[str]) -> Points:
    """Return the points of a column; InputError for a second parameter with too many values."""
    lines: dict[Any, dict[Any, list[float]]] = {}
    started: dict[tuple[Any, Any], int] = {}
    column = results.columns[name]
    for setting, rows in groups(results, keys).items():
        label = setting[1] if len(keys) > 1 else None
        lines.setdefault(label, {})[setting[0]] = [
            float(column[i]) for i in rows if column[i] is not None]
        started[label, setting[0]] = len(rows)
    if len(lines) > _MOST_LINES:
        raise bad_value('--by', keys[1], f'a second parameter with at most {_MOST_LINES} values')
    numeric = all(isinstance(x, int | float) for line in lines.values() for x in line)
    places = {x: float(x) if numeric else float(i) for i, x in enumerate(
        dict.fromkeys(x for line in lines.values() for x in line))}
    share = is_share(column)
    counts = not share and all(isinstance(value, int) for value in column if value is not None)
    return Points(keys, lines, started, places, numeric, share, counts)

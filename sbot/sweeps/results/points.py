"""Points of a sweep's figure: a metric's values by setting, and bands around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sbot.sweeps.results.share import is_share, wilson_interval
from sbot.sweeps.results.show import Results, groups

BAND = (10, 90)  # percent of the runs
Label = tuple[Any, ...]


class Points(NamedTuple):
    """Runs of a sweep by setting; a line for each combination of the parameters after the first.

    A line's label is the tuple of their values: of one parameter along x alone it is empty.
    """

    keys: Sequence[str]  # swept parameters, the first along x
    lines: dict[Label, dict[Any, list[float]]]  # values by label and first parameter
    started: dict[tuple[Label, Any], int]  # runs of each point, also those without a value
    places: dict[Any, float]  # along x
    numeric: bool  # the first parameter
    share: bool  # values are 0 or 1
    counts: bool  # values are whole numbers
    scattered: bool = False  # other parameters change together with the first

    def lacks_values(self, label: Label) -> bool:
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
    """Return the points of a column."""
    lines: dict[Label, dict[Any, list[float]]] = {}
    started: dict[tuple[Label, Any], int] = {}
    column = results.columns[name]
    for setting, rows in groups(results, keys).items():
        x, *label = setting
        lines.setdefault(tuple(label), {})[x] = [
            float(column[i]) for i in rows if column[i] is not None]
        started[tuple(label), x] = len(rows)
    numeric = all(isinstance(x, int | float) for line in lines.values() for x in line)
    places = {x: float(x) if numeric else float(i) for i, x in enumerate(
        dict.fromkeys(x for line in lines.values() for x in line))}
    share = is_share(column)
    counts = not share and all(isinstance(value, int) for value in column if value is not None)
    return Points(keys, lines, started, places, numeric, share, counts)

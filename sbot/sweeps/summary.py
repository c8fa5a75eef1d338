"""Statistics of each setting of a sweep: points of its figure, and a CSV file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sbot.sweeps.show import Results, groups, is_share, shown_columns, wilson_interval
from sbot.sweeps.table import cell_text
from sbot_common.errors import InputError

# Points of a sweep's figure: a metric's values by setting, and bands around them.

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


def write_summary(results: Results, path: str | Path, metrics: Sequence[str] = ()) -> None:
    """Write a CSV file with a line for each setting.

    A column of numbers gives ``NAME_values`` (how many runs have one), ``NAME_mean``, ``NAME_std``
    (of the sample), ``NAME_median``, ``NAME_p10`` and ``NAME_p90``; a column with only 0 and 1
    ``NAME_values``, ``NAME_share``, and the ends of its 95 % confidence interval, ``NAME_low`` and
    ``NAME_high``. What has no value is empty.

    Parameters
    ----------
    results : from ``load_results``
    path : of the file; '-' prints it
    metrics : columns; none: as ``format_results``

    Raises
    ------
    InputError
        for an unknown column, or a file that cannot be written.

    """
    names = shown_columns(results, metrics)
    shares = {name: is_share(results.columns[name]) for name in names}
    text = io.StringIO()
    table = csv.writer(text, lineterminator='\n')
    table.writerow([*results.keys, 'runs', 'failed', *(
        f'{name}_{each}' for name in names for each in ('values', *_parts(shares[name])))])
    for setting, rows in groups(results, results.keys).items():
        failed = sum(results.columns['error'][i] is not None for i in rows)
        table.writerow([*map(cell_text, setting), len(rows), failed, *(
            cell for name in names
            for cell in _cells([results.columns[name][i] for i in rows], shares[name]))])
    try:
        if path == '-':
            print(text.getvalue(), end='')
        else:
            Path(path).write_text(text.getvalue(), encoding='utf-8')
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f'{path}: cannot be written: {reason}') from None


def _parts(share: bool) -> list[str]:
    return ['share', 'low', 'high'] if share else [
        'mean', 'std', 'median', *(f'p{percent}' for percent in BAND)]


def _cells(column: Sequence[Any], share: bool) -> Iterator[Any]:
    """Yield the number of values, and their statistics as text."""
    values = [float(value) for value in column if value is not None]
    yield len(values)
    if not values:
        found: list[float | None] = [None] * len(_parts(share))
    elif share:
        found = [sum(values) / len(values), *wilson_interval(sum(values), len(values))]
    else:
        with np.errstate(invalid='ignore'):  # infinite ones
            found = [float(np.mean(values)),
                     float(np.std(values, ddof=1)) if len(values) > 1 else None,
                     float(np.median(values)), *np.percentile(values, BAND).tolist()]
    yield from ('' if value is None or math.isnan(value) else f'{value:.6g}' for value in found)

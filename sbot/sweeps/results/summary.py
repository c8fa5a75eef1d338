"""Statistics of each setting of a sweep as a CSV file: mean, deviation, median, percentiles."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sbot.sweeps.results.points import BAND
from sbot.sweeps.results.share import is_share, wilson_interval
from sbot.sweeps.results.show import Results, groups, shown_columns
from sbot.sweeps.results.table import cell_text
from sbot_common.errors import InputError


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

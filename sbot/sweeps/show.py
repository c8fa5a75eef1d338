# SPDX-License-Identifier: Apache-2.0
"""Summary of a sweep within 80 columns, or as CSV: names, medians, shares, errors."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, median
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np

from sbot.sweeps.journal import CSV, cell_text, read_columns, read_plan
from sbot_common.errors import SHOWN, InputError, hint, one_line, writing

# Names of a sweep's parameters and columns for people: short names, and labels with units.

# What the name of a column does not say.
MEANING = {
    'goal_reached_s': 'of robot 0',
    'collisions': 'ticks, of all robots', 'collisions_max': 'ticks, greatest of one robot',
    'reverts': 'ticks, of all robots', 'reverts_max': 'ticks, greatest of one robot',
    'overlaps': 'pairs of bodies, in all ticks'}
def _short_names(keys: Sequence[str]) -> list[str]:
    """Return the shortest end of each key path that tells it from the others.

    An end does not begin with an index: of the goals of two robots there are only whole names.
    """
    return [next(end for end in _path_ends(key) if sum(
        f'.{other}'.endswith(f'.{end}') for other in keys) == 1 or end == key) for key in keys]


def _path_ends(key: str) -> list[str]:
    """Return the ends of a key path that may stand for it, the shortest first."""
    parts = key.split('.')
    return ['.'.join(parts[k:]) for k in range(len(parts) - 1, -1, -1)
            if k == 0 or not (parts[k].isdigit() or parts[k] == '*')]


def value_text(value: object) -> str:
    """Return a value of a swept parameter for a cell or a label."""
    if isinstance(value, float):
        return f'{value:.6g}'
    return one_line(value) if isinstance(value, str) else json.dumps(value)


# Share of runs in which something happened, with Wilson's confidence interval.

_Z = 1.959963984540054  # 0.975 quantile of the normal distribution: 95 %


def is_share(values: Iterable[object]) -> bool:
    """Tell whether a column has a yes or no for each run: only 0 and 1; None is missing."""
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and value in (0, 1)
                               for value in known)


def wilson_interval(count: float, runs: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share of runs.

    Parameters
    ----------
    count : runs in which it happened
    runs : all runs, at least one

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
       Journal of the American Statistical Association 22 (1927), pp. 209-212.

    """
    share, weight = count / runs, _Z * _Z / runs
    middle = (share + weight / 2.0) / (1.0 + weight)
    half = _Z * math.sqrt(share * (1.0 - share) / runs + weight / (4.0 * runs)) / (1.0 + weight)
    # Without rounding errors at the ends.
    return middle - half if count > 0 else 0.0, middle + half if count < runs else 1.0


# Errors of failed runs, the most frequent first.

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


WIDTH = 80
_WIDEST, _NARROWEST = 22, 6  # of a column of numbers; of one that is cut
BAND = (10, 90)  # percent of the runs
_DEFAULT = ('goal_reached_s', 'robots_arrived', 'collisions', 'path_length_m_mean', 'overlaps')
_MOST_ROWS = 60
_MOST_MEANT = 3  # names in a question


class Results(NamedTuple):
    """The table of a sweep, in memory."""

    keys: tuple[str, ...]  # swept: 'scenario' if there are several, then parameters
    metrics: tuple[str, ...]  # columns of a user's metrics
    columns: dict[str, list[Any]]
    planned: int = 0  # runs

    @property
    def unfinished(self) -> str:
        """What is missing, '5 of 30 runs are missing'; '' of a finished sweep."""
        missing = self.planned - len(self.columns['run'])
        verb = 'is' if missing == 1 else 'are'
        return f'{missing} of {self.planned} runs {verb} missing' if missing > 0 else ''

    @property
    def numbers(self) -> list[str]:
        """Columns that have a median."""
        return [name for name, values in self.columns.items() if any(map(_is_number, values))]

    @property
    def empty(self) -> list[str]:
        """Metrics without a value in any of the runs that succeeded, if there are any."""
        done = [i for i, error in enumerate(self.columns['error']) if error is None]
        return [name for name in self.metrics if done and all(
            self.columns[name][i] is None for i in done)]

    @property
    def names(self) -> dict[str, str]:
        """A short name of each swept parameter."""
        return dict(zip(self.keys, _short_names(self.keys), strict=True))

    def groups(self, keys: Sequence[str]) -> dict[tuple[Any, ...], list[int]]:
        """Return the rows of each setting of ``keys``, in the table's order."""
        found: dict[tuple[Any, ...], list[int]] = {}
        for i in range(len(self.columns['run'])):
            found.setdefault(tuple(self.columns[key][i] for key in keys), []).append(i)
        return found

    def checked(self, name: str, option: str) -> str:
        """Return the name of a column with numbers, or raise InputError."""
        if name in self.columns and name not in self.numbers:
            hidden = f'is a column without numbers; it is in {CSV}'
            if all(value is None for value in self.columns[name]):
                hidden = f"has no value in any of {len(self.columns['run'])} runs"
                if name == 'goal_reached_s':
                    hidden += '; give another, such as robots_arrived'
            raise InputError(f'{option}: {one_line(name, SHOWN)} {hidden}')
        if name not in self.numbers:
            within = [each for each in self.numbers
                      if name in each and each not in self.keys]
            if 0 < len(within) <= _MOST_MEANT:
                raise InputError(f"{option}: unknown name '{one_line(name, SHOWN)}'; did you mean "
                                 + ' or '.join(f"'{one_line(each)}'" for each in within) + '?')
            # Short names of columns are alike by chance: only a near one is asked about.
            question = hint(name, self.numbers, 'columns', 0.6)
            raise InputError(f"{option}: unknown name '{one_line(name, SHOWN)}'; {question}")
        return name

    def text(self, metrics: Sequence[str] = ()) -> str:
        """Return the table: a line for each setting, medians over its runs.

        Of a column with nothing but 0 and 1 it has the mean, which is the share of runs. A line
        below the table says which is which, and which medians are of fewer runs than succeeded.

        Parameters
        ----------
        metrics : columns to show; none: the user's and the most asked for

        Raises
        ------
        InputError
            for an unknown column.

        """
        shown = _shown_columns(self, metrics)
        found = self.groups(self.keys)
        head = [*map(one_line, self.names.values())] + ['runs', 'failed'] + [
            one_line(name) for name in shown]
        lines = [head]
        for setting, rows in list(found.items())[:_MOST_ROWS]:
            failed = sum(self.columns['error'][i] is not None for i in rows)
            lines.append([*(value_text(value) for value in setting), str(len(rows)), str(failed),
                          *(_middle(self.columns[name], rows) for name in shown)])
        text = _aligned(lines, len(self.keys), lambda count: _legend(
            self, shown[:count], found.values()))
        if len(found) > _MOST_ROWS:
            text += f'\n... and {len(found) - _MOST_ROWS} more settings (runs.csv has all)'
        if self.unfinished:
            text += f'\n{self.unfinished} (sbot sweep --resume runs them)'
        errors = frequent_errors(str(error) for error in self.columns['error']
                                 if error is not None)
        text += ''.join(f'\nfailed: {line}' for line in errors)
        if self.empty:
            text += f'\nno value in any run: {one_line(", ".join(self.empty), SHOWN)}'
        return text

    def write_summary(self, path: str | Path, metrics: Sequence[str] = ()) -> None:
        """Write a CSV file with a line for each setting.

        A column of numbers gives ``NAME_values`` (how many runs have one), ``NAME_mean``,
        ``NAME_std`` (of the sample), ``NAME_median``, ``NAME_p10`` and ``NAME_p90``; a column with
        only 0 and 1 ``NAME_values``, ``NAME_share``, and the ends of its 95 % confidence interval,
        ``NAME_low`` and ``NAME_high``. What has no value is empty.

        Parameters
        ----------
        path : of the file; '-' prints it
        metrics : columns; none: as ``text``

        Raises
        ------
        InputError
            for an unknown column, or a file that cannot be written.

        """
        names = _shown_columns(self, metrics)
        text = io.StringIO()
        table = csv.writer(text, lineterminator='\n')
        shares = {name: is_share(self.columns[name]) for name in names}
        table.writerow([*self.keys, 'runs', 'failed', *(
            f'{name}_{each}' for name in names for each in _statistics([], shares[name]))])
        for setting, rows in self.groups(self.keys).items():
            failed = sum(self.columns['error'][i] is not None for i in rows)
            found = [_statistics([self.columns[name][i] for i in rows], shares[name])
                     for name in names]
            table.writerow([*map(cell_text, setting), len(rows), failed, *(
                '' if math.isnan(value) else f'{value:.6g}'
                for each in found for value in each.values())])
        with writing(path):
            if path == '-':
                print(text.getvalue(), end='')
            else:
                Path(path).write_text(text.getvalue(), encoding='utf-8')

    @classmethod
    def load(cls, folder: str | Path) -> Results:
        """Return the results in a folder.

        Raises
        ------
        InputError
            if there are none, or the plan is damaged.

        """
        path = Path(folder)
        plan = read_plan(path).plan
        columns = read_columns(path, plan)
        keys = (*(('scenario',) if len(plan.sources) > 1 else ()), *plan.keys)
        words = [metric.partition(':')[2] for metric in plan.metrics]
        own = tuple(name for name in columns if name.partition('.')[0] in words)
        return cls(keys, own, columns, len(plan))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown_columns(results: Results, metrics: Sequence[str]) -> list[str]:
    """Return these columns with numbers; without ``metrics`` the user's and the most asked for."""
    return [results.checked(name, '--metric') for name in metrics] or [
        name for name in (*results.metrics, *_DEFAULT) if name in results.numbers]


def _middle(column: Sequence[Any], rows: Sequence[int]) -> str:
    values = [column[i] for i in rows if _is_number(column[i])]
    middle = fmean if is_share(column) else median
    return f'{middle(values):.4g}' if values else '-'


def _legend(results: Results, names: Sequence[str], settings: Iterable[list[int]]) -> str:
    """Return what the numbers of the columns ``names`` are, in one paragraph."""
    done = [[i for i in rows if results.columns['error'][i] is None] for rows in settings]
    shares = [name for name in names
              if is_share(results.columns[name]) and any(results.columns[name])]
    parts = []
    for name in (each for each in names if each not in shares):
        column = results.columns[name]
        counts = [(sum(_is_number(column[i]) for i in rows), len(rows)) for rows in done]
        if fewer := [(known, runs) for known, runs in counts if known < runs]:
            known, runs = min(fewer, key=lambda pair: pair[0] / pair[1])
            parts.append(f"{one_line(name)}: {'at least ' * (len(counts) > 1)}{known} of {runs}")
    texts = []
    if len(shares) < len(names):
        texts.append('medians over the runs that have a value'
                     + f" ({', '.join(parts)})" * bool(parts))
    if shares:
        texts.append(f"{', '.join(map(one_line, shares))} (only 0 and 1): share of runs with 1")
    texts += [f'{name}: {MEANING[name]}' for name in names if name in MEANING and (
        name not in shares or name == 'goal_reached_s')]
    return fill('; '.join(texts), WIDTH, break_on_hyphens=False)


def _aligned(lines: list[list[str]], keys: int, legend: Callable[[int], str]) -> str:
    """Return lines of equal columns; what does not fit loses its last columns.

    The first ``keys`` columns tell lines apart: these are wider than ``WIDTH`` where they must be.
    ``legend`` gives the text below so many columns of numbers.
    """
    lines = [[one_line(cell) for cell in line] for line in lines]
    whole = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for most in (_WIDEST, WIDTH):
        widths = [*(min(size, most) for size in whole[:keys]),
                  *(min(size, _WIDEST) for size in whole[keys:])]
        while (over := sum(widths) + 2 * (len(widths) - 1) - WIDTH) > 0 and len(widths) > keys + 3:
            widths.pop()
        while over > 0 and max(widths) > _NARROWEST:
            widths[widths.index(max(widths))] -= 1
            over -= 1
        rows = [row[:WIDTH] for row in _laid_out(lines, widths, keys)]
        room = sum(widths[:keys]) + 2 * keys
        if len({row[:room] for row in rows[1:]}) == len(rows) - 1:
            break
    else:
        rows = _laid_out(lines, [*whole[:keys], *widths[keys:]], keys)
    shown = len(widths) - keys - 2
    if shown > 0:
        rows.append(legend(shown))
    if left_out := lines[0][len(widths):]:
        rows.append(fill(f"not shown: {', '.join(left_out)} (--metric NAME)", WIDTH,
                         break_on_hyphens=False))
    return '\n'.join(rows)


def _laid_out(lines: list[list[str]], widths: list[int], keys: int) -> list[str]:
    """Return lines with columns of these widths; of a key's values both ends stay."""
    rows = []
    for number, line in enumerate(lines):
        cells = []
        for i, (cell, size) in enumerate(zip(line, widths, strict=False)):
            if len(cell) > size:
                end = size // 2 if number and i < keys else 0
                cell = f'{cell[:size - end - 1]}…{cell[len(cell) - end:]}'
            cells.append(f'{cell:{"<" if i < keys else ">"}{size}}')
        rows.append('  '.join(cells).rstrip())
    return rows


def _statistics(column: Sequence[Any], share: bool) -> dict[str, float]:
    """Return how many values there are, and their statistics by name; NaN for none."""
    values = [float(value) for value in column if value is not None]
    count, values = len(values), values or [math.nan]
    if share:
        low, high = wilson_interval(sum(values), len(values))
        return {'values': count, 'share': sum(values) / len(values), 'low': low, 'high': high}
    with np.errstate(invalid='ignore'):  # infinite ones
        ends = np.percentile(values, BAND).tolist()
        return {'values': count, 'mean': float(np.mean(values)),
                'std': float(np.std(values, ddof=1)) if count > 1 else math.nan,
                'median': float(np.median(values)),
                **{f'p{percent}': end for percent, end in zip(BAND, ends, strict=True)}}

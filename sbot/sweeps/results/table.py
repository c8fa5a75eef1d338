"""The results of a sweep as tables, in the order of its plan: CSV, and Parquet with pyarrow.

Their bytes depend on the rows alone, not on who made them, when or in which order. What takes
another time each time is apart, in ``times.csv``.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sbot.sweeps.plan import MAX_RUNS, Plan
from sbot.sweeps.results import parquet
from sbot.sweeps.results.journal import read_index, read_rows
from sbot.sweeps.results.plan_file import read_plan
from sbot.sweeps.results.rows import LAST, OWN, SUMMARY, is_own, kind_of
from sbot.sweeps.simulate import MOST_OWN_COLUMNS, Row
from sbot.sweeps.sources import is_file
from sbot_common.errors import InputError

PARQUET, CSV, TIMES = 'runs.parquet', 'runs.csv', 'times.csv'
_GROUP = 1000  # rows that are in memory at once


class Column(NamedTuple):
    """A column of the table."""

    name: str
    kind: str  # int, float, bool, text


def columns_of(plan: Plan, rows: Iterable[Row]) -> list[Column]:
    """Return the columns for these rows."""
    own = 0
    found: dict[str, set[str]] = {}  # metrics and the types of their values
    known = {'run', 'scenario', 'seed', 'wall_time_s', *plan.keys, *SUMMARY, *LAST}
    for row in rows:
        if row.get('robot_count', MOST_OWN_COLUMNS + 1) <= MOST_OWN_COLUMNS:
            own = max(own, row['robot_count'])
        for name, value in row.items():
            if name not in known and not is_own(name):
                found.setdefault(name, set()).update(
                    set() if value is None else {kind_of([value])})
    robots = [Column(f'robot_{i}_{name}', kind) for i in range(own) for name, kind in OWN.items()]
    return [Column('run', 'int'), Column('scenario', 'text'),
            *(Column(key, kind_of(plan.column(key))) for key in plan.keys), Column('seed', 'int'),
            *_metric_columns(plan, found), *(Column(*each) for each in SUMMARY.items()), *robots,
            *(Column(*each) for each in LAST.items())]


def _metric_columns(plan: Plan, found: dict[str, set[str]]) -> Iterator[Column]:
    """Yield the metrics' columns: in the order of the metrics, each one's by name."""
    order = [metric.partition(':')[2] for metric in plan.metrics]
    for name in sorted(found, key=lambda each: (order.index(each.partition('.')[0]), each)):
        kinds = found[name]
        numbers = kinds == {'int', 'float'} or not kinds
        yield Column(name, 'float' if numbers else kinds.pop() if len(kinds) == 1 else 'text')


def write_tables(folder: Path, plan: Plan) -> int:
    """Write CSV, times and, with pyarrow, Parquet of all rows in the journal; return their number.

    Holds a few thousand rows at a time, however many there are.
    """
    places = _places(folder, plan)
    columns = columns_of(plan, read_rows(folder, places))
    with_parquet = parquet.is_installed()
    paths = [folder / f'{name}.part' for name in (CSV, TIMES, *[PARQUET] * with_parquet)]
    writer: parquet.Writer = (parquet.ParquetWriter(paths[2], columns) if with_parquet
                              else parquet.NoWriter())
    with closing(writer), paths[0].open('w', newline='', encoding='utf-8') as text, \
            paths[1].open('w', newline='', encoding='utf-8') as times:
        table, clock = (csv.writer(file, lineterminator='\n') for file in (text, times))
        table.writerow([column.name for column in columns])
        clock.writerow(['run', 'wall_time_s'])
        for group in _groups(folder, places):
            values = _values(group, columns)
            writer.add(values)
            table.writerows([cell_text(value) for value in line]
                            for line in zip(*values, strict=True))
            clock.writerows([row['run'], row['wall_time_s']] for row in group)
    if not with_parquet:  # of an earlier sweep with pyarrow: its rows may be others
        (folder / PARQUET).unlink(missing_ok=True)
    for path in paths:
        os.replace(path, path.with_suffix(''))
    return len(places)


def _places(folder: Path, plan: Plan) -> list[int]:
    """Return where the journal's rows are, in the order of the plan."""
    index = read_index(folder).places
    return [index[number] for number in sorted(index)]


def _groups(folder: Path, places: Sequence[int]) -> Iterator[list[Row]]:
    rows = iter(read_rows(folder, places))
    while group := list(islice(rows, _GROUP)):
        yield group


def _values(group: Sequence[Row], columns: Sequence[Column]) -> list[list[Any]]:
    """Return the cells of some rows, a list for each column."""
    return [[_value(row.get(column.name), column.kind) for row in group] for column in columns]


def _value(value: Any, kind: str) -> Any:  # noqa: ANN401 - a cell
    if value is None:
        return value
    if kind == 'text':  # a lone half of a surrogate pair has no UTF-8
        return (value.encode('utf-8', 'backslashreplace').decode() if isinstance(value, str)
                else json.dumps(value))
    return float(value) if kind == 'float' else value


def cell_text(value: Any) -> Any:  # noqa: ANN401 - a cell
    """Return a value as CSV files have it: true, not True."""
    return str(value).lower() if isinstance(value, bool) else value


def read_columns(folder: Path, names: Sequence[str] | None = None,
                 most: int = MAX_RUNS) -> dict[str, list[Any]]:
    """Return columns of the table as lists; all of them without ``names``.

    They come from Parquet; where that or pyarrow is missing, from the journal, more slowly.

    Parameters
    ----------
    folder : of the results
    names : of the columns
    most : rows that it may have

    Raises
    ------
    InputError
        if there is no table, or it is damaged.

    """
    advice = f'sbot sweep --resume -o {folder} writes it'
    if is_file(folder / PARQUET) and parquet.is_installed():
        return parquet.read_parquet(folder / PARQUET, names, most, f'{advice} anew')
    if not is_file(folder / CSV):
        raise InputError(f'{folder}: has no table; {advice}')
    plan = read_plan(folder).plan
    places = _places(folder, plan)
    columns = [column for column in columns_of(plan, read_rows(folder, places))
               if names is None or column.name in names]
    found: dict[str, list[Any]] = {column.name: [] for column in columns}
    for group in _groups(folder, places):
        for column, values in zip(columns, _values(group, columns), strict=True):
            found[column.name] += values
    return found

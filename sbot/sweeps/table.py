# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep as tables, in the order of its plan: columns, CSV, Parquet.

Their bytes depend on the rows alone, not on who made them, when or in which order. What takes
another time each time is apart, in ``times.csv``. They are made from the journal, and so is what
``sbot sweep show`` and ``plot`` read.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from sbot.files.yaml_text import LARGEST
from sbot.sweeps.journal import read_index, read_rows
from sbot.sweeps.plan import Plan
from sbot.sweeps.simulate import MOST_OWN_COLUMNS, OF_ROBOTS, Row

# Columns of the summary, with their types (int, float, bool, text); robots' own columns follow.
SUMMARY = {
    'robot_count': 'int', 'goal_reached_s': 'float', 'robots_arrived': 'int', 'ticks': 'int',
    'sim_time_s': 'float', 'ended_by': 'text', 'overlaps': 'int',
    **{name + end: 'int' for name, kind in OF_ROBOTS.items() if kind == 'int'
       for end in ('', '_max')},
    **{name + end: 'float' for name, kind in OF_ROBOTS.items() if kind == 'float'
       for end in ('_mean', '_max')}}
OWN = {
    'x_m': 'float', 'y_m': 'float', 'yaw_rad': 'float', 'goal_reached_s': 'float', **OF_ROBOTS}
LAST = {'trajectory_sha256': 'text', 'version': 'text', 'error': 'text'}
RESERVED = (*SUMMARY, *LAST, 'run', 'scenario', 'seed', 'wall_time_s', 'crc32')  # not of metrics
PARQUET, CSV, TIMES = 'runs.parquet', 'runs.csv', 'times.csv'
_GROUP = 1000  # rows that are in memory at once


def is_own(name: str) -> bool:
    """Tell whether a column is one robot's, e.g. ``robot_0_x_m``."""
    word, _, rest = name.partition('_')
    number, _, key = rest.partition('_')
    return word == 'robot' and number.isdecimal() and key in OWN


def _kind_of_value(value: object) -> str:
    """Return the type of the column that a value needs."""
    if isinstance(value, bool):
        return 'bool'
    if isinstance(value, int) and abs(value) <= LARGEST:
        return 'int'
    return 'float' if isinstance(value, float) else 'text'


def _kind_of(values: Iterable[Any]) -> str:
    """Return the type of a column that holds these values; None fits all."""
    kinds = {_kind_of_value(value) for value in values if value is not None}
    if kinds in ({'int', 'float'}, set()):
        return 'float'
    return kinds.pop() if len(kinds) == 1 else 'text'


def _columns_of(plan: Plan, rows: Iterable[Row]) -> dict[str, str]:
    """Return the columns for these rows: names in order, with their types."""
    own = 0
    metrics: dict[str, dict[str, Any]] = {}  # columns of metrics: a value of each type
    known = {'run', 'scenario', 'seed', 'wall_time_s', *plan.keys, *SUMMARY, *LAST}
    for row in rows:
        if row.get('robot_count', MOST_OWN_COLUMNS + 1) <= MOST_OWN_COLUMNS:
            own = max(own, row['robot_count'])
        for name, value in row.items():
            if name not in known and not is_own(name):
                kinds = metrics.setdefault(name, {})
                if value is not None:
                    kinds[_kind_of_value(value)] = value
    order = {metric.partition(':')[2]: i for i, metric in enumerate(plan.metrics)}
    return {'run': 'int', 'scenario': 'text',
            **{key: _kind_of(plan.column(key)) for key in plan.keys}, 'seed': 'int',
            **{name: _kind_of(metrics[name].values()) for name in sorted(
                metrics, key=lambda each: (order.get(each.partition('.')[0], len(order)), each))},
            **SUMMARY, **{f'robot_{i}_{name}': kind for i in range(own)
                          for name, kind in OWN.items()}, **LAST}


def write_tables(folder: Path, plan: Plan) -> int:
    """Write CSV, times and, with pyarrow, Parquet of all rows in the journal; return their number.

    Holds a few thousand rows at a time, however many there are.
    """
    places = _places(folder)
    columns = _columns_of(plan, read_rows(folder, places))
    names = [CSV, TIMES, *[PARQUET] * (find_spec('pyarrow') is not None)]
    paths = [folder / f'{name}.part' for name in names]
    with ExitStack() as stack:
        table, times = (csv.writer(stack.enter_context(
            path.open('w', newline='', encoding='utf-8')), lineterminator='\n')
            for path in paths[:2])
        parquet = stack.enter_context(_parquet(paths[2], columns)) if PARQUET in names else None
        table.writerow(columns)
        times.writerow(['run', 'wall_time_s'])
        rows = read_rows(folder, places)
        while group := list(islice(rows, _GROUP)):
            values = _values(group, columns)
            if parquet is not None:
                import pyarrow
                parquet.write_table(pyarrow.table(values, parquet.schema))
            table.writerows([cell_text(value) for value in line]
                            for line in zip(*values.values(), strict=True))
            times.writerows([row['run'], row['wall_time_s']] for row in group)
    if PARQUET not in names:  # of an earlier sweep with pyarrow: its rows may be others
        (folder / PARQUET).unlink(missing_ok=True)
    for path in paths:
        os.replace(path, path.with_suffix(''))
    return len(places)


def _parquet(path: Path, columns: dict[str, str]) -> Any:  # noqa: ANN401 - of pyarrow
    """Return the writer of a Parquet file."""
    import pyarrow
    from pyarrow import parquet
    types = {'int': pyarrow.int64(), 'float': pyarrow.float64(), 'bool': pyarrow.bool_(),
             'text': pyarrow.string()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    return parquet.ParquetWriter(path, schema, write_page_checksum=True)


def _places(folder: Path) -> list[int]:
    """Return where the journal's rows are, in the order of the plan."""
    index = read_index(folder).places
    return [index[number] for number in sorted(index)]


def _values(group: Sequence[Row], columns: dict[str, str]) -> dict[str, list[Any]]:
    """Return the cells of some rows, a list for each column."""
    return {name: [_value(row.get(name), kind) for row in group]
            for name, kind in columns.items()}


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


def read_columns(folder: Path, plan: Plan) -> dict[str, list[Any]]:
    """Return the columns of the table of a folder of results as lists."""
    rows = list(read_rows(folder, _places(folder)))
    return _values(rows, _columns_of(plan, rows))

"""The results of a sweep as tables, in the order of its plan: Parquet and CSV.

Their bytes depend on the rows alone, not on who made them, when or in which order. What takes
another time each time is apart, in ``times.csv``.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sbot.sweeps.plan import MAX_RUNS, Plan
from sbot.sweeps.results.journal import read_index, read_rows
from sbot.sweeps.results.rows import LAST, OWN, SUMMARY, fits, is_own, kind_of
from sbot.sweeps.simulate import MOST_OWN_COLUMNS, Row
from sbot.sweeps.sources import is_file
from sbot_common.errors import InputError, bad_value, decoding

PARQUET, CSV, TIMES = 'runs.parquet', 'runs.csv', 'times.csv'
_GROUP = 1000  # rows that are in memory at once
_THRIFT = 100_000_000  # bytes or entries of what describes a table


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
        numbers = kinds <= {'int', 'float'}
        yield Column(name, 'float' if numbers else kinds.pop() if len(kinds) == 1 else 'text')


def write_tables(folder: Path, plan: Plan) -> int:
    """Write Parquet, CSV and times of all rows in the journal; return how many there are.

    Holds a few thousand rows at a time, however many there are.
    """
    import pyarrow
    from pyarrow import parquet
    index = read_index(folder, fits(plan)).places
    places = [index[number] for number in sorted(index)]
    columns = columns_of(plan, read_rows(folder, places))
    types = {'int': pyarrow.int64(), 'float': pyarrow.float64(), 'bool': pyarrow.bool_(),
             'text': pyarrow.string()}
    schema = pyarrow.schema([(column.name, types[column.kind]) for column in columns])
    paths = [folder / f'{name}.part' for name in (PARQUET, CSV, TIMES)]
    rows = iter(read_rows(folder, places))
    with parquet.ParquetWriter(paths[0], schema, write_page_checksum=True) as writer, \
            paths[1].open('w', newline='', encoding='utf-8') as text, \
            paths[2].open('w', newline='', encoding='utf-8') as times:
        table, clock = (csv.writer(file, lineterminator='\n') for file in (text, times))
        table.writerow([column.name for column in columns])
        clock.writerow(['run', 'wall_time_s'])
        while group := list(islice(rows, _GROUP)):
            values = [[_value(row.get(column.name), column.kind) for row in group]
                      for column in columns]
            writer.write_table(pyarrow.table(dict(zip(schema.names, values, strict=True)), schema))
            table.writerows([_shown(value) for value in line]
                            for line in zip(*values, strict=True))
            clock.writerows([row['run'], row['wall_time_s']] for row in group)
    for path in paths:
        os.replace(path, path.with_suffix(''))
    return len(places)


def _value(value: Any, kind: str) -> Any:  # noqa: ANN401 - a cell
    if value is None:
        return value
    if kind == 'text':  # a lone half of a surrogate pair has no UTF-8
        return (value.encode('utf-8', 'backslashreplace').decode() if isinstance(value, str)
                else json.dumps(value))
    return float(value) if kind == 'float' else value


def _shown(value: Any) -> Any:  # noqa: ANN401 - a cell
    return str(value).lower() if isinstance(value, bool) else value


def read_columns(folder: Path, names: Sequence[str] | None = None,
                 most: int = MAX_RUNS) -> dict[str, list[Any]]:
    """Return columns of the Parquet table as lists; all of them without ``names``.

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
    path = folder / PARQUET
    if not is_file(path):
        raise InputError(f'{folder}: has no table; sbot sweep --resume -o {folder} writes it')
    import pyarrow
    from pyarrow import parquet
    with decoding(f'{path}: damaged; sbot sweep --resume -o {folder} writes it anew'):
        file = parquet.ParquetFile(path, page_checksum_verification=True,
                                   thrift_string_size_limit=_THRIFT,
                                   thrift_container_size_limit=_THRIFT)
        if file.metadata.num_rows > most:
            raise InputError(f'{path}: damaged: got {file.metadata.num_rows} rows, expected at '
                             f'most {most}')
        types = (pyarrow.int64(), pyarrow.float64(), pyarrow.bool_(), pyarrow.string())
        for column in file.schema_arrow:
            if column.type not in types:
                raise bad_value(f'{path}: column {column.name}', str(column.type),
                                'int64, double, bool or string')
        table = file.read(columns=None if names is None else list(names), use_threads=False)
        table.validate(full=True)
        return {name: table.column(name).to_pylist() for name in table.column_names}

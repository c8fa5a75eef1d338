"""The results of a sweep as tables, in the order of its plan: columns, CSV, Parquet.

Their bytes depend on the rows alone, not on who made them, when or in which order. What takes
another time each time is apart, in ``times.csv``.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sbot.files.yaml_text import LARGEST
from sbot.sweeps.journal import is_file, read_index, read_plan, read_rows
from sbot.sweeps.plan import MAX_RUNS, Plan
from sbot.sweeps.simulate import MOST_OWN_COLUMNS, Row
from sbot_common.errors import InputError, bad_value, decoding

# Columns of a sweep's rows and their types; whether a row can be one of a plan.

# Columns of the summary, with their types; robots' own columns follow.
SUMMARY = {
    'robot_count': 'int', 'goal_reached_s': 'float', 'robots_arrived': 'int', 'ticks': 'int',
    'sim_time_s': 'float', 'ended_by': 'text', 'overlaps': 'int',
    'collisions': 'int', 'collisions_max': 'int', 'reverts': 'int', 'reverts_max': 'int',
    'invalid_turns': 'int', 'invalid_turns_max': 'int',
    'path_length_m_mean': 'float', 'path_length_m_max': 'float',
    'max_leader_distance_m_mean': 'float', 'max_leader_distance_m_max': 'float',
    'final_leader_distance_m_mean': 'float', 'final_leader_distance_m_max': 'float'}
OWN = {
    'x_m': 'float', 'y_m': 'float', 'yaw_rad': 'float', 'goal_reached_s': 'float',
    'path_length_m': 'float', 'collisions': 'int', 'reverts': 'int',
    'invalid_turns': 'int', 'max_leader_distance_m': 'float', 'final_leader_distance_m': 'float'}
LAST = {'trajectory_sha256': 'text', 'version': 'text', 'error': 'text'}
RESERVED = (*SUMMARY, *LAST, 'run', 'scenario', 'seed', 'wall_time_s', 'crc32')  # not of metrics


def kind_of_value(value: object) -> str:
    """Return the type of the column that a value needs: int, float, bool, text."""
    if isinstance(value, bool):
        return 'bool'
    if isinstance(value, int) and abs(value) <= LARGEST:
        return 'int'
    return 'float' if isinstance(value, float) else 'text'


def kind_of(values: Iterable[Any]) -> str:
    """Return the type of a column that holds these values; None fits all."""
    if isinstance(values, range):
        return 'int'
    kinds = {kind_of_value(value) for value in values if value is not None}
    if kinds == {'int', 'float'}:
        return 'float'
    return kinds.pop() if len(kinds) == 1 else 'text'


def is_own(name: str) -> bool:
    """Tell whether a column is one robot's, e.g. ``robot_0_x_m``."""
    word, _, rest = name.partition('_')
    number, _, key = rest.partition('_')
    return word == 'robot' and number.isdecimal() and key in OWN


# Parquet files of a sweep's table, where pyarrow is installed; groups of rows, read as lists.

_METADATA_LIMIT = 100_000_000  # bytes or entries of what describes a table


def is_installed() -> bool:
    """Tell whether there is pyarrow."""
    return find_spec('pyarrow') is not None


class ParquetWriter:
    """A Parquet file of columns of numbers and texts.

    Parameters
    ----------
    path : to write
    columns : name and kind (int, float, bool or text) of each

    """

    def __init__(self, path: Path, columns: Iterable[tuple[str, str]]) -> None:
        import pyarrow
        from pyarrow import parquet
        types = {'int': pyarrow.int64(), 'float': pyarrow.float64(), 'bool': pyarrow.bool_(),
                 'text': pyarrow.string()}
        self._schema = pyarrow.schema([(name, types[kind]) for name, kind in columns])
        self._table = pyarrow.table
        self._writer = parquet.ParquetWriter(path, self._schema, write_page_checksum=True)

    def add(self, values: Sequence[Sequence[Any]]) -> None:
        """Write a group of rows: a list of values for each column."""
        self._writer.write_table(
            self._table(dict(zip(self._schema.names, values, strict=True)), self._schema))

    def close(self) -> None:
        """Write the end."""
        self._writer.close()


def read_parquet(path: Path, names: Sequence[str] | None, most: int,
                 advice: str) -> dict[str, list[Any]]:
    """Return columns of a file as lists; all of them without ``names``.

    Parameters
    ----------
    path : to read
    names : of the columns
    most : rows that it may have
    advice : what to do about a damaged file

    Raises
    ------
    InputError
        if it is damaged.

    """
    import pyarrow
    from pyarrow import parquet
    with decoding(f'{path}: damaged; {advice}'):
        file = parquet.ParquetFile(path, page_checksum_verification=True,
                                   thrift_string_size_limit=_METADATA_LIMIT,
                                   thrift_container_size_limit=_METADATA_LIMIT)
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
    places = _places(folder)
    columns = columns_of(plan, read_rows(folder, places))
    with_parquet = is_installed()
    paths = [folder / f'{name}.part' for name in (CSV, TIMES, *[PARQUET] * with_parquet)]
    writer = ParquetWriter(paths[2], columns) if with_parquet else None
    with closing(writer) if writer else nullcontext(), \
            paths[0].open('w', newline='', encoding='utf-8') as text, \
            paths[1].open('w', newline='', encoding='utf-8') as times:
        table, clock = (csv.writer(file, lineterminator='\n') for file in (text, times))
        table.writerow([column.name for column in columns])
        clock.writerow(['run', 'wall_time_s'])
        for group in _groups(folder, places):
            values = _values(group, columns)
            if writer is not None:
                writer.add(values)
            table.writerows([cell_text(value) for value in line]
                            for line in zip(*values, strict=True))
            clock.writerows([row['run'], row['wall_time_s']] for row in group)
    if not with_parquet:  # of an earlier sweep with pyarrow: its rows may be others
        (folder / PARQUET).unlink(missing_ok=True)
    for path in paths:
        os.replace(path, path.with_suffix(''))
    return len(places)


def _places(folder: Path) -> list[int]:
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
    if is_file(folder / PARQUET) and is_installed():
        return read_parquet(folder / PARQUET, names, most, f'{advice} anew')
    if not is_file(folder / CSV):
        raise InputError(f'{folder}: has no table; {advice}')
    plan = read_plan(folder).plan
    places = _places(folder)
    columns = [column for column in columns_of(plan, read_rows(folder, places))
               if names is None or column.name in names]
    found: dict[str, list[Any]] = {column.name: [] for column in columns}
    for group in _groups(folder, places):
        for column, values in zip(columns, _values(group, columns), strict=True):
            found[column.name] += values
    return found

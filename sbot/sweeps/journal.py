# SPDX-License-Identifier: Apache-2.0
"""A sweep's folder: its plan, the journal of its rows, and the tables made from that.

Each line of the journal has a checksum, so a row is whole or known to be damaged; others do not
suffer. A sweep that is killed leaves at most a torn last line, which is cut off when it goes on.
"""

from __future__ import annotations

import csv
import fcntl
import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

from sbot.files.yaml_text import LARGEST
from sbot.sweeps.plan import Axis, Plan, Source
from sbot.sweeps.simulate import MOST_OWN_COLUMNS, OF_ROBOTS, Row
from sbot.version import VERSION
from sbot_common.errors import InputError, bad_value, decoding, open_regular, writing

# The plan of a sweep in its folder, plan.json: written once, with a checksum of all of it.

PLAN_NAME = 'plan.json'
_FORMAT = 2
_PLAN_CHECK = 'sha256'


class Settings(NamedTuple):
    """What a sweep was begun with; changes no row that ends well."""

    path: tuple[str, ...] = ()  # folders where the modules of metrics are
    timeout: float | None = None  # s a run
    memory: int | None = None  # bytes a run
    record: str = 'none'


class _Stored(NamedTuple):
    """What plan.json holds."""

    plan: Plan
    version: str  # of this package, that began the sweep
    settings: Settings


def write_plan(folder: Path, plan: Plan, settings: Settings) -> None:
    """Write plan.json, all of it or nothing.

    Raises
    ------
    OSError
        if it cannot be written.

    """
    data = {'format': _FORMAT, 'version': VERSION,
            'settings': settings._asdict(), **plan.to_json()}
    text = json.dumps({**data, _PLAN_CHECK: _checksum(data)})
    part = folder / f'{PLAN_NAME}.part'
    part.write_text(text, encoding='utf-8')
    os.replace(part, folder / PLAN_NAME)


def read_plan(folder: Path) -> _Stored:
    """Return the content of plan.json.

    Raises
    ------
    InputError
        if there is none, or it is damaged.

    """
    path = folder / PLAN_NAME
    if not os.path.isfile(path):
        kind = 'is a file; give the folder of the results' if os.path.isfile(folder) else (
            f'holds no sweep (no {PLAN_NAME})')
        raise InputError(f'{folder}: {kind}')
    with decoding(f'{path}: damaged'):
        data = json.loads(path.read_bytes())
        if data.get('format') != _FORMAT:
            raise bad_value(f'{path}: format', data.get('format'), str(_FORMAT))
        check = data.pop(_PLAN_CHECK, None)
        if check != _checksum(data):
            raise InputError(f'{path}: damaged, or changed by hand: its checksum is wrong')
        return _stored(data)


def _checksum(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()


def _stored(data: Mapping[str, Any]) -> _Stored:
    settings = Settings(**data['settings'])
    axes = tuple(Axis(tuple(axis['keys']), tuple(map(_values, axis['columns'])))
                 for axis in data['axes'])
    plan = Plan(tuple(Source(**source) for source in data['sources']), data['fixed'], axes,
                _values(data['seeds']), tuple(data['metrics']), data.get('overlaps', True))
    return _Stored(plan, data['version'], settings._replace(path=tuple(settings.path)))


def _values(value: Any) -> Sequence[Any]:  # noqa: ANN401 - JSON
    """Return the values of a column: a list, or a range of whole numbers."""
    return range(*value['range']) if isinstance(value, dict) else list(value)


NAME = 'journal.jsonl'
_CHECK = b', "crc32": '
_SYNC_PERIOD = 1.0  # s


class Journal(AbstractContextManager['Journal']):
    """The file, open for appending; one sweep at a time.

    Parameters
    ----------
    folder : of the results

    Attributes
    ----------
    index : what was in it when it was opened

    Raises
    ------
    InputError
        if it cannot be written, or another sweep is writing it.

    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        with writing(self.path):
            self._file: BinaryIO = self.path.open('ab')
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise InputError(f'{folder}: another sweep is writing its results there') from None
        self.index = read_index(folder)
        self._file.truncate(self.index.end)
        self._synced = time.monotonic()

    def write(self, rows: Iterable[Row]) -> None:
        """Append rows; they outlive this process at once, and the machine within a second."""
        self._file.write(b''.join(map(_line_of, rows)))
        self._file.flush()
        if time.monotonic() - self._synced >= _SYNC_PERIOD:
            self._sync()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._sync()
        self._file.close()


class _Index(NamedTuple):
    """Where the rows of a journal are."""

    places: dict[int, int]  # where each run's newest row begins (byte)
    end: int  # bytes of the lines that have an end
    damaged: list[int]  # numbers of lines that hold no row

    def damage(self) -> str:
        """Return a description of the damage."""
        count = len(self.damaged)
        lines = ', '.join(map(str, self.damaged[:5])) + (', ...' if count > 5 else '')
        return (f'{count} damaged row{"s"[:count != 1]} (line{"s"[:count != 1]} {lines}); the '
                f'{len(self.places)} whole ones are kept, runs without one are done again')


def read_index(folder: Path) -> _Index:
    """Return where rows are, and which lines are damaged.

    A last line without its end is no damage: so ends a sweep that is killed.

    Parameters
    ----------
    folder : of the results

    Raises
    ------
    InputError
        if the journal cannot be read.

    """
    index = _Index({}, 0, [])
    path = folder / NAME
    if not path.exists():
        return index
    end = 0
    try:
        with open_regular(path) as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b'\n'):
                    break
                row = _row(line)
                if row is None:
                    index.damaged.append(number)
                else:
                    index.places[row['run']] = end
                end += len(line)
    except OSError as error:
        raise InputError(f'{path}: cannot be read: {error.strerror}') from None
    return index._replace(end=end)


def _line_of(row: Row) -> bytes:
    """Return a row as a line with a checksum of all that is before it."""
    text = json.dumps(row).encode()[:-1]
    return text + _CHECK + b'%d}\n' % zlib.crc32(text)


def _row(line: bytes) -> Row | None:
    """Return the row of a line; None if it is damaged."""
    text, _, check = line.rpartition(_CHECK)
    if check != b'%d}\n' % zlib.crc32(text):
        return None
    row: Row = json.loads(text + b'}')
    return row


def read_rows(folder: Path, places: Iterable[int]) -> Iterator[Row]:
    """Yield the rows that begin at these places of ``read_index``."""
    with (folder / NAME).open('rb') as file:
        for place in places:
            file.seek(place)
            row = _row(file.readline())
            assert row is not None, 'the journal has changed'
            yield row


# The tables, in the order of the plan: columns, CSV, Parquet. ``sbot sweep show`` reads rows, too.
#
# Their bytes depend on the rows alone, not on who made them, when or in which order. What takes
# another time each time is apart, in ``times.csv``.

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
            values = _cells(group, columns)
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


def _cells(group: Sequence[Row], columns: dict[str, str]) -> dict[str, list[Any]]:
    """Return the cells of some rows, a list for each column."""
    return {name: [_cell(row.get(name), kind) for row in group]
            for name, kind in columns.items()}


def _cell(value: Any, kind: str) -> Any:  # noqa: ANN401 - a cell
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
    return _cells(rows, _columns_of(plan, rows))

"""Export every message of a recording as CSV or Parquet, one table for each topic."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sbot.bag.reader import Bag
from sbot_common.errors import InputError, unknown_name
from sbot_common.wire import cdr

FORMATS = ('csv', 'parquet')
_OPEN = 100  # files at a time; more topics are more passes through the bag
_ROWS = 1000  # of a Parquet row group


def write_tables(bag: Bag, folder: Path, format: str = 'csv',
                 topics: Collection[str] = ()) -> dict[Path, int]:
    """Write a table for each topic; return how many rows each file has.

    A row is a message: ``stamp_ns``, then its fields by dotted name. Numbers read back to the same
    bits. Arrays of numbers are lists in Parquet and JSON in CSV, lists of messages are JSON.

    Parameters
    ----------
    bag : to read
    folder : to write into; must not hold files of these names
    format : 'csv' or 'parquet'
    topics : which; none: all

    Raises
    ------
    InputError
        for an unknown topic, a file that exists, or a message that cannot be read.

    """
    known = bag.names()
    for name in topics:
        if name not in known:
            raise unknown_name('--topic', name, known)
    paths = _paths(sorted(topics or known), folder, format)
    for path in paths.values():
        if path.exists():
            raise InputError(f'{path}: exists already; expected a new file')
    folder.mkdir(parents=True, exist_ok=True)
    rows = dict.fromkeys(paths, 0)
    names = list(paths)
    for first in range(0, len(names), _OPEN):
        some = set(names[first:first + _OPEN])
        with ExitStack() as stack, bag.named_errors():
            tables: dict[str, _Csv | _Parquet] = {}
            for message in bag.messages(some):
                row = {'stamp_ns': message.stamp_ns,
                       **dict(_flat(cdr.decode(message.payload, message.type), ''))}
                if message.name not in tables:
                    kind = _Csv if format == 'csv' else _Parquet
                    tables[message.name] = kind(paths[message.name], row)
                    stack.callback(tables[message.name].close)
                tables[message.name].add(row)
                rows[message.name] += 1
    return {paths[name]: count for name, count in rows.items() if count}


def _paths(topics: Collection[str], folder: Path, format: str) -> dict[str, Path]:
    """Return a file for each topic: `/robot_0/odom` becomes `robot_0.odom.csv`."""
    paths: dict[str, Path] = {}
    for topic in topics:
        stem = re.sub(r'[^\w-]', '.', topic.strip('/')) or 'topic'
        path, number = folder / f'{stem}.{format}', 1
        while path in paths.values():
            number += 1
            path = folder / f'{stem}.{number}.{format}'
        paths[topic] = path
    return paths


def _flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any message
    """Yield the fields of a message by dotted name."""
    if is_dataclass(value):
        for each in fields(value):
            if not each.name.startswith('__'):
                yield from _flat(getattr(value, each.name),
                                 f'{name}.{each.name}' if name else each.name)
    elif isinstance(value, list):
        yield name, json.dumps([_plain(item) for item in value])
    else:
        yield name, value


def _plain(value: Any) -> Any:  # noqa: ANN401 - any message
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)
                if not each.name.startswith('__')}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, list) else value


class _Csv:
    def __init__(self, path: Path, row: dict[str, Any]) -> None:
        self._file = path.open('w', encoding='utf-8', newline='')
        self._writer = csv.writer(self._file, lineterminator='\n')
        self._writer.writerow(row)

    def add(self, row: dict[str, Any]) -> None:
        self._writer.writerow([json.dumps(value.tolist()) if isinstance(value, np.ndarray)
                               else value for value in row.values()])

    def close(self) -> None:
        self._file.close()


class _Parquet:
    def __init__(self, path: Path, row: dict[str, Any]) -> None:
        import pyarrow
        from pyarrow import parquet
        self._pyarrow = pyarrow
        self._schema = pyarrow.schema([(name, self._type(value)) for name, value in row.items()])
        self._writer = parquet.ParquetWriter(path, self._schema)
        self._rows: list[dict[str, Any]] = []

    def _type(self, value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, np.ndarray):
            return self._pyarrow.list_(self._pyarrow.from_numpy_dtype(value.dtype))
        plain = {bool: self._pyarrow.bool_(), int: self._pyarrow.int64(),
                 float: self._pyarrow.float64()}
        return plain.get(type(value), self._pyarrow.string())

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) >= _ROWS:
            self._flush()

    def _flush(self) -> None:
        columns = {name: [row[name] for row in self._rows] for name in self._schema.names}
        self._writer.write_table(self._pyarrow.table(columns, self._schema))
        self._rows = []

    def close(self) -> None:
        self._flush()
        self._writer.close()

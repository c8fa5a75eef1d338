"""Export every message of a recording as CSV or Parquet, one table for each topic."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from sbot.bag.reader import Bag
from sbot.files.yaml_text import LARGEST
from sbot_common.errors import InputError, install_command, shown, unknown_name
from sbot_common.wire import cdr

FORMATS = ('csv', 'parquet')
_OPEN = 100  # files at a time; more topics are more passes through the bag
_ROWS = 1000  # of a Parquet row group
_LONGEST_STEM = 200  # bytes of a file's name before its ending


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
        for an unknown topic, a file that exists, a message that cannot be read, a topic of two
        types, in Parquet a whole number beyond 64 bits with a sign, or without pyarrow.

    """
    if format == 'parquet' and find_spec('pyarrow') is None:
        raise InputError(f'--format parquet needs pyarrow: {install_command("sweep")}; --format '
                         'csv needs nothing')
    known = bag.names()
    for name in topics:
        if name not in known:
            raise unknown_name('--topic', name, known)
    paths = _paths(sorted(topics or known), folder, format)
    for path in paths.values():
        if path.exists():
            raise InputError(f'{path}: exists already; give a new name')
    folder.mkdir(parents=True, exist_ok=True)
    rows = dict.fromkeys(paths, 0)
    names = list(paths)
    for first in range(0, len(names), _OPEN):
        some = set(names[first:first + _OPEN])
        with ExitStack() as stack, bag.named_errors():
            tables: dict[str, _Csv | _Parquet] = {}
            types: dict[str, str] = {}
            for message in bag.messages(some):
                kind = types.setdefault(message.name, message.type)
                if message.type != kind:
                    raise InputError(f'{bag.path}: {message.name} has messages of types '
                                     f'{shown(kind)} and {shown(message.type)}, expected one type')
                row = {'stamp_ns': message.stamp_ns,
                       **dict(_flat(cdr.decode(message.payload, message.type), ''))}
                if message.name not in tables:
                    make = _Csv if format == 'csv' else _Parquet
                    tables[message.name] = make(paths[message.name], row)
                    stack.callback(tables[message.name].close)
                tables[message.name].add(row)
                rows[message.name] += 1
    return {paths[name]: count for name, count in rows.items() if count}


def _paths(topics: Collection[str], folder: Path, format: str) -> dict[str, Path]:
    """Return a file for each topic: `/robot_0/odom` becomes `robot_0.odom.csv`.

    A name that is too long for a file is cut off and ends in a digest of the whole.
    """
    paths: dict[str, Path] = {}
    taken = set[Path]()
    for topic in topics:
        stem = re.sub(r'[^\w-]', '.', topic.strip('/')) or 'topic'
        if len(stem.encode()) > _LONGEST_STEM:
            digest = sha256(topic.encode('utf-8', 'surrogatepass')).hexdigest()[:16]
            stem = f"{stem.encode()[:_LONGEST_STEM - 20].decode('utf-8', 'ignore')}.{digest}"
        path, number = folder / f'{stem}.{format}', 1
        while path in taken:
            number += 1
            path = folder / f'{stem}.{number}.{format}'
        taken.add(path)
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
        self._path = path
        self._whole = [name for name, value in row.items() if type(value) is int]
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
        rows, self._rows = self._rows, []
        columns = {name: [row[name] for row in rows] for name in self._schema.names}
        for name in self._whole:  # a stamp of an MCAP file has no sign
            if any(abs(number) > LARGEST for number in columns[name]):
                raise InputError(f'{self._path}: {name} has numbers that Parquet cannot hold (64 '
                                 'bits '
                                 'with a sign); use --format csv')
        self._writer.write_table(self._pyarrow.table(columns, self._schema))

    def close(self) -> None:
        try:
            self._flush()
        finally:
            self._writer.close()

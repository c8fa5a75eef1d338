"""Parquet files of a sweep's table, where pyarrow is installed; groups of rows, read as lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from sbot_common.errors import InputError, bad_value, decoding

_METADATA_LIMIT = 100_000_000  # bytes or entries of what describes a table


class Writer(Protocol):
    """A table that is being written."""

    def add(self, values: Sequence[Sequence[Any]]) -> None:
        """Write a group of rows: a list of values for each column."""

    def close(self) -> None:
        """Write the end."""


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


class NoWriter:
    """Nothing, where pyarrow is not installed."""

    def add(self, values: Sequence[Sequence[Any]]) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


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

"""The journal of a sweep: rows in order of arrival, one line of JSON each, append-only.

Each line has a checksum, so a row is whole or known to be damaged; others do not suffer. A sweep
that is killed leaves at most a torn last line, which is cut off when it goes on.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple

from sbot.sweeps.simulate import Row
from sbot_common.errors import InputError

NAME = 'journal.jsonl'
_CHECK = b', "crc32": '
_SYNC_PERIOD = 1.0  # s


class Journal:
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
        if self.path.exists() and not self.path.is_file():
            raise InputError(f'{self.path}: not a regular file')
        try:
            self._file: BinaryIO = self.path.open('ab')
        except OSError as error:
            raise InputError(f'{self.path}: cannot be written: {error.strerror}') from None
        try:
            _lock(self._file)
        except OSError:
            self._file.close()
            raise InputError(f'{folder}: another sweep is writing its results there') from None
        self.index = read_index(folder)
        self._file.truncate(self.index.end)
        self._synced = time.monotonic()

    def write(self, rows: Iterable[Row]) -> None:
        """Append rows; they outlive this process at once, and the machine within a second."""
        self._file.write(b''.join(map(line_of, rows)))
        self._file.flush()
        if time.monotonic() - self._synced >= _SYNC_PERIOD:
            self._sync()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._sync()
        self._file.close()


def _lock(file: BinaryIO) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Index(NamedTuple):
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


def read_index(folder: Path) -> Index:
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
    index = Index({}, 0, [])
    path = folder / NAME
    if not path.exists():
        return index
    if not path.is_file():
        raise InputError(f'{path}: not a regular file')
    end = 0
    try:
        with path.open('rb') as file:
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


def line_of(row: Row) -> bytes:
    """Return a row as a line with a checksum of all that is before it."""
    text = json.dumps(row).encode()[:-1]
    return text + _CHECK + b'%d}\n' % zlib.crc32(text)


def _row(line: bytes) -> Row | None:
    """Return the row of a line; None if it is damaged."""
    text, _, check = line.rpartition(_CHECK)
    if check != b'%d}\n' % zlib.crc32(text):
        return None
    try:
        row = json.loads(text + b'}')
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def read_rows(folder: Path, places: Iterable[int]) -> Iterator[Row]:
    """Yield the rows that begin at these places of an ``Index``."""
    with (folder / NAME).open('rb') as file:
        for place in places:
            file.seek(place)
            row = _row(file.readline())
            assert row is not None, 'the journal has changed'
            yield row

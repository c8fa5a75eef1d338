"""The journal of a sweep: rows as they come, a line of JSON each, appended and never changed.

A sweep that is killed leaves at most a torn last line, which is cut off when it goes on.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from sbot.sweeps.simulate import Row
from sbot_common.errors import InputError
from sbot_common.files import check_regular, open_regular

NAME = 'journal.jsonl'
_SYNC_PERIOD = 1.0  # s


class Journal:
    """The file, open for appending; one sweep at a time.

    Parameters
    ----------
    folder : of the results

    Raises
    ------
    InputError
        if it cannot be written, or another sweep is writing it.

    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        try:
            if self.path.exists():  # a pipe would wait for a reader
                check_regular(self.path, self.path.stat().st_mode)
            self._file: BinaryIO = self.path.open('ab')
        except OSError as error:
            raise InputError(f'{self.path}: cannot be written: {error.strerror}') from None
        try:
            _lock(self._file)
        except OSError:
            self._file.close()
            raise InputError(f'{folder}: another sweep is writing its results there') from None
        whole = read_index(folder)[1]
        self._file.truncate(whole)
        self._synced = time.monotonic()

    def write(self, rows: Iterable[Row]) -> None:
        """Append rows; they outlive this process at once, and the machine within a second."""
        self._file.write(b''.join(json.dumps(row).encode() + b'\n' for row in rows))
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


def read_index(folder: Path) -> tuple[dict[int, int], int]:
    """Return where in the journal each run's row begins, and how many bytes are whole lines."""
    places: dict[int, int] = {}
    end = 0
    path = folder / NAME
    if not path.exists():
        return places, end
    with open_regular(path) as file:
        for line in file:
            number = _run_of(line)
            if number is None:
                break
            places[number] = end
            end += len(line)
    return places, end


def _run_of(line: bytes) -> int | None:
    """Return the run of a line; None if the line is torn."""
    if not line.endswith(b'\n'):
        return None
    try:
        return int(json.loads(line)['run'])
    except (ValueError, KeyError, TypeError):
        return None


def read_rows(folder: Path, places: Iterable[int]) -> Iterable[Row]:
    """Yield the rows that begin at these places."""
    with open_regular(folder / NAME) as file:
        for place in places:
            file.seek(place)
            yield json.loads(file.readline())

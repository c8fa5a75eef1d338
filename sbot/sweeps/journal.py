# SPDX-License-Identifier: Apache-2.0
"""A sweep's folder: its plan, and the journal of its rows.

Each line has a checksum, so a row is whole or known to be damaged; others do not suffer. A sweep
that is killed leaves at most a torn last line, which is cut off when it goes on.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

from sbot.sweeps.plan import Axis, Plan, Source
from sbot.sweeps.simulate import Row
from sbot.sweeps.sources import is_file
from sbot_common.errors import InputError, bad_value, decoding, open_regular

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


class Stored(NamedTuple):
    """What plan.json holds."""

    plan: Plan
    version: str  # of this package, that began the sweep
    settings: Settings


def write_plan(folder: Path, stored: Stored) -> None:
    """Write plan.json, all of it or nothing.

    Raises
    ------
    OSError
        if it cannot be written.

    """
    data = {'format': _FORMAT, 'version': stored.version,
            'settings': stored.settings._asdict(), **stored.plan.to_json()}
    text = json.dumps({**data, _PLAN_CHECK: _checksum(data)})
    part = folder / f'{PLAN_NAME}.part'
    part.write_text(text, encoding='utf-8')
    os.replace(part, folder / PLAN_NAME)


def read_plan(folder: Path) -> Stored:
    """Return the content of plan.json.

    Raises
    ------
    InputError
        if there is none, or it is damaged.

    """
    path = folder / PLAN_NAME
    if not is_file(path):
        kind = 'is a file; give the folder of the results' if is_file(folder) else (
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


def _stored(data: Mapping[str, Any]) -> Stored:
    settings = Settings(**data['settings'])
    axes = tuple(Axis(tuple(axis['keys']), tuple(map(_values, axis['columns'])))
                 for axis in data['axes'])
    plan = Plan(tuple(Source(**source) for source in data['sources']), data['fixed'], axes,
                _values(data['seeds']), tuple(data['metrics']), data.get('overlaps', True))
    return Stored(plan, data['version'], settings._replace(path=tuple(settings.path)))


def _values(value: Any) -> Sequence[Any]:  # noqa: ANN401 - JSON
    """Return the values of a column: a list, or a range of whole numbers."""
    return range(*value['range']) if isinstance(value, dict) else list(value)


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
        try:
            self._file: BinaryIO = self.path.open('ab')
        except OSError as error:
            raise InputError(f'{self.path}: cannot be written: {error.strerror}') from None
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


def line_of(row: Row) -> bytes:
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
    """Yield the rows that begin at these places of an ``Index``."""
    with (folder / NAME).open('rb') as file:
        for place in places:
            file.seek(place)
            row = _row(file.readline())
            assert row is not None, 'the journal has changed'
            yield row

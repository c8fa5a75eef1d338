"""A sweep's folder: its scenarios as text, its plan, and the journal of its rows.

Each line has a checksum, so a row is whole or known to be damaged; others do not suffer. A sweep
that is killed leaves at most a torn last line, which is cut off when it goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, BinaryIO, NamedTuple

from sbot.controllers.registry import load_function, name_controllers
from sbot.files.yaml_text import decode_text, dump_yaml, parse_yaml, plain_values, read_file
from sbot.scenario.load import FORMATS, parse_scenario
from sbot.scenario.model import Scenario
from sbot.scenario.shipped import find_scenario
from sbot.scenario.warnings import Warned
from sbot.sweeps.plan import Axis, Plan, Source
from sbot.sweeps.simulate import Row
from sbot.sweeps.warnings import Warnings
from sbot_common.errors import SHOWN, InputError, bad_value, decoding, one_line

# The scenarios of a sweep as text for other processes.

Given = dict[str, Any]  # controllers from Python, by name
_CHECKED = 64  # values of an axis that are tried before anything runs


def source_of(scenario: Scenario | Mapping[str, Any] | str | Path,
              directory: Path | None = None) -> tuple[str, str, str, Given]:
    """Return (text, file, directory, controllers from Python) of a scenario.

    Of an `.argos` or `.world` file this is its translation, so that any value, a wind too, can be
    swept.

    Parameters
    ----------
    scenario : as ``sbot.load`` takes it
    directory : where a relative path starts; None: the current folder

    Raises
    ------
    InputError
        if there is no such scenario.

    """
    here = str(Path.cwd())
    if isinstance(scenario, Scenario):
        if scenario.source is None:
            return scenario.to_yaml(), scenario.name, here, dict(scenario.given)
        return (dump_yaml(scenario.source.data), scenario.name, str(scenario.source.directory),
                dict(scenario.given))
    if isinstance(scenario, Mapping):
        named, given = name_controllers(scenario, 'scenario')
        return dump_yaml(plain_values(named)), 'scenario', here, given
    if isinstance(scenario, str) and '\n' in scenario:
        return scenario, 'scenario', here, {}
    beside = None if directory is None else directory / scenario
    path = beside if beside is not None and is_file(beside) else find_scenario(str(scenario))
    raw = read_file(path, typed=directory is None)
    folder = str(path.resolve().parent)
    if path.suffix in FORMATS:
        values, _ = FORMATS[path.suffix](raw, str(path), {})
        return dump_yaml(values), str(path), folder, {}
    return decode_text(raw, str(path)), str(path), folder, {}


def is_file(path: Path) -> bool:
    """Tell whether a path is a regular file, which ends when it is read."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def named_source(text: str, file: str, directory: str, fixed: Mapping[str, Any], given: Given,
                 first: Mapping[str, Any], metrics: Iterable[str], path: Iterable[str],
                 warnings: Warnings | None = None) -> Source:
    """Return a checked source with the name and seed of its scenario.

    Parameters
    ----------
    text, file, directory, given : from ``source_of``
    fixed, first : what all runs and the first run change
    metrics, path : functions 'module:function' that its runs are given to, and where they are
    warnings : takes those about the scenario

    Raises
    ------
    InputError
        if the scenario, with these changes, is wrong, or a metric cannot be imported.

    """
    name = Path(file).stem
    scenario = parse_scenario(text, file, Path(directory), name, {**fixed, **first}, given,
                              tell=None if warnings is None else warnings.tell())
    for metric in metrics:
        load_function(metric, (*path, *scenario.python_path), 'metric')
    seed = None if _draws_its_seed(text, file) else scenario.seed
    return Source(scenario.name, text, file, directory, seed)


def _draws_its_seed(text: str, file: str) -> bool:
    data, _ = parse_yaml(text, file)
    return isinstance(data, dict) and 'seed' in data and data['seed'] is None


def check_values(plan: Plan, source: Source, given: Given,
                 warnings: Warnings | None = None) -> None:
    """Load a scenario with each value once: a mistyped key should not fail 10,000 times.

    Of long axes only some values are tried. ``warnings`` takes what the scenario warns of.

    Raises
    ------
    InputError
        naming file, key and value.

    """
    first = {key: value for axis in plan.axes for key, value in axis.at(0).items()}
    for number, axis in enumerate(plan.axes):
        for index in _indexes_to_try(axis):
            _check(plan, source, {**first, **axis.at(index)}, given, axis,
                   None if warnings is None else warnings.tell(number, index))


def _indexes_to_try(axis: Axis) -> list[int]:
    if len(axis) <= _CHECKED:
        return list(range(len(axis)))
    return [*range(_CHECKED - 1), len(axis) - 1]


def _check(plan: Plan, source: Source, values: Mapping[str, Any], given: Given,
           axis: Axis, tell: Callable[[Warned], None] | None) -> None:
    try:
        parse_scenario(source.text, source.file, Path(source.directory), source.name,
                       {'seed': 1, **plan.fixed, **values}, given, tell=tell)
    except InputError as error:
        raise with_hint(error, [axis]) from None


def with_hint(error: InputError, axes: Iterable[Axis],
              fixed: Mapping[str, Any] = MappingProxyType({})) -> InputError:
    """Return the error; where a list was taken apart, or lacks its brackets, say so."""
    if ': got ' not in str(error):
        return error
    columns: dict[str, Sequence[Any]] = {key: [value] for key, value in fixed.items()}
    lists = {key: column for axis in axes
             for key, column in zip(axis.keys, axis.columns, strict=True)}
    for key, column in {**columns, **lists}.items():
        path = re.escape(key).replace(r'\*', '[0-9*]+')
        if not re.search(rf'override: {path}(?!\w)', str(error)):
            continue
        if words := next((value for value in column if isinstance(value, str) and ',' in value),
                         None):
            return InputError(f'{error}; several values are a list: [{one_line(words, SHOWN)}]')
        if key in lists and isinstance(column, list):
            return InputError(f'{error} (in a sweep a list holds the values to try; one value '
                              'that is a list is written [[...]])')
    return error


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
        if not isinstance(data, dict):
            raise bad_value(str(path), data, 'a plan')
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

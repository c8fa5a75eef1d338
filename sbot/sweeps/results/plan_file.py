"""The plan of a sweep in its folder, plan.json: written once, checked whenever it is read."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from sbot.files.limits import limits, read_within, too_large
from sbot.files.yaml_text import LARGEST, Origins
from sbot.scenario.errors import validate
from sbot.scenario.fields import MAX_SEED, Check, Flag
from sbot.sweeps.plan import MAX_RUNS, Axis, Plan, Source
from sbot.sweeps.request import RECORD, checked_memory, checked_timeout
from sbot.sweeps.sources import is_file
from sbot_common.errors import InputError, bad_value, decoding

NAME = 'plan.json'
FORMAT = 2
_CHECK = 'sha256'


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
    InputError
        if it would be too large to be read again.

    """
    data = {'format': FORMAT, 'version': stored.version,
            'settings': stored.settings._asdict(), **stored.plan.to_json()}
    text = json.dumps({**data, _CHECK: _checksum(data)})
    if len(text) > limits().plan_bytes:
        raise too_large(str(folder / NAME), 'bytes or more', len(text), 'plan_bytes')
    part = folder / f'{NAME}.part'
    part.write_text(text, encoding='utf-8')
    os.replace(part, folder / NAME)


def read_plan(folder: Path) -> Stored:
    """Return the content of plan.json.

    Raises
    ------
    InputError
        if there is none, or it is damaged: file, key, value and what was expected.

    """
    path = folder / NAME
    if not is_file(path):
        kind = 'is a file; give the folder of the results' if is_file(folder) else (
            f'holds no sweep (no {NAME})')
        raise InputError(f'{folder}: {kind}')
    with decoding(f'{path}: damaged'):
        data = json.loads(read_within(path, 'plan_bytes'))
        if not isinstance(data, dict):
            raise bad_value(str(path), data, 'a plan')
        if data.get('format') != FORMAT:
            raise bad_value(f'{path}: format', data.get('format'), str(FORMAT))
        check = data.pop(_CHECK, None)
        if check != _checksum(data):
            raise InputError(f'{path}: damaged, or changed by hand: its checksum is wrong')
        return _stored(data, path)


def _checksum(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()


def _stored(data: Mapping[str, Any], path: Path) -> Stored:
    written = validate(_PlanFile, data, Origins(str(path), {}, set()))
    given = written.settings
    settings = Settings(
        given.path,
        None if given.timeout is None else checked_timeout(
            given.timeout, f'{path}: settings.timeout'),
        None if given.memory is None else checked_memory(given.memory, f'{path}: settings.memory'),
        given.record)
    axes = []
    for i, axis in enumerate(written.axes):
        if len(axis.keys) != len(axis.columns):
            raise bad_value(f'{path}: axes.{i}.columns', f'{len(axis.columns)} columns',
                            f'{len(axis.keys)}: one per key')
        axes.append(Axis(axis.keys, axis.columns))
    sources = tuple(Source(**source.model_dump()) for source in written.sources)
    try:
        plan = Plan(sources, written.fixed, tuple(axes), written.seeds, written.metrics,
                    written.overlaps)
    except InputError as error:
        raise InputError(f'{path}: {error}') from None
    return Stored(plan, written.version, settings)


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


def _plain(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - JSON
    """Return a value that YAML could hold, too."""
    _require(depth <= limits().text_depth)
    if isinstance(value, dict):
        return {_plain(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, str):
        value.encode()  # a lone half of a surrogate pair is a ValueError
    elif isinstance(value, int):
        _require(abs(value) <= LARGEST)
    return value


def _key(value: Any) -> str:  # noqa: ANN401 - JSON
    _require(isinstance(value, str) and all(value.split('.')))
    _require(value.count('.') <= limits().text_depth)
    return str(_plain(value))


def _fixed(value: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    _require(isinstance(value, dict))
    return {_key(key): _plain(item) for key, item in value.items()}


def _texts(value: Any, least: int = 0) -> tuple[str, ...]:  # noqa: ANN401 - JSON
    _require(isinstance(value, list) and len(value) >= least)
    _require(all(isinstance(each, str) for each in value))
    return tuple(_plain(value))


def _values(value: Any) -> Sequence[Any]:  # noqa: ANN401 - JSON
    """Return the values of a column: a list, or a range of whole numbers."""
    if isinstance(value, dict):
        _require(list(value) == ['range'] and len(value['range']) == 3)
        _require(all(isinstance(each, int) and abs(each) <= 2 * LARGEST
                     for each in value['range']))
        numbers = range(*value['range'])
        _require(0 < len(numbers) <= MAX_RUNS)
        _require(max(abs(numbers[0]), abs(numbers[-1])) <= LARGEST)
        return numbers
    _require(isinstance(value, list) and len(value) > 0)
    return list(_plain(value))


def _columns(value: Any) -> tuple[Sequence[Any], ...]:  # noqa: ANN401 - JSON
    _require(isinstance(value, list) and len(value) > 0)
    return tuple(_values(each) for each in value)


def _seeds(value: Any) -> Sequence[int]:  # noqa: ANN401 - JSON
    if value == []:  # each scenario's own
        return []
    seeds = _values(value)
    if isinstance(seeds, range):
        _require(min(seeds[0], seeds[-1]) >= 0 and max(seeds[0], seeds[-1]) <= MAX_SEED)
        return seeds
    for seed in seeds:
        _require(isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed <= MAX_SEED)
    _require(len(set(seeds)) == len(seeds))
    return seeds


def _own_seed(value: Any) -> int | None:  # noqa: ANN401 - JSON
    return None if value is None else _seeds([value])[0]


def _text(value: Any) -> str:  # noqa: ANN401 - JSON
    _require(isinstance(value, str))
    return str(_plain(value))


_Text = Annotated[str, Check('text', _text)]
_Words = Annotated[tuple[str, ...], Check('a list of texts', _texts)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra='forbid', arbitrary_types_allowed=True)


class _Source(_Model):
    name: _Text
    text: _Text
    file: _Text
    directory: _Text
    seed: Annotated[int | None, Check('a seed, or null', _own_seed)]


class _Axis(_Model):
    keys: Annotated[tuple[str, ...], Check(
        'a list of key paths', lambda value: tuple(map(_key, _texts(value, 1))))]
    columns: Annotated[tuple[Any, ...], Check(
        'for each key a list of values, or a range [first, end, step]', _columns)]


class _Settings(_Model):
    path: _Words
    timeout: Any
    memory: Any
    record: Annotated[str, Check(' or '.join(RECORD), lambda v: RECORD[RECORD.index(v)])]


class _PlanFile(_Model):
    format: int
    version: _Text
    settings: _Settings
    sources: tuple[_Source, ...] = Field(min_length=1)
    fixed: Annotated[dict[str, Any], Check('a mapping of key paths', _fixed)]
    axes: tuple[_Axis, ...]
    seeds: Annotated[Any, Check('a list or a range of seeds', _seeds)]
    metrics: _Words
    overlaps: Flag = True

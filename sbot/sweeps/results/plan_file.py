"""The plan of a sweep in its folder, plan.json: written once, with a checksum of all of it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sbot.sweeps.plan import Axis, Plan, Source
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

    """
    data = {'format': FORMAT, 'version': stored.version,
            'settings': stored.settings._asdict(), **stored.plan.to_json()}
    text = json.dumps({**data, _CHECK: _checksum(data)})
    part = folder / f'{NAME}.part'
    part.write_text(text, encoding='utf-8')
    os.replace(part, folder / NAME)


def read_plan(folder: Path) -> Stored:
    """Return the content of plan.json.

    Raises
    ------
    InputError
        if there is none, or it is damaged.

    """
    path = folder / NAME
    if not is_file(path):
        kind = 'is a file; give the folder of the results' if is_file(folder) else (
            f'holds no sweep (no {NAME})')
        raise InputError(f'{folder}: {kind}')
    with decoding(f'{path}: damaged'):
        data = json.loads(path.read_bytes())
        if not isinstance(data, dict):
            raise bad_value(str(path), data, 'a plan')
        if data.get('format') != FORMAT:
            raise bad_value(f'{path}: format', data.get('format'), str(FORMAT))
        check = data.pop(_CHECK, None)
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

"""Reader of benchmark rows from JSON Lines files, also untrusted ones."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from sbot.files.yaml_text import decode_text, read_file
from sbot.navigation import library
from sbot.scenario.fields import MAX_SEED
from sbot_common.errors import InputError, bad_value

# What is text, or None where a run failed or a controller is shipped; all others are metrics.
_TEXTS = ('version', 'controller_sha256', 'scenario_sha256', 'trajectory_sha256', 'error')
_KINDS = (('scene', str), ('controller', str), ('set', dict))
_SHARES = ('success', 'arrived')  # from 0 to 1


def read_rows_file(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines.

    Raises
    ------
    InputError
        if the file cannot be read; naming the line that is no row of this benchmark, or of another
        version of the library, or has a value that no run has.

    """
    lines = decode_text(read_file(path, typed=True), str(path)).split('\n')
    rows = [_row(line, f'{path}:{number}') for number, line in enumerate(lines, 1)
            if line.strip() or number < len(lines)]
    if not rows:
        raise InputError(f'{path}: got an empty file, expected rows of sbot bench navigation')
    return rows


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not all(isinstance(row.get(key), kind)
                                            for key, kind in _KINDS) or 'seed' not in row:
        raise bad_value(where, line, 'a row of sbot bench navigation')
    if row.get('library') != library.VERSION:
        raise bad_value(f'{where}: library', row.get('library'),
                        f'{library.VERSION}, the library of this version')
    for key, value in row.items():
        if expected := _expected_of(key, value):
            raise bad_value(f'{where}: {key}', value, expected)
    return row


def _expected_of(key: str, value: object) -> str:
    """Return what was expected of a value, or '' if it is right."""
    if key == 'seed':
        right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_SEED
        return '' if right else 'a whole number from 0 to 2^63 - 1'
    if key in _TEXTS:
        return '' if value is None or isinstance(value, str) else 'a text or null'
    if key == 'library' or key in dict(_KINDS):
        return ''
    if value is None:
        return ''
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        return 'a finite number or null'
    if key in _SHARES and not 0 <= value <= 1:
        return 'a number from 0 to 1, or null'
    return ''


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can be
        return False

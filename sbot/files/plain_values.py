"""Plain values of dicts from Python, as YAML has them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sbot.files.limits import MOST_DEPTH
from sbot.files.yaml_text import LARGEST, is_key
from sbot_common.errors import InputError, bad_value

_MOST_ITEMS = 10_000_000  # of an array


def plain_values(value: Any, where: str = 'scenario') -> Any:  # noqa: ANN401 - any plain value
    """Return a deep copy of values as YAML has them: NumPy's numbers and arrays become Python's.

    Raises
    ------
    InputError
        naming the key path, for a key or a value that a scenario file cannot have.

    """
    if isinstance(value, np.ndarray | np.generic):
        if value.size > _MOST_ITEMS:
            raise bad_value(where, f'shape {value.shape}', f'at most {_MOST_ITEMS} numbers')
        value = value.tolist()
    if isinstance(value, str):
        try:
            value.encode('utf-8')
        except UnicodeEncodeError:
            raise bad_value(where, value, 'text, which can be written as UTF-8') from None
    if isinstance(value, int) and abs(value) > LARGEST:
        raise bad_value(where, value, 'a whole number that fits into 64 bits')
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Path | Fraction):
        return str(value)
    if where.count('.') > (most := MOST_DEPTH):
        raise InputError(f'{where[:80]}...: nested more than {most} levels deep')
    if isinstance(value, list | tuple):
        return [plain_values(item, f'{where}.{i}') for i, item in enumerate(value)]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or not is_key(plain_values(key, f'{where}: key')):
                raise bad_value(f'{where}: key', key, 'text without white space')
        return {key: plain_values(item, f'{where}.{key}') for key, item in value.items()}
    raise bad_value(where, value, 'numbers, text, lists and dicts')

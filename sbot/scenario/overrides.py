"""Overrides of scenario values (``--set KEY=VALUE``) by dotted key path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sbot.files.limits import MOST_DEPTH
from sbot.files.yaml_text import KeyPath, Origins, parse_yaml
from sbot_common.errors import InputError, bad_value, shown

_INDEX = re.compile('[0-9]{1,9}')


def parse_override(text: str, option: str = '--set') -> tuple[str, object]:
    """Return (key path, value) of 'KEY=VALUE'; the value is read as YAML.

    Raises
    ------
    InputError
        if there is no '=', no key, or the value is not YAML.

    """
    key, equals, value = text.partition('=')
    key = key.strip()
    if not text.isprintable() and any('\ud800' <= c <= '\udfff' for c in text):
        raise bad_value(option, text, 'UTF-8 text')
    if key.count('.') > MOST_DEPTH:
        raise bad_value(option, key, f'a path of at most {MOST_DEPTH} keys')
    if not equals or not all(key.split('.')):
        raise bad_value(option, text, 'KEY=VALUE, e.g. robots.0.goal=[10, 3]')
    if key.startswith('controllers.') and ':' in key and not value:
        value = "''"
    parsed, _ = parse_yaml(value, f'{option} {key}')
    return key, parsed


def apply_overrides(data: dict[str, Any], overrides: Mapping[str, object],
                    origins: Origins) -> None:
    """Put ``overrides`` into a file's values, in place; later ones win.

    Mappings on the way are made where there are none; entries of lists must exist, and `*` stands
    for each of them.

    Raises
    ------
    InputError
        if a key path runs into a value, or past the end of a list.

    """
    for dotted, value in overrides.items():
        where = f'{origins.file}, override: {dotted}'
        for key in _each(data, dotted, where):
            path = _put(data, key, value, where)
            for known in [p for p in origins.lines if p[:len(path)] == path]:
                del origins.lines[known]
            origins.overrides.add(path)


def _each(data: dict[str, Any], dotted: str, where: str) -> Iterator[str]:
    """Yield the key path, or one for each entry of the list that `*` stands for."""
    before, star, after = dotted.partition('.*')
    if not star or after[:1] not in ('', '.'):
        yield dotted
        return
    here: Any = data
    for word in before.split('.'):
        if isinstance(here, list) and _INDEX.fullmatch(word) and int(word) < len(here):
            here = here[int(word)]
        else:
            here = here.get(word) if isinstance(here, dict) else None
    if not isinstance(here, list):
        raise bad_value(where, '*', f"a key: '{before}' is not a list")
    for i in range(len(here)):
        yield from _each(data, f'{before}.{i}{after}', where)


def _put(data: dict[str, Any], dotted: str, value: object, where: str) -> KeyPath:
    here: Any = data
    path: list[str | int] = []
    words = dotted.split('.')
    while words:
        if isinstance(here, list):
            word = words.pop(0)
            if not _INDEX.fullmatch(word) or int(word) >= len(here):
                raise bad_value(where, word, f'an index from 0 to {len(here) - 1}')
            key: str | int = int(word)
        elif isinstance(here, dict):
            key = _next_key(here, words)
        else:
            parent = '.'.join(map(str, path))
            raise InputError(f"{where}: '{parent}' is {shown(here)}, which has no keys")
        path.append(key)
        if not words:
            here[key] = value
        elif isinstance(here, dict):
            here = here.setdefault(str(key), {})
        else:
            here = here[key]
    return tuple(path)


def _next_key(here: dict[str, Any], words: list[str]) -> str:
    """Take the next key off ``words``; a known key with dots ('a.b:Class') comes first."""
    for length in range(len(words), 1, -1):
        key = '.'.join(words[:length])
        if key in here:
            del words[:length]
            return key
    return words.pop(0)

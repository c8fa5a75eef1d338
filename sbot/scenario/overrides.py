"""Overrides of scenario values (``--set KEY=VALUE``) by dotted key path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sbot.scenario.yaml_text import KeyPath, Origins, parse_yaml
from sbot_common.errors import InputError, bad_value


def parse_override(text: str, option: str = '--set') -> tuple[str, object]:
    """Return (key path, value) of 'KEY=VALUE'; the value is read as YAML.

    Raises
    ------
    InputError
        if there is no '=', no key, or the value is not YAML.

    """
    key, equals, value = text.partition('=')
    key = key.strip()
    if not equals or not all(key.split('.')):
        raise bad_value(option, text, 'KEY=VALUE, e.g. robots.0.goal=[10, 3]')
    if key.startswith('controllers.') and ':' in key and not value:
        value = "''"
    parsed, _ = parse_yaml(value, f'{option} {key}')
    return key, parsed


def apply_overrides(data: dict[str, Any], overrides: Mapping[str, object],
                    origins: Origins) -> None:
    """Put ``overrides`` into a file's values, in place; later ones win.

    Mappings on the way are made where there are none; entries of lists must exist.

    Raises
    ------
    InputError
        if a key path runs into a value, or past the end of a list.

    """
    for dotted, value in overrides.items():
        path = _put(data, dotted, value, f'{origins.file}, override: {dotted}')
        for known in [p for p in origins.lines if p[:len(path)] == path]:
            del origins.lines[known]
        origins.overrides.add(path)


def _put(data: dict[str, Any], dotted: str, value: object, where: str) -> KeyPath:
    here: Any = data
    path: list[str | int] = []
    words = dotted.split('.')
    while words:
        if isinstance(here, list):
            word = words.pop(0)
            if not word.isdecimal() or int(word) >= len(here):
                raise bad_value(where, word, f'an index from 0 to {len(here) - 1}')
            key: str | int = int(word)
        elif isinstance(here, dict):
            key = _next_key(here, words)
        else:
            parent = '.'.join(map(str, path))
            raise InputError(f"{where}: '{parent}' is {here!r}, which has no keys")
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

"""Load YAML of recordings (metadata.yaml, scenarios) quickly and safely, without line numbers."""

from __future__ import annotations

from typing import Any

import yaml

from sbot.files.limits import limits, too_large
from sbot.files.yaml_nodes import check_events
from sbot_common.errors import InputError, decoding

_BASE: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
_LEFT_OUT = ('timestamp', 'merge')  # dates are text; merging can double itself without end


class _Loader(_BASE):  # type: ignore[misc]
    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's way
        first: [(tag, pattern) for tag, pattern in resolvers
                if not tag.endswith(_LEFT_OUT)]
        for first, resolvers in _BASE.yaml_implicit_resolvers.items()}


def load_plain(text: str, file: str) -> object:
    """Return the plain value of a YAML text; equal aliases are one object, not copies.

    Raises
    ------
    InputError
        in one line, for anything that is not one document of plain values within ``limits()``.

    """
    if len(text) > limits().file_bytes:
        raise too_large(file, 'characters', len(text), 'file_bytes')
    check_events(text, file)
    with decoding(f'{file}: not valid YAML'):
        return yaml.load(text, _Loader)


def load_mapping(text: str, file: str) -> dict[Any, Any]:
    """Return the mapping of a YAML text.

    Raises
    ------
    InputError
        as ``load_plain``, and if it is something else than a mapping.

    """
    value = load_plain(text, file)
    if not isinstance(value, dict):
        raise InputError(f'{file}: got {type(value).__name__}, expected a mapping')
    return value

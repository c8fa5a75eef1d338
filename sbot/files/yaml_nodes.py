"""YAML text to nodes with line numbers: YAML 1.2 core schema, limited depth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import yaml

from sbot.files.limits import MOST_DEPTH, limits, too_large
from sbot_common.errors import InputError

TAG = 'tag:yaml.org,2002:'
_BASE: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)

# The core schema of YAML 1.2, and '<<'. Kind, pattern, first characters.
_RESOLVERS: list[tuple[str, str, list[str]]] = [
    ('null', r'~|null|Null|NULL|', ['~', 'n', 'N', '']),
    ('bool', r'true|True|TRUE|false|False|FALSE', list('tTfF')),
    ('int', r'[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+', list('-+0123456789')),
    ('float', r'[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?'
              r'|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)', list('-+0123456789.')),
    ('merge', r'<<', ['<']),
]


class _Loader(_BASE):  # type: ignore[misc]
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's way


class Dumper(_DUMPER):  # type: ignore[misc]
    """Quotes text that YAML 1.1 or 1.2 would read as another type; writes no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        """Write equal objects out again each time."""
        return True


for _kind, _pattern, _first in _RESOLVERS:
    for _class in (_Loader, Dumper):
        _class.add_implicit_resolver(TAG + _kind, re.compile(f'^(?:{_pattern})$'), _first)


def compose(text: str, file: str) -> yaml.Node | None:
    """Return the node of a text's only document, None if there is none; aliases share nodes.

    Raises
    ------
    InputError
        one line with file, line and column for a syntax error; also for an unknown alias, a second
        document and for nesting deeper than ``MOST_DEPTH``.

    """
    check_events(text, file)
    with _named_errors(text, file):
        node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
        return node


@contextmanager
def _named_errors(text: str, file: str) -> Iterator[None]:
    """Turn YAML's errors into one line each."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f':{mark.line + 1}:{mark.column + 1}' if mark else ''
        problem = ' '.join(f'{error.context or ""} {error.problem or ""}'.split())
        hint = _hint(text, mark.line if mark else 0)
        raise InputError(f'{file}{place}: not valid YAML: {problem}{hint}') from None
    except yaml.YAMLError as error:
        problem = ' '.join(str(error).split())[:120]
        raise InputError(f'{file}: not valid YAML: {problem}') from None
    except UnicodeError:
        raise InputError(f'{file}: not UTF-8 text') from None


def _hint(text: str, line: int) -> str:
    """Say so when there is a tab in the indentation of the line or the one before it."""
    near = text.splitlines()[max(0, line - 1):line + 1]
    if any('\t' in each[:len(each) - len(each.lstrip())] for each in near):
        return '; indent with spaces, not tabs'
    return ''


def check_events(text: str, file: str) -> None:
    """Refuse deep nesting, which would exhaust the stack of ``yaml.compose``, and other errors.

    Events come one by one without recursion.

    Raises
    ------
    InputError
        as ``compose``, and for more nodes than ``limits().text_values``.

    """
    with _named_errors(text, file):
        _check_events(text, file)


def _check_events(text: str, file: str) -> None:
    known = limits()
    depth = documents = nodes = 0
    anchors = set()
    for event in yaml.parse(text, Loader=_Loader):
        problem = ''
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                problem = 'a second document begins here; a scenario is one document'
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                problem = f"not valid YAML: there is no anchor '&{event.anchor}' before this alias"
        elif isinstance(event, yaml.NodeEvent):
            anchors.add(event.anchor)
            depth += isinstance(event, yaml.CollectionStartEvent)
            nodes += 1
            if depth > MOST_DEPTH:
                problem = f'nested more than {MOST_DEPTH} levels deep'
            elif nodes > 2 * known.text_values:  # keys and values
                raise too_large(file, 'values or more', nodes // 2, 'text_values')
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if problem:
            mark: Any = event.start_mark
            raise InputError(f'{file}:{mark.line + 1}:{mark.column + 1}: {problem}')

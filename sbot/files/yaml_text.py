# SPDX-License-Identifier: Apache-2.0
"""YAML 1.2 to plain values with line numbers, and back; recordings' YAML read quickly.

``1e3`` is a number, ``yes`` and ``on`` are words (YAML 1.2), a key given twice is an error, and
the size of what aliases expand to is known before anything is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import yaml

from sbot.files.limits import MOST_DEPTH, limits, too_large
from sbot_common.errors import InputError, bad_value, decoding

# YAML text to nodes with line numbers: YAML 1.2 core schema, limited depth.

_TAG = 'tag:yaml.org,2002:'
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


class _Dumper(_DUMPER):  # type: ignore[misc]
    """Quotes text that YAML 1.1 or 1.2 would read as another type; writes no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        """Write equal objects out again each time."""
        return True


for _kind, _pattern, _first in _RESOLVERS:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_TAG + _kind, re.compile(f'^(?:{_pattern})$'), _first)


def _compose(text: str, file: str) -> yaml.Node | None:
    """Return the node of a text's only document, None if there is none; aliases share nodes.

    Raises
    ------
    InputError
        one line with file, line and column for a syntax error; also for an unknown alias, a second
        document and for nesting deeper than ``MOST_DEPTH``.

    """
    with _named_errors(text, file):
        _check_events(text, file)
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


def _check_events(text: str, file: str) -> None:
    """Refuse deep nesting, which would exhaust the stack of ``yaml.compose``, and other errors.

    Events come one by one without recursion.

    Raises
    ------
    InputError
        as ``_compose``, and for more nodes than ``limits().text_values``.

    """
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


KeyPath = tuple[str | int, ...]
LARGEST = 2**63 - 1  # of whole numbers, whatever their sign


class Origins(NamedTuple):
    """Where each value stands: a line of the file, or an override."""

    file: str
    lines: dict[KeyPath, int]
    overrides: set[KeyPath]

    def where(self, path: KeyPath) -> str:
        """Return 'file:line: key.path' for a key path, or the nearest one above that is known."""
        dotted = '.'.join(str(key) for key in path)
        for end in range(len(path), -1, -1):
            if path[:end] in self.overrides:
                return f'{self.file}, override: {dotted}'
            if path[:end] in self.lines:
                place = f'{self.file}:{self.lines[path[:end]]}'
                return f'{place}: {dotted}' if dotted else place
        return f'{self.file}: {dotted}' if dotted else self.file

    def below(self, path: KeyPath) -> Callable[[str], str]:
        """Return how errors call the keys below a path."""
        return lambda name: self.where((*path, name))


class _Reader:
    """Turns one tree of YAML nodes into values and lines."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[KeyPath, int] = {}
        self.measures: dict[int, tuple[int, int] | None] = {}

    def fail(self, node: yaml.Node, text: str) -> NoReturn:
        raise InputError(f'{self.file}:{node.start_mark.line + 1}: {text}')

    def measure(self, node: yaml.Node) -> tuple[int, int]:
        """Return (values, levels) that a node expands to, without expanding it."""
        known = self.measures.get(id(node), (0, 0))
        if known is None:
            self.fail(node, 'contains itself through an alias')
        if known[0]:
            return known
        self.measures[id(node)] = None
        children: list[yaml.Node] = []
        if isinstance(node, yaml.SequenceNode):
            children = node.value
        elif isinstance(node, yaml.MappingNode):
            children = [child for pair in node.value for child in pair]
        size, height = 1, 0
        for child in children:
            child_size, child_height = self.measure(child)
            size, height = size + child_size, max(height, child_height + 1)
        if height > (most := MOST_DEPTH):
            self.fail(node, f'nested more than {most} levels deep')
        self.measures[id(node)] = size, height
        return size, height

    def value(self, node: yaml.Node, path: KeyPath) -> object:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node)
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + 'seq':
            return [self.value(child, (*path, i)) for i, child in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + 'map':
            result = {}
            for key, (key_node, value_node) in self.pairs(node).items():
                self.lines[(*path, key)] = key_node.start_mark.line + 1
                result[key] = self.value(value_node, (*path, key))
            return result
        return self.fail(node, f"tag '{node.tag}' is not allowed in a scenario")

    def pairs(self, node: yaml.MappingNode) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        """Return key and value nodes by key, then the missing ones from ``<<: *anchor``."""
        found: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        merged: list[yaml.Node] = []
        for key_node, value_node in node.value:
            if key_node.tag == _TAG + 'merge':
                merged += (value_node.value if isinstance(value_node, yaml.SequenceNode)
                           else [value_node])
                continue
            key = self.key(key_node)
            if key in found:
                first = found[key][0].start_mark.line + 1
                self.fail(key_node, f"key '{key}' is given twice, first in line {first}")
            found[key] = key_node, value_node
        for source in merged:
            if not isinstance(source, yaml.MappingNode):
                self.fail(source, "'<<' expects a mapping or a list of mappings")
            for key, pair in self.pairs(source).items():
                found.setdefault(key, pair)
        return found

    def key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            self.fail(node, 'a key must be a word, not a list or a mapping')
        key = str(node.value)
        if not _is_key(key):
            self.fail(node, f'key {key!r} is empty or has white space in it')
        return key

    def scalar(self, node: yaml.ScalarNode) -> object:
        kind, text = node.tag.removeprefix(_TAG), node.value
        if kind not in _SCALARS:
            self.fail(node, f"tag '{node.tag}' is not allowed in a scenario")
        try:
            return _SCALARS[kind](text)
        except (ValueError, KeyError):
            shown = text if len(text) <= 40 else text[:37] + '...'
            self.fail(node, f'{shown!r} is not a usable {kind}' + (
                ' (whole numbers must fit into 64 bits)' if kind == 'int' else ''))


def _is_key(text: str) -> bool:
    """Tell whether a text may be a key: it is not empty and has no white space in it."""
    return bool(text) and text == ''.join(text.split())


def _whole_number(text: str) -> int:
    number = int(text, 0 if text[:2] in ('0x', '0o') else 10)
    if abs(number) > LARGEST:
        raise ValueError
    return number


def _real_number(text: str) -> float:
    special = text.lower().lstrip('+-') in ('.inf', '.nan')
    return float(text.replace('.', '') if special else text)


def _encodable(text: str) -> str:
    text.encode('utf-8')
    return text


# What each kind of scalar stands for; ValueError or KeyError: for nothing.
_SCALARS: dict[str, Callable[[str], object]] = {
    'null': lambda _: None, 'bool': lambda text: {'true': True, 'false': False}[text.lower()],
    'int': _whole_number, 'float': _real_number, 'str': _encodable, 'merge': _encodable}


def decode_text(raw: bytes, file: str) -> str:
    """Return the UTF-8 text of a file's bytes, or raise InputError saying why it is none."""
    if len(raw) > limits().file_bytes:
        raise too_large(file, 'bytes or more', len(raw), 'file_bytes')
    try:
        text = raw.decode('utf-8-sig')
    except UnicodeDecodeError as error:
        line = raw.count(b'\n', 0, error.start) + 1
        raise InputError(f'{file}:{line}: byte 0x{raw[error.start]:02x} is not UTF-8 text; '
                         'save the scenario as UTF-8') from None
    if '\0' in text:
        raise InputError(f'{file}: contains zero bytes; a scenario is YAML text in UTF-8')
    return text


def parse_yaml(text: str, file: str) -> tuple[object, Origins]:
    """Return the plain value of a YAML text and the line of every key path in it.

    Raises
    ------
    InputError
        one line with file and line: syntax, two documents, a key given twice, tags, an alias that
        contains itself, and more than ``limits().text_values`` after
        expansion of aliases.

    """
    node = _compose(text, file)
    if node is None:
        return None, Origins(file, {}, set())
    reader = _Reader(file)
    if (values := reader.measure(node)[0]) > limits().text_values:
        raise too_large(file, 'values, with what its aliases expand to', values, 'text_values')
    value = reader.value(node, ())
    # What was made of an experiment of ARGoS or a world of Stage has lines that nobody sees.
    made = file.endswith(('.argos', '.world'))
    return value, Origins(file, {} if made else reader.lines, set())


def count_values(value: object) -> int:
    """Return how many values a YAML text of plain values has, keys included."""
    if isinstance(value, Mapping):
        return 1 + len(value) + sum(map(count_values, value.values()))
    if isinstance(value, list | tuple):
        return 1 + sum(map(count_values, value))
    return 1


def dump_yaml(values: Mapping[str, object]) -> str:
    """Return YAML that ``parse_yaml`` reads back equal; lists of numbers stay on one line."""
    text: str = yaml.dump(dict(values), Dumper=_Dumper, sort_keys=False, allow_unicode=True,
                          default_flow_style=None, width=100)
    return text


# Plain values of dicts from Python, as YAML has them.

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
            if not isinstance(key, str) or not _is_key(plain_values(key, f'{where}: key')):
                raise bad_value(f'{where}: key', key, 'text without white space')
        return {key: plain_values(item, f'{where}.{key}') for key, item in value.items()}
    raise bad_value(where, value, 'numbers, text, lists and dicts')


# Load YAML of recordings (metadata.yaml, scenarios) quickly and safely, without line numbers.

_PLAIN_BASE: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
_LEFT_OUT = ('timestamp', 'merge')  # dates are text; merging can double itself without end


class _PlainLoader(_PLAIN_BASE):  # type: ignore[misc]
    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's way
        first: [(tag, pattern) for tag, pattern in resolvers
                if not tag.endswith(_LEFT_OUT)]
        for first, resolvers in _PLAIN_BASE.yaml_implicit_resolvers.items()}


def load_mapping(text: str, file: str) -> dict[Any, Any]:
    """Return the mapping of a YAML text; equal aliases are one object, not copies.

    Raises
    ------
    InputError
        in one line, for anything that is not one document with a mapping of plain values within
        ``limits()``.

    """
    if len(text) > limits().file_bytes:
        raise too_large(file, 'characters', len(text), 'file_bytes')
    with _named_errors(text, file):
        _check_events(text, file)
    with decoding(f'{file}: not valid YAML'):
        value = yaml.load(text, _PlainLoader)
    if not isinstance(value, dict):
        raise InputError(f'{file}: got {type(value).__name__}, expected a mapping')
    return value

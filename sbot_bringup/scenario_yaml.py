"""Scenario text to plain values that know their line; and plain values back to text.

YAML as people mean it: ``1e3`` is a number, ``yes`` and ``on`` are words (YAML 1.2), a key given
twice is an error, and the size of what aliases expand to is known before anything is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import yaml

from sbot_common.errors import InputError

MAX_BYTES = 16 * 2**20
MAX_VALUES = 1_000_000  # values of a file after its aliases are expanded
MAX_DEPTH = 50
KeyPath = tuple[str | int, ...]

_TAG = 'tag:yaml.org,2002:'
_RESOLVERS = [
    ('null', r'~|null|Null|NULL|', '~nN\0'),
    ('bool', r'true|True|TRUE|false|False|FALSE', 'tTfF'),
    ('int', r'[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+', '-+0123456789'),
    ('float', r'[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?'
              r'|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)', '-+0123456789.'),
    ('merge', r'<<', '<'),
]


class _Loader(getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):  # type: ignore[misc]
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's way


class _Dumper(getattr(yaml, 'CSafeDumper', yaml.SafeDumper)):  # type: ignore[misc]
    """Quotes what YAML 1.1 or 1.2 would read as something else; writes no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        return True


for _name, _pattern, _first in _RESOLVERS:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_TAG + _name, re.compile(f'^(?:{_pattern})$'),
                                     [c if c != '\0' else '' for c in _first])


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


class _Reader:
    """Turns one tree of YAML nodes into values and lines."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[KeyPath, int] = {}
        self.sizes: dict[int, int] = {}

    def fail(self, node: yaml.Node, text: str) -> NoReturn:
        raise InputError(f'{self.file}:{node.start_mark.line + 1}: {text}')

    def measure(self, node: yaml.Node, depth: int = 0) -> int:
        """Return how many values a node expands to, without expanding it."""
        size = self.sizes.get(id(node))
        if size == 0:
            self.fail(node, f"'&{getattr(node, 'anchor', None) or 'anchor'}' contains itself "
                            'through an alias')
        if size is not None:
            return size
        if depth > MAX_DEPTH:
            self.fail(node, f'nested more than {MAX_DEPTH} levels deep')
        self.sizes[id(node)] = 0
        children: list[yaml.Node] = []
        if isinstance(node, yaml.SequenceNode):
            children = node.value
        elif isinstance(node, yaml.MappingNode):
            children = [child for pair in node.value for child in pair]
        size = 1
        for child in children:
            size += self.measure(child, depth + 1)
        self.sizes[id(node)] = size
        return size

    def value(self, node: yaml.Node, path: KeyPath) -> object:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node)
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + 'seq':
            return [self.value(child, (*path, i)) for i, child in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + 'map':
            return self.mapping(node, path)
        return self.fail(node, f"tag '{node.tag}' is not allowed in a scenario")

    def mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, object]:
        result: dict[str, object] = {}
        merged: list[yaml.Node] = []
        for key_node, value_node in node.value:
            if key_node.tag == _TAG + 'merge':
                merged.append(value_node)
                continue
            key = self.key(key_node)
            if key in result:
                first = self.lines[(*path, key)]
                self.fail(key_node, f"key '{key}' is given twice, first in line {first}")
            self.lines[(*path, key)] = key_node.start_mark.line + 1
            result[key] = self.value(value_node, (*path, key))
        for source in merged:
            self.merge(source, path, result)
        return result

    def merge(self, source: yaml.Node, path: KeyPath, result: dict[str, object]) -> None:
        """Add the keys of ``<<: *anchor`` (or of a list of anchors) that are not there yet."""
        for node in source.value if isinstance(source, yaml.SequenceNode) else [source]:
            if not isinstance(node, yaml.MappingNode):
                self.fail(node, "'<<' expects a mapping or a list of mappings")
            before = dict(self.lines)
            for key, value in self.mapping(node, path).items():
                if key not in result:
                    result[key] = value
            self.lines.update(before)

    def key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            self.fail(node, 'a key must be a word, not a list or a mapping')
        key = node.value
        if not key or key != ''.join(key.split()):
            self.fail(node, f'key {key!r} is empty or has white space in it')
        return str(key)

    def scalar(self, node: yaml.ScalarNode) -> object:
        kind, text = node.tag.removeprefix(_TAG), node.value
        try:
            if kind == 'int':
                number = int(text, 0 if text[:2] in ('0x', '0o') else 10)
                if abs(number) >= 2**63:
                    raise ValueError
                return number
            if kind == 'float':
                return float(text.replace('.inf', 'inf').replace('.nan', 'nan')
                             if text.lower().lstrip('+-') in ('.inf', '.nan') else text)
            if kind == 'bool':
                return {'true': True, 'false': False}[text.lower()]
            if kind in ('str', 'merge'):
                text.encode('utf-8')
                return text
        except (ValueError, KeyError):
            shown = text if len(text) <= 40 else text[:37] + '...'
            self.fail(node, f'{shown!r} is not a usable {kind}' + (
                ' (whole numbers must fit into 64 bits)' if kind == 'int' else ''))
        if kind == 'null':
            return None
        return self.fail(node, f"tag '{node.tag}' is not allowed in a scenario")


def decode_text(raw: bytes, file: str) -> str:
    """Return the UTF-8 text of a file's bytes, or raise InputError saying why it is none."""
    if len(raw) > MAX_BYTES:
        raise InputError(f'{file}: larger than {MAX_BYTES // 2**20} MiB, too large for a scenario')
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
        contains itself, and more than ``MAX_VALUES`` values after expansion of aliases.

    """
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f':{mark.line + 1}:{mark.column + 1}' if mark else ''
        problem = ' '.join(f'{error.context or ""} {error.problem or ""}'.split())
        hint = _hint(text, mark.line if mark else 0, problem)
        raise InputError(f'{file}{place}: not valid YAML: {problem}{hint}') from None
    except (yaml.YAMLError, RecursionError) as error:
        problem = ' '.join(str(error).split())[:120] or 'nested too deeply'
        raise InputError(f'{file}: not valid YAML: {problem}') from None
    if node is None:
        return None, Origins(file, {}, set())
    reader = _Reader(file)
    if reader.measure(node) > MAX_VALUES:
        raise InputError(f'{file}: its aliases expand to more than {MAX_VALUES:,} values')
    return reader.value(node, ()), Origins(file, reader.lines, set())


def _hint(text: str, line: int, problem: str) -> str:
    if 'single document' in problem:
        return '; a scenario is one document'
    if any('\t' in re.match(r'\s*', each)[0]  # type: ignore[index]
           for each in text.splitlines()[max(0, line - 1):line + 1]):
        return '; indent with spaces, not tabs'
    return ''


def dump_yaml(values: Mapping[str, object]) -> str:
    """Return YAML that ``parse_yaml`` reads back equal; lists of numbers stay on one line."""
    return yaml.dump(dict(values), Dumper=_Dumper, sort_keys=False, allow_unicode=True,
                     default_flow_style=None, width=100)

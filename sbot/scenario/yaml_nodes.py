"""YAML text to nodes, without recursion: deep nesting must not exhaust the stack of the parser."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, NoReturn

import yaml

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
    """Quotes what YAML 1.1 or 1.2 would read as something else; writes no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        """Write equal objects out again each time."""
        return True


for _kind, _pattern, _first in _RESOLVERS:
    for _class in (_Loader, Dumper):
        _class.add_implicit_resolver(TAG + _kind, re.compile(f'^(?:{_pattern})$'), _first)


class _Open(NamedTuple):
    """A list or mapping whose end has not been read."""

    node: yaml.Node
    children: list[yaml.Node]


def compose(text: str, file: str, max_depth: int) -> yaml.Node | None:
    """Return the node of a text's only document, None if there is none; aliases share nodes.

    Raises
    ------
    InputError
        one line with file, line and column for a syntax error; also for an unknown alias, a second
        document and for nesting deeper than ``max_depth``.

    """
    try:
        loader = _Loader(text)
        try:
            return _Composer(loader, file, max_depth).document()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f':{mark.line + 1}:{mark.column + 1}' if mark else ''
        problem = ' '.join(f'{error.context or ""} {error.problem or ""}'.split())
        hint = _hint(text, mark.line if mark else 0)
        raise InputError(f'{file}{place}: not valid YAML: {problem}{hint}') from None
    except yaml.YAMLError as error:
        problem = ' '.join(str(error).split())[:120]
        raise InputError(f'{file}: not valid YAML: {problem}') from None


def _hint(text: str, line: int) -> str:
    """Say so when there is a tab in the indentation of the line or the one before it."""
    near = text.splitlines()[max(0, line - 1):line + 1]
    if any('\t' in each[:len(each) - len(each.lstrip())] for each in near):
        return '; indent with spaces, not tabs'
    return ''


class _Composer:
    """Builds nodes from a loader's events."""

    def __init__(self, loader: Any, file: str, max_depth: int) -> None:  # noqa: ANN401
        self.loader = loader
        self.file = file
        self.max_depth = max_depth
        self.anchors: dict[str, yaml.Node] = {}
        self.open: list[_Open] = []
        self.root: yaml.Node | None = None

    def fail(self, event: Any, text: str) -> NoReturn:  # noqa: ANN401
        mark = event.start_mark
        raise InputError(f'{self.file}:{mark.line + 1}:{mark.column + 1}: {text}')

    def document(self) -> yaml.Node | None:
        documents = 0
        event = self.loader.get_event()
        while event is not None and not isinstance(event, yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.fail(event, 'a second document begins here; a scenario is one document')
            elif isinstance(event, yaml.CollectionStartEvent):
                self.begin(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self.end()
            elif isinstance(event, yaml.NodeEvent):
                self.leaf(event)
            event = self.loader.get_event()
        return self.root

    def begin(self, event: Any) -> None:  # noqa: ANN401
        if len(self.open) >= self.max_depth:
            self.fail(event, f'nested more than {self.max_depth} levels deep')
        is_map = isinstance(event, yaml.MappingStartEvent)
        tag = event.tag if event.tag not in (None, '!') else TAG + ('map' if is_map else 'seq')
        kind = yaml.MappingNode if is_map else yaml.SequenceNode
        node = kind(tag, [], event.start_mark, event.end_mark)
        self.add(node, event.anchor)
        self.open.append(_Open(node, []))

    def end(self) -> None:
        node, children = self.open.pop()
        if isinstance(node, yaml.MappingNode):
            node.value = list(zip(children[::2], children[1::2], strict=True))
        else:
            node.value = children

    def leaf(self, event: Any) -> None:  # noqa: ANN401
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                self.fail(event, f"not valid YAML: there is no anchor '&{event.anchor}' before "
                                 'this alias')
            self.add(self.anchors[event.anchor], None)
            return
        tag = event.tag
        if tag is None or tag == '!':
            tag = self.loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        self.add(yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark), event.anchor)

    def add(self, node: yaml.Node, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = node
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node

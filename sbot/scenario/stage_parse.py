# SPDX-License-Identifier: Apache-2.0
"""Parse a Stage world file: tokens with includes, entities with macros expanded, notices."""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sbot.files.limits import MOST_DEPTH, limits, read_within, too_large
from sbot_common.arrays import Floats
from sbot_common.errors import InputError, bad_value, shown

_DEFAULT_SIZE = (0.4, 0.4)  # m, of a model
_MOST_POINTS = 1000  # of a block
MAX_INCLUDED = 200  # files, each as often as it is included
_MAX_DEPTH = 20  # of includes within includes

WORD, NUMBER, STRING = 'word', 'number', 'string'
_SIGN, _END = 'sign', 'end'  # a token that is a sign has that as its kind; the last one
# Letters and digits are those of ASCII; a word may have brackets in it, as in `point[0]`.
_TOKEN = re.compile(r'(?P<comment>#[^\r\n]*)|(?P<space>[ \t]+)|(?P<line>\r\n|\n\r|\r|\n)'
                    r'|(?P<word>[A-Za-z][A-Za-z0-9._\[\]-]*)|(?P<number>[-+.0-9]+)'
                    r'|"(?P<string>[^"\r\n]*)"|(?P<sign>[()\[\]])')


class Place(NamedTuple):
    """Where a token stands."""

    file: str
    line: int
    main_line: int  # of the world file: this line, or that of the `include` which leads here

    def __str__(self) -> str:
        """Return 'file:line', as messages begin."""
        return f'{self.file}:{self.line}'


class _Token(NamedTuple):
    """A word, a number, a text without its quotes, or one of ``()[]``."""

    kind: str
    text: str
    place: Place


def read_tokens(raw: bytes, path: Path) -> list[_Token]:
    """Return the tokens of a world file.

    Parameters
    ----------
    raw : the bytes of the file
    path : the file; includes are looked for in its folder, as Stage does, then beside the file
        that includes, then by their names alone in the folders of ``STAGEPATH``

    Raises
    ------
    InputError
        with file and line, for what is no token, for an include that is missing, no regular file
        or includes itself, and for too much of anything.

    """
    reader = _Reader(path)
    reader.read(raw, path, None, ())
    return reader.tokens


class _Reader:
    def __init__(self, path: Path) -> None:
        self.tokens: list[_Token] = []
        self._folder = path.parent
        self._bytes = 0
        self._files = 0

    def read(self, raw: bytes, path: Path, main_line: int | None, above: tuple[Path, ...]) -> None:
        """Append the tokens of a file; ``main_line`` is None for the world file itself."""
        file = str(path)
        self._bytes += len(raw)
        if self._bytes > limits().file_bytes:
            raise too_large(file, 'bytes or more, with what it includes', self._bytes,
                            'file_bytes')
        text = raw.decode('utf-8-sig', 'replace')  # bytes of other encodings stand in comments
        line, at = 1, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            place = Place(file, line, line if main_line is None else main_line)
            if match is None:
                if text[at] == '"':
                    raise InputError(f'{place}: a text begins here and has no end on this line')
                raise bad_value(str(place), text[at], 'a name, a number, a text in quotes, or one '
                                'of ( ) [ ] #')
            kind, at = match.lastgroup or '', match.end()
            if kind == 'line':
                line += 1
            elif kind == WORD and match[0] == 'include':
                at = self._include(text, at, place, (*above, path.resolve()))
            elif kind in (WORD, NUMBER, STRING, _SIGN):
                word = match[kind]
                self.tokens.append(_Token(word if kind == _SIGN else kind, word, place))
                if len(self.tokens) > limits().text_values:
                    raise too_large(str(place), 'words, numbers and signs so far',
                                    len(self.tokens), 'text_values')

    def _include(self, text: str, at: int, place: Place, above: tuple[Path, ...]) -> int:
        """Read the file that an include names; return where the next line begins."""
        match = re.compile(r'[ \t]+"([^"\r\n]*)"[^\r\n]*').match(text, at)
        if match is None:
            raise InputError(f'{place}: include: expected the name of a file in quotes')
        self._files += 1
        if self._files > MAX_INCLUDED or len(above) > _MAX_DEPTH:
            raise InputError(f'{place}: include: too many: expected at most {MAX_INCLUDED} files '
                             f'in all, and {_MAX_DEPTH} within each other')
        path = find_beside(match[1], self._folder, place, os.environ.get('STAGEPATH', ''))
        if path is None:
            raise bad_value(f'{place}: include', match[1], f'a file, relative to {self._folder} '
                            'or absolute, or one in a folder of STAGEPATH')
        if path.resolve() in above:
            raise InputError(f'{place}: include: {shown(match[1])} includes itself')
        try:
            raw = read_within(path)
        except InputError as error:
            raise InputError(f'{place}: include: {error}') from None
        self.read(raw, path, place.main_line, above)
        return match.end()


def find_beside(name: str, folder: Path, place: Place, search: str = '') -> Path | None:
    """Return the file that a world names, None if there is none.

    Parameters
    ----------
    name : a path as it is written
    folder : that of the world file, where a relative path begins
    place : where the name stands; beside that file is the next place to look
    search : folders separated as in PATH, where the last part of the name is looked for

    """
    places = [folder / name, Path(place.file).parent / name]
    places += [Path(each, os.path.basename(name)) for each in search.split(os.pathsep) if each]
    return next((path for path in places
                 if os.path.exists(path) and not os.path.isdir(path)), None)


_MAX_LEVELS = 100  # of models in models, and of macros in macros
# What C's atof takes, as far as a token can have it.
_NUMBER = re.compile(r'[-+]?(\d+(\.\d*)?|\.\d+)')


class Property(NamedTuple):
    """A property of an entity: one value, or the values of a tuple."""

    name: str
    values: tuple[str, ...]
    place: Place

    @property
    def where(self) -> str:
        """File, line and name, for messages."""
        return f'{self.place}: {self.name}'

    def numbers(self, least: int = 1, most: int | None = None) -> list[float]:
        """Return the first values as finite numbers; InputError for too few, and for others.

        As in Stage, what stands after the ``most`` (default: ``least``) that are read is ignored.
        """
        if len(self.values) < least:
            raise bad_value(self.where, ' '.join(self.values), f'{least} numbers in [ ]')
        return [self._number(value) for value in self.values[:most or least]]

    def _number(self, value: str) -> float:
        if not _NUMBER.fullmatch(value.strip()) or not math.isfinite(float(value)):
            raise bad_value(self.where, value,
                            'a number without exponent, e.g. 0.02, that is finite')
        return float(value)


@dataclass
class Entity:
    """A model of a world, or the world itself, whose kind is ''."""

    kind: str  # of Stage: 'model', 'position', ...
    name: str  # as the file calls it: the macro, or the kind
    place: Place
    properties: dict[str, Property] = field(default_factory=dict)
    children: list[Entity] = field(default_factory=list)

    def number(self, name: str, default: float) -> float:
        """Return a property as a finite number."""
        given = self.properties.get(name)
        return default if given is None else given.numbers()[0]

    def text(self, name: str, default: str = '') -> str:
        """Return a property's first value."""
        given = self.properties.get(name)
        return default if given is None else given.values[0]

    def place_of(self, name: str) -> Place:
        """Return where a property stands; the entity's own place if it is not given."""
        return self.properties[name].place if name in self.properties else self.place

    def size(self, unit: float) -> tuple[float, float]:
        """Return a model's size along x and y (m); ``unit`` is that of a length (m)."""
        given = self.properties.get('size')
        if given is None:
            return _DEFAULT_SIZE
        x, y = (unit * number for number in given.numbers(2, 3)[:2])
        if x < 0.0 or y < 0.0:
            raise bad_value(given.where, ' '.join(given.values), 'numbers >= 0')
        return x, y

    def block_outlines(self) -> list[Floats]:
        """Return the corners (M, 2) of each block of a model as written, scaled by nothing yet."""
        return [child._corners() for child in self.children if child.kind == 'block']

    def _corners(self) -> Floats:
        count = self.number('points', 0.0)
        where = f'{self.place_of("points")}: points'
        if not 1 <= count <= _MOST_POINTS or count != int(count):
            raise bad_value(where, self.text('points'), f'a whole number from 1 to {_MOST_POINTS}')
        corners = []
        for k in range(int(count)):
            point = self.properties.get(f'point[{k}]')
            if point is None:
                raise InputError(f"{where}: 'point[{k}]' is missing; give {int(count)} points")
            corners.append(point.numbers(2))
        return np.array(corners)

    @classmethod
    def parse(cls, tokens: Sequence[_Token], file: str) -> Entity:
        """Return the world of a list of tokens.

        A macro holds from its definition on; a second definition of a name changes nothing. What
        stands in an instance goes over what the macro has, and its children come after the
        macro's.

        Raises
        ------
        InputError
            with file and line, for what is no world file, and for a macro that contains itself.

        """
        return _Parser(tokens, file).world()


class _Node(NamedTuple):
    """An entity as written: its name may be that of a macro."""

    name: str
    place: Place
    items: list[Property | _Node]


class _Parser:
    def __init__(self, tokens: Sequence[_Token], file: str) -> None:
        end = tokens[-1].place if tokens else Place(file, 1, 1)
        self._tokens = iter([*tokens, _Token(_END, 'the end of the file', end)])
        self._next = next(self._tokens)  # is not taken yet
        self._macros: dict[str, _Node] = {}
        self._root = Entity('', '', Place(file, 1, 1))
        self._size = 0  # of all that is expanded so far

    def world(self) -> Entity:
        while self._next.kind != _END:
            word = self._take(WORD, 'a name')
            if word.text == 'define':
                name = self._take(WORD, 'the name of a macro after define').text
                base = self._take(WORD, f'what {name} is: a model, or another macro')
                node = self._item(base, 1)
                if not isinstance(node, _Node):
                    raise InputError(f'{base.place}: define {name}: {base.text} needs a (; add it')
                self._macros.setdefault(name, node)
            else:
                self._fill(self._root, [self._item(word, 1)], (), 1)
        return self._root

    def _take(self, kind: str, expected: str) -> _Token:
        token = self._next
        if token.kind == _END:
            raise InputError(f'{token.place}: the file ends here, expected {expected}')
        if token.kind != kind:
            raise bad_value(str(token.place), token.text, expected)
        self._next = next(self._tokens)
        return token

    def _item(self, word: _Token, depth: int) -> Property | _Node:
        """Return the property or the entity that a word begins."""
        if depth > MOST_DEPTH:
            raise InputError(f'{word.place}: nested more than {MOST_DEPTH} levels deep')
        if word.text.endswith('['):
            raise bad_value(str(word.place), word.text, f"a space before '[', e.g. "
                            f'{word.text[:-1]} [ ... ]')
        if self._next.kind in (NUMBER, STRING):
            return Property(word.text, (self._take(self._next.kind, 'a value').text,), word.place)
        if self._next.kind == '[':
            return Property(word.text, self._tuple(word), word.place)
        self._take('(', f'a value or ( after {shown(word.text)}')
        items: list[Property | _Node] = []
        while self._next.kind != ')':
            if self._next.kind == _END:
                raise InputError(f'{word.place}: {shown(word.text)} begins here and has no end; '
                                 'add )')
            items.append(self._item(self._take(WORD, f'a name, or ) after {word.text} ('),
                                    depth + 1))
        self._take(')', ')')
        return _Node(word.text, word.place, items)

    def _tuple(self, word: _Token) -> tuple[str, ...]:
        self._take('[', '[')
        values = []
        while self._next.kind in (NUMBER, STRING):
            values.append(self._take(self._next.kind, 'a value').text)
        if self._next.kind != ']':
            raise bad_value(f'{self._next.place}: {shown(word.text)}', self._next.text,
                            'values, or ]')
        self._take(']', ']')
        if not values:
            raise InputError(f'{word.place}: {shown(word.text)}: got [ ], expected values')
        return tuple(values)

    def _expanded(self, node: _Node, macros: tuple[str, ...], level: int) -> Entity:
        """Return the entity of a node; ``macros`` are those that it stands in."""
        if level > _MAX_LEVELS:
            raise InputError(f'{node.place}: more than {_MAX_LEVELS} models and macros within '
                             'each other')
        # Each macro on the way to a model counts, too: chains of them cost as much as models.
        self._size += 1 + len(node.items)
        if self._size > limits().text_values:
            raise too_large(str(node.place), 'models and properties with the macros expanded',
                            self._size, 'text_values')
        if node.name in macros:
            raise InputError(f'{node.place}: macro {shown(node.name)} contains itself')
        base = self._macros.get(node.name)
        entity = (Entity(node.name, node.name, node.place) if base is None
                  else self._expanded(base, (*macros, node.name), level + 1))
        entity.name, entity.place = node.name, node.place
        self._fill(entity, node.items, macros, level + 1)
        return entity

    def _fill(self, entity: Entity, items: Sequence[Property | _Node], macros: tuple[str, ...],
              level: int) -> None:
        for item in items:
            if isinstance(item, Property):
                entity.properties[item.name] = item
            else:
                entity.children.append(self._expanded(item, macros, level))


LOG = logging.getLogger(__name__)

# What neither moves a robot nor shows in a scan: windows, drawing, batteries, other sensors' keys.
_QUIET = frozenset((
    'name', 'color', 'color_rgba', 'gui_nose', 'gui_grid', 'gui_outline', 'gui_move',
    'gui_boundary', 'gui_movemask', 'say', 'alwayson', 'stack_children', 'trail_length',
    'trail_interval', 'event_queue', 'debug', 'thread_safe', 'map_resolution', 'fiducial_return',
    'fiducial_key', 'blob_return', 'blobfinder_return', 'gripper_return', 'laser_return',
    'audio_return', 'joules', 'joules_capacity', 'kjoules', 'kjoules_capacity', 'watts',
    'give_watts', 'take_watts', 'mass', 'friction', 'update_interval', 'localization_origin',
    'show_waypoints'))
_QUIET_IN_WORLD = frozenset((
    'name', 'size', 'unit_length', 'unit_angle', 'resolution', 'interval_sim', 'interval_real',
    'quit_time', 'speedup', 'paused', 'threads', 'threadpool', 'show_clock',
    'show_clock_interval', 'gui_disable', 'gui_interval', 'ranger_alwayson'))


class Notes:
    """Notices about a file, each once."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def add(self, place: Place, text: str) -> None:
        """Log a warning, once for each text."""
        if text not in self._texts:
            self._texts.add(text)
            LOG.warning('%s: %s', place, text)

    def add_if(self, *rules: tuple[object, Place, str]) -> None:
        """Log the warnings whose first part is true."""
        for holds, place, text in rules:
            if holds:
                self.add(place, text)

    def unknown(self, entity: Entity, *known: str) -> None:
        """Name the properties of an entity that are not known, and those without effect."""
        quiet = _QUIET if entity.kind else _QUIET_IN_WORLD
        for name, given in entity.properties.items():
            if name == 'ctrl':
                self.add(given.place, 'ctrl is not supported: robots stand still until something '
                         'sends cmd_vel, or --set robots.*.controller=...')
            elif name not in quiet and name not in known:
                self.add(given.place, f'{name} of {entity.kind or "the world"} is not supported '
                         'and has no effect')

"""Parse a Stage world file into entities: macros expanded, properties with file and line."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sbot.files.limits import MOST_DEPTH, limits, too_large
from sbot.scenario.stage.tokens import NUMBER, SIGN, STRING, WORD, Place, Token
from sbot_common.errors import InputError, bad_value, shown

MAX_EXPANSIONS = 200_000  # of models, blocks and sensors, and of the macros they come from
MAX_LEVELS = 100  # of models in models, and of macros in macros
MAX_DIGITS = 400  # characters of a number
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
        if len(value) > MAX_DIGITS:
            raise bad_value(self.where, value, f'a number of at most {MAX_DIGITS} characters')
        if not _NUMBER.fullmatch(value.strip()) or not math.isfinite(float(value)):
            raise bad_value(self.where, value, 'a number without exponent, e.g. 0.02')
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


class _Node(NamedTuple):
    """An entity as written: its name may be that of a macro."""

    name: str
    place: Place
    items: list[Property | _Node]


def parse_entities(tokens: Sequence[Token], file: str) -> Entity:
    """Return the world of a list of tokens.

    A macro holds from its definition on; a second definition of a name changes nothing. What
    stands in an instance goes over what the macro has, and its children come after the macro's.

    Raises
    ------
    InputError
        with file and line, for what is no world file, and for a macro that contains itself.

    """
    return _Parser(tokens, file).world()


class _Parser:
    def __init__(self, tokens: Sequence[Token], file: str) -> None:
        self._tokens = tokens
        self._next = 0
        self._end = tokens[-1].place if tokens else Place(file, 1, 1)
        self._macros: dict[str, _Node] = {}
        self._file = file
        self._expansions = 0
        self._properties = 0

    def world(self) -> Entity:
        root = Entity('', '', Place(self._file, 1, 1))
        while self._next < len(self._tokens):
            word = self._take(WORD, 'a name')
            if word.text == 'define':
                name = self._take(WORD, 'the name of a macro after define').text
                base = self._take(WORD, f'what {name} is: a model, or another macro')
                node = self._item(base, 1)
                if not isinstance(node, _Node):
                    raise InputError(f'{base.place}: define {name}: {base.text} needs a (; add it')
                self._macros.setdefault(name, node)
                continue
            item = self._item(word, 1)
            if isinstance(item, Property):
                root.properties[item.name] = item
            else:
                root.children.append(self._expanded(item, (), 1))
        return root

    def _peek(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self, kind: str, expected: str) -> Token:
        token = self._peek()
        if token is None:
            raise InputError(f'{self._end}: the file ends here, expected {expected}')
        if token.kind != kind:
            raise bad_value(str(token.place), token.text, expected)
        self._next += 1
        return token

    def _item(self, word: Token, depth: int) -> Property | _Node:
        """Return the property or the entity that a word begins."""
        if depth > MOST_DEPTH:
            raise InputError(f'{word.place}: nested more than {MOST_DEPTH} levels deep')
        token = self._peek()
        expected = f'a value or ( after {shown(word.text)}'
        if word.text.endswith('['):
            raise bad_value(str(word.place), word.text, f"a space before '[', e.g. "
                            f'{word.text[:-1]} [ ... ]')
        if token is None:
            raise InputError(f'{self._end}: the file ends here, expected {expected}')
        if token.kind in (NUMBER, STRING):
            self._next += 1
            return Property(word.text, (token.text,), word.place)
        if token.text == '[' and token.kind == SIGN:
            self._next += 1
            return Property(word.text, self._tuple(word), word.place)
        if token.text != '(' or token.kind != SIGN:
            raise bad_value(str(token.place), token.text, expected)
        self._next += 1
        items: list[Property | _Node] = []
        while (token := self._peek()) is None or token.text != ')' or token.kind != SIGN:
            if token is None:
                raise InputError(f'{word.place}: {shown(word.text)} begins here and has no end; '
                                 'add )')
            items.append(self._item(self._take(WORD, f'a name, or ) after {word.text} ('),
                                    depth + 1))
        self._next += 1
        return _Node(word.text, word.place, items)

    def _tuple(self, word: Token) -> tuple[str, ...]:
        values = []
        while (token := self._peek()) is not None and token.kind in (NUMBER, STRING):
            values.append(token.text)
            self._next += 1
        if token is None or token.kind != SIGN or token.text != ']':
            place, found = (self._end, 'the end of the file') if token is None else (
                token.place, token.text)
            raise bad_value(f'{place}: {shown(word.text)}', found, 'values, or ]')
        self._next += 1
        if not values:
            raise InputError(f'{word.place}: {shown(word.text)}: got [ ], expected values')
        return tuple(values)

    def _expanded(self, node: _Node, macros: tuple[str, ...], level: int) -> Entity:
        """Return the entity of a node; ``macros`` are those that it stands in."""
        if level > MAX_LEVELS:
            raise InputError(f'{node.place}: more than {MAX_LEVELS} models and macros within each '
                             'other')
        # Each macro on the way to a model counts, too: chains of them cost as much as models.
        self._expansions += 1
        if self._expansions > MAX_EXPANSIONS:
            raise InputError(f'{node.place}: more than {MAX_EXPANSIONS} models, blocks, sensors '
                             'and macros that they are made from')
        base = self._macros.get(node.name)
        if base is None:
            entity = Entity(node.name, node.name, node.place)
        else:
            if node.name in macros:
                raise InputError(f'{node.place}: macro {shown(node.name)} contains itself')
            entity = self._expanded(base, (*macros, node.name), level + 1)
            entity.name, entity.place = node.name, node.place
        self._properties += len(node.items)
        if self._properties > limits().text_values:
            raise too_large(str(node.place), 'properties with the macros expanded',
                            self._properties, 'text_values')
        for item in node.items:
            if isinstance(item, Property):
                entity.properties[item.name] = item
            else:
                entity.children.append(self._expanded(item, macros, level + 1))
        return entity

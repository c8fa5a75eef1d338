# SPDX-License-Identifier: Apache-2.0
"""Parse the XML of an ARGoS experiment into elements with line numbers."""

from __future__ import annotations

import logging
import math
import xml.sax
from collections.abc import Sequence
from typing import NamedTuple

import defusedxml.sax
from defusedxml import DefusedXmlException

from sbot_common.errors import InputError

LOG = logging.getLogger(__name__)

MAX_DEPTH = 100


class Element(NamedTuple):
    """One element; text between the tags is ignored."""

    file: str
    line: int
    tag: str
    attributes: dict[str, str]
    children: list[Element]

    @property
    def where(self) -> str:
        """File, line and tag, for messages."""
        return f'{self.file}:{self.line}: <{self.tag}>'

    def all(self, *tags: str) -> list[Element]:
        """Return the children with one of the tags."""
        return [child for child in self.children if child.tag in tags]

    def only(self, tag: str) -> Element | None:
        """Return the child with a tag, None if there is none; InputError if there are more."""
        found = self.all(tag)
        if len(found) > 1:
            raise InputError(f'{found[1].where} is given twice, first on line {found[0].line}')
        return found[0] if found else None

    def needed(self, tag: str) -> Element:
        """Return the child with a tag; InputError if there is none, or more."""
        found = self.only(tag)
        if found is None:
            raise InputError(f'{self.where}: element <{tag}> is missing')
        return found

    def pose(self) -> list[float]:
        """Return x, y (m), yaw (rad) of the child <body>; InputError if it is missing."""
        body = self.needed('body')
        x, y, _ = body.numbers('position', 3)
        return [x, y, radians(body.numbers('orientation', 3, (0.0, 0.0, 0.0))[0])]

    def everywhere(self, tag: str) -> list[Element]:
        """Return all elements with a tag below this one, in the order of the file."""
        return [found for child in self.children
                for found in [*[child] * (child.tag == tag), *child.everywhere(tag)]]

    def text(self, name: str, default: str | None = None) -> str:
        """Return an attribute; InputError if it is missing and there is no default."""
        value = self.attributes.get(name, default)
        if value is None:
            raise InputError(f"{self.where}: attribute '{name}' is missing")
        return value

    def number(self, name: str, default: float | None = None, minimum: float = -math.inf) -> float:
        """Return an attribute as a finite number, at least ``minimum``."""
        if name not in self.attributes and default is not None:
            return default
        return self.numbers(name, 1, None, minimum)[0]

    def numbers(self, name: str, count: int, default: Sequence[float] | None = None,
                minimum: float = -math.inf) -> list[float]:
        """Return an attribute of numbers separated by commas."""
        if name not in self.attributes and default is not None:
            return list(default)
        text = self.text(name)
        try:
            values = [float(word) for word in text.split(',')]
        except ValueError:
            values = []
        if len(values) != count or not all(math.isfinite(v) and v >= minimum for v in values):
            limit = f' >= {minimum:g}' if minimum > -math.inf else ''
            words = 'a finite number' if count == 1 else f'{count} finite numbers with commas'
            raise InputError(f"{self.where}: {name}: got '{text[:60]}', expected {words}{limit}")
        return values

    def flag(self, name: str, default: bool) -> bool:
        """Return an attribute that is true or false."""
        text = self.attributes.get(name, 'true' if default else 'false')
        if text not in ('true', 'false'):
            raise InputError(f"{self.where}: {name}: got '{text[:60]}', expected true or false")
        return text == 'true'

    def warn(self, text: str) -> None:
        """Warn that this element is left out."""
        LOG.warning('%s %s', self.where, text)

    def warn_children(self, *known: str) -> None:
        """Warn of children with other tags, which are left out."""
        for child in self.children:
            if child.tag not in known:
                child.warn('is not supported and is skipped')

    def warn_unknown(self, *known: str) -> None:
        """Warn of attributes that are left out."""
        for name in self.attributes:
            if name not in known:
                self.warn(f"attribute '{name}' is not supported and is skipped")

    @classmethod
    def parse(cls, raw: bytes, file: str) -> Element:
        """Return the root of an XML text; ``file`` is its name in messages.

        Raises
        ------
        InputError
            if the XML is malformed, has entities or a document type, or is nested too deeply.

        """
        builder = _Builder(file)
        try:
            defusedxml.sax.parseString(raw, builder, forbid_dtd=True)
        except DefusedXmlException:
            raise InputError(f'{file}: XML with a document type or entities is refused') from None
        except xml.sax.SAXParseException as error:
            raise InputError(f'{file}:{error.getLineNumber()}: not well-formed XML: '
                             f'{error.getMessage()}') from None
        except (ValueError, LookupError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f'{file}: not readable as XML: {error}') from None
        assert builder.root is not None
        return builder.root


def radians(degrees: float) -> float:
    """Return an angle within a turn (rad); whole turns are taken off without rounding."""
    return math.radians(math.fmod(degrees, 360.0))


class _Builder(xml.sax.ContentHandler):
    """Puts elements together while they are read."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self._file = file
        self._locator: xml.sax.xmlreader.Locator | None = None
        self._open: list[Element] = []
        self.root: Element | None = None

    def setDocumentLocator(self, locator: xml.sax.xmlreader.Locator) -> None:
        self._locator = locator

    def startElement(self, name: str, attrs: xml.sax.xmlreader.AttributesImpl) -> None:
        """Begin an element."""
        line = (self._locator.getLineNumber() or 0) if self._locator else 0
        element = Element(self._file, line, name, dict(attrs.items()), [])
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)
        if len(self._open) > MAX_DEPTH:
            raise InputError(f'{element.where}: nested more than {MAX_DEPTH} levels deep')

    def endElement(self, name: str) -> None:
        """End the innermost element."""
        self._open.pop()

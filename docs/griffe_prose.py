"""Extension of Griffe: what our docstrings write after ``name :`` is a description, not a type.

Types are taken from the annotations of the signature.
"""

from __future__ import annotations

import griffe

WITH_NAMES = (griffe.DocstringSectionKind.parameters, griffe.DocstringSectionKind.attributes)


class Prose(griffe.Extension):
    """Moves the text after a parameter's name from its type to its description."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Change all docstrings of a package that has been loaded."""
        self._change(pkg)

    def _change(self, item: griffe.Object) -> None:
        if item.docstring is not None:
            for section in item.docstring.parsed:
                if section.kind in WITH_NAMES:
                    for element in section.value:
                        _move(element, item)
        for member in item.members.values():
            if not member.is_alias:
                self._change(member)


def _move(element: griffe.DocstringNamedElement, item: griffe.Object) -> None:
    """Put the text in place of the type, and the type of the signature in its own place."""
    text = f'{element.annotation or ""} {element.description}'.strip()
    owner = item.members.get('__init__', item) if item.is_class else item
    name = element.name.split(',')[0].strip()
    typed = next((group[name] for group in (getattr(owner, 'parameters', ()), item.members)
                  if name in group), None)
    element.annotation = getattr(typed, 'annotation', None)
    element.description = text

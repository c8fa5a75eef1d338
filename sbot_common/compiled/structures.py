"""Structures for compiled code: one object that holds arrays and numbers.

Handing a hundred arrays to a compiled function takes many microseconds, handing over a structure
that holds them takes one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numba import types
from numba.experimental import structref
from numba.extending import overload

if TYPE_CHECKING:
    class Structure:
        """An object of compiled code: its fields are read and set there."""

        def __init__(self, *fields: Any) -> None: ...  # noqa: ANN401
        def __getattr__(self, name: str) -> Any: ...  # noqa: ANN401
        def __setattr__(self, name: str, value: Any) -> None: ...  # noqa: ANN401
else:
    Structure = structref.StructRefProxy


def define_structure(proxy: Any, fields: Sequence[str]) -> None:  # noqa: ANN401 - a class
    """Let compiled code make and read a class's objects, by the names of the fields.

    ``proxy`` is a subclass of ``Structure``. Its ``__new__`` calls a compiled function that
    returns ``proxy(...)`` of all fields: numba boxes that.
    """
    kind = type(f'_{proxy.__name__}Type', (types.StructRef,), {'__module__': proxy.__module__})
    # Machine code on disk names the type by its module: there must be one only.
    setattr(sys.modules[proxy.__module__], kind.__name__, kind)
    structref.register(kind)
    structref.define_attributes(kind)
    structref.define_boxing(kind, proxy)
    # As structref.define_constructor, whose function is in no module: a cache would not know it.
    names, sets = ', '.join(fields), ''.join(f'; it.{name} = {name}' for name in fields)
    space = {'__name__': __name__, 'kind': kind, 'new': structref.new}
    exec(f'def typed({names}):\n'
         f'    made = kind([*zip({list(fields)}, [{names}])])\n'
         f'    def make({names}):\n'
         f'        it = new(made){sets}; return it\n'
         '    return make', space)
    overload(proxy)(space['typed'])

"""Structures for compiled code: one object that holds arrays and numbers, and calls with it.

Handing a hundred arrays to a compiled function takes many microseconds, handing over a structure
that holds them takes one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numba import types
from numba.core.cgutils import ir
from numba.experimental import structref
from numba.extending import intrinsic

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
    structref.define_proxy(proxy, structref.register(kind), list(fields))


@intrinsic  # type: ignore[untyped-decorator]
def call_at(_: Any, address: Any, first: Any, end: Any, a: Any, z: Any, batch: Any) -> Any:  # noqa: ANN401
    """Call machine code by its address, with four whole numbers and a structure."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
        word = ir.IntType(64)
        function = ir.FunctionType(ir.VoidType(),
                                   [word] * 4 + [context.get_value_type(signature.args[5])])
        builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])
        return context.get_dummy_value()
    return types.void(*[types.int64] * 5, batch), codegen

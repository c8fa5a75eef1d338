# SPDX-License-Identifier: Apache-2.0
"""Records: tuples of arrays in memory, of which compiled code reads only the fields that it names.

numba takes a tuple of arrays apart at every call, counts references to each of its arrays, and
copies it as a whole when one field is read: with two hundred arrays that is most of what a small
function compiles. A record is written once, from Python, and handed over as its address. What
compiled code also changes is in a structure.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.cgutils import ir
from numba.core.datamodel import register_default
from numba.core.datamodel.models import PrimitiveModel
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate
from numba.experimental import structref
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, overload

from sbot_common.compiled.fingerprint import describe_type
from sbot_common.compiled.jit import BY_ADDRESS

_NOT_OWNED = ('meminfo', 'parent')
_WORD = 8  # bytes
_ALIGNED = 16
_DTYPES: dict[Any, type] = {types.int64: np.int64, types.float64: np.float64,
                            types.boolean: np.bool_}


class _View(types.Type):  # type: ignore[misc]
    """Type of a record: the address of a named tuple, with that tuple's attributes."""

    def __init__(self, kind: types.BaseNamedTuple) -> None:
        self.kind = kind
        # The name of a tuple of arrays is a page long, and part of every symbol.
        # With the fields' names, which numba's text leaves out, and with what is seen as a view:
        # of its own parts, in whichever order their modules were imported.
        text = describe_type(kind)
        viewed = sorted(name for each in BY_ADDRESS
                        if (name := f'{each.__module__}.{each.__qualname__}') in text)
        digest = hashlib.sha256(f'{text} {viewed}'.encode()).hexdigest()[:16]
        super().__init__(f'View({kind.instance_class.__name__} {digest})')

    def field(self, name: str) -> tuple[int, Any]:
        """Return place and type of a field."""
        place = self.kind.fields.index(name)
        return place, self.kind.types[place]


@register_default(_View)
class _ViewModel(PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: _View) -> None:  # noqa: ANN401
        super().__init__(dmm, fe_type, ir.IntType(8).as_pointer())


def _seen(kind: Any) -> Any:  # noqa: ANN401
    """Return as what compiled code sees a field."""
    viewed = isinstance(kind, types.BaseNamedTuple) and kind.instance_class in BY_ADDRESS
    return _View(kind) if viewed else kind


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    key = _View

    def generic_resolve(self, value: _View, attr: str) -> Any:  # noqa: ANN401
        return _seen(value.field(attr)[1]) if attr in value.kind.fields else None


@lower_getattr_generic(_View)  # type: ignore[untyped-decorator]
def _attribute(context: Any, builder: Any, view: _View, value: Any, attr: str) -> Any:  # noqa: ANN401
    place, kind = view.field(attr)
    pointer = builder.bitcast(value, context.get_value_type(view.kind).as_pointer())
    return _load(context, builder, kind, _part(builder, pointer, place))


def _part(builder: Any, pointer: Any, place: int) -> Any:  # noqa: ANN401
    word = ir.IntType(32)
    return builder.gep(pointer, [word(0), word(place)], inbounds=True)


def _load(context: Any, builder: Any, kind: Any, pointer: Any) -> Any:  # noqa: ANN401
    """Return a field, number by number: what is not used, the compiler forgets at once."""
    if isinstance(_seen(kind), _View):
        return builder.bitcast(pointer, ir.IntType(8).as_pointer())
    if isinstance(kind, types.BaseTuple):
        return context.make_tuple(builder, kind, [
            _load(context, builder, part, _part(builder, pointer, place))
            for place, part in enumerate(kind.types)])
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder)
        for place, name in enumerate(array._datamodel._fields):
            part = _part(builder, pointer, place)
            if name in _NOT_OWNED:  # so that no references are counted
                setattr(array, name, ir.Constant(part.type.pointee, None))
            elif isinstance(part.type.pointee, ir.ArrayType):  # shape, strides
                setattr(array, name, _numbers(builder, part))
            else:
                setattr(array, name, _number(builder, part))
        return array._getvalue()
    return _number(builder, pointer)


def _numbers(builder: Any, pointer: Any) -> Any:  # noqa: ANN401
    out = ir.Constant(pointer.type.pointee, ir.Undefined)
    for i in range(pointer.type.pointee.count):
        out = builder.insert_value(out, _number(builder, _part(builder, pointer, i)), i)
    return out


def _number(builder: Any, pointer: Any) -> Any:  # noqa: ANN401
    loaded = builder.load(pointer)
    # A record never changes: without this, every store to an array might have changed it.
    loaded.set_metadata('invariant.load', builder.module.add_metadata([]))
    return loaded


@intrinsic  # type: ignore[untyped-decorator]
def call_at(_: Any, address: Any, first: Any, end: Any, a: Any, z: Any, record: Any) -> Any:  # noqa: ANN401
    """Call machine code by its address, with four whole numbers and the address of a record."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
        word, pointer = ir.IntType(64), ir.IntType(8).as_pointer()
        function = ir.FunctionType(ir.VoidType(), [word] * 4 + [pointer])
        builder.call(builder.inttoptr(args[0], function.as_pointer()),
                     [*args[1:5], builder.inttoptr(args[5], pointer)])
        return context.get_dummy_value()
    return types.void(*[types.int64] * 6), codegen


class Record:
    """A named tuple in memory; keeps the arrays alive, and must itself be kept as long.

    Parameters
    ----------
    fields : arrays, numbers, and tuples of these

    """

    def __init__(self, fields: Any) -> None:  # noqa: ANN401
        self.fields, kind = fields, numba.typeof(fields)
        self.kind, words, places = _layout(kind, len(BY_ADDRESS))
        self._memory = np.zeros(words + _ALIGNED // _WORD, np.int64)
        self.address = -(-self._memory.ctypes.data // _ALIGNED) * _ALIGNED
        whole = self._memory[(self.address - self._memory.ctypes.data) // _WORD:]
        seen: dict[Any, Any] = {dtype: whole.view(dtype) for dtype in _DTYPES.values()}
        for (dtype, place), value in zip(places, _leaves(fields), strict=True):
            if dtype is not None:
                seen[dtype][place] = value
                continue
            numbers = (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape,
                       *value.strides)  # as numba's ArrayModel has it
            whole[place:place + len(numbers)] = numbers


def _leaves(value: Any) -> list[Any]:  # noqa: ANN401
    """Return arrays and numbers in the order of the fields."""
    if not isinstance(value, tuple):
        return [value]
    return [leaf for each in value for leaf in _leaves(each)]


@lru_cache(maxsize=64)  # LLVM takes 20 ms for the fields of a batch, more than all else of a world
def _layout(kind: Any, _: int) -> tuple[_View, int, list[tuple[type | None, int]]]:  # noqa: ANN401
    """Return a record's type, its length in words, and the place of each array or number.

    The type depends on how many classes are seen as views. Places count numbers of the type that
    is given, or words where an array is described (None).
    """
    context: Any = cpu_target.target_context
    data = context.target_data

    def size(part: Any) -> int:  # noqa: ANN401
        return int(context.get_value_type(part).get_abi_size(data))

    def places(part: Any, offset: int) -> list[tuple[type | None, int]]:  # noqa: ANN401
        if not isinstance(part, types.BaseTuple):
            dtype = None if isinstance(part, types.Array) else _DTYPES[part]
            return [(dtype, offset // np.dtype(dtype or np.int64).itemsize)]
        whole = context.get_value_type(part)
        found = []
        for i, inner in enumerate(part.types):
            start = (i * size(inner) if isinstance(whole, ir.ArrayType)
                     else whole.get_element_offset(data, i))
            found += places(inner, offset + start)
        return found
    return _View(kind), -(-size(kind) // _WORD), places(kind, 0)


Structure = structref.StructRefProxy  # an object of compiled code: fields are read and set there


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

"""Intrinsics: operations of compiled code that numba does not offer by name.

The modules of ``sbot_common`` that hand them out import this one when something is compiled first.
"""

from __future__ import annotations

from typing import Any

from sbot_common.compiled import light_numba  # noqa: F401

# isort: split
from numba import types
from numba.core import cgutils
from numba.core.cgutils import ir
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

_BYTE, _FLAG = ir.IntType(8), ir.IntType(32)
_TO_READ, _KEEP, _DATA = 0, 3, 1


@intrinsic  # type: ignore[untyped-decorator]
def bits(_: Any, x: Any) -> Any:  # noqa: ANN401
    """Return the bit pattern of a double as int64; other numbers are converted first."""
    def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:  # noqa: ANN401
        return builder.bitcast(args[0], context.get_value_type(types.int64))
    return types.int64(types.float64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def double(_: Any, pattern: Any) -> Any:  # noqa: ANN401
    """Return the double of a bit pattern."""
    def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:  # noqa: ANN401
        return builder.bitcast(args[0], context.get_value_type(types.float64))
    return types.float64(types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def product_halves(_: Any, a: Any, b: Any) -> Any:  # noqa: ANN401
    """Return the 128-bit product of two unsigned 64-bit numbers: lower and upper 64 bits."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
        word, wide = ir.IntType(64), ir.IntType(128)
        # One product for both halves: processors have one instruction for it.
        product = builder.mul(*(builder.zext(arg, wide) for arg in args))
        high = builder.lshr(product, ir.Constant(wide, 64))
        return context.make_tuple(builder, signature.return_type, [
            builder.trunc(product, word), builder.trunc(high, word)])
    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), codegen


def _without_owner(context: Any, builder: Any, kind: types.Type, value: Any) -> Any:  # noqa: ANN401
    """Return a copy of a value in which arrays have no owner: numba then counts no references."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        return context.make_tuple(builder, kind, [
            _without_owner(context, builder, part_kind, part)
            for part_kind, part in zip(kind, parts, strict=True)])
    return value


@intrinsic  # type: ignore[untyped-decorator]
def borrowed(_: Any, value: Any) -> Any:  # noqa: ANN401
    """Return unowned views of an array, or of a tuple's arrays, without reference counting.

    numba counts the references to every array with atomic instructions, several at each call that
    takes a tuple of arrays. In a loop over robots that can be most of the time, and threads that
    count the same arrays wait for each other. An unowned view does not keep the memory alive.
    Take one of an argument, which the caller keeps alive until the function returns, or of a
    local array that is used again after the last use of the view.
    """
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
        return _without_owner(context, builder, signature.args[0], args[0])
    return value(value), codegen


def _on_stack(element: Any, length: Any) -> Any:  # noqa: ANN401
    """Return the signature and the code of ``stack_floats`` and its like."""
    kind = types.Array(element, 1, 'C')

    def codegen(context: Any, builder: Any, signature: Any, _: Any) -> Any:  # noqa: ANN401
        data, word = context.get_data_type(element), context.get_value_type(types.intp)
        count = signature.args[0].literal_value
        room = cgutils.alloca_once(builder, ir.ArrayType(data, count))
        array = context.make_array(kind)(context, builder)
        size = word(context.get_abi_sizeof(data))
        populate_array(array, builder.bitcast(room, data.as_pointer()), [word(count)], [size],
                       size, None)
        return array._getvalue()
    return kind(length), codegen


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_floats(_: Any, length: Any) -> Any:  # noqa: ANN401
    """Return an unowned scratch array of doubles, a constant number, for the function's time.

    It costs nothing, and the compiler knows that no other array shares its memory.
    """
    return _on_stack(types.float64, length)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_indexes(_: Any, length: Any) -> Any:  # noqa: ANN401
    """Return an unowned scratch array of uint32; see ``stack_floats``."""
    return _on_stack(types.uint32, length)


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(_: Any, array: Any, i: Any) -> Any:  # noqa: ANN401
    """Ask for row i of an array; no result depends on it, and no i is wrong."""
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        view = make_array(sig.args[0])(context, builder, args[0])
        stride = cgutils.unpack_tuple(builder, view.strides)[0]
        start = builder.bitcast(view.data, _BYTE.as_pointer())
        place = builder.gep(start, [builder.mul(args[1], stride)])
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(
            ir.VoidType(), [place.type, _FLAG, _FLAG, _FLAG]), 'llvm.prefetch.p0')
        builder.call(function, [place, _FLAG(_TO_READ), _FLAG(_KEEP), _FLAG(_DATA)])
        return context.get_dummy_value()
    return types.void(array, types.int64), codegen

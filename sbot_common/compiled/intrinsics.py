# SPDX-License-Identifier: Apache-2.0
"""Intrinsics: operations of compiled code that numba does not offer by name, and vectors for it.

numba vectorises only simple loops by itself. The modules of ``sbot_common`` that hand these out
import this one when something is compiled first.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import product
from typing import Any

from sbot_common.compiled import fingerprint  # noqa: F401 - before numba

# isort: split
from numba import types
from numba.core import cgutils
from numba.core.cgutils import ir
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model
from numba.np.arrayobj import make_array, populate_array

from sbot_common.compiled.jit import LANES, LONG, njit_inline

_BYTE, _FLAG = ir.IntType(8), ir.IntType(32)
_TO_READ, _KEEP, _DATA = 0, 3, 1
_INDEX = ir.IntType(32)
_FLOATS = ir.VectorType(ir.DoubleType(), LANES)
_WHOLE = ir.VectorType(ir.IntType(32), LANES)


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
        with builder.goto_entry_block():  # not ``alloca_once``, which fills it with zeros
            room = builder.alloca(ir.ArrayType(data, count))
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


class _VectorType(types.Type):  # type: ignore[misc]
    """Four or eight numbers, or truth values."""

    def __init__(self, lane: Any, lanes: int) -> None:  # noqa: ANN401
        self.lane, self.lanes = lane, lanes
        super().__init__(name=f'Vector({lane}, {lanes})')


VECTOR, MASK = _VectorType(types.float64, LANES), _VectorType(types.boolean, LANES)
_LONG, _LONG_MASK = _VectorType(types.float64, LONG), _VectorType(types.boolean, LONG)
_LONGER = {VECTOR: _LONG, MASK: _LONG_MASK}


@register_model(_VectorType)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: _VectorType) -> None:  # noqa: ANN401
        lane = ir.DoubleType() if kind.lane == types.float64 else ir.IntType(1)
        super().__init__(manager, kind, ir.VectorType(lane, kind.lanes))


def _filled(builder: Any, lanes: list[Any]) -> Any:  # noqa: ANN401
    vector = ir.Constant(ir.VectorType(lanes[0].type, len(lanes)), ir.Undefined)
    for i, lane in enumerate(lanes):
        vector = builder.insert_element(vector, lane, _INDEX(i))
    return vector


def _as_vector(builder: Any, value: Any, lanes: int = LANES) -> Any:  # noqa: ANN401
    """Return a vector as it is, and a number in all lanes."""
    return value if isinstance(value.type, ir.VectorType) else _filled(builder, [value] * lanes)


def _define(operation: Any, kind: _VectorType, result: _VectorType,  # noqa: ANN401
            operands: int, emit: Callable[..., Any]) -> None:
    """Define an operator or function of vectors of one kind, and of long ones.

    Some of them may be numbers.
    """
    if kind in _LONGER:
        _define(operation, _LONGER[kind], _LONGER[result], operands, emit)

    class Typing(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, _: Any) -> Any:  # noqa: ANN401
            if len(args) == operands and kind in args and all(
                    arg == kind or (kind.lane == types.float64 and isinstance(arg, types.Number))
                    for arg in args):
                return signature(result, *(
                    kind if arg == kind else types.float64 for arg in args))
            return None

    def lower(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:  # noqa: ANN401
        return emit(builder, *(_as_vector(builder, arg, kind.lanes) for arg in args))
    infer_global(operation)(Typing)
    for kinds in product((kind, types.float64), repeat=operands):
        if kind in kinds:
            lower_builtin(operation, *kinds)(lower)


_define(operator.add, VECTOR, VECTOR, 2, lambda builder, a, b: builder.fadd(a, b))
_define(operator.sub, VECTOR, VECTOR, 2, lambda builder, a, b: builder.fsub(a, b))
_define(operator.mul, VECTOR, VECTOR, 2, lambda builder, a, b: builder.fmul(a, b))
_define(operator.truediv, VECTOR, VECTOR, 2, lambda builder, a, b: builder.fdiv(a, b))
_define(operator.lt, VECTOR, MASK, 2, lambda builder, a, b: builder.fcmp_ordered('<', a, b))
_define(operator.le, VECTOR, MASK, 2, lambda builder, a, b: builder.fcmp_ordered('<=', a, b))
_define(operator.gt, VECTOR, MASK, 2, lambda builder, a, b: builder.fcmp_ordered('>', a, b))
_define(operator.ge, VECTOR, MASK, 2, lambda builder, a, b: builder.fcmp_ordered('>=', a, b))
_define(operator.and_, MASK, MASK, 2, lambda builder, a, b: builder.and_(a, b))
_define(operator.or_, MASK, MASK, 2, lambda builder, a, b: builder.or_(a, b))
_define(operator.neg, VECTOR, VECTOR, 1, lambda builder, a: builder.fneg(a))


def _call(builder: Any, name: str, value: Any) -> Any:  # noqa: ANN401
    """Return what LLVM's intrinsic makes of a number or a vector."""
    kind = value.type
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(kind, [kind]),
        name + (f'.v{kind.count}f64' if isinstance(kind, ir.VectorType) else '.f64'))
    return builder.call(function, [value])


_define(math.sqrt, VECTOR, VECTOR, 1, lambda builder, a: _call(builder, 'llvm.sqrt', a))


def _one_instruction(name: str) -> Any:  # noqa: ANN401
    """Return a function of a number or a vector, by the name of LLVM's intrinsic."""
    def typing(_: Any, value: Any) -> Any:  # noqa: ANN401
        def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:  # noqa: ANN401
            return _call(builder, name, args[0])
        kind = VECTOR if value == VECTOR else types.float64
        return kind(kind), codegen
    return intrinsic(typing)


absolute = _one_instruction('llvm.fabs')
ceiling = _one_instruction('llvm.ceil')
rounded_down = _one_instruction('llvm.floor')


@intrinsic  # type: ignore[untyped-decorator]
def select(_: Any, where: Any, a: Any, b: Any) -> Any:  # noqa: ANN401
    """Return a where a condition holds, b elsewhere: of numbers, or of each lane of vectors."""
    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:  # noqa: ANN401
        if result != types.float64:
            args = [args[0], *(_as_vector(builder, arg, where.lanes) for arg in args[1:])]
        return builder.select(*args)
    result = {MASK: VECTOR, _LONG_MASK: _LONG}.get(where, types.float64)
    operands = (kind if kind == result else types.float64 for kind in (a, b))
    return result(where, *operands), codegen


@njit_inline
def least(a: Any, b: Any) -> Any:  # noqa: ANN401
    """Return the lesser of two numbers, or lane by lane; b if either is NaN."""
    return select(a < b, a, b)


@njit_inline
def greatest(a: Any, b: Any) -> Any:  # noqa: ANN401
    """Return the greater of two numbers, or lane by lane; b if either is NaN."""
    return select(a > b, a, b)


@njit_inline
def splat(number: float, other: Any) -> Any:  # noqa: ANN401
    """Return a number as the other is: a number, or a vector."""
    return select(other < other, other, number)


@intrinsic  # type: ignore[untyped-decorator]
def vector(_: Any, a: Any, b: Any, c: Any, d: Any) -> Any:  # noqa: ANN401
    """Return the vector of four numbers."""
    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:  # noqa: ANN401
        return _filled(builder, list(args))
    return VECTOR(*(types.float64,) * LANES), codegen


@intrinsic  # type: ignore[untyped-decorator]
def mask_bits(_: Any, mask: Any) -> Any:  # noqa: ANN401
    """Return a mask as a whole number, lane 0 as its lowest bit."""
    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:  # noqa: ANN401
        return builder.zext(builder.bitcast(args[0], ir.IntType(mask.lanes)), ir.IntType(64))
    return types.int64(mask), codegen


def _place(context: Any, builder: Any, sig: Any, args: Any, kind: Any) -> Any:  # noqa: ANN401
    """Return the address of four elements of an array, the first argument, from the second on."""
    data = make_array(sig.args[0])(context, builder, args[0]).data
    return builder.bitcast(builder.gep(data, [args[1]]), kind.as_pointer())


def _load(result: _VectorType) -> Any:  # noqa: ANN401
    """Return the function that loads a kind of vector."""
    def typing(_: Any, array: Any, i: Any) -> Any:  # noqa: ANN401
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
            value = builder.load(_place(context, builder, sig, args,
                                        context.get_value_type(result)))
            value.align = 8
            return value
        return result(array, types.int64), codegen
    return intrinsic(typing)


load = _load(VECTOR)  # elements i … i+3 of a contiguous array of doubles
load_long = _load(_LONG)  # elements i … i+7


@intrinsic  # type: ignore[untyped-decorator]
def store(_: Any, array: Any, i: Any, value: Any) -> Any:  # noqa: ANN401
    """Write a vector to the elements from i on of a contiguous array of doubles."""
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        place = _place(context, builder, sig, args, args[2].type)
        builder.store(args[2], place).align = 8
        return context.get_dummy_value()
    return types.void(array, types.int64, value), codegen


@intrinsic  # type: ignore[untyped-decorator]
def store_whole(_: Any, array: Any, i: Any, value: Any) -> Any:  # noqa: ANN401
    """Write whole numbers, a vector's, to elements i … i+3 of a contiguous array of uint32."""
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        place = _place(context, builder, sig, args, _WHOLE)
        builder.store(builder.fptosi(args[2], _WHOLE), place).align = 4
        return context.get_dummy_value()
    return types.void(array, types.int64, VECTOR), codegen


@intrinsic  # type: ignore[untyped-decorator]
def load_until(_: Any, array: Any, i: Any, end: Any, missing: Any) -> Any:  # noqa: ANN401
    """Return elements i … i+3 of a contiguous array of doubles; ``missing`` from ``end`` on."""
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        place = _place(context, builder, sig, args, _FLOATS)
        left = _filled(builder, [builder.sub(args[2], args[1])] * LANES)
        within = builder.icmp_signed('>', left, ir.Constant(left.type, list(range(LANES))))
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(
            _FLOATS, [place.type, _INDEX, within.type, _FLOATS]), 'llvm.masked.load.v4f64.p0')
        return builder.call(function, [place, _INDEX(8), within, _as_vector(builder, args[3])])
    return VECTOR(array, types.int64, types.int64, types.float64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def columns_at(_: Any, table: Any, rows: Any, i: Any, last: Any) -> Any:  # noqa: ANN401
    """Return the vectors of the four columns of rows[i] … rows[i+3] of a contiguous table.

    ``rows`` is of whole numbers of 32 bits; its element ``last`` counts for all that follow.
    """
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        data, numbers = (make_array(kind)(context, builder, arg).data
                         for kind, arg in zip(sig.args, args[:2], strict=False))
        loaded = []
        for lane in range(LANES):
            at = builder.add(args[2], ir.Constant(args[2].type, lane))
            at = builder.select(builder.icmp_signed('<', at, args[3]), at, args[3])
            row = builder.zext(builder.load(builder.gep(numbers, [at])), at.type)
            place = builder.gep(data, [builder.mul(row, ir.Constant(row.type, LANES))])
            loaded.append(builder.load(builder.bitcast(place, _FLOATS.as_pointer())))
            loaded[-1].align = 8
        return context.make_tuple(builder, sig.return_type, [
            _filled(builder, [builder.extract_element(row, _INDEX(column)) for row in loaded])
            for column in range(LANES)])
    return types.UniTuple(VECTOR, LANES)(table, rows, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def store_pairs(_: Any, array: Any, i: Any, count: Any, a: Any, b: Any) -> Any:  # noqa: ANN401
    """Write a[0], b[0], a[1] … of the first ``count`` lanes from element i of a float32 array on.

    It is contiguous; lanes are all if ``count`` is greater.
    """
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        pairs = ir.VectorType(ir.FloatType(), 2 * LANES)
        lanes = ir.Constant(ir.VectorType(_INDEX, 2 * LANES), [
            lane + LANES * part for lane in range(LANES) for part in range(2)])
        values = builder.shuffle_vector(*(
            builder.fptrunc(arg, ir.VectorType(ir.FloatType(), LANES)) for arg in args[3:]), lanes)
        left = _filled(builder, [args[2]] * (2 * LANES))
        within = builder.icmp_signed('>', left, ir.Constant(left.type, [
            i // 2 for i in range(2 * LANES)]))
        place = _place(context, builder, sig, args, pairs)
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(
            ir.VoidType(), [pairs, place.type, _INDEX, within.type]), 'llvm.masked.store.v8f32.p0')
        builder.call(function, [values, place, _INDEX(4), within])
        return context.get_dummy_value()
    return types.void(array, types.int64, types.int64, VECTOR, VECTOR), codegen


# For each set of lanes, its members in order.
_MEMBERS = ir.Constant(ir.ArrayType(_WHOLE, 1 << LANES), [
    ir.Constant(_WHOLE, ([i for i in range(LANES) if members >> i & 1] + [0] * LANES)[:LANES])
    for members in range(1 << LANES)])


@intrinsic  # type: ignore[untyped-decorator]
def append(_: Any, array: Any, count: Any, first: Any, members: Any) -> Any:  # noqa: ANN401
    """Write ``first`` + i for each bit i of ``members`` from element ``count`` on, without branch.

    ``array`` is of uint32 and has room for four more. Returns the new count.
    """
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        table = cgutils.global_constant(builder.module, 'lanes', _MEMBERS)
        row = builder.load(builder.gep(table, [_INDEX(0), args[3]]))
        numbers = builder.add(row, _filled(builder, [builder.trunc(args[2], _INDEX)] * LANES))
        builder.store(numbers, _place(context, builder, sig, args, _WHOLE)).align = 4
        return builder.add(args[1], builder.ctpop(args[3]))
    return types.int64(array, types.int64, types.int64, types.int64), codegen


# Atomic operations on elements of contiguous arrays of int64, in one order for all threads.


def _atomic(operation: str) -> Any:  # noqa: ANN401
    """Return a function of an array, an index and a value that returns what the element was."""
    def typing(_: Any, array: Any, i: Any, value: Any) -> Any:  # noqa: ANN401
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
            place = _place(context, builder, sig, args, ir.IntType(64))
            return builder.atomic_rmw(operation, place, args[2], 'seq_cst')
        return types.int64(array, types.int64, types.int64), codegen
    return intrinsic(typing)


atomic_add = _atomic('add')
atomic_raise = _atomic('max')  # an element that is less becomes the value


@intrinsic  # type: ignore[untyped-decorator]
def atomic_load(_: Any, array: Any, i: Any) -> Any:  # noqa: ANN401
    """Return element i."""
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        return builder.load_atomic(_place(context, builder, sig, args, ir.IntType(64)),
                                   'seq_cst', 8)
    return types.int64(array, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def atomic_store(_: Any, array: Any, i: Any, value: Any) -> Any:  # noqa: ANN401
    """Write element i."""
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:  # noqa: ANN401
        builder.store_atomic(args[2], _place(context, builder, sig, args, ir.IntType(64)),
                             'seq_cst', 8)
        return context.get_dummy_value()
    return types.void(array, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def call_plain(_: Any, address: Any) -> Any:  # noqa: ANN401
    """Call a function of C without arguments by its address; what it returns is dropped."""
    def codegen(context: Any, builder: Any, _sig: Any, args: Any) -> Any:  # noqa: ANN401
        function = ir.FunctionType(ir.VoidType(), [])
        builder.call(builder.inttoptr(args[0], function.as_pointer()), [])
        return context.get_dummy_value()
    return types.void(types.int64), codegen

"""Compilation of numeric functions by numba, with strict IEEE arithmetic.

Every numeric module takes its decorator from here, so that one place decides:

* no fastmath, so sums keep the order in which they are written;
* ``error_model='numpy'``: 1/0 is inf and never an exception, as in C++;
* no vector mathematics library, and no libm: ``sbot_common.elementary`` has the functions;
* a cache on disk, kept by ``sbot_common.compiled.cache``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba import types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.cgutils import ir
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from sbot_common.compiled.cache import CodeCache
from sbot_common.compiled.pipeline import InnerCompiler, OuterCompiler

F = TypeVar('F', bound=Callable[..., Any])

numba.config.DISABLE_INTEL_SVML = True

_OPTIONS = {'nogil': True, 'error_model': 'numpy', 'no_cfunc_wrapper': True}


def njit(function: F) -> F:
    """Compile a function that Python calls; machine code is cached on disk."""
    compiled: Any = numba.njit(**_OPTIONS, pipeline_class=OuterCompiler)(function)
    if not numba.config.DISABLE_JIT:
        compiled._cache = CodeCache(function, compiled.targetoptions)
    return compiled  # type: ignore[no-any-return]


def _inner(function: F, **options: bool) -> F:
    compiled: Any = numba.njit(**_OPTIONS, no_cpython_wrapper=True, pipeline_class=InnerCompiler,
                               **options)(function)
    return compiled  # type: ignore[no-any-return]


def njit_inner(function: F) -> F:
    """Compile a function that only compiled code calls, as a part of its callers.

    It has no machine code of its own (``sbot_common.compiled.pipeline``) and no wrapper: wrappers
    take as long to compile as the functions themselves.
    """
    return _inner(function)


def njit_inline(function: F) -> F:
    """Compile a function into its callers, which must be compiled code: no call, no wrapper.

    For functions of tuples of arrays: a call copies all fields, which can cost more than its work.
    """
    return _inner(function, forceinline=True)


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


def compiled_callback(signature: Any, function: Callable[..., None]) -> Any:  # noqa: ANN401
    """Compile a function that compiled code calls by its address; machine code is cached."""
    options = {'nopython': True, 'error_model': 'numpy'}
    callback: Any = CFunc(function, normalize_signature(signature), {}, options,
                          pipeline_class=OuterCompiler)
    callback._cache = CodeCache(function, {**options, 'callback': True})
    callback.compile()
    return callback


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

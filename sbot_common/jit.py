"""Compilation of numeric functions by numba, with strict IEEE arithmetic.

Every numeric module takes its decorator from here, so that one place decides:

* no fastmath, so sums keep the order in which they are written;
* ``error_model='numpy'``: 1/0 is inf and never an exception, as in C++;
* no vector mathematics library, and no libm: ``sbot_common.elementary`` has the functions;
* a cache on disk, kept by ``sbot_common.code_cache``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from sbot_common.code_cache import use_directory

F = TypeVar('F', bound=Callable[..., Any])

use_directory()
numba.config.DISABLE_INTEL_SVML = True

_OPTIONS = {'cache': True, 'nogil': True, 'error_model': 'numpy', 'no_cfunc_wrapper': True}


def njit(function: F) -> F:
    """Compile a function that Python calls; machine code is cached on disk."""
    compiled: F = numba.njit(**_OPTIONS)(function)
    return compiled


def njit_inner(function: F) -> F:
    """Compile a function that only compiled code calls, without a CPython wrapper.

    Wrappers take as long to compile as the functions themselves.
    """
    compiled: F = numba.njit(**_OPTIONS, no_cpython_wrapper=True)(function)
    return compiled


def njit_inline(function: F) -> F:
    """Compile a function into its callers, which must be compiled code: no call, no wrapper.

    For functions of tuples of arrays: a call copies all fields, which can cost more than its work.
    """
    compiled: F = numba.njit(**_OPTIONS, no_cpython_wrapper=True, forceinline=True)(function)
    return compiled


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

# SPDX-License-Identifier: Apache-2.0
"""Compilation of numeric functions by numba, with strict IEEE arithmetic; vectors of four.

Every numeric module takes its decorator from here, so that one place decides:

* no fastmath, so sums keep the order in which they are written;
* ``error_model='numpy'``: 1/0 is inf and never an exception, as in C++;
* no vector mathematics library, and no libm: ``sbot_common.elementary`` has the functions;
* a cache on disk, kept by ``sbot_common.compiled.cache``.

numba is imported, and all functions are made, when the first of them is needed: that takes a
quarter of a second, which a command that computes nothing does not pay. Then they take the
places of their stand-ins (``Lazy``) in the globals of all modules, so that compiled code finds
them there, and calls from Python cost what they did.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from sbot_common.compiled.lazy import Lazy, decorated

F = TypeVar('F', bound=Callable[..., Any])
C = TypeVar('C', bound=type)

LANES = 4  # numbers in a vector
LONG = 8  # in a long one, for which a processor may need two of its own
BY_ADDRESS: list[type] = []  # classes of ``by_address``


def _decorator(kind: str, function: F, **options: Any) -> F:  # noqa: ANN401
    def make() -> Any:  # noqa: ANN401
        from sbot_common.compiled import compiler
        return getattr(compiler, kind)(function)
    return decorated(function, make, **options)  # type: ignore[no-any-return]


def _outer(function: Callable[..., Any], **options: bool) -> Any:  # noqa: ANN401
    from sbot_common.compiled.cache import CodeCache
    from sbot_common.compiled.compiler import outer
    return outer(function, CodeCache, **options)


def njit(function: F) -> F:
    """Compile a function that Python calls; machine code is cached on disk."""
    return decorated(function, partial(_outer, function))  # type: ignore[no-any-return]


def njit_or_python(function: F) -> F:
    """Compile a function as ``njit`` does; before numba is imported, few numbers take Python.

    The bits are those of compiled code: doubles are IEEE's in both. The function and those of
    ``njit`` and ``njit_inline`` that it calls must divide by no zero, and use whole numbers above
    2^63 by their lowest 64 bits only. A call of one of ``njit_inner`` compiles after all.
    """
    return decorated(  # type: ignore[no-any-return]
        function, partial(_outer, function), by_python=True)


def njit_inner(function: F) -> F:
    """Compile a function that only compiled code calls, as a part of its callers.

    It has no machine code of its own (``sbot_common.compiled.compiler``) and no wrapper: wrappers
    take as long to compile as the functions themselves. Called from Python it is a TypeError.
    """
    return _decorator('inner', function, in_python=False)


def njit_inline(function: F) -> F:
    """Compile a function into its callers, which must be compiled code: no call, no wrapper.

    For functions of tuples of arrays: a call copies all fields, which can cost more than its work.
    """
    return _decorator('inline', function)


def intrinsic(name: str, python: Callable[..., Any] | None = None,
              module: str = 'sbot_common.compiled.intrinsics') -> Any:  # noqa: ANN401
    """Return an intrinsic by its name, for compiled code.

    Parameters
    ----------
    name : in the module
    python : what a function of ``njit_or_python`` calls instead, in Python
    module : imported when the first function is needed

    """
    def make() -> Any:  # noqa: ANN401
        return getattr(import_module(module), name)
    return decorated(python, make, name=name)


def compiled_callback(signature: Any, function: Callable[..., None]) -> Any:  # noqa: ANN401
    """Compile a function that compiled code calls by its ``address``; its code is cached."""
    Lazy.make_all()
    compiled = _outer(function, no_cpython_wrapper=True, no_cfunc_wrapper=False)
    compiled.compile(signature)
    result, = compiled.overloads.values()
    compiled.address = result.library.get_pointer_to_function(
        result.fndesc.llvm_cfunc_wrapper_name)
    return compiled


def by_address(kind: C) -> C:
    """Mark a class of named tuples: within a record, compiled code sees a view of it."""
    BY_ADDRESS.append(kind)
    return kind


product_halves = intrinsic('product_halves')
borrowed = intrinsic('borrowed')
stack_floats = intrinsic('stack_floats')
stack_indexes = intrinsic('stack_indexes')

# Prefetching. Robots are looked at in order of place, and their rows are anywhere in memory. A
# load that waits for such a row waits alone, because nobody can foresee the branches after it;
# rows that many robots are going to need, asked for together, arrive together.
TOGETHER = 32  # robots whose memory is asked for before the first of them is looked at
# prefetch(array, i): ask for row i of an array; no result depends on it, and no i is wrong.
prefetch = intrinsic('prefetch')


# Vectors of four numbers in compiled code: one machine instruction for four beams or objects.
#
# A vector takes the same operators as a number, and a number beside one counts for all four. So a
# formula that uses nothing but operators, ``math.sqrt`` and the functions below is written once,
# for numbers and for vectors; each lane of a result has the bits that the number would have, on
# every machine. ``sbot_common.compiled.intrinsics`` defines them for numba.

absolute = intrinsic('absolute')
ceiling = intrinsic('ceiling')
rounded_down = intrinsic('rounded_down')
select = intrinsic('select')
least = intrinsic('least')
greatest = intrinsic('greatest')
splat = intrinsic('splat')
vector = intrinsic('vector')
bits = intrinsic('mask_bits')
load = intrinsic('load')
store = intrinsic('store')
load_long = intrinsic('load_long')
store_whole = intrinsic('store_whole')
columns_at = intrinsic('columns_at')
store_pairs = intrinsic('store_pairs')
load_until = intrinsic('load_until')
append = intrinsic('append')


@njit_inline
def one_bit(lane: int) -> int:
    """Return the mask of a lane, 0 if it is not one of a vector's."""
    return 1 << (lane & (LANES - 1)) if 0 <= lane < LANES else 0

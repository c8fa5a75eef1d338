"""Compilation of numeric functions by numba, with strict IEEE arithmetic.

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

import contextlib
import functools
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

from sbot_common.signals import raise_swallowed

F = TypeVar('F', bound=Callable[..., Any])
C = TypeVar('C', bound=type)

LANES = 4  # numbers in a vector
BY_ADDRESS: list[type] = []  # classes of ``by_address``
LISTENERS: list[Callable[[str], None]] = []  # called with the name of what is compiled
_MOST = 2000  # numbers that are computed in Python; then importing numba is quicker
_NO_LAZY = ('numba', 'numpy', 'llvmlite', 'pydantic', 'scipy')  # packages without any of these
_lock = threading.RLock()
_made = False
_pending: list[Lazy] = []
_spent = 0  # numbers that have been computed in Python


class _Thread(threading.local):
    depth = 0  # of Python functions that stand for compiled ones, in this thread


_thread = _Thread()


@contextlib.contextmanager
def on_compilation(call: Callable[[str], None]) -> Iterator[None]:
    """Call ``call(name)`` before each function that is compiled while the block runs.

    Nothing is called for machine code that comes from the cache.
    """
    LISTENERS.append(call)
    try:
        yield
    finally:
        LISTENERS.remove(call)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Keep what a block imports out of garbage collection, from the first object to the end.

    The collector looks at all objects again and again while modules make them, and once more when
    the interpreter takes itself apart: a third of the time that loading a scenario takes.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
        gc.freeze()


class _NeedsCompilerError(Exception):
    """A function in Python needs one that only compiled code has."""


class Lazy:
    """A function that is compiled when it is first called, or asked for an attribute."""

    def __init__(self, function: Callable[..., Any] | None, make: Callable[[], Any],
                 name: str, by_python: bool, in_python: bool) -> None:
        self._make, self._by_python = make, by_python
        self._python = function if in_python else None
        self._real: Any = None
        self.__name__ = self.__qualname__ = name
        if function is not None:
            functools.update_wrapper(self, function)
        _pending.append(self)

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401
        """Call the compiled function, or Python's while numba is not needed."""
        if not _made and (self._by_python or _thread.depth):
            with _lock, self._or_compiled():  # nobody compiles meanwhile
                if not _made and _within_limit(arguments):
                    return self._in_python(arguments)
        return self.real(*arguments)

    def _or_compiled(self) -> contextlib.AbstractContextManager[None]:
        """Return what ends a function in Python that needs a compiler, and nothing within it."""
        return (contextlib.suppress(_NeedsCompilerError) if self._by_python
                else contextlib.nullcontext())

    def _in_python(self, arguments: tuple[Any, ...]) -> Any:  # noqa: ANN401
        if self._python is None:
            raise _NeedsCompilerError  # the number's function is called again, compiled
        _thread.depth += 1
        try:
            return self._python(*arguments)
        finally:
            _thread.depth -= 1

    @property
    def real(self) -> Any:  # noqa: ANN401
        """The compiled function."""
        if self._real is None:
            self.make_all()
        return self._real

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """Return an attribute of the compiled function, e.g. numba's type of it."""
        if name.startswith('__'):  # pickle, copy and inspect ask for what functions have not
            raise AttributeError(name)
        return getattr(self.real, name)

    def __reduce__(self) -> str:
        """Return the name in its module."""
        return self.__qualname__

    @staticmethod
    def make_all() -> None:
        """Make all compiled functions, and put them in the places of these."""
        global _made
        with _lock:
            if _made and not _pending:
                return
            _made = True
            while _pending:
                _pending[-1]._real = _pending[-1]._make()
                _pending.pop()  # not where making it fails: the next call says why, too
            for module in list(sys.modules.values()):
                _replace(module)
        raise_swallowed()  # numba's import swallows some signals


def _decorated(function: Callable[..., Any] | None, make: Callable[[], Any], *,
              name: str = '', by_python: bool = False,
              in_python: bool = True) -> Any:  # noqa: ANN401
    """Return the result of ``make()``, or a stand-in that makes it at the first call.

    Parameters
    ----------
    function : in Python, if there is one
    make : returns the compiled function, or what compiles it
    name : without a function
    by_python : whether it may stand for the compiled function, for few numbers
    in_python : whether it may do so where another that may calls it

    """
    return make() if _made else Lazy(function, make, name, by_python, in_python)


def _within_limit(arguments: tuple[Any, ...]) -> bool:
    """Tell whether Python may compute, and count the numbers."""
    global _spent
    if _thread.depth == 0:
        _spent += 1 + sum(getattr(argument, 'size', 0) for argument in arguments)
    return _thread.depth > 0 or _spent <= _MOST


def _replace(module: ModuleType) -> None:
    names = getattr(module, '__dict__', {})
    if str(names.get('__name__', '')).partition('.')[0] in _NO_LAZY:
        return
    for name, value in list(names.items()):
        if type(value) is Lazy and value._real is not None:
            names[name] = value._real


def _decorator(kind: str, function: F, **options: Any) -> F:  # noqa: ANN401
    def make() -> Any:  # noqa: ANN401
        from sbot_common.compiled import compiler
        return getattr(compiler, kind)(function)
    return _decorated(function, make, **options)  # type: ignore[no-any-return]


def njit(function: F) -> F:
    """Compile a function that Python calls; machine code is cached on disk."""
    return _decorator('outer', function)


def njit_or_python(function: F) -> F:
    """Compile a function as ``njit`` does; before numba is imported, few numbers take Python.

    The bits are those of compiled code: doubles are IEEE's in both. The function and those of
    ``njit`` and ``njit_inline`` that it calls must divide by no zero, and use whole numbers above
    2^63 by their lowest 64 bits only. A call of one of ``njit_inner`` compiles after all.
    """
    return _decorator('outer', function, by_python=True)


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


def intrinsic(name: str, python: Callable[..., Any] | None = None) -> Any:  # noqa: ANN401
    """Return an intrinsic by its name in ``sbot_common.compiled.intrinsics``, for compiled code.

    Parameters
    ----------
    name : in the module, which is imported when the first function is needed
    python : what a function of ``njit_or_python`` calls instead, in Python

    """
    def make() -> Any:  # noqa: ANN401
        return getattr(import_module('sbot_common.compiled.intrinsics'), name)
    return _decorated(python, make, name=name)


def compiled_callback(signature: Any, function: Callable[..., None]) -> Any:  # noqa: ANN401
    """Compile a function that compiled code calls by its address; machine code is cached."""
    from sbot_common.compiled import compiler
    Lazy.make_all()
    return compiler.callback(signature, function)


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

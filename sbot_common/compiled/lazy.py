# SPDX-License-Identifier: Apache-2.0
"""Lazy compiled functions: numba is imported when the first of them is called.

Then they take the places of these in the globals of all modules, so that compiled code finds them
there, and calls from Python cost what they did.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

LISTENERS: list[Callable[[str], None]] = []  # called with the name of what is compiled
_MOST = 2000  # numbers that are computed in Python; then importing numba is quicker
_NO_LAZY = ('numba', 'numpy', 'llvmlite', 'scipy')  # packages without any of these
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


def decorated(function: Callable[..., Any] | None, make: Callable[[], Any], *,
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

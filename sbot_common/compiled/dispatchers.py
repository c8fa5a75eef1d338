"""Functions for numba to compile, with strict options: what the decorators of ``jit`` make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sbot_common.compiled import light_numba  # noqa: F401

# isort: split
import numba
from numba.core.registry import CPUDispatcher
from numba.core.types import IntegerLiteral
from numba.core.types.misc import unliteral

from sbot_common.compiled.cache import CodeCache
from sbot_common.compiled.pipeline import InnerCompiler, OuterCompiler

numba.config.DISABLE_INTEL_SVML = True

_OPTIONS = {'nogil': True, 'error_model': 'numpy', 'no_cfunc_wrapper': True}
_Function = Callable[..., Any]


def _any_number(kind: Any) -> Any:  # noqa: ANN401 - of numba
    """Return the type of an argument, for a number that is written out that of all such."""
    return unliteral(kind) if isinstance(kind, IntegerLiteral) else kind


class _InnerDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A function without an entry for Python, which would end the process with a signal.

    A whole number that a caller writes out is an argument like any other here. numba would
    compile the function anew for each such number: for 0, for 1, and for a variable.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:  # noqa: ANN401 - of numba
        """Return the signature for a call in compiled code."""
        return super().get_call_template(
            tuple(map(_any_number, args)),
            {name: _any_number(kind) for name, kind in kws.items()})

    def __call__(self, *_: Any) -> Any:  # noqa: ANN401
        raise TypeError(f'{self.py_func.__name__} is a part of compiled functions; '
                        'call it in one of them, or its .py_func')


class _OuterDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A function that Python calls; compiled code takes it in as an inner function.

    Its own machine code is made when Python calls it: most functions have callers of one kind.
    """

    _part: Any = None

    def _as_part(self) -> Any:  # noqa: ANN401
        if self._part is None:
            self._part = inner(self.py_func)
        return self._part

    def get_call_template(self, args: Any, kws: Any) -> Any:  # noqa: ANN401 - of numba
        """Return the signature for a call in compiled code."""
        return self._as_part().get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:  # noqa: ANN401 - of numba
        """Return the code that compiled code calls."""
        return self._as_part().get_overload(sig)


def outer(function: _Function, **options: bool) -> Any:  # noqa: ANN401
    """Return a decorator that compiles a function for calls from Python."""
    compiled: Any = numba.njit(**{**_OPTIONS, **options}, pipeline_class=OuterCompiler)(function)
    compiled.__class__ = _OuterDispatcher
    compiled._cache = CodeCache(function, compiled.targetoptions)
    return compiled


def inner(function: _Function, **options: bool) -> Any:  # noqa: ANN401
    """Return a decorator that compiles a function as a part of its callers."""
    compiled: Any = numba.njit(**_OPTIONS, no_cpython_wrapper=True, pipeline_class=InnerCompiler,
                               **options)(function)
    compiled.__class__ = _InnerDispatcher
    return compiled


def inline(function: _Function) -> Any:  # noqa: ANN401
    """Return a decorator that compiles a function into its callers, without a call."""
    return inner(function, forceinline=True)


def callback(signature: Any, function: _Function) -> Any:  # noqa: ANN401
    """Compile a function that compiled code calls; return what has its ``address``."""
    compiled = outer(function, no_cpython_wrapper=True, no_cfunc_wrapper=False)
    compiled.compile(signature)
    result, = compiled.overloads.values()
    compiled.address = result.library.get_pointer_to_function(
        result.fndesc.llvm_cfunc_wrapper_name)
    return compiled

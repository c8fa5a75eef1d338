# SPDX-License-Identifier: Apache-2.0
"""Compilers for numba: functions that only compiled code calls become part of their callers.

numba optimises every function and emits its machine code, then links it into its caller, and
optimises and emits it there again, level by level. An inner function needs neither: here it is
lowered to LLVM's intermediate code once, and linked once into each function that Python calls. It
is in no file of the cache either. The same holds for numba's own functions, e.g. of ``np.empty``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sbot_common.compiled.fingerprint import ENVIRONMENT

# isort: split
import numba
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.target_extension import jit_registry, target_registry
from numba.core.types import IntegerLiteral
from numba.core.types.misc import unliteral

numba.config.DISABLE_INTEL_SVML = True

_OPTIONS = {'nogil': True, 'error_model': 'numpy', 'no_cfunc_wrapper': True}
_Function = Callable[..., Any]


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Code whose functions are optimised with the whole module only, not one by one before."""

    def _optimize_functions(self, ll_module: Any) -> None:  # noqa: ANN401 - of llvmlite
        ll_module.data_layout = self._codegen._data_layout


class _InnerLibrary(_Library):
    """Intermediate code that is linked into its callers, without machine code of its own."""

    _whole: Any = None

    @property
    def codegen(self) -> Any:  # noqa: ANN401 - of numba
        """The code generator, for callers that set options of machine code."""
        return _WithoutEngine(self._codegen)

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, numba's word for a function that Python cannot call."""
        self._ensure_finalized()
        return 0

    def finalize(self) -> None:
        """Make the functions parts of any module; what they call is linked by the callers."""
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == 'external':
                function.linkage = 'linkonce_odr'
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:  # noqa: ANN401 - of llvmlite
        """Return the module with all that the function calls, for a caller of numba's kind."""
        self._ensure_finalized()
        if self._whole is None:
            self._whole = self._final_module.clone()
            for library in _called_by(self):
                self._whole.link_in(_module_of(library), preserve=True)
        return self._whole


class OuterLibrary(_Library):
    """Machine code of a function with all inner functions that it calls."""

    def finalize(self) -> None:
        """Link what the function calls, each once, then optimise and emit."""
        parts = _called_by(self)
        for library in parts:
            if hasattr(library, '_reload_init'):  # not before numba 0.63: calls at loading
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(_module_of(library), preserve=True)
        self._linking_libraries.clear()
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise once: numba's cheaper passes before these, a third of the time, gain nothing.

        They bring counts of references together, and most functions here count none. numba
        0.61, with LLVM's former passes, optimises in its own way.
        """
        made = self._codegen._module_pass_manager()
        if isinstance(made, tuple):
            passes, builder = made
            passes.run(self._final_module, builder)
        else:
            super()._optimize_final_module()

    def _finalize_specific(self) -> None:
        """Set the environments of the inner functions, as those of loaded code are set."""
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)


def _called_by(library: Any) -> list[Any]:  # noqa: ANN401 - of numba
    """Return the libraries that a library calls, directly or not, callers before what they call.

    LLVM links a part only where something already linked calls it.
    """
    seen, order = {id(library)}, list[Any]()

    def visit(caller: Any) -> None:  # noqa: ANN401
        for called in caller._linking_libraries:
            if id(called) not in seen:
                seen.add(id(called))
                if isinstance(called, _InnerLibrary):
                    visit(called)
                order.append(called)
    visit(library)
    return order[::-1]


def _module_of(library: Any) -> Any:  # noqa: ANN401 - of numba
    """Return what is to be linked: of an inner function that alone, not what it calls."""
    return library._final_module if isinstance(library, _InnerLibrary) else (
        library._get_module_for_linking())


class _WithoutEngine:
    """A code generator without machine code, in which no environment can be set."""

    def __init__(self, codegen: Any) -> None:  # noqa: ANN401 - of numba
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:  # noqa: ANN401
        """Do nothing: the callers' machine code gets it."""


class _InnerCompiler(Compiler):  # type: ignore[misc]
    """Compiler of a function that only compiled code calls."""

    def define_pipelines(self) -> Any:  # noqa: ANN401
        """Return numba's passes, which fill a library of ours."""
        state = self.state
        if not isinstance(state.library, _InnerLibrary):
            state.library = _InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


class _OuterCompiler(Compiler):  # type: ignore[misc]
    """Compiler of a function that Python calls, or that is called by its address."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:  # noqa: ANN401 - of numba
        """Compile a function; numba's own functions that it calls are inner ones, too."""
        with _inner_functions_of_numba():
            return super().compile_extra(func)

    def define_pipelines(self) -> Any:  # noqa: ANN401
        """Return numba's passes, which fill a library of ours."""
        state = self.state
        state.library = OuterLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


@contextmanager
def _inner_functions_of_numba() -> Iterator[None]:
    """Compile as inner functions what numba has in Python, while the block runs.

    A user's own functions keep machine code: Python may call them, and numba writes it to files.
    numba's lock, which the caller holds, keeps other threads from compiling meanwhile.
    """
    cpu = target_registry['cpu']
    compile_internal, jit = compiler.compile_internal, jit_registry.pop(cpu)
    compiler.compile_internal, jit_registry[cpu] = _compile_inner(compile_internal), _jit_inner
    try:
        yield
    finally:
        compiler.compile_internal = compile_internal
        jit_registry.pop(cpu)
        jit_registry[cpu] = jit


def _compile_inner(compile_internal: Callable[..., Any]) -> Callable[..., Any]:
    """Return numba's function for what its own lowering calls, with a library of ours."""
    def compile_it(typing: Any, target: Any, library: Any,  # noqa: ANN401 - of numba
                   *options: Any, **named: Any) -> Any:  # noqa: ANN401
        return compile_internal(typing, target, _InnerLibrary(target.codegen(), library.name),
                                *options, **named)
    return compile_it


def _jit_inner(**options: Any) -> Any:  # noqa: ANN401 - of numba
    """Return a decorator for a function of numba's that only compiled code calls."""
    return numba.jit(**{'pipeline_class': _InnerCompiler, 'no_cfunc_wrapper': True, **options})


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


def outer(function: _Function, cache: Callable[..., Any],
          **options: bool) -> Any:  # noqa: ANN401
    """Compile a function for calls from Python; ``cache`` is the class of what keeps its code."""
    compiled: Any = numba.njit(**{**_OPTIONS, **options}, pipeline_class=_OuterCompiler)(function)
    compiled.__class__ = _OuterDispatcher
    compiled._cache = cache(function, compiled.targetoptions)
    return compiled


def inner(function: _Function, **options: bool) -> Any:  # noqa: ANN401
    """Compile a function as a part of its callers."""
    compiled: Any = numba.njit(**_OPTIONS, no_cpython_wrapper=True, pipeline_class=_InnerCompiler,
                               **options)(function)
    compiled.__class__ = _InnerDispatcher
    return compiled


def inline(function: _Function) -> Any:  # noqa: ANN401
    """Compile a function into its callers, without a call."""
    return inner(function, forceinline=True)

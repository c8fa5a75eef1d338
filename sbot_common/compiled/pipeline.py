"""Compilation pipelines: functions that only compiled code calls become part of their callers.

numba optimises every function and emits its machine code, then links it into its caller, and
optimises and emits it there again, level by level. An inner function needs neither: here it is
lowered to LLVM's intermediate code once, and linked. It is in no file of the cache either.
"""

from __future__ import annotations

from typing import Any

from sbot_common.compiled import light_numba  # noqa: F401

# isort: split
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment

# How numba calls the global variable that holds a function's environment.
_ENVIRONMENT = '_ZN08NumbaEnv'


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Code whose functions are optimised with the whole module only, not one by one before."""

    def _optimize_functions(self, ll_module: Any) -> None:  # noqa: ANN401 - of llvmlite
        ll_module.data_layout = self._codegen._data_layout


class InnerLibrary(_Library):
    """Intermediate code that is linked into its callers, without machine code of its own."""

    @property
    def codegen(self) -> Any:  # noqa: ANN401 - of numba
        """The code generator, for callers that set options of machine code."""
        return _WithoutEngine(self._codegen)

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, numba's word for a function that Python cannot call."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        """Leave that to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class OuterLibrary(_Library):
    """Machine code of a function with all inner functions that it calls."""

    def _finalize_specific(self) -> None:
        """Set the environments of the inner functions, as those of loaded code are set."""
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)


class _WithoutEngine:
    """A code generator without machine code, in which no environment can be set."""

    def __init__(self, codegen: Any) -> None:  # noqa: ANN401 - of numba
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:  # noqa: ANN401
        """Do nothing: the callers' machine code gets it."""


class InnerCompiler(Compiler):  # type: ignore[misc]
    """Compiler of a function that only compiled code calls."""

    def define_pipelines(self) -> Any:  # noqa: ANN401
        """Return numba's passes, which fill a library of ours."""
        state = self.state
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


class OuterCompiler(Compiler):  # type: ignore[misc]
    """Compiler of a function that Python calls, or that is called by its address."""

    def define_pipelines(self) -> Any:  # noqa: ANN401
        """Return numba's passes, which fill a library of ours."""
        state = self.state
        state.library = OuterLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()

"""Functions that only compiled code calls become part of their callers."""

import importlib
import os
from pathlib import Path

import numba
import numpy as np
import pytest
from children import passed
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary, JITCPUCodegen
from numba.core.target_extension import jit_registry, target_registry

from sbot_common.compiled.compiler import OuterLibrary, _called_by, _InnerLibrary
from sbot_common.compiled.jit import njit, njit_inner

ROOT = Path(__file__).parents[3]
SAMPLE = """
import sys
from sbot_common.compiled.jit import njit, njit_inner

@njit_inner
def checked(x):
    if x < 0:
        raise ValueError('less than nothing', x)
    return x * 0.1

@njit_inner
def middle(x):
    return checked(x) + checked(x + 1.0)

@njit
def outer(x):
    return middle(x)

print(outer(2.0).hex(), sum(outer.stats.cache_hits.values()))
try:
    outer(-3.0)
except ValueError as error:
    print(error.args)
"""


def test_what_compiled_code_calls_is_a_part_of_it_also_where_python_calls_it(tmp_path,
                                                                          monkeypatch):
    monkeypatch.setattr('sbot_common.compiled.cache.CACHE_DIRECTORY', tmp_path)

    @njit
    def scaled(x, factor=0.1):
        return x * factor

    @njit
    def summed(values):
        total = 0.0
        for x in values:
            total += scaled(x) + scaled(x, factor=2.0)
        return total

    assert summed(np.array([1.0, 2.0])) == 0.1 + 2.0 + (2.0 * 0.1 + 4.0)
    assert not scaled.overloads  # no machine code that nobody calls
    assert all(isinstance(result.library, _InnerLibrary)
               for result in scaled._as_part().overloads.values())
    assert scaled(2.0) == 0.2
    (result,) = scaled.overloads.values()
    assert isinstance(result.library, OuterLibrary)


def test_the_cache_has_a_file_for_the_outer_one_alone(tmp_path):
    for expected in ('0', '1'):  # compiled, then loaded: also what an inner function raises
        shown = passed('-c', SAMPLE, env={**os.environ, 'NUMBA_CACHE_DIR': str(tmp_path)})
        assert shown.splitlines() == [f'{(2.0 * 0.1 + 3.0 * 0.1).hex()} {expected}',
                         "('less than nothing', -3.0)"]
    assert [path.name.partition('-')[0] for path in tmp_path.rglob('*.code')] == ['__main__.outer']


def test_one_piece_of_machine_code_is_made_also_with_functions_of_numbas(tmp_path, monkeypatch):
    """numba would optimise and emit what it has in Python, like np.full, each alone before."""
    monkeypatch.setattr('sbot_common.compiled.cache.CACHE_DIRECTORY', tmp_path)
    emitted = []
    emit = JITCodeLibrary._finalize_specific
    monkeypatch.setattr(JITCodeLibrary, '_finalize_specific',
                        lambda self: (emitted.append(type(self)), emit(self)))

    @njit
    def outer(n):
        return np.sort(np.full((n, 2), 7.5).ravel()).sum() + np.concatenate(
            (np.ones(n), np.zeros(n))).sum()

    assert outer(3) == 6 * 7.5 + 3.0
    assert emitted == [OuterLibrary]
    assert jit_registry[target_registry['cpu']] is numba.jit  # as it was


USERS = """
import numba
import numpy as np
from sbot_common.compiled.jit import njit

@numba.njit(cache=True)
def cached(x):
    return x + np.full(3, x).sum()

@numba.njit
def plain(x):
    return x * np.ones(2).sum()

@numba.vectorize
def elementwise(x):
    return x + 1.0

@njit
def outer(x):
    return cached(x) + plain(x) + elementwise(np.full(2, x)).sum()

print(outer(2.0), cached(2.0), plain(2.0), elementwise(2.0))
"""


def test_functions_of_users_that_compiled_code_calls_are_called_by_python_too(tmp_path):
    program = tmp_path / 'program.py'  # a file, so that numba caches
    program.write_text(USERS)
    for _ in range(2):  # compiled, then loaded
        assert passed(program, env={
            **os.environ, 'NUMBA_CACHE_DIR': str(tmp_path / 'cache'),
            'PYTHONPATH': str(ROOT)}) == '18.0 8.0 4.0 3.0\n'


def test_what_numba_061_lacks_is_not_needed(tmp_path, monkeypatch):
    """It has LLVM's former passes, without a builder, and libraries without ``_reload_init``."""
    monkeypatch.setattr('sbot_common.compiled.cache.CACHE_DIRECTORY', tmp_path)
    optimised = []
    monkeypatch.setattr(JITCPUCodegen, '_module_pass_manager', lambda _: object())
    monkeypatch.setattr(CPUCodeLibrary, '_optimize_final_module',
                        lambda library: optimised.append(type(library)))
    finalize = OuterLibrary.finalize

    def of_061(library):
        for called in _called_by(library):
            if isinstance(called, _InnerLibrary):  # others are of numba's own, and stay
                vars(called).pop('_reload_init', None)
        finalize(library)

    monkeypatch.setattr(OuterLibrary, 'finalize', of_061)

    @njit_inner
    def inner(x):
        return x + 1.0

    @njit
    def outer(x):
        return inner(x)

    assert outer(1.0) == 2.0
    assert OuterLibrary in optimised  # after libraries of numba's own


def test_numbas_own_decorator_calls_inner_functions_with_all_that_they_call():
    @njit_inner
    def lowest(x):
        if x < 0.0:
            raise ValueError('less than nothing', x)
        return x + 1.0

    @njit_inner
    def middle(x):
        return lowest(x) * np.array([2.0, 3.0]).sum()

    @numba.njit
    def plain(x):
        return middle(x)

    assert plain(1.0) == 10.0


# What the folder `compiled` uses of numba's inside. A version without one of these fails here,
# by name, and not somewhere in a run.
PRIVATE = {
    'numba.core.codegen': ['JITCodeLibrary._optimize_final_module',
        'JITCodeLibrary._get_module_for_linking', 'JITCPUCodegen._module_pass_manager',
        'JITCodeLibrary._finalize_specific', 'JITCodeLibrary._finalize_dynamic_globals',
        'JITCodeLibrary._ensure_finalized', 'JITCodeLibrary.enable_object_caching',
        'JITCPUCodegen.set_env'],
    'numba.core.target_extension': ['jit_registry.pop'],
    'numba.core.compiler': ['CompilerBase.define_pipelines', 'compile_internal',
        'CompileResult._reduce', 'CompileResult._rebuild'],
    'numba.core.environment': ['lookup_environment'],
    'numba.core.caching': ['_Cache.load_overload'],
    'numba.core.runtime.nrt': ['rtsys.initialize'],
    'numba.core.serialize': ['dumps'],
    'numba.core.sigutils': ['normalize_signature'],
    'numba.core.registry': ['cpu_target'],
    'numba.core.dispatcher': ['Dispatcher.compile'],
    'numba.core.cgutils': ['alloca_once'],
    'numba.np.arrayobj': ['populate_array'],
    'numba.experimental.structref': ['StructRefProxy', 'define_proxy', 'register'],
    'numba.extending': ['_Intrinsic'],
    'numba.core.datamodel': ['register_default'],
    'numba.core.datamodel.models': ['PrimitiveModel'],
    'numba.core.typing.templates': ['AttributeTemplate'],
    'numba.core.types': ['BaseNamedTuple']}


@pytest.mark.parametrize(('module', 'names'), PRIVATE.items())
def test_numba_has_what_is_used_of_its_inside(module, names):
    for name in names:
        found = importlib.import_module(module)
        for part in name.split('.'):
            found = getattr(found, part)
        assert found is not None

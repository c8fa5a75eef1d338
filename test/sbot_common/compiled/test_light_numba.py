"""numba without scipy: not imported with numba, and there when a function needs BLAS."""

import os
from importlib.util import find_spec

import pytest
from children import passed, python

needs_scipy = pytest.mark.skipif(find_spec('scipy') is None, reason='needs scipy')


@needs_scipy
def test_scipy_is_not_imported_before_a_function_needs_it():
    code = """
import sys
import sbot_common.compiled.jit
assert 'scipy' not in sys.modules
import numba, numpy as np
from numba.np import arraymath
assert arraymath._HAVE_BLAS
product = numba.njit(lambda a, b: np.dot(a, b))
assert product(np.eye(2), np.ones((2, 2))).tolist() == [[1, 1], [1, 1]]
assert 'scipy.linalg.cython_blas' in sys.modules
"""
    passed('-c', code)


@needs_scipy
def test_what_has_imported_numba_or_scipy_before_changes_nothing():
    for first in ('numba', 'scipy'):
        code = (f'import {first}; import sbot_common.compiled.compiler; import scipy; '
                'from numba.np import arraymath; assert arraymath._HAVE_BLAS; scipy.linalg')
        passed('-c', code)


def test_the_garbage_collector_leaves_numba_alone():
    code = """
import gc
import sbot_common.compiled.compiler
assert gc.isenabled()
assert gc.get_freeze_count() > 50_000, gc.get_freeze_count()
"""
    passed('-c', code)


TWICE = """
import sbot
print(len(sbot.load('leader_follower').robots))
for _ in range(2):
    try:
        sbot.run('leader_follower', duration=0.1)
    except ValueError as error:
        print(type(error).__name__, error)
"""


def test_numba_without_compilation_is_refused_in_one_line(tmp_path):
    """Also at the second attempt, and in the command; loading a scenario compiles nothing."""
    environment = {**os.environ, 'NUMBA_DISABLE_JIT': '1', 'NUMBA_CACHE_DIR': str(tmp_path)}
    line = ('NUMBA_DISABLE_JIT: got 1, expected 0, because simulations need compiled code; '
            'to debug a function of your own, call it from Python')
    done = python('-c', TWICE, env=environment)
    assert done.stdout.splitlines()[1:] == [f'InputError {line}'] * 2, done.stderr
    done = python('-m', 'sbot.cli', 'run', 'leader_follower', env=environment)
    assert (done.returncode, done.stderr) == (2, f'sbot: {line}\n')

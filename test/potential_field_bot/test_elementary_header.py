"""C++ that is compiled with the header calls the project's functions, to the bit."""

import ctypes
import math
import shutil
import subprocess

import numpy as np
import pytest
from document_oracle import FLAGS
from elementary_header import NAMES, ONE, header, set_functions

from sbot_common import elementary


def source() -> str:
    calls = [f'case {i}: out[k] = {name}({"x[k]" if name in ONE else "x[k], y[k]"}); break;'
             for i, name in enumerate(NAMES)]
    return '\n'.join([
        '#include "elementary.h"', 'extern "C" void call(int which, long n, const double* x,',
        'const double* y, double* out) { for (long k = 0; k < n; ++k) switch (which) {',
        *calls, '} }'])


@pytest.mark.skipif(not shutil.which('g++'), reason='g++ is not installed')
def test_calls_from_c_give_the_same_bits(tmp_path):
    (tmp_path / 'elementary.h').write_text(header())
    (tmp_path / 'calls.cpp').write_text(source())
    path = tmp_path / 'calls.so'
    subprocess.run(['g++', *FLAGS, str(tmp_path / 'calls.cpp'), '-o', str(path)], check=True)
    library = ctypes.CDLL(str(path))
    set_functions(library)
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(-1, 1, 1000), rng.uniform(-100, 100, 1000),
                        rng.integers(0, 2 ** 64, 500, np.uint64).view(np.float64)])
    y, out = rng.permutation(x), np.empty_like(x)
    for which, name in enumerate(NAMES):
        library.call(which, ctypes.c_long(len(x)), *(
            array.ctypes.data_as(ctypes.c_void_p) for array in (x, y, out)))
        function = getattr(elementary, name)
        want = np.array([function(*pair[:1 if name in ONE else 2])
                         for pair in zip(x.tolist(), y.tolist(), strict=True)])
        assert out.tobytes() == want.tobytes(), name


@pytest.mark.skipif(not shutil.which('g++'), reason='g++ is not installed')
def test_other_functions_of_libm_are_errors(tmp_path):
    (tmp_path / 'elementary.h').write_text(header())
    text = '#include "elementary.h"\ndouble f() { return exp(1.0); }\n'
    (tmp_path / 'other.cpp').write_text(text)
    done = subprocess.run(['g++', *FLAGS, str(tmp_path / 'other.cpp'), '-o', '/dev/null'],
                          capture_output=True, text=True, check=False)
    assert 'poisoned "exp"' in done.stderr


def test_this_test_would_see_libm():
    """Else the comparison above might call it unnoticed."""
    x = np.random.default_rng(4).uniform(-100.0, 100.0, 20_000).tolist()
    assert any(math.sin(a) != elementary.sin(a) for a in x)

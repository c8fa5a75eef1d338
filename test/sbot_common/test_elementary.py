"""Elementary functions: errors, special values, symmetry, and the same bits everywhere."""

import itertools
import math
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import numba
import numpy as np
import pytest
from loaded import load

from sbot_common import elementary as e
from sbot_common.compiled.jit import njit

HERE = Path(__file__).parent
# The same on every machine.
FINGERPRINT = 'eb04da75fb5c28b2247858cc331041230faef0c420940c61218e44652ce40187'


oracle, million = load(HERE / 'elementary_oracle.py'), load(HERE / 'elementary_bits.py')


def bits(x):
    return struct.pack('>d', x).hex()


@pytest.mark.parametrize('case', oracle.RANGES, ids=lambda case: f'{case.function} {case.where}')
def test_errors_stay_below_their_bound(case):
    worst, at, equal = oracle.measured(case, 300)
    assert worst < case.bound, at
    assert equal > 0.95


INF, NAN, PI = math.inf, math.nan, math.pi
TINY, HUGE = 5e-324, sys.float_info.max
# C99 and C11, annex F.10. Where it leaves NaN's sign open, there is one NaN.
SPECIAL = [
    *(('sin', (x,), x) for x in (0.0, -0.0, TINY, -TINY)),
    *(('cos', (x,), 1.0) for x in (0.0, -0.0)),
    *((name, (x,), NAN) for name in ('sin', 'cos') for x in (INF, -INF, NAN, -NAN)),
    ('atan', (0.0,), 0.0), ('atan', (-0.0,), -0.0), ('atan', (INF,), PI / 2),
    ('atan', (-INF,), -PI / 2), ('atan', (HUGE,), PI / 2), ('atan', (NAN,), NAN),
    ('atan', (TINY,), TINY), ('atan', (1.0,), PI / 4),
    ('atan2', (0.0, -0.0), PI), ('atan2', (-0.0, -0.0), -PI), ('atan2', (0.0, 0.0), 0.0),
    ('atan2', (-0.0, 0.0), -0.0), *(('atan2', (0.0, -x), PI) for x in (TINY, 1.0, HUGE, INF)),
    *(('atan2', (-0.0, -x), -PI) for x in (TINY, 1.0, HUGE, INF)),
    *(('atan2', (0.0, x), 0.0) for x in (TINY, 1.0, HUGE, INF)),
    *(('atan2', (-0.0, x), -0.0) for x in (TINY, 1.0, HUGE, INF)),
    *(('atan2', (y, x), math.copysign(PI / 2, y))
      for y in (TINY, -TINY, 1.0, -1.0, HUGE, -HUGE, INF, -INF) for x in (0.0, -0.0)),
    *(('atan2', (y, -INF), math.copysign(PI, y)) for y in (TINY, -TINY, 1.0, -1.0, HUGE, -HUGE)),
    *(('atan2', (y, INF), math.copysign(0.0, y)) for y in (TINY, -TINY, 1.0, -1.0, HUGE, -HUGE)),
    *(('atan2', (y, x), math.copysign(PI / 2, y))
      for y in (INF, -INF) for x in (0.0, -0.0, 1.0, -1.0, HUGE, -HUGE)),
    ('atan2', (INF, -INF), 3 * PI / 4), ('atan2', (-INF, -INF), -3 * PI / 4),
    ('atan2', (INF, INF), PI / 4), ('atan2', (-INF, INF), -PI / 4),
    *(('atan2', pair, NAN) for pair in ((NAN, 1.0), (1.0, NAN), (NAN, NAN), (NAN, INF), (INF, NAN),
                                        (0.0, NAN), (NAN, 0.0))),
    ('atan2', (TINY, HUGE), 0.0), ('atan2', (-TINY, HUGE), -0.0), ('atan2', (TINY, -HUGE), PI),
    ('atan2', (HUGE, TINY), PI / 2), ('atan2', (TINY, TINY), PI / 4),
    ('atan2', (HUGE, HUGE), PI / 4),
    ('asin', (0.0,), 0.0), ('asin', (-0.0,), -0.0), ('asin', (1.0,), PI / 2),
    ('asin', (-1.0,), -PI / 2), ('acos', (1.0,), 0.0), ('acos', (-1.0,), PI),
    ('acos', (0.0,), PI / 2), ('acos', (-0.0,), PI / 2),
    *((name, (x,), NAN) for name in ('asin', 'acos')
      for x in (1.0000000000000002, -1.0000000000000002, HUGE, INF, -INF, NAN, -NAN)),
    ('exp', (0.0,), 1.0), ('exp', (-0.0,), 1.0), ('exp', (-INF,), 0.0), ('exp', (INF,), INF),
    ('exp', (NAN,), NAN), ('exp', (HUGE,), INF), ('exp', (-HUGE,), 0.0), ('exp', (TINY,), 1.0),
    ('exp', (709.782712893384,), 1.7976931348622732e+308), ('exp', (709.7827128933841,), INF),
    ('exp', (-745.1332191019411,), TINY), ('exp', (-745.1332191019412,), 0.0),
    *((name, (x,), -INF) for name in ('log', 'log10') for x in (0.0, -0.0)),
    *((name, (1.0,), 0.0) for name in ('log', 'log10')),
    *((name, (INF,), INF) for name in ('log', 'log10')),
    *((name, (x,), NAN) for name in ('log', 'log10')
      for x in (-TINY, -1.0, -HUGE, -INF, NAN, -NAN)),
    *(('log10', (10.0 ** k,), float(k)) for k in range(23)),
    *(('pow', (0.0, -y), INF) for y in (1.0, 3.0, 2.0, 0.5, HUGE)),
    *(('pow', (-0.0, -y), -INF) for y in (1.0, 3.0, 9007199254740991.0)),
    *(('pow', (-0.0, -y), INF) for y in (2.0, 0.5, 9007199254740992.0, HUGE)),
    *(('pow', (x, -INF), INF) for x in (0.0, -0.0, 0.5, -0.5, TINY)),
    *(('pow', (-0.0, y), -0.0) for y in (1.0, 3.0, 4503599627370497.0)),
    *(('pow', (-0.0, y), 0.0) for y in (2.0, 0.5, 9007199254740994.0)),
    *(('pow', (0.0, y), 0.0) for y in (1.0, 2.0, 0.5, INF)),
    *(('pow', (-1.0, y), 1.0) for y in (INF, -INF, 2.0, HUGE)), ('pow', (-1.0, 3.0), -1.0),
    *(('pow', (1.0, y), 1.0) for y in (0.0, 3.5, -HUGE, INF, NAN)),
    *(('pow', (x, y), 1.0) for x in (0.0, -0.0, 2.0, -HUGE, INF, NAN) for y in (0.0, -0.0)),
    *(('pow', (x, y), NAN) for x in (-2.0, -TINY, -HUGE, -1.0) for y in (0.5, -1.5, TINY)),
    *(('pow', (x, INF), 0.0) for x in (0.5, -0.5, TINY)),
    *(('pow', (x, -INF), 0.0) for x in (1.5, -1.5, HUGE, INF, -INF)),
    *(('pow', (x, INF), INF) for x in (1.5, -1.5, HUGE, INF, -INF)),
    ('pow', (-INF, -3.0), -0.0), *(('pow', (-INF, y), 0.0) for y in (-2.0, -0.5, -HUGE)),
    ('pow', (-INF, 3.0), -INF), *(('pow', (-INF, y), INF) for y in (2.0, 0.5, HUGE)),
    ('pow', (INF, -0.5), 0.0), ('pow', (INF, 0.5), INF),
    *(('pow', pair, NAN) for pair in ((NAN, 1.0), (2.0, NAN), (NAN, NAN), (-INF, NAN))),
    ('pow', (2.0, 1024.0), INF), ('pow', (-2.0, 1025.0), -INF), ('pow', (-2.0, -1077.0), -0.0),
    ('pow', (2.0, -1074.0), TINY), ('pow', (HUGE, HUGE), INF), ('pow', (TINY, HUGE), 0.0),
    ('pow', (HUGE, 1.0), HUGE), ('pow', (TINY, 1.0), TINY),
    ('pow', (0.9999999999999999, HUGE), 0.0),
    *(('hypot', (x, y), INF) for x in (INF, -INF) for y in (0.0, 1.0, -HUGE, INF, NAN)),
    *(('hypot', (y, x), INF) for x in (INF, -INF) for y in (0.0, 1.0, -HUGE, NAN)),
    *(('hypot', pair, NAN) for pair in ((NAN, 0.0), (1.0, NAN), (NAN, NAN), (HUGE, -NAN))),
    *(('hypot', (x, y), abs(x)) for x in (0.0, -0.0, TINY, -HUGE, 1.5) for y in (0.0, -0.0)),
    ('hypot', (HUGE, HUGE), INF), ('hypot', (3 * TINY, -4 * TINY), 5 * TINY),
    ('hypot', (3e300, 4e300), 5e300), ('hypot', (-3.0, 4.0), 5.0), ('hypot', (HUGE, TINY), HUGE)]


@pytest.mark.parametrize('function', sorted({name for name, _, _ in SPECIAL}))
def test_special_values_are_those_of_the_c_standard(function):
    for name, values, want in SPECIAL:
        if name == function:
            assert bits(getattr(e, name)(*values)) == bits(want), (name, values)


def test_powers_are_exact_where_a_double_is():
    for base, exponent in itertools.product(range(-20, 21), range(35)):
        if abs(base ** exponent) < 2 ** 53:
            assert e.pow(float(base), float(exponent)) == base ** exponent, (base, exponent)
    for k in range(-1074, 1024):
        assert e.pow(2.0, float(k)) == math.ldexp(1.0, k)
        assert e.pow(4.0, 0.5 * k) == math.ldexp(1.0, k)


every_double = st.floats(allow_nan=True, width=64)


@hypothesis.given(every_double, every_double)
@hypothesis.settings(max_examples=400)
def test_odd_and_even_functions_are_exactly_so(x, y):
    def negative(value):
        return value if math.isnan(value) else -value
    for odd in (e.sin, e.atan, e.asin):
        assert bits(odd(-x)) == bits(negative(odd(x)))
    assert bits(e.cos(-x)) == bits(e.cos(x))
    assert bits(e.atan2(-y, x)) == bits(negative(e.atan2(y, x)))
    assert bits(e.hypot(x, y)) == bits(e.hypot(-y, x))
    assert e.sincos(x) == (e.sin(x), e.cos(x)) or math.isnan(x) or math.isinf(x)


@njit
def _each(x, y, out):
    for i in range(x.shape[0]):
        out[0, i], out[1, i] = e.sincos(x[i])
        out[2, i] = e.atan2(y[i], x[i])
        out[3, i] = e.hypot(x[i], y[i])
        out[4, i] = e.exp(x[i])
        out[5, i] = e.log(x[i])


def test_python_compiled_loops_and_arrays_agree_to_the_bit():
    rng = np.random.default_rng(2)
    x = rng.uniform(-30.0, 30.0, (2, 2000)).T[:, 0]  # not contiguous
    y = rng.uniform(-30.0, 30.0, 2000)
    x[-700:] = oracle.finite(rng, 700)  # usual numbers, others, and both
    y[-900:] = million.patterns(rng, 900)
    loops, arrays = np.empty((6, 2000)), np.empty((6, 2000))
    _each(x, y, loops)
    e.sincos_of(x, arrays[0], arrays[1])
    e.atan2_of(y, x, arrays[2])
    e.hypot_of(x, y, arrays[3])
    e.exp_of(x, arrays[4])
    e.log_of(x, arrays[5])
    python = np.array([[*e.sincos(a), e.atan2(b, a), e.hypot(a, b), e.exp(a), e.log(a)]
                       for a, b in zip(x.tolist(), y.tolist(), strict=True)]).T
    assert loops.tobytes() == arrays.tobytes() == np.ascontiguousarray(python).tobytes()
    small, sine = x / 60.0, np.empty(2000)  # the first 1,300 are small angles
    for angles in (small[:1300], small):
        e.sin_of(angles, sine[:len(angles)])
        expected = np.array([e.sin(a) for a in angles.tolist()])
        assert sine[:len(angles)].tobytes() == expected.tobytes()
    e.exp_of(x, x)  # in place
    assert x.tobytes() == arrays[4].tobytes()


def test_no_multiplication_and_addition_are_fused_and_loops_are_vectors():
    column = np.linspace(0.0, 1.0, 8)
    for cached, columns in ((e.sincos_of, 3), (e.sin_of, 2), (e.exp_of, 2)):
        function = numba.njit(error_model='numpy')(cached.py_func)  # what is cached has no text
        function(*columns * [column])
        (code,) = function.inspect_asm().values()
        assert not re.search(r'\b(vfn?m(add|sub)\w*|fn?m(add|sub|la|ls))\b', code)
        assert re.search(r'\bv?mulpd|\bfmul\s+v\d', code), cached


def test_the_hash_of_a_million_results_is_that_of_every_machine():
    assert million.fingerprint() == FINGERPRINT


def test_another_processor_gives_the_same_bits():
    """For numba, a processor with nothing but what all have: no AVX, no fused operations."""
    done = subprocess.run([sys.executable, str(HERE / 'elementary_bits.py')],
                          env={**os.environ, 'NUMBA_CPU_NAME': 'generic',
                               'PYTHONPATH': os.pathsep.join(sys.path)},
                          capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.strip() == FINGERPRINT

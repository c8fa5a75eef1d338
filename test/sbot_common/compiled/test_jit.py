"""Unowned views of arrays in compiled code."""

import math
import pickle

import numpy as np
from children import passed

from sbot_common import elementary
from sbot_common.compiled import lazy
from sbot_common.compiled.jit import (
    LANES,
    absolute,
    append,
    bits,
    borrowed,
    ceiling,
    greatest,
    least,
    load,
    load_until,
    njit,
    rounded_down,
    select,
    splat,
    store,
    store_whole,
    vector,
)
from sbot_common.elementary import powers, trigonometric
from sbot_sim.collision import shape_overlap
from sbot_sim.world.scene import Discs, sort_discs


@njit
def _views(discs: Discs):
    return borrowed(discs).grid.items


def test_borrowed_arrays_have_no_owner():
    """Else references would be counted: loops would be slow, and threads wait for each other."""
    discs = sort_discs(np.zeros((2, 3)), np.ones(2), 1.0)
    view = _views(discs)
    assert np.shares_memory(view, discs.grid.items)
    assert view is not discs.grid.items
    assert view.base is None
    assert not view.flags.owndata


def test_few_numbers_need_no_numba_and_have_the_bits_of_compiled_code():
    """In a child, as numba is here already; the last value is that of the compiled function."""
    assert passed('-c', """
import random, struct, sys
import numpy as np
from sbot_common.elementary import hypot, hypot_of, sincos, sincos_of
numbers = random.Random(5)
def any_double():
    return struct.unpack('<d', numbers.randbytes(8))[0]
xs = [0.0, -0.0, 25735.0, 0.785, 5e-324, -1e-310, 1.0]
xs += [x for x in (any_double() for _ in range(600)) if abs(x) < 25735.0 and abs(x) > 1e-130]
xs += [numbers.uniform(-9, 9) for _ in range(150)]
ys = xs[1:] + xs[:1]
def everything():
    x, found = np.array(xs[7:200]), []
    s, c, h = (np.empty(len(x)) for _ in range(3))
    sincos_of(x, s, c)
    hypot_of(x, x[::-1], h)
    found += [*s, *c, *h]
    found += [value for x in xs for value in sincos(x)]
    found += [hypot(x, y) for x, y in zip(xs, ys) if max(abs(x), abs(y)) > 1e-130]
    return struct.pack(f'<{len(found)}d', *found)
in_python = everything()
assert 'numba' not in sys.modules
from sbot_common.compiled.lazy import Lazy
Lazy.make_all()
assert type(sincos) is not Lazy
compiled = everything()
different = [i // 8 for i in range(0, len(compiled), 8) if compiled[i:i + 8] != in_python[i:i + 8]]
print(different)
""").strip() == '[]'


def test_candidates_of_overlaps_are_those_of_compiled_code():
    assert passed('-c', """
import sys
import numpy as np
from sbot_sim.collision import shape_overlap as near_pairs
rng = np.random.default_rng(5)
scenes = [(rng.uniform(0, 5, (n, 2)), rng.uniform(0, 5, (m, 2)), reach)
          for n in (1, 2, 30) for m in (1, 30) for reach in (0.01, 0.5, 9.0)]
def everything():
    return [[part.tolist() for part in near_pairs._within(*scene)] for scene in scenes]
in_python = everything()
assert 'numba' not in sys.modules
from sbot_common.compiled.lazy import Lazy
Lazy.make_all()
print(everything() == in_python)
""") == 'True\n'


def test_compiled_functions_take_the_places_of_these_everywhere():
    lazy.Lazy.make_all()
    for module in (elementary, trigonometric, powers, shape_overlap):
        assert not [name for name, value in vars(module).items() if type(value) is lazy.Lazy]


def test_a_function_kept_in_a_list_works_in_python_and_in_compiled_code():
    assert passed('-c', """
from sbot_common.elementary import sin, sincos
from sbot_common.compiled.lazy import Lazy
kept = [sin, sincos]
import numba
compiled = numba.njit(lambda x, f=None: sin(x))
first, second = compiled(0.5), kept[0](0.5)
def make(f):
    return numba.njit(lambda x: f(x))
third = make(kept[0])(0.5)
assert type(kept[0]) is Lazy
print(first == second == third)""") == 'True\n'


def test_it_is_pickled_by_its_name():
    assert passed('-c', """
import pickle, sys
from sbot_common.elementary import trigonometric as module
assert pickle.loads(pickle.dumps(module.sincos)) is module.sincos
print('numba' in sys.modules)""") == 'False\n'
    assert pickle.loads(pickle.dumps(trigonometric.sincos))(0.0) == (0.0, 1.0)


def test_a_part_of_compiled_functions_is_refused_in_python():
    """It has no entry for Python: numba's call would end the process with a signal."""
    for code in ('trigonometric._sincos_far(9.0)', 'bits.two_sum(1.0, 2.0)'):
        assert passed('-c', f"""
from sbot_common.elementary import bits, trigonometric
try:
    {code}
except TypeError as error:
    print(error)""").endswith('is a part of compiled functions; call it in one of them, or its '
                              '.py_func\n')


def test_threads_that_need_the_first_function_at_once_all_get_it():
    assert passed('-c', """
from concurrent.futures import ThreadPoolExecutor
from sbot_common.elementary import sin
with ThreadPoolExecutor(4) as pool:
    found = list(pool.map(sin, [0.5] * 8))
print(len(set(found)))""") == '1\n'


SPECIAL = [0.0, -0.0, 1.5, -2.5, 3.0, math.inf, -math.inf, math.nan, 1e300, 5e-324]
RNG = np.random.default_rng(1)
A = np.array([a for a in SPECIAL for _ in SPECIAL] + list(RNG.normal(size=100)))
B = np.array([b for _ in SPECIAL for b in SPECIAL] + list(RNG.normal(size=100)))


@njit
def formulas(a, b):
    """As many results of two numbers, or of two vectors."""
    return (a + b, a - b, a * b, a / b, -a, math.sqrt(a), absolute(a), ceiling(a),
            rounded_down(a), least(a, b), greatest(a, b), 2 - a, a * 0.5, 1.0 / b,
            select((a < b) | (a >= 1.0), a, 7.0), select((a <= b) & (b > 0.0), 3.0, b),
            splat(4.0, a))


@njit
def of_vectors(a, b, out):
    for i in range(0, a.shape[0], LANES):
        for k, value in enumerate(formulas(load(a, i), load(b, i))):
            store(out[k], i, value)


@njit
def of_numbers(a, b, out):
    for i in range(a.shape[0]):
        for k, value in enumerate(formulas(a[i], b[i])):
            out[k, i] = value


def test_each_lane_has_the_bits_of_the_number():
    vectors, numbers = np.zeros((17, len(A))), np.ones((17, len(A)))
    of_vectors(A, B, vectors)
    of_numbers(A, B, numbers)
    np.testing.assert_array_equal(vectors, numbers)
    np.testing.assert_array_equal(np.signbit(vectors[:9]), np.signbit(numbers[:9]))
    with np.errstate(all='ignore'):
        np.testing.assert_array_equal(numbers[3], A / B)
        np.testing.assert_array_equal(numbers[5], np.sqrt(A))
    np.testing.assert_array_equal(numbers[6:9], [np.abs(A), np.ceil(A), np.floor(A)])
    np.testing.assert_array_equal(numbers[9], np.where(A < B, A, B))
    np.testing.assert_array_equal(numbers[14], np.where((A < B) | (A >= 1.0), A, 7.0))


@njit
def first_values(values, end, out, whole):
    store(out, 0, load_until(values, 0, end, -1.0))
    store_whole(whole, 1, vector(3.0, 0.0, 1e9, 2.0))
    return bits(load(values, 0) > 1.5)


def test_arrays_are_read_and_written_where_told():
    values, out, whole = np.arange(4.0), np.zeros(4), np.full(6, 9, np.uint32)
    for end in range(6):
        assert first_values(values[:max(end, 4)], end, out, whole) == 0b1100
        np.testing.assert_array_equal(out, np.where(np.arange(4) < end, values, -1.0))
    assert whole.tolist() == [9, 3, 0, 10**9, 2, 9]


@njit
def appended(sets, array):
    count = 0
    for i in range(sets.shape[0]):
        count = append(array, count, 10 * i, sets[i])
    return count


def test_members_are_appended_in_order():
    sets, array = np.arange(1 << LANES), np.zeros(4 << LANES, np.uint32)
    expected = [10 * i + lane for i in sets for lane in range(LANES) if i >> lane & 1]
    assert appended(sets, array) == len(expected)
    assert array[:len(expected)].tolist() == expected

"""Vectors in compiled code have the bits of numbers."""

import math

import numpy as np

from sbot_common.compiled.jit import njit
from sbot_common.compiled.vectors import (
    LANES,
    absolute,
    append,
    bits,
    ceiling,
    greatest,
    least,
    load,
    load_until,
    rounded_down,
    select,
    splat,
    store,
    store_whole,
    vector,
)

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

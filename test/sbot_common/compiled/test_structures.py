"""Structures that compiled code reads and changes, and calls of machine code by its address."""

import pickle
from typing import Any

import numba
import numpy as np

from sbot_common.compiled.jit import compiled_callback, njit
from sbot_common.compiled.structures import Structure, call_at, define_structure


class Pair(Structure):
    """An array and a number."""

    def __new__(cls, values: np.ndarray, count: int) -> Any:
        return _make_pair(values, count)


define_structure(Pair, ['values', 'count'])


@njit
def _make_pair(values, count):
    return Pair(values, count)


@njit
def total(pair):
    pair.count += 1
    return pair.values.sum() + pair.count


def test_compiled_code_reads_and_changes_it():
    pair = Pair(np.array([1.0, 2.0]), 3)
    assert isinstance(pair, Pair)
    assert total(pair) == 7.0
    assert total(pair) == 8.0


def test_machine_code_on_disk_finds_the_same_type():
    kind = numba.typeof(Pair(np.zeros(1), 0))
    assert pickle.loads(pickle.dumps(type(kind))) is type(kind)


def test_machine_code_is_called_by_its_address():
    def note(first, end, a, z, pair):
        pair.values[0] = first + 10 * end + 100 * a + 1000 * z

    pair = Pair(np.zeros(1), 0)
    signature = numba.types.void(*[numba.types.int64] * 4, numba.typeof(pair))
    address = compiled_callback(signature, note).address

    @njit
    def run(at, given):
        call_at(at, 1, 2, 3, 4, given)
        return given.values[0]

    assert run(address, pair) == 4321.0

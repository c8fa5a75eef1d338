"""Structures that compiled code reads and changes."""

import pickle
from typing import Any

import numba
import numpy as np

from sbot_common.compiled.jit import njit
from sbot_common.compiled.structures import Structure, define_structure


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

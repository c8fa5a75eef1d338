"""`make test-bounds`: a read beyond an array fails a test, in functions and in callbacks."""

import os
import re
from pathlib import Path

from children import python

ROOT = Path(__file__).parents[1]
BEYOND = """
import ctypes

import numba
import numpy as np
from numba import types

from sbot_common.compiled.jit import compiled_callback, njit


def write(values, at):
    numba.carray(values, 3)[at] = 1.0


@njit
def read(values, at):
    return values[at]


def test_a_callback_within():
    call(2)


def test_a_callback_beyond():
    call(5)


def test_a_function_within():
    read(np.zeros(3), 2)


def test_a_function_beyond():
    read(np.zeros(3), 5)


def call(at):
    callback = compiled_callback(types.void(types.CPointer(types.float64), types.int64), write)
    room = np.zeros(9)
    numbers = ctypes.POINTER(ctypes.c_double)
    called = ctypes.CFUNCTYPE(None, numbers, ctypes.c_int64)(callback.address)
    called(room.ctypes.data_as(numbers), at)
"""


def test_what_is_beyond_an_array_fails(tmp_path):
    recipe = re.search(r'^test-bounds:.*\n((?:\t.*\n)+)', (ROOT / 'Makefile').read_text(),
                       re.MULTILINE)[1].replace('\\\n', ' ').split()
    variable, _, *words = recipe
    assert recipe[1:5] == ['$(BIN)/python', '-m', 'pytest', '-q']
    (tmp_path / 'test_beyond.py').write_text(BEYOND)
    done = python(*words[:-1], '-p', 'no:cacheprovider', '-rf', 'test_beyond.py',
                  env={**os.environ, **dict([variable.split('=')]), 'PYTHONPATH': str(ROOT)},
                  cwd=tmp_path)
    failed = re.findall(r'^FAILED test_beyond.py::(\w+)', done.stdout, re.MULTILINE)
    assert failed == ['test_a_callback_beyond', 'test_a_function_beyond'], done.stdout
    assert '2 failed, 2 passed' in done.stdout

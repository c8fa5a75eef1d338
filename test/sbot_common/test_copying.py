"""Copies in compiled code."""

import numpy as np

from sbot_common.compiled.jit import njit
from sbot_common.elementary.arrays import copy_numbers, copy_rows


@njit
def _copied(values, rows):
    numbers, table = np.zeros(len(values)), np.zeros(rows.shape, np.float32)
    copy_numbers(values, numbers[:2])
    copy_rows(rows[1:], table[1:])
    return numbers, table


def test_numbers_and_rows_are_copied_as_far_as_there_is_room():
    numbers, table = _copied(np.array([1.0, np.nan, 3.0])[::-1], np.arange(6.0).reshape(3, 2))
    np.testing.assert_array_equal(numbers, [3.0, np.nan, 0.0])
    np.testing.assert_array_equal(table, [[0, 0], [2, 3], [4, 5]])

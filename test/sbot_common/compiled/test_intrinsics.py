import numpy as np
import pytest

from sbot_common.compiled.jit import njit, prefetch


@njit
def asked(array, i):
    prefetch(array, i)
    return array


@pytest.mark.parametrize('array', [np.arange(6.0), np.ones((3, 2)), np.ones((4, 4))[::2],
                                   np.zeros(0), np.zeros(5, np.uint8)])
@pytest.mark.parametrize('i', [0, 2, -1, 10**12])
def test_a_row_may_be_asked_for_that_does_not_exist(array, i):
    before = array.copy()
    np.testing.assert_array_equal(asked(array, i), before)

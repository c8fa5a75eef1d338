"""Bit patterns of doubles in compiled code, against struct."""

import math
import struct

import pytest

from sbot_common.compiled.jit import njit
from sbot_common.elementary.bits import bits, double


@njit
def there(x):
    return bits(x)


@njit
def back(pattern):
    return double(pattern)


@pytest.mark.parametrize('x', [0.0, -0.0, 1.5, -math.pi, 5e-324, math.inf, -math.inf])
def test_a_pattern_is_that_of_ieee_754_and_leads_back(x):
    pattern, = struct.unpack('<q', struct.pack('<d', x))
    assert there(x) == pattern
    assert struct.pack('<d', back(pattern)) == struct.pack('<d', x)

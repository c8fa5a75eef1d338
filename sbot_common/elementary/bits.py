# SPDX-License-Identifier: Apache-2.0
"""Bit patterns of doubles, and sums and products with their rounding errors.

What works on bits does so on int64, because LLVM makes vectors of that on every processor.
"""

from __future__ import annotations

import math
import struct

from sbot_common.compiled.jit import intrinsic, njit_inline

MAGNITUDE = 0x7fff_ffff_ffff_ffff  # all bits but the sign
SIGN = -MAGNITUDE - 1
INFINITE = 0x7ff0_0000_0000_0000  # bits of inf; those of NaN are larger
_UPPER_HALF = ~0x7ff_ffff  # sign, exponent and the upper 26 bits of the significand
SHIFT = 6755399441055744.0  # 1.5 * 2^52: a sum with it is rounded to an integer, its lowest bits
NAN = math.nan  # one NaN for all: which one an operation gives depends on the processor


def _bits(x: float) -> int:
    return struct.unpack('<q', struct.pack('<d', x))[0]  # type: ignore[no-any-return]


def _double(pattern: int) -> float:
    value = struct.pack('<Q', pattern & 0xffff_ffff_ffff_ffff)
    return struct.unpack('<d', value)[0]  # type: ignore[no-any-return]


bits = intrinsic('bits', _bits)  # the bit pattern of a double as int64; others are converted first
double = intrinsic('double', _double)  # the double of a bit pattern


@njit_inline
def magnitude(x: float) -> float:
    """Return |x| as a double."""
    return double(bits(x) & MAGNITUDE)  # type: ignore[no-any-return]


@njit_inline
def sign_bit(x: float) -> int:
    """Return the sign of x, to be put on a number that is not negative by |."""
    return bits(x) & SIGN  # type: ignore[no-any-return]


@njit_inline
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b rounded, and its rounding error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit_inline
def fast_two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b rounded, and its rounding error, for |a| >= |b| or a = 0."""
    s = a + b
    return s, b - (s - a)


@njit_inline
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return a b rounded, and its rounding error, to 2^-104 |a b|."""
    p = a * b
    a_high, b_high = double(bits(a) & _UPPER_HALF), double(bits(b) & _UPPER_HALF)
    a_low, b_low = a - a_high, b - b_high
    return p, (((a_high * b_high - p) + a_high * b_low) + a_low * b_high) + a_low * b_low


@njit_inline
def two_square(a: float) -> tuple[float, float]:
    """Return a^2 rounded, and its rounding error, to 2^-104 a^2."""
    p = a * a
    high = double(bits(a) & _UPPER_HALF)
    low = a - high
    return p, ((high * high - p) + 2.0 * high * low) + low * low


@njit_inline
def long_product(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """Return (a + a_low) (b + b_low) as a sum of two doubles."""
    p, p_low = two_product(a, b)
    return fast_two_sum(p, p_low + (a * b_low + a_low * b))

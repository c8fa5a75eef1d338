"""Reduction of angles by multiples of pi/2 (Cody and Waite; Payne and Hanek for large ones)."""

from __future__ import annotations

import numpy as np

from sbot_common.compiled.jit import njit_inline, njit_inner
from sbot_common.elementary.bits import SHIFT, bits, fast_two_sum, long_product, long_sum

REDUCED_UP_TO = 25735.0  # rad: below 2^14 pi/2, so that n < 2^14
_TWO_OVER_PI = 0.6366197723675814
# pi/2 in parts: the products of the first two, of 39 bits, with n are exact.
_HALF_PI_1 = 1.5707963267923333
_HALF_PI_2 = 2.5633441515905732e-12
_HALF_PI_3 = 3.9455541665632055e-24
_HALF_PI_HIGH, _HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17
# The bits of 2/pi after the point, the highest first.
_TWO_OVER_PI_WORDS = np.array([
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
], np.int64)
_WORD = 0xffff_ffff
_WORDS = 7  # of 2/pi: of the fraction the first 62 bits may be 0, and some 130 are right


@njit_inline
def reduced(angle: float) -> tuple[float, float, int]:
    """Return r, its low part, and n: angle = n pi/2 + r, for 0 <= angle <= REDUCED_UP_TO.

    Of n only the lowest two bits are to be used.
    """
    shifted = angle * _TWO_OVER_PI + SHIFT
    n = shifted - SHIFT
    # Both numbers are multiples of 2^-38 and close to each other: the difference is exact.
    a, b = angle - n * _HALF_PI_1, n * _HALF_PI_2
    r = a - b
    return r, ((a - r) - b) - n * _HALF_PI_3, bits(shifted)


@njit_inner
def reduced_exactly(angle: float) -> tuple[float, float, int]:
    """Return r, its low part, and n: angle = n pi/2 + r, for a finite angle >= 1.

    With angle = m 2^e, the words of 2/pi whose product with it is a multiple of 4 are left out,
    and so are those too small to matter. Of the others the product is computed as in long
    multiplication, exactly, from its lowest word up to that of the point.
    """
    pattern = bits(angle)
    exponent = (pattern >> 52) - 1075
    first = max(0, (exponent - 2) >> 5)  # word of 2/pi
    exponent -= 32 * first
    m = (pattern & 0xf_ffff_ffff_ffff) | 0x10_0000_0000_0000
    m_low, m_high = m & _WORD, m >> 32
    shift = exponent & 31
    m_0 = (m_low << shift) & _WORD
    m_1 = ((m_high << shift) & _WORD) | (m_low << shift) >> 32
    m_2 = (m_high << shift) >> 32
    carry = f_1 = f_2 = f_3 = f_4 = f_5 = 0
    for column in range(_WORDS - (exponent >> 5)):
        digit, carry = _column(column, first, m_0, m_1, m_2, carry)
        f_1, f_2, f_3, f_4, f_5 = digit, f_1, f_2, f_3, f_4
    quadrant, _ = _column(_WORDS - (exponent >> 5), first, m_0, m_1, m_2, carry)
    # 0.f_1 f_2 ... is the fraction; from a half upwards 1 less than that is nearer to 0.
    sign = 1.0
    if f_1 >= 0x8000_0000:
        quadrant, sign = quadrant + 1, -1.0
        f_1, f_2, f_3, f_4, f_5 = _WORD - f_1, _WORD - f_2, _WORD - f_3, _WORD - f_4, _WORD - f_5
    a, a_low = fast_two_sum(f_1 * 2.0 ** -32, f_2 * 2.0 ** -64)
    b, b_low = fast_two_sum(f_3 * 2.0 ** -96, f_4 * 2.0 ** -128)
    a, a_low = long_sum(a, a_low, b, b_low + f_5 * 2.0 ** -160)
    r, low = long_product(a, a_low, _HALF_PI_HIGH, _HALF_PI_LOW)
    return sign * r, sign * low, quadrant


@njit_inline
def _column(column: int, first: int, m_0: int, m_1: int, m_2: int,
            carry: int) -> tuple[int, int]:
    """Return a word of the product, 0 the lowest, and what is carried to the next."""
    total, over = carry, 0
    for j in range(3):
        i = _WORDS - 1 - (column - j)
        if 0 <= i < _WORDS:
            t = (m_0 if j == 0 else m_1 if j == 1 else m_2) * _TWO_OVER_PI_WORDS[first + i]
            total += t & _WORD
            over += (t >> 32) & _WORD
    return total & _WORD, over + (total >> 32)

# SPDX-License-Identifier: Apache-2.0
"""Sine, cosine and their inverses, and the reduction of angles."""

from __future__ import annotations

import math

import numpy as np

from sbot_common.compiled.jit import njit, njit_inline, njit_inner, njit_or_python
from sbot_common.elementary.bits import (
    INFINITE,
    MAGNITUDE,
    NAN,
    SHIFT,
    bits,
    double,
    fast_two_sum,
    long_product,
    magnitude,
    sign_bit,
    two_product,
    two_square,
    two_sum,
)

# Reduction of angles by multiples of pi/2 (Cody and Waite; Payne and Hanek for large ones).

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
def _reduced(angle: float) -> tuple[float, float, int]:
    """Return r, its low part, and n: angle = n pi/2 + r, for 0 <= angle <= REDUCED_UP_TO.

    Of n only the lowest two bits are to be used.
    """
    shifted = angle * _TWO_OVER_PI + SHIFT
    n = shifted - SHIFT
    # Both numbers are multiples of 2^-38 and close to each other: the difference is exact.
    a, b = angle - n * _HALF_PI_1, n * _HALF_PI_2
    r = a - b
    return r, ((a - r) - b) - n * _HALF_PI_3, bits(shifted)


@njit_inline
def _long_sum(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """Return (a + a_low) + (b + b_low) as a sum of two doubles."""
    s, s_low = two_sum(a, b)
    return fast_two_sum(s, s_low + (a_low + b_low))


@njit_inner
def _reduced_exactly(angle: float) -> tuple[float, float, int]:
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
    a, a_low = _long_sum(a, a_low, b, b_low + f_5 * 2.0 ** -160)
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


# sin(r) = r + r z P(z), cos(r) = 1 - z/2 + z^2 P(z), z = r^2
# (docs/make_elementary_coefficients.py)
_MAIN = 0.15625  # 5/32, close to 1/6
_SIN_0 = -0.16666666666666632 + _MAIN
_SIN_1 = 0.00833333333332249
_SIN_2 = -0.00019841269829857808
_SIN_3 = 2.7557313707008543e-06
_SIN_4 = -2.50507602423142e-08
_SIN_5 = 1.5896909238034541e-10
_COS_0 = 0.0416666666666666
_COS_1 = -0.0013888888888874474
_COS_2 = 2.480158728967154e-05
_COS_3 = -2.7557314401033517e-07
_COS_4 = 2.0875729281954754e-09
_COS_5 = -1.135993429771942e-11
_UPPER_16 = ~0x1f_ffff_ffff  # sign, exponent and the upper 16 bits of the significand
_LIMIT = REDUCED_UP_TO
_SMALL = 0.785  # rad; less than pi/4, up to where nothing is reduced


@njit_inline
def is_fast_angle(x: float) -> bool:
    """Tell whether the functions for usual angles may be called."""
    return magnitude(x) <= _LIMIT


@njit_inline
def _of_remainder(r: float, low: float) -> tuple[float, float]:
    """Return the sine and cosine of r + low, |r| <= pi/4.

    With h, the upper 16 bits of r, h^2 / 2 and 5/32 h^3 are exact. What is left of the terms of
    second and third order is so small that its rounding does not matter.
    """
    z = r * r
    zz = z * z  # terms in pairs, which the processor computes side by side
    sine_p = (_SIN_0 + z * _SIN_1) + zz * ((_SIN_2 + z * _SIN_3) + zz * (_SIN_4 + z * _SIN_5))
    cosine_p = (_COS_0 + z * _COS_1) + zz * ((_COS_2 + z * _COS_3) + zz * (_COS_4 + z * _COS_5))
    h = double(bits(r) & _UPPER_16)
    d, e, hh = r - h, r + h, h * h
    near = 1.0 - 0.5 * hh
    a = -_MAIN * (h * hh)
    main = r + a
    rest = (a - (main - r)) + (low * near - _MAIN * (d * (z + h * e)))
    sine = main + (rest + r * z * sine_p)
    rest = ((1.0 - near) - 0.5 * hh) - (0.5 * (d * e) + r * low)
    cosine = near + (rest + zz * cosine_p)
    return sine, cosine


@njit_inline
def _of_quadrant(r: float, low: float, n: int, sign: int) -> tuple[float, float]:
    """Return the sine and cosine of n pi/2 + r, the sine with a sign bit turned over."""
    s, c = _of_remainder(r, low)
    even = n & 1 == 0
    sine, cosine = s if even else c, c if even else s
    return (double(bits(sine) ^ sign ^ ((n & 2) << 62)),
            double(bits(cosine) ^ (((n + 1) & 2) << 62)))


@njit_inline
def sincos_fast(x: float) -> tuple[float, float]:
    """Return the sine and cosine of a usual angle (rad), without a branch: for loops."""
    r, low, n = _reduced(magnitude(x))
    return _of_quadrant(r, low, n, sign_bit(x))


@njit_inline
def is_small_angle(x: float) -> bool:
    """Tell whether ``small_sin`` may be called."""
    return magnitude(x) <= _SMALL


@njit_inline
def small_sin(x: float) -> float:
    """Return the sine of a small angle (rad), equal to ``sin`` bit for bit: for loops."""
    sine: float = double(bits(_of_remainder(magnitude(x), 0.0)[0]) ^ sign_bit(x))
    return sine


@njit_inner
def _sincos_far(x: float) -> tuple[float, float]:
    """Return the sine and cosine of an angle that is not a usual one."""
    if bits(x) & MAGNITUDE >= INFINITE:
        return NAN, NAN
    r, low, n = _reduced_exactly(magnitude(x))
    return _of_quadrant(r, low, n, sign_bit(x))


@njit_or_python
def sincos(x: float) -> tuple[float, float]:
    """Return the sine and the cosine of an angle (rad)."""
    if is_fast_angle(x):
        return sincos_fast(x)
    return _sincos_far(x)


@njit
def sin(x: float) -> float:
    """Return the sine of an angle (rad)."""
    return sincos(x)[0]


@njit
def cos(x: float) -> float:
    """Return the cosine of an angle (rad)."""
    return sincos(x)[1]


# Inverse tangent of one and two numbers, inverse sine and cosine.

# Two parts each: the multiples of the first by 1 to 4 are exact.
_QUARTER_PI_HIGH, _QUARTER_PI_LOW = 0.7853981633974483, 3.061616997868383e-17
_TAN_EIGHTH_PI = 0.41421356
# atan(t) = t + t z P(z), z = t^2, |t| <= tan(pi/8) (docs/make_elementary_coefficients.py)
_ATAN_0 = -0.333333333333332
_ATAN_1 = 0.19999999999953819
_ATAN_2 = -0.14285714280220532
_ATAN_3 = 0.11111110784675425
_ATAN_4 = -0.09090897792753432
_ATAN_5 = 0.07692060833305973
_ATAN_6 = -0.0666311097007775
_ATAN_7 = 0.058479385560669825
_ATAN_8 = -0.05039520663681706
_ATAN_9 = 0.038069881541168485
_ATAN_10 = -0.01791284543906961
# asin(g) = g + g z P(z), z = g^2 <= 1/4
_ASIN_0 = 0.16666666666666763
_ASIN_1 = 0.07499999999970128
_ASIN_2 = 0.044642857175257025
_ASIN_3 = 0.030381942677046893
_ASIN_4 = 0.022372215836092384
_ASIN_5 = 0.017351597220995437
_ASIN_6 = 0.013980986978486938
_ASIN_7 = 0.01139772351798338
_ASIN_8 = 0.010785329280908822
_ASIN_9 = 0.003695770292975353
_ASIN_10 = 0.021706493236190276
_ASIN_11 = -0.02095192606706816
_ASIN_12 = 0.03256631984083799

_LEAST, _MOST = 2.0 ** -500, 2.0 ** 500


@njit_inline
def _is_fast(x: float) -> bool:
    a = magnitude(x)
    return (a == 0.0) | (a >= _LEAST) & (a <= _MOST)


@njit_inline
def is_fast_point(y: float, x: float) -> bool:
    """Tell whether ``atan2_fast`` may be called: each number is 0 or 2^-500 to 2^500."""
    return _is_fast(y) & _is_fast(x)


@njit_inline
def atan2_fast(y: float, x: float) -> float:
    """Return the angle (rad) from the x axis to (x, y), without a branch: for loops."""
    ax, ay = magnitude(x), magnitude(y)
    steep = ay > ax
    short, long = ax if steep else ay, ay if steep else ax
    # Beyond pi/8: the angle is pi/4 + atan((short - long) / (short + long)).
    big = short > long * _TAN_EIGHTH_PI
    over, over_low = fast_two_sum(-long, short)
    under, under_low = fast_two_sum(long, short)
    over, over_low = over if big else short, over_low if big else 0.0
    under, under_low = under if big else long, under_low if big else 0.0
    under = 1.0 if under == 0.0 else under
    inverse = 1.0 / under
    t = over * inverse
    p, p_low = two_product(t, under)
    t_low = ((((over - p) - p_low) + over_low) - t * under_low) * inverse
    z = t * t
    zz = z * z
    zzzz = zz * zz
    p = (((_ATAN_0 + z * _ATAN_1) + zz * (_ATAN_2 + z * _ATAN_3))
         + zzzz * (((_ATAN_4 + z * _ATAN_5) + zz * (_ATAN_6 + z * _ATAN_7))
                   + zzzz * ((_ATAN_8 + z * _ATAN_9) + zz * _ATAN_10)))
    rest = t * z * p + (t_low - t_low * z)
    # The angle is quarters pi/4 + sign (t + rest).
    quarters, sign = 1.0 if big else 0.0, 1.0
    quarters, sign = 2.0 - quarters if steep else quarters, -sign if steep else sign
    left = bits(x) < 0
    quarters, sign = 4.0 - quarters if left else quarters, -sign if left else sign
    main, low = fast_two_sum(quarters * _QUARTER_PI_HIGH, sign * t)
    angle = main + (low + (quarters * _QUARTER_PI_LOW + sign * rest))
    return double(bits(angle) | sign_bit(y))  # type: ignore[no-any-return]


@njit_inner
def _atan2_far(y: float, x: float) -> float:
    """Return the angle to a point that is not a usual one."""
    ax, ay = magnitude(x), magnitude(y)
    if bits(ax) > INFINITE or bits(ay) > INFINITE:
        return NAN
    if ax == math.inf or ay == math.inf:
        ax, ay = 1.0 if ax == math.inf else 0.0, 1.0 if ay == math.inf else 0.0
    else:
        longer, shorter = max(ax, ay), min(ax, ay)
        if shorter < longer * 2.0 ** -450:
            if ay < ax and bits(x) >= 0:
                return double(bits(ay / ax) | sign_bit(y))  # type: ignore[no-any-return]
            ax, ay = ax if ax == longer else 0.0, ay if ay == longer else 0.0
        # The same power of two for both: nothing of them is rounded.
        scale = 2.0 ** -600 if longer > 2.0 ** 100 else 2.0 ** 600 if longer < 2.0 ** -100 else 1.0
        ax, ay = ax * scale, ay * scale
    return atan2_fast(double(bits(ay) | sign_bit(y)), double(bits(ax) | sign_bit(x)))


@njit
def atan2(y: float, x: float) -> float:
    """Return the angle (rad, in [-pi, pi]) from the x axis to the point (x, y)."""
    if is_fast_point(y, x):
        return atan2_fast(y, x)
    return _atan2_far(y, x)


@njit
def atan(x: float) -> float:
    """Return the angle (rad, in [-pi/2, pi/2]) with this tangent."""
    return atan2(x, 1.0)


@njit_inline
def _asin_parts(a: float) -> tuple[bool, float, float]:
    """Return whether a > 1/2, g and rest; g + rest is asin(a), or else asin(sqrt((1 - a) / 2))."""
    big = a > 0.5
    half = 0.5 * (1.0 - a)
    root = math.sqrt(half)
    square, square_low = two_square(root)
    root_low = ((half - square) - square_low) / (2.0 * root if root > 0.0 else 1.0)
    g, g_low = root if big else a, root_low if big else 0.0
    z = half if big else a * a
    zz = z * z
    zzzz = zz * zz
    p = (((_ASIN_0 + z * _ASIN_1) + zz * (_ASIN_2 + z * _ASIN_3))
         + zzzz * (((_ASIN_4 + z * _ASIN_5) + zz * (_ASIN_6 + z * _ASIN_7))
                   + zzzz * (((_ASIN_8 + z * _ASIN_9) + zz * (_ASIN_10 + z * _ASIN_11))
                             + zzzz * _ASIN_12)))
    return big, g, g * z * p + g_low


@njit
def asin(x: float) -> float:
    """Return the angle (rad, in [-pi/2, pi/2]) with this sine; NaN unless |x| <= 1."""
    a = magnitude(x)
    if not a <= 1.0:
        return NAN
    big, g, rest = _asin_parts(a)
    halves, factor = 2.0 if big else 0.0, -2.0 if big else 1.0
    main, low = fast_two_sum(halves * _QUARTER_PI_HIGH, factor * g)
    angle = main + (low + (halves * _QUARTER_PI_LOW + factor * rest))
    return double(bits(angle) | sign_bit(x))  # type: ignore[no-any-return]


@njit
def acos(x: float) -> float:
    """Return the angle (rad, in [0, pi]) with this cosine; NaN unless |x| <= 1."""
    a = magnitude(x)
    if not a <= 1.0:
        return NAN
    big, g, rest = _asin_parts(a)
    left = bits(x) < 0
    factor = 2.0 if big else -1.0
    quarters = (4.0 if left else 0.0) if big else 2.0
    factor = -factor if left else factor
    main, low = fast_two_sum(quarters * _QUARTER_PI_HIGH, factor * g)
    return main + (low + (quarters * _QUARTER_PI_LOW + factor * rest))

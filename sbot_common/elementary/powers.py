# SPDX-License-Identifier: Apache-2.0
"""Exponential function, logarithms, powers, and the length of a vector."""

from __future__ import annotations

import math

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

# The exponential function, also of a sum of two doubles.

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471805598903, 5.497923018708371e-14  # 42 bits and the rest
# exp(r) = 1 + r + r^2 / 2 + r^3 P(r), |r| <= ln(2) / 2 (docs/make_elementary_coefficients.py)
_EXP_0 = 0.16666666666666682
_EXP_1 = 0.0416666666666667
_EXP_2 = 0.008333333333316872
_EXP_3 = 0.0013888888888865158
_EXP_4 = 0.00019841269896784928
_EXP_5 = 2.480158736512541e-05
_EXP_6 = 2.755723447275977e-06
_EXP_7 = 2.755723865104118e-07
_EXP_8 = 2.5112166939941463e-08
_EXP_9 = 2.0925688774959203e-09
_FAST_UP_TO = 700.0
_OVERFLOW, _UNDERFLOW = 710.0, -746.0  # beyond, the result is inf and 0


@njit_inline
def _reduced(x: float) -> tuple[float, float, float]:
    """Return r, its low part, and n: x = n ln(2) + r, for |x| <= 746."""
    n = (x * _LOG2_E + SHIFT) - SHIFT
    r, low = two_sum(x - n * _LN2_HIGH, -n * _LN2_LOW)
    return r, low, n


@njit_inline
def _of_remainder(r: float, low: float) -> float:
    """Return e^(r + low), |r| <= ln(2) / 2."""
    q = r * r
    qq = q * q
    p = (((_EXP_0 + r * _EXP_1) + q * (_EXP_2 + r * _EXP_3))
         + qq * (((_EXP_4 + r * _EXP_5) + q * (_EXP_6 + r * _EXP_7))
                 + qq * (_EXP_8 + r * _EXP_9)))
    main, rest = fast_two_sum(1.0, r)
    return main + (rest + ((0.5 * q + r * q * p) + (low + low * r)))


@njit_inline
def is_fast_exponent(x: float) -> bool:
    """Tell whether ``exp_fast`` may be called."""
    return magnitude(x) <= _FAST_UP_TO


@njit_inline
def _power_of_two(n: float) -> float:
    """Return 2^n for an integer -1022 <= n <= 1023."""
    return double((bits(n + (SHIFT + 1023.0)) & 0x7ff) << 52)  # type: ignore[no-any-return]


@njit_inline
def exp_fast(x: float) -> float:
    """Return e^x for |x| <= 700, without a branch: for loops."""
    r, low, n = _reduced(x)
    return _of_remainder(r, low) * _power_of_two(n)


@njit_inner
def _exp_of_sum(x: float, x_low: float) -> float:
    """Return e^(x + x_low), |x_low| < 2^-40, x not NaN; subnormal results are rounded twice."""
    if x > _OVERFLOW:
        return math.inf
    if x < _UNDERFLOW:
        return 0.0
    r, low, n = _reduced(x)
    r, low = two_sum(r, low + x_low)
    half = (0.5 * n + SHIFT) - SHIFT
    return (_of_remainder(r, low) * _power_of_two(half)) * _power_of_two(n - half)


@njit
def exp(x: float) -> float:
    """Return e^x."""
    if is_fast_exponent(x):
        return exp_fast(x)
    return _exp_of_sum(x, 0.0) if x == x else NAN


# Natural and decimal logarithm, also as a sum of two doubles.

_LOG10_E_HIGH, _LOG10_E_LOW = 0.4342944819032518, 1.098319650216765e-17
_THIRD_HIGH, _THIRD_LOW = 0.3333333333333333, 1.850371707708594e-17
_FIFTH_HIGH, _FIFTH_LOW = 0.19999999999999998, 1.6653345369377347e-17
# log(1 + f) = 2 s + s z P(z), s = f / (2 + f), z = s^2 (docs/make_elementary_coefficients.py)
_LOG_0 = 0.6666666666666734
_LOG_1 = 0.39999999999416647
_LOG_2 = 0.28571428742026656
_LOG_3 = 0.2222219860521607
_LOG_4 = 0.18183562843180204
_LOG_5 = 0.1531408503441549
_LOG_6 = 0.14795631597234002
# log(1 + f) = 2 s (1 + z / 3 + z^2 / 5 + z^3 P(z))
_TAIL_0 = 0.14285714285716578
_TAIL_1 = 0.11111111110007428
_TAIL_2 = 0.0909090930252539
_TAIL_3 = 0.07692286465198676
_TAIL_4 = 0.0666788088151206
_TAIL_5 = 0.05842535803412324
_TAIL_6 = 0.05955355066862776

_LEAST_NORMAL = 2.0 ** -1022
_ROOT_HALF = 0x3fe6_a09e_667f_3bcd  # bits of sqrt(1/2)
_EXPONENTS = 0x3ff0_0000_0000_0000 - _ROOT_HALF  # makes the exponent's field count from sqrt(1/2)
_TO_52 = 0x4330_0000_0000_0000  # bits of 2^52
_BIAS = 4503599627371519.0  # 2^52 + 1023


@njit_inline
def _parts(x: float) -> tuple[float, float]:
    """Return m - 1 and n: x = m 2^n, sqrt(1/2) <= m < sqrt(2), for a positive normal number."""
    pattern = bits(x)
    exponent = ((pattern + _EXPONENTS) & MAGNITUDE) >> 52
    n = double(exponent | _TO_52) - _BIAS
    return double(pattern - ((exponent - 1023) << 52)) - 1.0, n


@njit_inline
def is_fast_number(x: float) -> bool:
    """Tell whether ``log_fast`` may be called: x is positive, finite and not subnormal."""
    return (x >= _LEAST_NORMAL) & (x < math.inf)


@njit_inline
def log_fast(x: float) -> float:
    """Return the natural logarithm of a positive normal number, without a branch: for loops."""
    f, n = _parts(x)
    s = f / (2.0 + f)
    z = s * s
    zz = z * z
    p = z * (((_LOG_0 + z * _LOG_1) + zz * (_LOG_2 + z * _LOG_3))
             + zz * zz * ((_LOG_4 + z * _LOG_5) + zz * _LOG_6))
    # 2 s = f - f^2 / 2 + s f^2 / 2; the first two have to be nearly exact, and so the sum with n.
    square, square_low = two_square(f)
    main, low = fast_two_sum(f, -0.5 * square)
    low += s * (0.5 * square + p) - 0.5 * square_low
    total, rest = fast_two_sum(n * _LN2_HIGH, main)
    return total + (rest + (low + n * _LN2_LOW))


@njit_inner
def _log_far(x: float) -> float:
    """Return the logarithm of a number that is not a usual one."""
    if x == 0.0:
        return -math.inf
    if not x > 0.0:
        return NAN
    if x == math.inf:
        return x
    high, low = _log_parts(x)
    return high + low


@njit
def log(x: float) -> float:
    """Return the natural logarithm; -inf for 0, NaN for less."""
    if is_fast_number(x):
        return log_fast(x)
    return _log_far(x)


@njit_inner
def _log_parts(x: float) -> tuple[float, float]:
    """Return the natural logarithm of a positive finite number as a sum of two doubles."""
    scale = 0.0
    if x < _LEAST_NORMAL:
        x, scale = x * 2.0 ** 54, -54.0
    f, n = _parts(x)
    n += scale
    under, under_low = fast_two_sum(2.0, f)
    inverse = 1.0 / under
    s = f * inverse
    p, p_low = two_product(s, under)
    s_low = (((f - p) - p_low) - s * under_low) * inverse
    z, z_low = long_product(s, s_low, s, s_low)
    zz = z * z
    tail = z * (((_TAIL_0 + z * _TAIL_1) + zz * (_TAIL_2 + z * _TAIL_3))
                + zz * zz * ((_TAIL_4 + z * _TAIL_5) + zz * _TAIL_6))
    a, a_low = fast_two_sum(_FIFTH_HIGH, tail)
    a, a_low = long_product(z, z_low, a, a_low + _FIFTH_LOW)
    a, rest = fast_two_sum(_THIRD_HIGH, a)
    a, a_low = long_product(z, z_low, a, rest + (a_low + _THIRD_LOW))
    a, a_low = long_product(s, s_low, a, a_low)
    a, rest = fast_two_sum(s, a)
    a_low = rest + (a_low + s_low)
    # The product of n with the low part, too, needs its rounding error.
    b, b_low = two_product(n, _LN2_LOW)
    main, rest = fast_two_sum(n * _LN2_HIGH, b)
    b_low += rest
    main, rest = fast_two_sum(main, 2.0 * a)
    return fast_two_sum(main, rest + (b_low + 2.0 * a_low))


@njit
def log10(x: float) -> float:
    """Return the decimal logarithm; -inf for 0, NaN for less; exact for powers of ten."""
    if not x > 0.0 or bits(x) >= INFINITE:
        return _log_far(x)
    high, low = _log_parts(x)
    return long_product(high, low, _LOG10_E_HIGH, _LOG10_E_LOW)[0]


_NEVER, _EVEN, _ODD = 0, 1, 2
_TWO_52, _TWO_53 = 2.0 ** 52, 2.0 ** 53
_LEAST, _MOST = 2.0 ** -450, 2.0 ** 500


@njit_inner
def _parity(y: float) -> int:
    """Tell whether a number is no integer, an even one or an odd one."""
    a = magnitude(y)
    if a >= _TWO_53:
        return _EVEN
    if a >= _TWO_52:
        return _ODD if bits(a) & 1 else _EVEN
    rounded = (a + _TWO_52) - _TWO_52
    if rounded != a:
        return _NEVER
    return _ODD if bits(a + _TWO_52) & 1 else _EVEN


@njit
def pow(x: float, y: float) -> float:
    """Return x^y."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if x != x or y != y:
        return NAN
    ax, parity = magnitude(x), _parity(y)
    sign = sign_bit(x) if parity == _ODD else 0
    if ax == 0.0 or ax == math.inf or ax == 1.0 or magnitude(y) == math.inf:
        if ax == 1.0:
            if parity == _NEVER:
                return NAN
            size = 1.0
        else:
            size = math.inf if (ax > 1.0) == (y > 0.0) else 0.0
        return double(bits(size) | sign)  # type: ignore[no-any-return]
    if x < 0.0 and parity == _NEVER:
        return NAN
    high, low = _log_parts(ax)
    if magnitude(y) >= 2.0 ** 65:  # |log x| >= 2^-53: far out of range
        e, e_low = math.inf if (high > 0.0) == (y > 0.0) else -math.inf, 0.0
    else:
        e, e_low = long_product(high, low, y, 0.0)
    size = _exp_of_sum(e, e_low)
    return double(bits(size) | sign)  # type: ignore[no-any-return]


@njit_inline
def is_fast_vector(x: float, y: float) -> bool:
    """Tell whether ``hypot_fast`` may be called: 0, or the longer from 2^-450 to 2^500."""
    ax, ay = magnitude(x), magnitude(y)
    longer = ax if ax > ay else ay
    # Each of the two by itself, for the sake of NaN.
    return (ax <= _MOST) & (ay <= _MOST) & ((longer >= _LEAST) | (longer == 0.0))


@njit_inline
def hypot_fast(x: float, y: float) -> float:
    """Return sqrt(x^2 + y^2), without a branch: for loops."""
    ax, ay = magnitude(x), magnitude(y)
    longer, shorter = ax if ax > ay else ay, ay if ax > ay else ax
    a, a_low = two_square(longer)
    b, b_low = two_square(shorter)
    h = a + b
    h_low = (b - (h - a)) + (a_low + b_low)
    root = math.sqrt(h)
    square, square_low = two_square(root)
    return root + (((h - square) - square_low) + h_low) / (2.0 * root if root > 0.0 else 1.0)


@njit_inner
def _hypot_far(x: float, y: float) -> float:
    """Return the length of a vector that is not a usual one."""
    ax, ay = magnitude(x), magnitude(y)
    if ax == math.inf or ay == math.inf:
        return math.inf
    if bits(ax) > INFINITE or bits(ay) > INFINITE:
        return NAN
    if max(ax, ay) > 1.0:
        return hypot_fast(ax * 2.0 ** -600, ay * 2.0 ** -600) * 2.0 ** 600
    return hypot_fast(ax * 2.0 ** 600, ay * 2.0 ** 600) * 2.0 ** -600


@njit_or_python
def hypot(x: float, y: float) -> float:
    """Return sqrt(x^2 + y^2), also if the squares overflow or underflow."""
    if is_fast_vector(x, y):
        return hypot_fast(x, y)
    return _hypot_far(x, y)

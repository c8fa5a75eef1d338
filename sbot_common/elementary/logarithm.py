"""Natural and decimal logarithm, also as a sum of two doubles."""

from __future__ import annotations

import math

from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary.bits import (
    INFINITE,
    MAGNITUDE,
    NAN,
    bits,
    double,
    fast_two_sum,
    long_product,
    two_product,
    two_square,
)

_LN2_HIGH, _LN2_LOW = 0.6931471805598903, 5.497923018708371e-14  # 42 bits and the rest
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

_LEAST = 2.0 ** -1022
_ROOT_HALF = 0x3fe6_a09e_667f_3bcd  # bits of sqrt(1/2)
_EXPONENTS = 0x3ff0_0000_0000_0000 - _ROOT_HALF  # makes the exponent's field count from sqrt(1/2)
_TWO_52 = 0x4330_0000_0000_0000  # bits of 2^52
_BIAS = 4503599627371519.0  # 2^52 + 1023


@njit_inline
def _parts(x: float) -> tuple[float, float]:
    """Return m - 1 and n: x = m 2^n, sqrt(1/2) <= m < sqrt(2), for a positive normal number."""
    pattern = bits(x)
    exponent = ((pattern + _EXPONENTS) & MAGNITUDE) >> 52
    n = double(exponent | _TWO_52) - _BIAS
    return double(pattern - ((exponent - 1023) << 52)) - 1.0, n


@njit_inline
def is_fast_number(x: float) -> bool:
    """Tell whether ``log_fast`` may be called: x is positive, finite and not subnormal."""
    return (x >= _LEAST) & (x < math.inf)


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
    high, low = log_parts(x)
    return high + low


@njit
def log(x: float) -> float:
    """Return the natural logarithm; -inf for 0, NaN for less."""
    if is_fast_number(x):
        return log_fast(x)
    return _log_far(x)


@njit_inner
def log_parts(x: float) -> tuple[float, float]:
    """Return the natural logarithm of a positive finite number as a sum of two doubles."""
    scale = 0.0
    if x < _LEAST:
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
    high, low = log_parts(x)
    return long_product(high, low, _LOG10_E_HIGH, _LOG10_E_LOW)[0]

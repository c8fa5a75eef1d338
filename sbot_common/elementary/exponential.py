"""The exponential function, also of a sum of two doubles."""

from __future__ import annotations

import math

from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary.bits import NAN, SHIFT, fast_two_sum, magnitude, power_of_two, two_sum

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
def exp_fast(x: float) -> float:
    """Return e^x for |x| <= 700, without a branch: for loops."""
    r, low, n = _reduced(x)
    return _of_remainder(r, low) * power_of_two(n)


@njit_inner
def exp_of_sum(x: float, x_low: float) -> float:
    """Return e^(x + x_low), |x_low| < 2^-40, x not NaN; subnormal results are rounded twice."""
    if x > _OVERFLOW:
        return math.inf
    if x < _UNDERFLOW:
        return 0.0
    r, low, n = _reduced(x)
    r, low = two_sum(r, low + x_low)
    half = (0.5 * n + SHIFT) - SHIFT
    return (_of_remainder(r, low) * power_of_two(half)) * power_of_two(n - half)


@njit
def exp(x: float) -> float:
    """Return e^x."""
    if is_fast_exponent(x):
        return exp_fast(x)
    return exp_of_sum(x, 0.0) if x == x else NAN

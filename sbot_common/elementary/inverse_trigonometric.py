"""Inverse tangent of one and two numbers, inverse sine and cosine."""

from __future__ import annotations

import math

from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary.bits import (
    INFINITE,
    NAN,
    bits,
    double,
    fast_two_sum,
    magnitude,
    sign_bit,
    two_product,
    two_square,
)

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

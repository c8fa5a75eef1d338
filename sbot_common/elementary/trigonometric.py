"""Sine and cosine."""

from __future__ import annotations

from sbot_common.compiled.jit import njit, njit_inline, njit_inner, njit_or_python
from sbot_common.elementary.bits import INFINITE, MAGNITUDE, NAN, bits, double, magnitude, sign_bit
from sbot_common.elementary.reduction import REDUCED_UP_TO, reduced, reduced_exactly

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
    r, low, n = reduced(magnitude(x))
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
    r, low, n = reduced_exactly(magnitude(x))
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

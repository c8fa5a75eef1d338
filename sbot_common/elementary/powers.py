"""Powers, and the length of a vector."""

from __future__ import annotations

import math

from sbot_common.compiled.jit import njit, njit_inline, njit_inner, njit_or_python
from sbot_common.elementary.bits import (
    INFINITE,
    NAN,
    bits,
    double,
    long_product,
    magnitude,
    sign_bit,
    two_square,
)
from sbot_common.elementary.exponential import exp_of_sum
from sbot_common.elementary.logarithm import log_parts

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
    high, low = log_parts(ax)
    if magnitude(y) >= 2.0 ** 65:  # |log x| >= 2^-53: far out of range
        e, e_low = math.inf if (high > 0.0) == (y > 0.0) else -math.inf, 0.0
    else:
        e, e_low = long_product(high, low, y, 0.0)
    size = exp_of_sum(e, e_low)
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

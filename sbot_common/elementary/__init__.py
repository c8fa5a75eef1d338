# SPDX-License-Identifier: Apache-2.0
"""Elementary functions whose results are the same bits on every machine, of numbers and arrays.

Nothing but + - * /, square root, comparisons and integers, in a fixed order; never libm.

Those of arrays (``sin_of``) go element by element, with vectors for ordinary values. Arrays have
shape (N,), any stride; results go where the caller wants them, which may be an argument itself.
Each result equals that of one number, bit for bit. One element that is not usual (NaN, say) costs
the vectors: then all are computed one by one.

The loops are written once for each number of arguments and results. The functions in them are
constants of a closure: numba inlines those, and so keeps the vectors, as it does not with a
function that is an argument.

No blocks: LLVM would compare arrays by rounded-up lengths, and take neighbours in memory for the
same array, which it does one by one, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner, njit_or_python
from sbot_common.elementary.powers import (
    exp,
    exp_fast,
    hypot,
    hypot_fast,
    is_fast_exponent,
    is_fast_number,
    is_fast_vector,
    log,
    log10,
    log_fast,
    pow,
)
from sbot_common.elementary.trigonometric import (
    acos,
    asin,
    atan,
    atan2,
    atan2_fast,
    cos,
    is_fast_angle,
    is_fast_point,
    is_small_angle,
    sin,
    sincos,
    sincos_fast,
    small_sin,
)

__all__ = [
    'acos', 'asin', 'atan', 'atan2', 'atan2_fast', 'atan2_of', 'copy_numbers',
    'copy_rows', 'cos', 'exp', 'exp_fast', 'exp_of',
    'hypot', 'hypot_fast', 'hypot_of', 'is_fast_angle', 'is_fast_exponent', 'is_fast_number',
    'is_fast_point', 'is_fast_vector', 'log', 'log10', 'log_fast', 'log_of', 'pow', 'sin',
    'sin_of', 'sincos', 'sincos_fast', 'sincos_of',
]

# Copies from array to array in compiled code, number by number.
#
# ``out[a:z] = values`` does the same, but numba compiles for it a comparison of the shapes and its
# message, with functions of text: that takes longer to compile than most of the functions here.

@njit_inner
def copy_numbers(values: Any, out: Any) -> None:  # noqa: ANN401 - arrays of one type
    """Write the numbers (N,) to ``out`` (N,), which must not overlap them."""
    for i in range(out.shape[0]):
        out[i] = values[i]


@njit_inner
def copy_rows(values: Any, out: Any) -> None:  # noqa: ANN401 - arrays of one type
    """Write the rows (N, M) to ``out`` (N, M), which must not overlap them."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = values[i, k]

_Function = Any  # compiled


def _of_one(is_usual: _Function, usual: _Function, function: _Function) -> Callable[..., None]:
    """Return the array form of a function of one number."""
    @njit
    def of(x: Floats, out: Floats) -> None:
        others = 0
        for i in range(x.shape[0]):
            others += not is_usual(x[i])
        if others == 0:
            for i in range(x.shape[0]):
                out[i] = usual(x[i])
        else:
            for i in range(x.shape[0]):
                out[i] = function(x[i])
    return of


def _of_two(is_usual: _Function, usual: _Function, function: _Function,
            compiled: Callable[[Any], Any] = njit) -> Callable[..., None]:
    """Return the array form of a function of two numbers; ``compiled`` is its decorator."""
    def of(x: Floats, y: Floats, out: Floats) -> None:
        others = 0
        for i in range(x.shape[0]):
            others += not is_usual(x[i], y[i])
        if others == 0:
            for i in range(x.shape[0]):
                out[i] = usual(x[i], y[i])
        else:
            for i in range(x.shape[0]):
                out[i] = function(x[i], y[i])
    array_form: Callable[..., None] = compiled(of)
    return array_form


@njit_or_python
def sincos_of(x: Floats, sine: Floats, cosine: Floats) -> None:
    """Write the sine and cosine of each angle (rad)."""
    others = 0
    for i in range(x.shape[0]):
        others += not is_fast_angle(x[i])
    if others == 0:
        for i in range(x.shape[0]):
            sine[i], cosine[i] = sincos_fast(x[i])
    else:
        for i in range(x.shape[0]):
            sine[i], cosine[i] = sincos(x[i])


sin_of = _of_one(is_small_angle, small_sin, sin)  # rad; in vectors where all are below 45 degrees
exp_of = _of_one(is_fast_exponent, exp_fast, exp)
log_of = _of_one(is_fast_number, log_fast, log)
atan2_of = _of_two(is_fast_point, atan2_fast, atan2)  # rad; of points given as y, then x
hypot_of = _of_two(is_fast_vector, hypot_fast, hypot, njit_or_python)

"""Elementary functions of each element of an array, in vectors where all elements are usual ones.

Arrays have shape (N,), any stride; results go where the caller wants them, which may be an
argument itself. Each result is that of the function of one number, to the bit. One element that is
not usual (NaN, say) costs the vectors: then all are computed one by one.

No blocks: LLVM would compare arrays by rounded-up lengths, and take neighbours in memory for the
same array, which it does one by one, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit, njit_or_python
from sbot_common.elementary.exponential import exp, is_usual_exponent, usual_exp
from sbot_common.elementary.inverse_trigonometric import atan2, is_usual_point, usual_atan2
from sbot_common.elementary.logarithm import is_usual_number, log, usual_log
from sbot_common.elementary.powers import hypot, is_usual_vector, usual_hypot
from sbot_common.elementary.trigonometric import (
    is_small_angle,
    is_usual_angle,
    sin,
    sincos,
    small_sin,
    usual_sincos,
)

Floats = NDArray[np.float64]


@njit
def sin_of(x: Floats, out: Floats) -> None:
    """Write the sine of each angle (rad); in vectors where all are below 45 degrees."""
    others = 0
    for i in range(x.shape[0]):
        others += not is_small_angle(x[i])
    if others == 0:
        for i in range(x.shape[0]):
            out[i] = small_sin(x[i])
    else:
        for i in range(x.shape[0]):
            out[i] = sin(x[i])


@njit_or_python
def sincos_of(x: Floats, sine: Floats, cosine: Floats) -> None:
    """Write the sine and cosine of each angle (rad)."""
    others = 0
    for i in range(x.shape[0]):
        others += not is_usual_angle(x[i])
    if others == 0:
        for i in range(x.shape[0]):
            sine[i], cosine[i] = usual_sincos(x[i])
    else:
        for i in range(x.shape[0]):
            sine[i], cosine[i] = sincos(x[i])


@njit
def atan2_of(y: Floats, x: Floats, out: Floats) -> None:
    """Write the angle (rad) from the x axis to each point (x, y)."""
    others = 0
    for i in range(x.shape[0]):
        others += not is_usual_point(y[i], x[i])
    if others == 0:
        for i in range(x.shape[0]):
            out[i] = usual_atan2(y[i], x[i])
    else:
        for i in range(x.shape[0]):
            out[i] = atan2(y[i], x[i])


@njit_or_python
def hypot_of(x: Floats, y: Floats, out: Floats) -> None:
    """Write the length of each vector (x, y)."""
    others = 0
    for i in range(x.shape[0]):
        others += not is_usual_vector(x[i], y[i])
    if others == 0:
        for i in range(x.shape[0]):
            out[i] = usual_hypot(x[i], y[i])
    else:
        for i in range(x.shape[0]):
            out[i] = hypot(x[i], y[i])


@njit
def exp_of(x: Floats, out: Floats) -> None:
    """Write e^x of each element."""
    others = 0
    for i in range(x.shape[0]):
        others += not is_usual_exponent(x[i])
    if others == 0:
        for i in range(x.shape[0]):
            out[i] = usual_exp(x[i])
    else:
        for i in range(x.shape[0]):
            out[i] = exp(x[i])


@njit
def log_of(x: Floats, out: Floats) -> None:
    """Write the natural logarithm of each element."""
    others = 0
    for i in range(x.shape[0]):
        others += not is_usual_number(x[i])
    if others == 0:
        for i in range(x.shape[0]):
            out[i] = usual_log(x[i])
    else:
        for i in range(x.shape[0]):
            out[i] = log(x[i])

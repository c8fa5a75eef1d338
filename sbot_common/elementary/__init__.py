# SPDX-License-Identifier: Apache-2.0
"""Elementary functions whose results are the same bits on every machine.

Nothing but + - * /, square root, comparisons and integers, in a fixed order; never libm.
"""

from sbot_common.elementary.arrays import atan2_of, exp_of, hypot_of, log_of, sin_of, sincos_of
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
    sin,
    sincos,
    sincos_fast,
)

__all__ = [
    'acos', 'asin', 'atan', 'atan2', 'atan2_fast', 'atan2_of', 'cos', 'exp', 'exp_fast', 'exp_of',
    'hypot', 'hypot_fast', 'hypot_of', 'is_fast_angle', 'is_fast_exponent', 'is_fast_number',
    'is_fast_point', 'is_fast_vector', 'log', 'log10', 'log_fast', 'log_of', 'pow', 'sin',
    'sin_of', 'sincos', 'sincos_fast', 'sincos_of',
]

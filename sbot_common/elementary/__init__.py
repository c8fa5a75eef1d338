"""Elementary functions whose results are the same bits on every machine.

Nothing but + - * /, square root, comparisons and integers, in a fixed order; never libm.
"""

from sbot_common.elementary.arrays import atan2_of, exp_of, hypot_of, log_of, sin_of, sincos_of
from sbot_common.elementary.exponential import exp, is_usual_exponent, usual_exp
from sbot_common.elementary.inverse_trigonometric import (
    acos,
    asin,
    atan,
    atan2,
    is_usual_point,
    usual_atan2,
)
from sbot_common.elementary.logarithm import is_usual_number, log, log10, usual_log
from sbot_common.elementary.powers import hypot, is_usual_vector, pow, usual_hypot
from sbot_common.elementary.trigonometric import cos, is_usual_angle, sin, sincos, usual_sincos

__all__ = [
    'acos', 'asin', 'atan', 'atan2', 'atan2_of', 'cos', 'exp', 'exp_of', 'hypot', 'hypot_of',
    'is_usual_angle', 'is_usual_exponent', 'is_usual_number', 'is_usual_point', 'is_usual_vector',
    'log', 'log10', 'log_of', 'pow', 'sin', 'sin_of', 'sincos', 'sincos_of', 'usual_atan2',
    'usual_exp', 'usual_hypot', 'usual_log', 'usual_sincos',
]

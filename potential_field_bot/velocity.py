"""Velocity command from force (document 001, section 13)."""

from __future__ import annotations

import math

from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2, cos, sincos


@njit
def sgn(a: float) -> float:
    """Return -1, 0 or 1; 0 for NaN."""
    if a > 0:
        return 1.0
    if a < 0:
        return -1.0
    return 0.0


@njit_inner
def reduce_angle(phi: float) -> float:
    """Return the same direction in [-pi, pi] (rad)."""
    sine, cosine = sincos(phi)
    return atan2(sine, cosine)


@njit
def angular_velocity(kappa: float, theta: float, omega_max: float) -> float:
    """Return the turning speed (rad/s) for an angle ``theta`` (rad) between heading and force."""
    raw = kappa * theta
    capped = abs(raw)
    # Spelled out: std::min keeps its first argument unless the second is smaller, NaN included.
    if omega_max < capped:
        capped = omega_max
    return sgn(raw) * capped


@njit
def linear_velocity(lambda_: float, ftx: float, fty: float, theta: float, v_max: float) -> float:
    """Return the forward speed (m/s) for a total force ``theta`` (rad) off the heading; >= 0."""
    raw = lambda_ * math.sqrt(ftx * ftx + fty * fty) * cos(theta)
    if raw > 0:
        return v_max if v_max < raw else raw
    return 0.0

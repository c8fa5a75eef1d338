"""Goal test and random goals (document 001, sections 15 and 16)."""

from __future__ import annotations

import math

from sbot_common.compiled.jit import njit
from sbot_common.elementary import sincos


@njit
def angle_of_draw(r: float) -> float:
    """Return the angle u in [-pi, pi) (rad) of a draw r in [0, 1) (document 001 section 11)."""
    return r * 2 * math.pi - math.pi


@njit
def is_on_goal(gx: float, gy: float, ex: float, ey: float, sigma: float) -> bool:
    """Tell whether the average position (ex, ey) is closer to the goal than ``sigma`` (m).

    Document 001 section 15.
    """
    sx = gx - ex
    sy = gy - ey
    return math.sqrt(sx * sx + sy * sy) < sigma


@njit
def generate_goal(x: float, y: float, r_distance: float, r_angle: float) -> tuple[float, float]:
    """Return a goal 0.5 to 1.5 m from (x, y) (m), from two draws in [0, 1): distance, then angle.

    Document 001 section 16.
    """
    um = 0.5 + r_distance
    ua = angle_of_draw(r_angle)
    sine, cosine = sincos(ua)
    return x + um * cosine, y + um * sine
